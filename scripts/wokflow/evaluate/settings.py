"""The settings of stage evaluate: config blocks evaluate.*. `data` of a run are its languages, as zh-en."""

from typing import Literal

from wokflow.frame.settings import (
    Block,
    Content,
    Field,
    FileOrFolder,
    Model,
    Never,
    RuleOnly,
    Settings,
    Text,
    When,
    borrowed,
    from_rule,
)

PARSED = When("parse.actions.method", "parser")
OTHERS = When("parse.dependencies.backend", "spacy", "hanlp")  # else the parser that the workflow trains


class Bootstrap(Block):
    samples: int = Field(1000, ge=1)
    """Resamples of the instances for an interval of 95 %."""
    seed: int = Field(13, ge=0)
    """Seed of the resampling."""


class SentencesBootstrap(Bootstrap):
    samples: int = Field(1000, ge=1)
    """Resamples of the sentences for an interval of 95 %."""


class ItemsBootstrap(Bootstrap):
    samples: int = Field(1000, ge=1)
    """Resamples of the items for an interval of 95 %."""


class RunsBootstrap(Bootstrap):
    samples: int = Field(1000, ge=1)
    """Resamples of the instances for intervals of 95 % and for the bootstrap beside a comparison."""


class DialoguesBootstrap(Bootstrap):
    samples: int = Field(1000, ge=1)
    """Resamples of the dialogues for an interval of 95 %."""


class TasksBootstrap(Bootstrap):
    samples: int = Field(1000, ge=1)
    """Resamples of the tasks for an interval of 95 %."""


class BertModel(Block):
    model: Model[Text | None] = None
    """Model of BERTScore: a name on the Hugging Face hub or a folder; Counterfactual Recipe Generation names none.
    None: no BERTScore.
    """
    revision: str | None = None
    """Branch, tag or commit of a model on the hub."""
    layers: int | None = Field(None, ge=1)
    """The layer whose vectors are compared; none takes the library's choice, which it has for well-known models."""
    batch: int = Field(32, ge=1)
    """Texts at once."""
    device: str | None = None
    """Where it runs; none takes a GPU where there is one."""


class CounterfactualSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    method: Literal["rules", "parser"] = borrowed("parse.actions.method")
    style: Literal["house", "paper"] = borrowed("parse.actions.style")
    backend: Literal["trained", "spacy", "hanlp"] | None = borrowed("parse.dependencies.backend", PARSED)
    model: str | None = borrowed("parse.dependencies.model", PARSED, OTHERS)
    device: str | None = borrowed("parse.dependencies.device", PARSED, OTHERS)
    batch: int | None = borrowed("parse.dependencies.batch", PARSED)
    predictions: Content[tuple[Text, ...]] = ()
    """Generated recipes to be scored beside the baselines: tables (Parquet or .tsv) with the columns instance_id,
    run and prediction; or RUN.txt with a line for each base recipe, as the testbed's authors score them.
    """
    vectors: FileOrFolder[str] = ""
    """Word vectors for the soft scores: a file in word2vec's text format, or a folder. Empty: those that the
    workflow trains (parse.vectors).
    """
    definition: Literal["possible", "paper"] = "possible"
    """Which changes and pivot actions count in the action scores. paper: all (section 6.2.1). possible: only pivot
    actions that can be carried out on the base recipe, and no simple replacements of the ingredient
    (docs/pivot.md).
    """
    tau: float = Field(0.9, ge=-1, le=1)
    """Actions whose words are more similar than this count as alike in the soft scores (Counterfactual Recipe
    Generation, section 6.2.1).
    """
    bertscore: BertModel = BertModel()
    bootstrap: Bootstrap = Bootstrap()


class CsiMatchSettings(Settings):
    """How well translations render culture-specific items, where `sources` has parallel sentences."""

    corpus: str = from_rule()
    """The source of sentences."""
    pair: str = from_rule()
    """Its languages, as en-zh."""
    predictions: Content[tuple[Text, ...]] = ()
    """Translations made elsewhere: tables (Parquet or .tsv) with the columns instance_id (the sentence's id, as
    camt:12), run and prediction.
    """
    regions: Content[Text] = "resources/enrich/regions.tsv"
    """The countries of each language (lang, country_qid, country): items are scored by region, too. Of several
    countries of an item that are of one language, the first here counts (enrich.lookup).
    """
    bootstrap: SentencesBootstrap = SentencesBootstrap()


class OutputsSettings(Settings):
    data: str = from_rule()
    lang: str = from_rule()
    """The language that the run is to write."""
    smoke_test: bool = from_rule()
    """Whether its model was made from scratch, so that its scores only show that everything works."""


class MetricsSettings(Settings):
    data: str = from_rule()
    spbleu: Content[Text | None] = None
    """Model of SentencePiece whose pieces spBLEU counts (flores200sacrebleuspm, which NLLB uses; docs/runs.md);
    null does not measure it.
    """


class BertOfLanguage(Block):
    model: Model[Text | None] = None
    """Model for texts of this language: a name on the hub or a folder (Cultural Adaptation of Recipes, footnote 14:
    bert-base-chinese, bert-base-uncased); null does not measure it.
    """
    revision: str | None = None
    """Branch, tag or commit of a model on the hub."""
    layers: int | None = Field(None, ge=1)
    """The layer whose vectors are compared; null takes the library's choice, which it has for well-known models."""


class BertscoreSettings(Settings):
    data: str = from_rule()
    # Of the language that the run writes, the rule gives model, revision and layers:
    zh: RuleOnly[BertOfLanguage] = BertOfLanguage()
    en: RuleOnly[BertOfLanguage] = BertOfLanguage()
    model: Model[str | None] = from_rule()
    revision: str | None = from_rule()
    layers: int | None = from_rule()
    batch: Never[int] = Field(32, ge=1)
    """Texts at once."""
    device: Never[str | None] = None
    """Where it runs; null takes a GPU where there is one."""


class Parsers(Block):
    zh: tuple[Text, ...] = ()
    """Command of an AMR parser for texts of this language, an entry a word: {input} stands for a file with a text a
    line, {output} for the graphs in Penman form, blank lines between; none does not measure it.
    Files that it names count by content.
    """
    en: tuple[Text, ...] = ()
    """Command of an AMR parser for texts of this language, an entry a word: {input} stands for a file with a text a
    line, {output} for the graphs in Penman form, blank lines between; none does not measure it.
    Files that it names count by content.
    """


class SmatchSettings(Settings):
    data: str = from_rule()
    parsers: RuleOnly[Parsers] = Parsers()
    command: tuple[Text, ...] = from_rule()
    """The parser of the language that the run writes."""
    device: Never[Literal["cpu"] | None] = None
    """Where the commands run: with cpu its job asks for no GPU, and they see none; null asks for one."""
    seconds: Never[float | None] = Field(None, gt=0)
    """Longest time for a command."""
    solver: Literal["ilp", "hillclimber"] = "ilp"
    """How graphs are aligned: `ilp` is exact."""


class CometSettings(Settings):
    data: str = from_rule()
    command: tuple[Text, ...] = ()
    """Command that scores with COMET in an environment of its own, an entry a word; docs/runs.md says how. Files
    that it names count by content. None: it is not measured.
    """
    device: Never[Literal["cpu"] | None] = None
    """Where the command runs: with cpu its job asks for no GPU, and it sees none; null asks for one."""
    seconds: Never[float | None] = Field(None, gt=0)
    """Longest time for the command."""


class BleurtSettings(Settings):
    data: str = from_rule()
    command: tuple[Text, ...] = ()
    """Command that scores with BLEURT in an environment of its own, an entry a word; docs/runs.md says how. Files
    that it names count by content. None: it is not measured.
    """
    device: Never[Literal["cpu"] | None] = None
    """Where the command runs: with cpu its job asks for no GPU, and it sees none; null asks for one."""
    seconds: Never[float | None] = Field(None, gt=0)
    """Longest time for the command."""


class Baselines(Block):
    zh_en: str | None = Field(None, alias="zh-en")
    """The run that others of this direction are compared with; null compares none."""
    en_zh: str | None = Field(None, alias="en-zh")
    """The same for English to Chinese."""


class SummarySettings(Settings):
    baselines: Baselines = Baselines()
    published: Content[Text] = "resources/published.tsv"
    """What papers published, which stands in the summary and on the page beside yours: a table with tabs and the
    columns paper, table, data, dataset, run, metric, value, deviation and note.
    """
    trials: int = Field(10000, ge=1)
    """Random swaps between a run and its baseline for the p-value of their difference."""
    bootstrap: RunsBootstrap = RunsBootstrap()


class CorrelationsSettings(Settings):
    ratings: Content[tuple[Text, ...]] = ()
    """Ratings by people: tables (Parquet or .tsv) with the columns run, instance_id, criterion and rating."""
    level: float = Field(0.05, gt=0, lt=1)
    """Level of significance, after Bonferroni's correction."""


class LiteralSettings(Settings):
    concepts: Content[Text] = "resources/concepts.tsv"
    """Concepts whose literal translations are counted (Cultural Adaptation of Recipes, section 7)."""
    induced: bool = False
    """Whether the Chinese words for which stage lexicon found no literal match are concepts, too."""


class RatingsSettings(Settings):
    """Statistics of the ratings of judge/tasks: docs/judge.md."""

    bootstrap: TasksBootstrap = TasksBootstrap()


class BiasesSettings(Settings):
    """Known biases of raters: docs/judge.md."""

    models: tuple[tuple[str, str, str], ...] = from_rule()
    """The rows of judge.models: name, model and family."""
    bootstrap: TasksBootstrap = TasksBootstrap()


class PtaSettings(Settings):
    """Choices between translations of culture-specific items: docs/judge.md."""

    judges: tuple[tuple[str, str, str], ...] = from_rule()
    """The comparers of judge.models: name, model and family."""
    systems: tuple[tuple[str, str, str], ...] = from_rule()
    """The runs that translate: name, model and family."""
    bootstrap: SentencesBootstrap = SentencesBootstrap()


class DialoguesSettings(Settings):
    """Culture-specific items in adapted dialogues: docs/dialogues.md."""

    threshold: float = Field(90, gt=0, le=100)
    """An item counts as not edited if words of its adapted utterance reach this similarity to it, 0 to 100."""
    beside: tuple[float, ...] = (80, 100)
    """Further thresholds for which shares of edited items are given."""
    bootstrap: DialoguesBootstrap = DialoguesBootstrap()


class AdaptationsSettings(Settings):
    """Statistics of the ratings of adapted dialogues and of their edits: docs/dialogues.md."""

    judges: tuple[tuple[str, str, str], ...] = from_rule()
    """Who rates them, of the rows of judge.models: name, model and family."""
    systems: tuple[tuple[str, str, str], ...] = from_rule()
    """The runs that adapt dialogues: name, model and family."""
    bootstrap: DialoguesBootstrap = DialoguesBootstrap()


class WordsSettings(Settings):
    """The most frequent words of the recipes that models wrote."""

    stopwords: Content[Text] = "resources/ash/stopwords.txt"
    """Words that are left out, one a line. The paper names neither its list nor how it cuts words."""
    most: int = Field(3, ge=1)
    """Words of each cuisine and system."""


class PeopleSettings(Settings):
    """Statistics of the ratings of a study of people: docs/annotate.md."""

    bootstrap: TasksBootstrap = TasksBootstrap()


class MarksSettings(Settings):
    """Agreement of annotators on the items that they mark in dialogues: docs/annotate.md."""

    bootstrap: DialoguesBootstrap = DialoguesBootstrap()


class BestWorstSettings(Settings):
    bootstrap: ItemsBootstrap = ItemsBootstrap()

"""The settings of stage match: config blocks match.*. Sections are those of Cultural Adaptation of Recipes."""

from typing import Annotated, Literal

from wokflow.frame.settings import (
    Content,
    Field,
    FileOrFolder,
    Folder,
    Model,
    Never,
    RuleOnly,
    Settings,
    Text,
    When,
    borrowed,
    from_rule,
)


class EligibleSettings(Settings):
    max_tokens: int = Field(512, ge=1)
    """Longer recipes are rejected before matching (Cultural Adaptation of Recipes, footnote 5)."""
    tokenizer: Model[Text] = "estimate"
    """How tokens are counted: `estimate` (no vocabulary needed), or by the tokenizer of a model (name or folder); the
    paper's is google/mt5-base.
    """
    revision: str | None = None
    """Branch, tag or commit of a tokenizer on the hub."""


HUB = When("backend", "hub")


class TranslateSettings(Settings):
    backend: Literal["lexicon", "hub", "none"] = "lexicon"
    """Translator of Chinese titles: the built-in lexicon, a model of the Hugging Face hub, or none (for multilingual
    encoders).
    """
    lexicon: Annotated[Folder[Text], When("backend", "lexicon")] = "resources/lexicon"
    """Folder of the lexicon's tables, which may be your own; after an edit there, titles are translated again."""
    model: Annotated[Model[Text], HUB] = "Helsinki-NLP/opus-mt-zh-en"
    """Backend hub: name or folder of a sequence-to-sequence model."""
    revision: Annotated[str | None, HUB] = None
    """Backend hub: branch, tag or commit of the model. The log says which commit was used."""
    device: Annotated[Never[Literal["auto", "cpu", "cuda"]], HUB] = "auto"
    """Backend hub: where it runs. `auto` takes a GPU where there is one, and its job asks for one; so does cuda.
    With cpu no GPU is asked for.
    """
    beams: Annotated[int, HUB] = Field(4, ge=1, le=64)
    """Backend hub: number of beams."""
    batch: Annotated[int, HUB] = Field(64, ge=1)
    """Backend hub: titles translated at once."""
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs. Results do not depend on it."""


class EmbedSettings(Settings):
    model: Model[Text] = "all-MiniLM-L6-v2"
    """Sentence encoder: all-MiniLM-L6-v2 comes with the installation and needs no network; any other name or
    folder that sentence-transformers loads.
    """
    revision: str | None = None
    """Branch, tag or commit of the model. The log says which commit was used."""
    device: Never[Literal["auto", "cpu", "cuda"]] = "auto"
    """Where it runs. `auto` takes a GPU where there is one; its job asks for one, unless the encoder is
    all-MiniLM-L6-v2. With cpu no GPU is asked for. The last digits of vectors depend on it.
    """
    precision: Literal["float32", "bfloat16"] = "float32"
    """Arithmetic of the encoder. bfloat16 is faster on GPUs and on processors with avx512_bf16 or amx_bf16, many
    times slower on others, and moves scores by some thousandths.
    """
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs. Results do not depend on it."""


class SearchSettings(Settings):
    backend: Literal["auto", "faiss", "torch"] = "auto"
    """Library of the search. Both are exact and give the same neighbours; `auto` takes torch, which multiplies once
    for both directions.
    """
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where it runs: `auto` takes a GPU where there is one."""
    k: int = Field(10, ge=1, le=1000)
    """Neighbours of each source (Cultural Adaptation of Recipes, section 3.3)."""
    floor: float | None = Field(None, ge=-1, le=1)
    """Neighbours with a lower score are left out, which makes the search faster and its tables smaller. At most
    `match.pair.threshold` less 0.0001. null: all `k` are kept, as `match.rerank.by: recipes` needs them.
    """
    memory_mb: Never[int] = Field(4096, ge=1024)
    """Memory of one job, in MiB. Results do not depend on it. On a cluster the job asks for 512 MiB more, since some
    sites also count the pages of libraries.
    """
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs. Results do not depend on it; with many, the tables of single jobs take more room on disk."""


class PairSettings(Settings):
    k: int = borrowed("match.search.k")
    threshold: float = Field(0.85, ge=-1, le=1)
    """Least cosine similarity of an accepted pair (Cultural Adaptation of Recipes, section 3.3). Pairs within
    0.0001 of it are listed in match/audit; match/near has a sheet of titles on both sides of it, for choosing one
    on your own corpora: docs/match.md.
    """
    source_translated: bool = from_rule()
    """Whether the texts of the source side are translations of its titles."""
    target_translated: bool = from_rule()
    """The same of the target side."""


class CandidatesSettings(Settings):
    """Candidates of the silver test set: names of dishes, looked up in both corpora for people to choose from
    (docs/runs.md).
    """

    titles: Content[Text | None] = None
    """Names of dishes in both languages: a tab-separated table with the columns zh and en, and optionally direction
    (zh-en or en-zh; empty: both) and source (the website). Null: no candidates.
    """
    cutoff: float = Field(60, ge=0, le=100)
    """Titles less similar to a name than this (share of unedited characters, 0 to 100) are none of its candidates."""
    count: int = Field(5, ge=1, le=1000)
    """Candidates of each dish."""


class SilverSettings(Settings):
    """The silver test set, one source to one target (Cultural Adaptation of Recipes, section 3.3). Its recipes, and
    those of the same dishes, are kept out of training.
    """

    accepted: Content[Text | None] = None
    """A copy of match/candidates/candidates.tsv in which people marked accepted rows with yes. Null: the test pairs
    stand in for the set.
    """


class SplitSettings(Settings):
    kind: Literal["grouped", "sources"] = "grouped"
    """`grouped` keeps connected recipes on one side, so nothing leaks; `sources` draws source recipes one by one.
    Cultural Adaptation of Recipes (section 3.3) names neither a way nor shares.
    """
    valid: float = Field(0.1, gt=0, lt=0.5)
    """Share of the source recipes that are for validation."""
    test: float = Field(0.1, ge=0, lt=0.5)
    """Share of the source recipes that stand in for a silver set. With one, 0 leaves them to train and valid."""
    seed: int = Field(13, ge=0)
    """Seed of the draw."""
    gold_zh_en: Text | None = borrowed("train.gold.zh-en")
    gold_en_zh: Text | None = borrowed("train.gold.en-zh")
    simplified: bool = borrowed("ingest.recipes.simplified")


class StatisticsSettings(Settings):
    gold_zh_en: Text | None = borrowed("train.gold.zh-en")
    gold_en_zh: Text | None = borrowed("train.gold.en-zh")
    simplified: bool = borrowed("ingest.recipes.simplified")


class ContentsSettings(Settings):
    """What recipes are made of (docs/match.md). Read where match.rerank.by is recipes."""

    lexicon: Folder[Text] = borrowed("match.translate.lexicon")
    glossary: FileOrFolder[Text] = borrowed("parse.glossary.path")
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs of each corpus. Results do not depend on it."""


class CompareSettings(Settings):
    """Candidates by titles and by contents, and what they have in common."""

    titles: int = Field(10, ge=1, le=1000)
    """Candidates of each recipe by its title, in both directions. If it is greater than `match.search.k`, the search
    keeps as many neighbours as this, and pairs by titles alone stay what they are.
    """
    contents: int = Field(10, ge=0, le=1000)
    """Candidates of each recipe by its foods, in both directions, beside those by its title."""
    postings: int = Field(20_000, ge=1)
    """How many recipes are compared with each by its rarest foods: its foods are looked up, the rarest first, as long
    as they are in no more recipes than this.
    """
    lexicon: Folder[Text] = borrowed("match.translate.lexicon")
    glossary: FileOrFolder[Text] = borrowed("parse.glossary.path")
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs. Results do not depend on it."""


class RerankSettings(Settings):
    """Pairs by what is cooked, as a model of graded pairs judges it (docs/match.md)."""

    by: RuleOnly[Literal["titles", "recipes"]] = "titles"
    """What makes pairs: the similarity of `titles` alone (Cultural Adaptation of Recipes, section 3.3), or the whole
    `recipes`: titles, foods, amounts, ways of cooking.
    """
    labels: Content[Text] = "resources/rerank/labels.tsv"
    """Graded pairs that the model is fitted on and measured with. Their README tells what grades mean."""
    graded: Content[Text | None] = None
    """A copy of match/rerank/unsure.tsv in which people filled in grades: more pairs to learn from. They are no
    sample of accepted pairs, so precision is not measured on them.
    """
    precision: float = Field(0.8, gt=0, lt=1)
    """Wanted share of accepted pairs that are the same dish or a variant, in each corpus of `labels`. The least
    probability of an accepted pair follows from it.
    """
    least_by: Literal["labels", "probabilities"] = "labels"
    """What sets the least probability of an accepted pair. With `labels`, pairs of each of their corpora keep the
    precision. With `probabilities`, all candidates of the corpora at hand that reach it do, by their mean: for
    corpora of whose pairs `graded` has some hundred, so that probabilities mean there what they say (docs/match.md).
    """
    k: int = borrowed("match.search.k")
    threshold: float = borrowed("match.pair.threshold")
    source_translated: bool = from_rule()
    """Whether Chinese titles are compared in translation."""
    target_translated: bool = from_rule()
    """Whether English titles are."""
    unsure: int = Field(100, ge=0)
    """Rows of match/rerank/unsure.tsv, for people to grade: candidates whose probability is at most 0.25 from the
    least, from all over that band; one for each pair of titles.
    """

"""The settings of stage parse: config blocks parse.*. Sections are those of Counterfactual Recipe Generation."""

from typing import Annotated, Literal

from wokflow.frame.settings import (
    Content,
    Field,
    FileOrFolder,
    Model,
    RuleOnly,
    Settings,
    Text,
    When,
    borrowed,
)


class GlossarySettings(Settings):
    path: FileOrFolder[Text] = "resources/glossary"
    """Which words are verbs, ingredients and tools, and their classes: a folder of verbs.tsv, ingredients.tsv,
    tools.tsv (and english.tsv), or a .json file in the form of the paper's own. An edit there redoes the
    extraction of actions.
    """


class ParserSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    treebanks: Content[tuple[Text, ...]] = Field(
        ("resources/treebank/recipes_a.conllu", "resources/treebank/recipes_b.conllu"), min_length=1
    )
    """What the workflow trains its parser on: CoNLL-U files (Universal Dependencies)."""
    test: Content[tuple[Text, ...]] = ()
    """Treebanks that it is tested on. None: every tenth sentence of the others is set aside."""
    simplify: bool = False
    """Turn the treebanks' traditional characters into simplified ones (UD's PUD and HK need it)."""
    max_sentences: int | None = Field(None, ge=10)
    """Train on so many sentences at most, taken at equal distances."""
    epochs: int = Field(15, ge=1)
    """Passes over the treebanks."""
    width: int = Field(64, ge=8)
    """Width of the network's layers."""
    depth: int = Field(4, ge=1)
    """Convolutions, each of which sees one word more to either side."""
    dropout: float = Field(0.2, ge=0, lt=1)
    """Share of the network left out at each step of the training."""
    learning_rate: float = Field(0.004, gt=0)
    """Learning rate."""
    batch_words: int = Field(600, ge=1)
    """Words of a batch in training."""
    seed: int = Field(13, ge=0, le=4294967295)
    """Seed of the training."""


OTHERS = When("backend", "spacy", "hanlp")


class DependenciesSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    backend: Literal["trained", "spacy", "hanlp"] = "trained"
    """Who parses clauses: a small spaCy parser that the workflow trains (parse.parser); an installed spaCy
    pipeline, such as zh_core_web_trf; or HanLP.
    """
    model: Annotated[Model[str], OTHERS] = ""
    """Backends spacy and hanlp: name or folder of the model. Its relations must be of a known scheme: Universal
    Dependencies, Stanford Dependencies, or those of the PKU Multi-view Treebank.
    """
    device: Annotated[Literal["auto", "cpu", "cuda"], OTHERS] = "auto"
    """Backends spacy and hanlp: where they run."""
    batch: int = Field(256, ge=1)
    """Clauses parsed at once."""
    shards: RuleOnly[int] = Field(1, ge=1, le=9999)
    """Number of jobs a corpus. Results do not depend on it."""


class ActionsSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    method: Literal["rules", "parser"] = "rules"
    """What finds a verb's ingredients and tools: clause rules, or the dependency parser. With rules no parser is
    trained or run.
    """
    style: Literal["house", "paper"] = "house"
    """`house` reads as a cook does; `paper` goes by the letter of Counterfactual Recipe Generation, appendix A.2,
    and needs a parser.
    """
    max_characters: int = Field(100000, ge=1)
    """Recipes with a longer step are rejected."""


CUT_WITH = When("parse.vectors.words", "glossary")  # else jieba's dictionary cuts the steps alone


class VectorsSettings(Settings):
    glossary: Text | None = borrowed("parse.glossary.path", CUT_WITH)
    corpus: RuleOnly[Text] = "xiachufang"
    """The corpus whose steps word vectors are trained on."""
    words: RuleOnly[Literal["glossary", "dictionary"]] = "glossary"
    """What a word of these steps is: jieba's dictionary says so with the glossary's words, or alone
    (`dictionary`), if parse.induce is to make a first glossary that owes nothing to another.
    """
    model: Literal["skip_gram", "cbow"] = "skip_gram"
    """Which word2vec."""
    dimensions: int = Field(100, ge=2)
    """Dimensions of a vector."""
    window: int = Field(5, ge=1)
    """Words to either side that count as context."""
    epochs: int = Field(5, ge=1)
    """Passes over the corpus."""
    least_count: int = Field(5, ge=1)
    """Words that are rarer have no vector."""
    recipes: int | None = Field(200000, ge=1)
    """So many recipes at most, drawn evenly; null takes all."""
    seed: int = Field(13, ge=0, le=4294967295)
    """Seed of the training."""


class InduceSettings(Settings):
    glossary: Text | None = borrowed("parse.glossary.path", CUT_WITH)
    verbs: int = Field(92, ge=1)
    """Classes of verbs (Counterfactual Recipe Generation, appendix A.2)."""
    ingredients: int = Field(476, ge=1)
    """Classes of ingredients."""
    tools: int = Field(20, ge=1)
    """Classes of tools."""
    least_count: int = Field(5, ge=1)
    """Words that are rarer in their role are left out."""
    recipes: int | None = Field(200000, ge=1)
    """So many recipes at most, drawn evenly; null takes all."""
    seed: int = Field(13, ge=0, le=4294967295)
    """Seed of the clustering."""

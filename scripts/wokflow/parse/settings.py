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
    """The verbs, ingredients and tools with their classes: a folder of verbs.tsv, ingredients.tsv, tools.tsv (and
    english.tsv), or the paper's own, glossary_dict.pkl or the same in JSON. After an edit there, actions are
    extracted again.
    """


class ParserSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    treebanks: Content[tuple[Text, ...]] = Field(
        ("resources/treebank/recipes_a.conllu", "resources/treebank/recipes_b.conllu"), min_length=1
    )
    """Treebanks to train the parser on: CoNLL-U files (Universal Dependencies)."""
    test: Content[tuple[Text, ...]] = ()
    """Treebanks to test the parser on. None: every tenth sentence of the others is held out."""
    simplify: bool = False
    """Convert the treebanks' traditional characters to simplified ones (UD's PUD and HK need it)."""
    max_sentences: int | None = Field(None, ge=10)
    """Largest number of sentences to train on, evenly spaced."""
    epochs: int = Field(15, ge=1)
    """Passes over the treebanks."""
    width: int = Field(64, ge=8)
    """Width of the network's layers."""
    depth: int = Field(4, ge=1)
    """Number of convolutions; each widens the window by one word on either side."""
    dropout: float = Field(0.2, ge=0, lt=1)
    """Dropout in training."""
    learning_rate: float = Field(0.004, gt=0)
    """Learning rate."""
    batch_words: int = Field(600, ge=1)
    """Words in a batch of training."""
    seed: int = Field(13, ge=0, le=4294967295)
    """Seed of the training."""


OTHERS = When("backend", "spacy", "hanlp")


class DependenciesSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    backend: Literal["trained", "spacy", "hanlp"] = "trained"
    """Parser of clauses: a small spaCy parser that the workflow trains (parse.parser); an installed spaCy pipeline,
    such as zh_core_web_trf; or HanLP.
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
    """Number of jobs for each corpus. Results do not depend on it."""


class ActionsSettings(Settings):
    glossary: Text = borrowed("parse.glossary.path")
    method: Literal["rules", "parser"] = "rules"
    """How a verb's ingredients and tools are found: by clause rules, or by the dependency parser, whose failures the
    rules read. With rules, no parser is trained or run.
    """
    style: Literal["house", "paper"] = "house"
    """`house` reads as a cook does; `paper` follows Counterfactual Recipe Generation, appendix A.2, which names no
    parser, and needs one.
    """
    max_characters: int = Field(100000, ge=1)
    """Recipes with a longer step are rejected."""


CUT_WITH = When("parse.vectors.words", "glossary")  # else the steps are segmented by jieba's dictionary alone


class VectorsSettings(Settings):
    glossary: Text | None = borrowed("parse.glossary.path", CUT_WITH)
    corpus: RuleOnly[Text] = "xiachufang"
    """The corpus whose steps word vectors are trained on."""
    words: RuleOnly[Literal["glossary", "dictionary"]] = "glossary"
    """Segmentation of the steps: by jieba's dictionary with the glossary's words, or by jieba's alone (`dictionary`),
    for a first glossary from parse.induce that is independent of any other.
    """
    model: Literal["skip_gram", "cbow"] = "skip_gram"
    """Architecture of word2vec."""
    dimensions: int = Field(100, ge=2)
    """Dimensions of a vector."""
    window: int = Field(5, ge=1)
    """Words to either side that count as context."""
    epochs: int = Field(5, ge=1)
    """Passes over the corpus."""
    least_count: int = Field(5, ge=1)
    """Rarer words have no vector."""
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
    """Words rarer in their role are left out."""
    recipes: int | None = Field(200000, ge=1)
    """So many recipes at most, drawn evenly; null takes all."""
    seed: int = Field(13, ge=0, le=4294967295)
    """Seed of the clustering."""

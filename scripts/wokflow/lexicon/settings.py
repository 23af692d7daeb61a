"""The settings of stage lexicon: config blocks lexicon.*. Sections are those of Cultural Adaptation of Recipes."""

from wokflow.frame.settings import Content, Field, RuleOnly, Settings, StageSettings, Text, borrowed


class LexiconSettings(StageSettings):
    """Word vectors of both corpora in one space, and words without a literal match: docs/lexicon.md."""

    included: RuleOnly[bool] = False
    """Whether the stage is part of a whole run and of the report. `snakemake lexicon` runs it in any case."""


class VectorsSettings(Settings):
    dimensions: int = Field(300, ge=1)
    """Dimensions of the vectors (section 4.1, footnote 10)."""
    epochs: int = Field(5, ge=1)
    """Passes over the corpus (footnote 10)."""
    least_count: int = Field(10, ge=1)
    """Rarer words have no vector (footnote 10)."""
    window: int = Field(5, ge=1)
    """Words on either side that count as context (footnote 10)."""
    negative: int = Field(10, ge=1)
    """Random words that each context is told apart from (footnote 10)."""
    recipes: int | None = Field(None, ge=1)
    """Largest number of recipes, drawn evenly from the corpus. Null: all."""
    seed: int = Field(13, ge=0)
    """Seed of the training."""


class AlignSettings(Settings):
    seed_dictionary: Content[Text] = "resources/bilingual/seed.tsv"
    """Word pairs that the alignment begins with: a tab-separated table with the columns zh and en. They should mean
    the same in both kitchens.
    """
    cutoff: int = Field(20000, ge=1)
    """The most frequent words of each language, among which the dictionary is induced (Artetxe et al. 2018)."""
    neighbourhood: int = Field(10, ge=1)
    """Neighbours by which CSLS tells how crowded a word's surroundings are (Lample et al. 2018)."""
    keep: float = Field(0.1, gt=0, le=1)
    """Share of similarities that are kept at first when a dictionary is induced; the others are dropped by chance."""
    growth: float = Field(2, gt=1)
    """How many times as many are kept once the alignment no longer improves."""
    patience: int = Field(50, ge=1)
    """Iterations without improvement before more are kept; with all of them kept, before the end."""
    threshold: float = Field(0.000001, ge=0)
    """Least improvement of the mean similarity of nearest neighbours."""
    reweight: float = Field(0.5, ge=0, le=1)
    """How far dimensions are weighed by their agreement, in both languages alike: 0 not at all, 0.5 as published."""
    seed: int = Field(13, ge=0)
    """Seed of what is dropped."""


class NeighboursSettings(Settings):
    seed_dictionary: Text = borrowed("lexicon.align.seed_dictionary")
    neighbourhood: int = borrowed("lexicon.align.neighbourhood")
    words: int = Field(100, ge=1)
    """The most frequent Chinese content words that are looked up (section 4.2)."""
    count: int = Field(5, ge=1, le=20)
    """English neighbours of each (section 4.2)."""
    light: Content[Text] = "resources/bilingual/light_words.txt"
    """Nouns, verbs and adjectives of jieba's dictionary, one a line, that are no content words."""
    lexicon: Text = borrowed("match.translate.lexicon")
    glossary: Text = borrowed("parse.glossary.path")
    dictionary: Content[Text | None] = None
    """More translations for Precision@5 by a dictionary: a tab-separated table with the columns zh and en. Null:
    those of match.translate.lexicon and of parse.glossary.path alone.
    """
    shown: int = Field(400, ge=1)
    """The most frequent words of each language in the picture of both spaces."""


class PrecisionSettings(Settings):
    marks: Content[tuple[Text, ...]] = ()
    """Sheets that people filled in: copies of lexicon/sheet/sheet.tsv, as tables with tabs or as .xlsx."""
    count: int = borrowed("lexicon.neighbours.count")
    lexicon: Text = borrowed("match.translate.lexicon")
    glossary: Text = borrowed("parse.glossary.path")
    dictionary: Text | None = borrowed("lexicon.neighbours.dictionary")

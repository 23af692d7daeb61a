"""The settings of stage ingest: config blocks ingest.*."""

from typing import Annotated, Literal

from wokflow.frame.settings import Content, Field, Layout, Never, Settings, Source, Text, borrowed, from_rule


class RecipesSettings(Settings):
    raw: Never[Text] = from_rule()
    """The source's file, which counts by its digest."""
    parts: Layout[int] = Field(4, ge=1, le=9999)
    """Number of Parquet parts of each table."""
    entities: bool = True
    """Decode HTML entities: &amp; to &, &frac12; to ½."""
    emoji: bool = True
    """Remove emoji from titles, ingredients and steps (Cultural Adaptation of Recipes, section 3.1)."""
    symbols: bool = True
    """Replace special symbols (★ ■ and the like) by spaces and remove invisible characters. Degrees and units such as
    ㎏ stay.
    """
    spaces: bool = True
    """Fold runs of white space into one space and trim."""
    simplified: bool = False
    """Turn traditional Chinese characters into simplified ones (OpenCC, t2s)."""
    empty_fields: bool = True
    """Drop empty list entries; reject recipes without title, ingredients or steps."""
    duplicates: bool = True
    """Reject rows whose title, ingredients and steps equal an earlier row's."""
    truncated: Literal["refuse", "keep"] = "refuse"
    """A source that is cut off or damaged: `refuse` stops with an error that says where; `keep` goes on with the
    rows that could be read.
    """
    mostly_rejected: Literal["refuse", "keep"] = "refuse"
    """A source without recipes, with more rejects than recipes (duplicates are not counted), with text that was
    decoded in a wrong encoding before it was saved, or with steps in the place of ingredients: `refuse` stops with an
    error that says what the file seems to be; `keep` goes on with the recipes that it has.
    """


class DownloadSettings(Settings):
    """For sources with a `url`. Two at a time (the resource `download` of profiles/default)."""

    url: str = from_rule()
    """Where the file is fetched from."""
    sha256: str | None = from_rule()
    """The file's checksum; None: it is not known."""
    contact: str = borrowed("contact")
    attempts: Never[int] = Field(8, ge=1)
    """Failures in a row after which a download is given up; the next run goes on from the part that is there."""
    timeout_s: Never[float] = Field(60, gt=0)
    """Seconds without data after which a connection counts as failed."""


Dump = Annotated[
    Source[Text | None],
    Field(
        description="Search index (CirrusSearch, enwiki-...-cirrussearch-content.json.gz) of the Wikipedia in this "
        "language; null: none."
    ),
]


class PagesSettings(Settings):
    """First paragraphs of Wikipedia's articles, which explain items."""

    raw: Never[Text] = from_rule()
    """The index of the job's language, which counts by its digest."""
    en: Dump = None
    zh: Dump = None
    es: Dump = None
    fr: Dump = None
    hi: Dump = None
    ta: Dump = None
    te: Dump = None
    de: Dump = None
    ja: Dump = None
    longest: int = Field(2000, ge=1)
    """Longest paragraph in characters; longer ones are cut after a sentence."""
    truncated: Literal["refuse", "keep"] = "refuse"
    """An index that is cut off or damaged: `refuse` stops with an error; `keep` goes on with the pages that could
    be read.
    """


class SentencesSettings(Settings):
    """For sources of parallel sentences."""

    raw: Never[tuple[Text, ...]] = from_rule()
    """The source's files, which count by their digest."""
    kind: str = from_rule()
    """The form in which the source was published, such as moses."""
    pair: str = from_rule()
    """The languages of both sides, as en-zh."""
    parts: Layout[int] = Field(2, ge=1, le=9999)
    """Number of Parquet parts of each table; each is linked by a job of its own."""
    entities: bool = True
    """Decode HTML entities, which Moses uses as escapes: &apos; to an apostrophe."""
    spaces: bool = True
    """Fold runs of white space into one space and trim."""
    identical: bool = True
    """Reject pairs whose sides are the same."""
    ratio: float | None = Field(4.0, gt=1)
    """Reject pairs if one side has more than so many times the letters of the other; a Chinese character counts as
    three. null: no check.
    """
    longest: int | None = Field(2000, ge=1)
    """Reject pairs with a longer side, in characters. null: no check."""
    language: bool = True
    """Reject pairs with a side that is certainly in another language (by py3langid, if it has 40 letters or more), or
    that has no letter of its language's script.
    """
    duplicates: bool = True
    """Reject pairs that occurred before; this takes 100 bytes of memory a pair."""
    truncated: Literal["refuse", "keep"] = "refuse"
    """A source that is cut off or damaged, or two files with different numbers of lines: `refuse` stops with an
    error; `keep` goes on with what could be read.
    """
    mostly_rejected: Literal["refuse", "keep"] = "refuse"
    """A source without pairs, with more rejects than pairs, or with text that was decoded in a wrong encoding before
    it was saved: `refuse` stops with an error; `keep` goes on.
    """


class DialoguesSettings(Settings):
    """Dialogues that are adapted to another culture within their language: docs/dialogues.md."""

    path: Content[Text | None] = None
    """Lines of JSON with an utterance each: ConvoKit's utterances.jsonl, or the simple form of docs/dialogues.md,
    plain or compressed; or the CSV with marked items that the paper's authors published. null: there are none.
    """
    shortest: int = Field(1, ge=1)
    """Dialogues of fewer utterances are left out."""
    longest: int = Field(15, ge=1)
    """Dialogues of more utterances are left out (Translating Across Cultures, section 4)."""


class AnnotationsSettings(Settings):
    """Culture-specific items that people marked in the dialogues."""

    path: Content[Text | None] = None
    """Lines of JSON with a marked item each, or the authors' CSV (docs/dialogues.md). null: there are none."""
    categories: Content[Text] = "resources/dialogues/categories.tsv"
    """The categories of items, with other spellings: a table with tabs and the columns name, also and what."""

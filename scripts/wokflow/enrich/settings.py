"""The settings of stage enrich: config blocks enrich.*. The paper is Benchmarking Machine Translation with Cultural
Awareness.
"""

from typing import Annotated, Literal

from wokflow.frame.settings import (
    Content,
    Field,
    FileOrFolder,
    Never,
    RuleOnly,
    Settings,
    Source,
    StageSettings,
    Text,
    When,
    borrowed,
    from_rule,
)


class EnrichSettings(StageSettings):
    """Culture-specific items in parallel sentences (Benchmarking Machine Translation with Cultural Awareness). It
    runs where `sources` has parallel sentences: docs/items.md.
    """

    languages: tuple[Annotated[str, Field(pattern="^[a-z]{2,3}([-_][A-Za-z0-9]+)*$")], ...] = ("en",)
    """Languages in which names and explanations of items are wanted, beside those of all pairs and English. Variants
    as Wikidata has them (zh-tw, sr-el) or with script or region behind _ (zh_TW, sr_Latn).
    """


class EntitiesSettings(Settings):
    raw: Never[Text] = from_rule()
    """The file at `path`, which counts by its digest."""
    languages: tuple[str, ...] = from_rule()
    """Languages in which names are kept."""
    path: Source[Text | None] = None
    """Wikidata's JSON dump, or a part of one: an entity a line, plain, .gz, .zst or .bz2. Entities may also have
    `summaries` ({language: text}) and `topics` (names of WikiProject topics).
    """
    truncated: Literal["refuse", "keep"] = "refuse"
    """A dump that is cut off or damaged: `refuse` stops with an error; `keep` goes on with what could be read."""


DICTIONARY, COMMAND = When("backend", "dictionary"), When("backend", "command")


class LinkSettings(Settings):
    pair: str = from_rule()
    """The languages of the source of sentences, as en-zh."""
    annotated: Content[str | None] = from_rule()
    """Backend released: the file that the sentences were read from, which has their annotations."""
    backend: Literal["dictionary", "command", "released"] = "dictionary"
    """How items are found: by their names; by a program, such as a neural entity linker; or `released`: those that
    the sources' own files annotate, all of kind camt.
    """
    case: Annotated[Literal["names", "ignored"], DICTIONARY] = "names"
    """Backend dictionary. `names`: a name with capitals is found only with them. `ignored`: capitals do not count,
    for corpora in lower case.
    """
    plurals: Annotated[bool, DICTIONARY] = True
    """Backend dictionary: plurals of common nouns are mentions, too, in the languages of
    enrich/affixes.py and enrich/inflection.py."""
    phrases: Annotated[Content[Text], DICTIONARY] = "resources/enrich/phrases.tsv"
    """Backend dictionary: fixed phrases (lang, phrase) whose words are no items, as in `for the sake of`."""
    command: Annotated[tuple[Text, ...], COMMAND] = ()
    """Backend command: the program, an entry a word; docs/items.md says what it reads and writes. Files that it
    names, such as a script, count by content.
    """
    seconds: Annotated[Never[float | None], COMMAND] = Field(None, gt=0)
    """Backend command: longest time for a part of the sentences (ingest.sentences.parts)."""


SERVICE = When("backend", "service")


class CategoriseSettings(Settings):
    languages: tuple[str, ...] = from_rule()
    """Backend service: languages of the pages that it is asked for, the first ones preferred."""
    contact: str = borrowed("contact")
    topics: Content[Text] = "resources/enrich/topics.tsv"
    """The category of each WikiProject topic (topic, category): the paper's Table 9."""
    classes: Content[Text] = "resources/enrich/classes.tsv"
    """The topics of classes of Wikidata (qid, class, topic), for items without topics of their own."""
    backend: Literal["classes", "service"] = "classes"
    """Source of topics for items without any in the table of entities: `classes` above them, or first a topic
    `service` that is asked about their pages.
    """
    endpoint: Annotated[Text, SERVICE] = (
        "https://api.wikimedia.org/service/lw/inference/v1/models/outlink-topic-model:predict"
    )
    """Backend service: URL of Wikimedia's topic model, or of a server with the same interface. It is asked under the
    name of `contact`.
    """
    threshold: Annotated[float, SERVICE] = Field(0.5, ge=0.05, le=1)
    """Backend service: least score of a topic."""
    concurrency: Annotated[Never[int], SERVICE] = Field(1, ge=1, le=5)
    """Backend service: requests at once, each for one page."""
    timeout_s: Annotated[Never[float], SERVICE] = Field(30, gt=0)
    """Backend service: seconds for a whole answer."""
    attempts: Annotated[Never[int], SERVICE] = Field(8, ge=1)
    """Backend service: failures in a row after which the step gives up. What was received is kept."""
    backoff_s: Annotated[Never[float], SERVICE] = Field(2, ge=0)
    """Backend service: seconds of the first pause after a failure; each is twice as long. Retry-After is obeyed."""
    cache: Annotated[Never[Text | None], SERVICE] = None
    """Backend service: folder of answers, so that nothing is asked twice; null is enrich/topics in the results.
    Delete it to ask anew.
    """


STORE, ENDPOINT, NO_DUMP = (
    When("backend", "store"),
    When("backend", "endpoint"),
    When("backend", "store", "endpoint"),
)


class LookupSettings(Settings):
    languages: tuple[str, ...] = from_rule()
    contact: str = borrowed("contact")
    regions: str = borrowed("evaluate.csi_match.regions")
    backend: Literal["dump", "store", "endpoint"] = "dump"
    """Where names, descriptions and countries of origin are looked up: in the table of entities (dump), in a store of
    triples, or at a SPARQL endpoint such as Wikidata's or QLever's.
    """
    store: Annotated[FileOrFolder[Text | None], STORE] = None
    """Backend store: a file of triples (.nt or .ttl, plain or .gz), or a folder that Oxigraph made, in Wikidata's
    own vocabulary.
    """
    endpoint: Annotated[Text | None, ENDPOINT] = None
    """Backend endpoint: its URL. It is asked under the name of `contact`."""
    batch: Annotated[Never[int], NO_DUMP] = Field(50, ge=1, le=500)
    """Backends store and endpoint: items a query. It is halved where the endpoint does not answer."""
    concurrency: Annotated[Never[int], ENDPOINT] = Field(1, ge=1, le=5)
    """Backend endpoint: requests at once."""
    timeout_s: Annotated[Never[float], ENDPOINT] = Field(70, gt=0)
    """Backend endpoint: seconds for a whole answer."""
    attempts: Annotated[Never[int], ENDPOINT] = Field(8, ge=1)
    """Backend endpoint: failures in a row after which the step gives up. What was received is kept."""
    backoff_s: Annotated[Never[float], ENDPOINT] = Field(2, ge=0)
    """Backend endpoint: seconds of the first pause after a failure; each is twice as long. Retry-After is obeyed."""
    cache: Annotated[Never[Text | None], ENDPOINT] = None
    """Backend endpoint: folder of answers, so that nothing is asked twice; null is enrich/answers in the results.
    Delete it to ask anew.
    """


class PagesSettings(Settings):
    contact: str = borrowed("contact")
    backend: RuleOnly[Literal["none", "api"]] = "none"
    """Source of explanations that neither the table of entities nor ingest.pages has: `api` asks Wikipedia's API, a
    page at a time, under the name of `contact`; it is meant for some hundreds of items.
    """
    longest: int = Field(2000, ge=1)
    """Longest paragraph in characters; longer ones are cut after a sentence."""
    attempts: Never[int] = Field(5, ge=1)
    """Backend api: attempts for a page."""
    timeout_s: Never[float] = Field(30, gt=0)
    """Backend api: seconds for a whole answer, from the connection to its last byte."""
    cache: Never[Text | None] = None
    """Backend api: folder of articles, so that none is asked for twice; null is enrich/articles in the results.
    Delete it to ask anew. Titles without an article are asked for in each run.
    """


class ItemsSettings(Settings):
    languages: tuple[str, ...] = from_rule()


class AssembleSettings(Settings):
    pair: str = from_rule()


class StatisticsSettings(Settings):
    pairs: tuple[tuple[str, str], ...] = from_rule()
    """Each source of sentences with its languages, as en-zh."""


class LinkQualitySettings(Settings):
    annotated: Content[str] = from_rule()
    """The source's file, which has annotations."""

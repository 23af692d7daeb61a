"""Wikidata's facts at SPARQL endpoints: the query, the facts in an answer, and a polite client."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from wokflow.enrich.entities import END
from wokflow.enrich.settings import LookupSettings
from wokflow.frame.job import UserError
from wokflow.frame.language_codes import ANY_LANGUAGE, CODES, TAGS, fallbacks, wikipedia
from wokflow.frame.polite import Client
from wokflow.frame.secrets import SAID, printable
from wokflow.frame.wikidata import QID

LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}")
ENTITY = "http://www.wikidata.org/entity/"
WIKI = re.compile(r"https://(.+)\.wikipedia\.org/")

LABEL, ALIAS, DESCRIPTION, TITLE, ORIGIN, COUNTRY, LASTING_ORIGIN, LASTING_COUNTRY, MERGED = (
    "label",
    "alias",
    "description",
    "title",
    "origin",
    "country",
    "lasting_origin",
    "lasting_country",
    "merged",
)
# A fact about an item: kind, language (of a title, the Wikipedia's name; or empty) and value. An item's facts are
# sorted and distinct.
Fact = tuple[str, str, str]
Facts = list[Fact]

QUERY = """PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX schema: <http://schema.org/>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT ?item ?kind ?value ?wiki WHERE {
%s
}
"""
# One branch for each kind, so that the rows of a kind are not multiplied by those of another.
TEXT = """{ VALUES ?item { %s } ?item %s ?value .
  FILTER(LCASE(LANG(?value)) IN (%s)) BIND("%s" AS ?kind) }"""
PAGE = """{ VALUES ?item { %s } VALUES ?wiki { %s }
  ?page schema:about ?item ; schema:isPartOf ?wiki ; schema:name ?value . BIND("%s" AS ?kind) }"""
STATEMENT = """{ VALUES ?item { %s } ?item %s ?value . BIND("%s" AS ?kind) }"""
LASTING = """{ VALUES ?item { %s } ?item p:%s ?statement . ?statement a wikibase:BestRank ; ps:%s ?value .
  FILTER NOT EXISTS { ?statement pq:%s ?end } BIND("%s" AS ?kind) }"""


def query(qids: Sequence[str], languages: Collection[str]) -> str:
    """The query for the facts about items; names and descriptions also in variants of the languages.

    It asks for truthy statements only, those of the best rank, then for those of them without an end time, which a
    store of truthy statements alone does not have; and for the item that one was merged into. Raises UserError as
    `check` does, so that nothing but ids and codes becomes part of a query.
    """
    check(qids, languages)
    codes = {code for lang in languages for code in (lang, *fallbacks(lang), ANY_LANGUAGE)}
    names = _strings(codes | {TAGS[code] for code in codes & TAGS.keys()})
    items = " ".join(f"wd:{qid}" for qid in qids)
    names_of_wikis = sorted({wikipedia(lang) for lang in languages})
    wikis = " ".join(f"<https://{name}.wikipedia.org/>" for name in names_of_wikis)
    return QUERY % "\nUNION\n".join(
        [
            TEXT % (items, "rdfs:label", names, LABEL),
            TEXT % (items, "skos:altLabel", names, ALIAS),
            TEXT % (items, "schema:description", names, DESCRIPTION),
            PAGE % (items, wikis, TITLE),
            STATEMENT % (items, "wdt:P495", ORIGIN),
            STATEMENT % (items, "wdt:P17", COUNTRY),
            LASTING % (items, "P495", "P495", END, LASTING_ORIGIN),
            LASTING % (items, "P17", "P17", END, LASTING_COUNTRY),
            STATEMENT % (items, "owl:sameAs", MERGED),
        ]
    )


def check(qids: Sequence[str], languages: Collection[str]) -> None:
    """Raise UserError for an invalid id of an item, or an invalid code of a language."""
    for qid in qids:
        if not QID.fullmatch(qid):
            raise UserError(
                f"{qid[:SAID]!r} is no id of an item of Wikidata, such as Q13276. No query was sent."
            )
    for lang in languages:
        if not LANGUAGE.fullmatch(lang):
            raise UserError(
                f"enrich.languages: {lang[:SAID]!r} is no code of a language, such as zh or zh-hant."
            )


def _strings(texts: Collection[str]) -> str:
    return ", ".join(f'"{text}"' for text in sorted(texts))


def read_answer(content: bytes, qids: Collection[str], *, limit: int | None = None) -> dict[str, Facts]:
    """The facts about each item in an answer to `query`.

    Values that are no items, such as "unknown value", are left out. Raises ValueError if the answer is malformed or
    has `limit` rows, so that it may be incomplete.
    """
    try:
        rows = json.loads(content)["results"]["bindings"]
        if limit is not None and len(rows) >= limit:
            raise ValueError(f"the endpoint gives no more than {limit} rows")
        facts_of: dict[str, set[Fact]] = {qid: set() for qid in qids}
        for row in rows:
            if fact := _fact(row):
                facts_of[row["item"]["value"].removeprefix(ENTITY)].add(fact)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no whole answer ({type(error).__name__}: {printable(str(error))})") from error
    return {qid: sorted(facts) for qid, facts in facts_of.items()}


def _fact(row: Mapping[str, Mapping[str, str]]) -> Fact | None:
    """The fact in a row; None if its value does not count. Raises KeyError for a row of another query."""
    kind, value = row["kind"]["value"], _stored(row["value"]["value"])
    match kind:
        case "label" | "alias" | "description":
            lang = _stored(row["value"]["xml:lang"]).lower()
            return (kind, CODES.get(lang, lang), value) if value else None
        case "title":
            wiki = WIKI.fullmatch(row["wiki"]["value"])
            return (kind, wiki[1], value) if wiki and value else None
        case "origin" | "country" | "lasting_origin" | "lasting_country" | "merged":
            qid = value.removeprefix(ENTITY)
            return (kind, "", qid) if value != qid and QID.fullmatch(qid) else None
    raise KeyError(kind)


def _stored(text: str) -> str:
    """A text that can be stored: lone surrogates, which JSON can hold, become question marks."""
    return text.encode("utf-8", "replace").decode()


class Endpoint(Client[Facts]):
    """A client of a SPARQL endpoint that asks for items in some languages, `batch` in each query."""

    types = ("application/sparql-results+json", "application/json")
    example = "https://query.wikidata.org/sparql"
    advice = (
        "Run again later, or with a smaller enrich.lookup.batch, or look items up in a dump (enrich.lookup.backend: "
        "dump)."
    )

    def __init__(self, settings: LookupSettings, say: Callable[[str], None]) -> None:
        """Raises UserError for a setting that is not valid."""
        super().__init__(settings, step="enrich.lookup", batch=settings.batch, say=say)
        self._languages = settings.languages

    def request(self, asked: Sequence[str]) -> dict[str, Any]:
        """The form with the query."""
        return {"data": {"query": query(asked, self._languages)}}

    def read(self, content: bytes, headers: Mapping[str, str], asked: Sequence[str]) -> dict[str, Facts]:
        """The facts about each item. Raises ValueError for an incomplete answer."""
        limit = headers.get("X-SPARQL-MaxRows", "")  # of Virtuoso
        return read_answer(content, asked, limit=int(limit) if limit.isdecimal() else None)

"""Facts in the forms of Wikidata's dumps and of its triples."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from wokflow.enrich.entities import enrich_entities
from wokflow.enrich.schemas import CATEGORIES
from wokflow.frame import tables
from wokflow.frame.job import Job

from tests.enrich.defaults import entities_settings

Entity = dict[str, Any]  # an item in the form of Wikidata's JSON

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
PROP = "http://www.wikidata.org/prop/"
WIKIBASE = "http://wikiba.se/ontology#"
RDFS, SKOS = "http://www.w3.org/2000/01/rdf-schema#", "http://www.w3.org/2004/02/skos/core#"
SCHEMA = "http://schema.org/"
RDF, XSD = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2001/XMLSchema#"
TAGS = {  # of MediaWiki's codes in triples, where they differ by more than capitals
    "zh-cn": "zh-Hans-CN",
    "zh-tw": "zh-Hant-TW",
    "zh-hk": "zh-Hant-HK",
    "sr-ec": "sr-Cyrl",
    "sr-el": "sr-Latn",
}


def entity(
    qid: str,
    labels: Mapping[str, str],
    *,
    descriptions: Mapping[str, str] | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
    titles: Mapping[str, str] | None = None,
    origins: Sequence[str] = (),
    countries: Sequence[str] = (),
) -> Entity:
    """An item. Ids of `origins` and `countries` may have signs before them: + preferred, - deprecated, ! ended.

    ? in place of an id is an unknown value.
    """

    def text(code: str, value: str) -> dict[str, str]:
        return {"language": code, "value": value}

    claims = {"P495": origins, "P17": countries}
    return {
        "id": qid,
        "labels": {code: text(code, value) for code, value in labels.items()},
        "descriptions": {code: text(code, value) for code, value in (descriptions or {}).items()},
        "aliases": {code: [text(code, one) for one in values] for code, values in (aliases or {}).items()},
        "sitelinks": {f"{lang}wiki": {"title": title} for lang, title in (titles or {}).items()},
        "claims": {name: [_statement(one) for one in values] for name, values in claims.items() if values},
    }


def _statement(value: str) -> dict[str, Any]:
    rank = {"+": "preferred", "-": "deprecated"}.get(value[0], "normal")
    if value.endswith("?"):
        return {"rank": rank, "mainsnak": {"snaktype": "somevalue"}}
    made = {"rank": rank, "mainsnak": {"datavalue": {"value": {"id": value.lstrip("+-!")}}}}
    return made | ({"qualifiers": {"P582": [{"snaktype": "value"}]}} if "!" in value else {})


SOME = (
    entity(
        "Q148",
        {"en": "People's Republic of China", "zh": "中华人民共和国", "hi": "चीन"},
        countries=["Q148"],
        aliases={"en": ["China"]},
    ),
    entity("Q155", {"pt-br": "Brasil", "en": "Brazil"}, countries=["Q155"]),
    entity("Q38", {"en": "Italy", "mul": "Italia"}),
    entity(
        "Q836929",
        {"en": "mapo tofu", "zh": "麻婆豆腐", "es": "mapo tofu"},
        descriptions={"en": 'a "Sichuan" dish\\', "zh": "四川菜", "hi": "एक व्यंजन"},
        aliases={"en": ["mapo doufu", "Mapo bean curd"], "zh": ["麻辣豆腐"], "mul": ["mapo doufu", "Mapo"]},
        titles={"en": "Mapo tofu", "zh": "麻婆豆腐", "fr": "Mapo doufu"},
        origins=["Q148"],
        countries=["Q38"],
    ),
    entity(
        "Q2",
        {"zh-tw": "披薩", "zh-hans": "披萨", "en-gb": "pizza"},
        descriptions={"zh-hant": "一種食品"},
        origins=["Q155", "Q38"],
    ),
    entity("Q13276", {"mul": "ASCII tab\tand \u2028 feijoada"}, countries=["Q38", "+Q155", "-Q148", "?"]),
    entity("Q30", {"en": "nowhere's dish"}, origins=["-Q148"]),
    entity("Q900", {"en": "of a country without a name here"}, origins=["Q901"]),
    entity("Q901", {"fr": "Nulle part"}, descriptions={"zh": "没有名字"}),
)  # fmt: skip

# What an endpoint might say in place of an item's id.
HOSTILE = [
    "Q1> } DROP ALL #",
    "Q1 } UNION { ?item ?p ?value",
    "Q0",
    "Q١",
    "Q1\n",
    '" ) } #',
    "P17",
    "Q" + "9" * 5000,
]


def dumped(entities: Iterable[Entity], folder: Path, languages: Sequence[str]) -> str:
    """The table enrich/entities of a dump of these items."""
    folder.mkdir(parents=True, exist_ok=True)
    dump, source, table = folder / "dump.json", folder / "source.json", folder / "entities.parquet"
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in entities)
    dump.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    source.write_text('{"sha256": "0"}', encoding="utf-8")
    enrich_entities(
        source=str(source),
        entities=str(table),
        rejects=str(folder / "rejects.parquet"),
        settings=entities_settings(dump, languages),
        job=Job(),
    )
    return str(table)


def triples(entities: Iterable[Entity]) -> Iterator[ox.Quad]:
    """The triples that Wikidata has of items, with some of those that nobody asks for."""
    for one in entities:
        item = ox.NamedNode(WD + one["id"])
        yield ox.Quad(item, ox.NamedNode(SCHEMA + "version"), ox.Literal(1))
        for code, text in one["labels"].items():
            for name in (RDFS + "label", SKOS + "prefLabel", SCHEMA + "name"):
                yield ox.Quad(item, ox.NamedNode(name), _literal(text["value"], code))
        for code, text in one["descriptions"].items():
            yield ox.Quad(item, ox.NamedNode(SCHEMA + "description"), _literal(text["value"], code))
        for code, texts in one["aliases"].items():
            for text in texts:
                yield ox.Quad(item, ox.NamedNode(SKOS + "altLabel"), _literal(text["value"], code))
        for wiki, link in one["sitelinks"].items():
            name = wiki.removesuffix("wiki").replace("_", "-")
            yield from _page(item, "be-tarask" if name == "be-x-old" else name, link["title"])
        for name, statements in one["claims"].items():
            yield from _claims(item, name, statements)


def _literal(text: str, code: str) -> ox.Literal:
    return ox.Literal(text, language=TAGS.get(code, code))


def _page(item: ox.NamedNode, lang: str, title: str) -> Iterator[ox.Quad]:
    for project in ("wikipedia", "wikivoyage"):
        page = ox.NamedNode(f"https://{lang}.{project}.org/wiki/{item.value.removeprefix(WD)}")
        wiki = ox.NamedNode(f"https://{lang}.{project}.org/")
        yield ox.Quad(page, ox.NamedNode(SCHEMA + "about"), item)
        yield ox.Quad(page, ox.NamedNode(SCHEMA + "isPartOf"), wiki)
        name = title if project == "wikipedia" else f"{title}, how to get there"
        yield ox.Quad(page, ox.NamedNode(SCHEMA + "name"), ox.Literal(name, language=lang))


def _claims(item: ox.NamedNode, name: str, statements: Sequence[Mapping[str, Any]]) -> Iterator[ox.Quad]:
    """All statements of a property, and the truthy ones, those of the best rank; an unknown value is a blank node."""
    ranks = {statement["rank"] for statement in statements}
    best = "preferred" if "preferred" in ranks else "normal"
    for number, statement in enumerate(statements):
        value = statement["mainsnak"].get("datavalue")
        of = ox.NamedNode(WD + value["value"]["id"]) if value else ox.BlankNode(f"unknown{number}")
        said = ox.NamedNode(f"{WD}statement/{item.value.removeprefix(WD)}-{name}-{number}")
        yield ox.Quad(item, ox.NamedNode(PROP + name), said)
        yield ox.Quad(said, ox.NamedNode(f"{PROP}statement/{name}"), of)
        for qualifier in statement.get("qualifiers", ()):
            then = ox.Literal("1965-08-09T00:00:00Z", datatype=ox.NamedNode(XSD + "dateTime"))
            yield ox.Quad(said, ox.NamedNode(f"{PROP}qualifier/{qualifier}"), then)
        if statement["rank"] == best:
            yield ox.Quad(said, ox.NamedNode(RDF + "type"), ox.NamedNode(WIKIBASE + "BestRank"))
            yield ox.Quad(item, ox.NamedNode(WDT + name), of)


def store_of(entities: Iterable[Entity]) -> ox.Store:
    store = ox.Store()
    store.bulk_extend(triples(entities))
    return store


def categorised(path: Path, qids: Iterable[str], *without: str) -> str:
    """The table enrich/categories with these items, and with others that have no category."""
    rows = [
        {"qid": qid, "topics": ["Culture.Food and drink"], "category": "Material culture"} for qid in qids
    ]
    rows += [{"qid": qid, "topics": [], "category": None} for qid in without]
    tables.write(path, CATEGORIES, tables.frame(CATEGORIES, rows), {})
    return str(path)

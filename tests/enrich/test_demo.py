"""The demo's sentences and items are what their README says, and their hard cases are linked as a reader would."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.enrich.categorise import category, enrich_categorise, read_classes, read_topics
from wokflow.enrich.entities import enrich_entities
from wokflow.enrich.link import enrich_link
from wokflow.enrich.names import enrich_names
from wokflow.frame import tables
from wokflow.frame.job import Job

from tests.enrich.defaults import categorise_settings, entities_settings, link_settings

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
ITEMS = RESOURCES / "demo" / "items"
TOPICS, CLASSES = RESOURCES / "enrich" / "topics.tsv", RESOURCES / "enrich" / "classes.tsv"
MADE_UP = "Q9000"  # how ids begin that are not Wikidata's
COUNTRY = "Q6256"
PROPERTIES = {"P31", "P279", "P495", "P17"}
# Sentence (from 0), first character, mention, English label of the item, and a word of its description.
HARD = [
    # a name in a longer name, an old name, the possessive
    (0, 0, "Peking duck", "Peking duck", "duck"),
    (1, 3, "Peking opera", "Peking opera", "opera"),
    (2, 23, "Peking", "Beijing", "capital"),
    (3, 0, "Beijing", "Beijing", "capital"),
    (12, 30, "Beijing opera", "Peking opera", "opera"),
    (30, 0, "Kobe beef", "Kobe beef", "beef"),
    (31, 12, "Kobe", "Kobe", "city"),
    (43, 0, "Masala dosa", "masala dosa", "crepe"),
    (54, 0, "Mole poblano", "mole poblano", "Puebla"),
    (69, 0, "Parma ham", "prosciutto di Parma", "ham"),
    (69, 79, "Parma", "Parma", "city"),
    (79, 0, "Turkish coffee", "Turkish coffee", "coffee"),
    # names with several meanings
    (31, 4, "port", "port", "ships"),
    (37, 11, "Go", "Go", "board game"),
    (54, 97, "turkey", "turkey", "bird"),
    (55, 44, "mole", "mole", "sauce"),
    (56, 2, "mole", "mole", "mammal"),
    (70, 3, "Bologna", "Bologna", "city"),
    (70, 42, "Bolognese", "Bolognese sauce", "sauce"),
    (77, 0, "Turkey", "Turkey", "country"),
    (78, 35, "turkey", "turkey", "bird"),
    (111, 57, "Nice", "Nice", "city"),
    (127, 57, "Red River", "Red River", "Vietnam"),
    (137, 0, "Cricket", "cricket", "game"),
    (138, 2, "cricket", "cricket", "insect"),
    (142, 2, "hamburger", "hamburger", "sandwich"),
    (142, 83, "Hamburg", "Hamburg", "city"),
    (151, 0, "Georgia", "Georgia", "country"),
    (152, 36, "Georgia", "Georgia", "state"),
    (154, 0, "Java", "Java", "island"),
    (155, 0, "Java", "Java", "programming"),
    (172, 76, "Buffalo", "Buffalo", "city"),
    (193, 0, "Gouda cheese", "Gouda", "cheese"),
    (193, 40, "Gouda", "Gouda", "city"),
    # plurals
    (6, 0, "Mooncakes", "mooncake", "pastry"),
    (42, 0, "Samosas", "samosa", "pastry"),
    (57, 0, "Tamales", "tamale", "maize"),
    (94, 0, "Pisco sours", "pisco sour", "cocktail"),
    (173, 0, "Panama hats", "Panama hat", "hat"),
    (179, 0, "Dumplings", "dumpling", "dough"),
    (184, 0, "Momos", "momo", "dumpling"),
    # capitals throughout
    (40, 0, "SUSHI", "sushi", "rice"),
    # accents, hyphens, apostrophes, full stops
    (14, 78, "Xi'an", "Xi'an", "capital"),
    (22, 0, "Shanghai", "Shanghai", "city"),
    (23, 0, "Stir-frying", "stir frying", "technique"),
    (59, 2, "jalapeño", "jalapeño", "chilli"),
    (75, 0, "Tiramisù", "tiramisu", "dessert"),
    (104, 0, "Crème brûlée", "crème brûlée", "custard"),
    (108, 52, "Champs-Élysées", "Champs-Élysées", "avenue"),
    (123, 22, "St. Mary's Basilica", "St. Mary's Basilica", "church"),
    (126, 4, "áo dài", "áo dài", "tunic"),
    (129, 82, "haft-sin", "haft-sin", "table"),
]
# What a reader sees, and a dictionary of names does not.
MISSED = [
    (60, 78, "Tequila", "Tequila", "town"),  # the drink has more pages, and stands in the same sentence
    (105, 25, "Champagne", "Champagne", "region"),
    (105, 95, "champagne", "Champagne", "wine"),  # the label has a capital, and the word is common
    (139, 0, "Port", "port wine", "wine"),  # a common word is not believed to be an alias
]
PLAIN = (  # they mention no item
    "For the sake of simplicity",
    "Nice manners at table",
    "Polish the silver",
    "Sailors called their meals chow",
    "Taste the broth",
    "Leave the dough",
    "The oldest guest",
    "Grandmother never measured",
    "A sharp knife",
    "The procession winds",
    "A nice knife",
    "Wooden spoons",
    "Weavers dyed",
    "In many mountain villages",
    "Fresh herbs",
    "The dancers rehearse",
    "Let the meat rest",
)


@dataclass(frozen=True)
class Linked:
    sentences: list[str]
    entities: dict[str, dict[str, Any]]
    rows: pl.DataFrame  # of enrich/entities
    mentions: dict[tuple[int, int], tuple[str, str]]  # sentence and first character -> mention, id
    categories: dict[str, str | None]

    def item(self, row: int, start: int) -> tuple[str, str, str] | None:
        """Mention, label and description of what is linked at a place."""
        mention, qid = self.mentions.get((row, start), ("", ""))
        if not qid:
            return None
        entity = self.entities[qid]
        return mention, entity["labels"]["en"]["value"], entity["descriptions"]["en"]["value"]


def pairs() -> list[list[str]]:
    lines = (ITEMS / "sentences.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "source\ttarget"
    return [line.split("\t") for line in lines[1:]]


def entities() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ITEMS / "entities.jsonl").open(encoding="utf-8")]


def referred(entity: dict[str, Any], *properties: str) -> Iterator[str]:
    for name, statements in entity["claims"].items():
        for statement in statements if name in (properties or PROPERTIES) else ():
            yield statement["mainsnak"]["datavalue"]["value"]["id"]


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("demo")
    names = ("source.json", "entities", "rejects", "names", "sentences", "mentions", "categories")
    source, table, rejects, names_of, sentences, mentions, categories = (str(folder / one) for one in names)
    job = Job()
    Path(source).write_text('{"sha256": "0"}')
    enrich_entities(
        source=source,
        entities=table,
        rejects=rejects,
        settings=entities_settings(ITEMS / "entities.jsonl", ["en", "zh"]),
        job=job,
    )
    assert tables.rows([rejects]) == 0
    enrich_names(entities=table, names=names_of, digest=f"{names_of}.sha256", lang="en", job=job)
    texts = pairs()
    ids = [str(row) for row in range(len(texts))]
    pl.DataFrame(
        {"sentence_id": ids, "source": [one[0] for one in texts], "source_row": range(len(texts))}
    ).write_parquet(sentences)
    enrich_link(
        sentences=sentences,
        corpus_sentences=[sentences],
        names=names_of,
        mentions=mentions,
        rejects=f"{mentions}.rejects",
        corpus="demo",
        settings=link_settings(),
        job=job,
    )
    enrich_categorise(
        mentions=[mentions],
        entities=table,
        categories=categories,
        settings=categorise_settings(),
        job=job,
    )
    found = tables.read(mentions, ["sentence_id", "start", "end", "mention", "qid"]).rows()
    for row, start, end, mention, _ in found:
        assert texts[int(row)][0][start:end] == mention
    return Linked(
        sentences=[one[0] for one in texts],
        entities={one["id"]: one for one in entities()},
        rows=tables.read(table),
        mentions={(int(row), start): (mention, qid) for row, start, _, mention, qid in found},
        categories=dict(tables.read(categories, ["qid", "category"]).rows()),
    )


def test_sentences_are_pairs_of_a_sentence_and_its_translation() -> None:
    texts = pairs()
    assert len(texts) >= 125
    assert all(len(one) == 2 for one in texts)
    assert len({source for source, _ in texts}) == len(texts)
    assert all(8 <= len(source.split()) <= 35 for source, _ in texts)
    assert all(source[-1] == "." and target[-1] == "。" and '"' not in source for source, target in texts)


def test_entities_have_the_form_of_wikidatas_dumps_and_refer_to_each_other() -> None:
    known = entities()
    ids = [one["id"] for one in known]
    assert len(set(ids)) == len(ids) >= 160
    assert {qid for one in known for qid in referred(one)} <= set(ids)
    assert {name for one in known for name in one["claims"]} <= PROPERTIES
    for one in known:
        assert one["type"] == "item" and len(one["sitelinks"]) <= 12
        assert all(name == link["site"] == f"{name[:-4]}wiki" for name, link in one["sitelinks"].items())
        assert all(text["language"] == lang for lang, text in one["labels"].items())
    numbers = sorted(int(qid[1:]) for qid in ids if qid.startswith(MADE_UP))
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_about_half_of_the_items_have_topics_and_half_have_summaries() -> None:
    items = [one for one in entities() if one["sitelinks"] and COUNTRY not in referred(one)]
    assert 0.4 < sum("topics" in one for one in items) / len(items) < 0.7
    summed = [one for one in entities() if "summaries" in one]
    assert len(summed) >= 155
    assert all(set(one["summaries"]) == {"en", "zh"} for one in summed)


@pytest.mark.parametrize(("row", "start", "mention", "label", "about"), HARD)
def test_hard_cases_are_linked(
    linked: Linked, row: int, start: int, mention: str, label: str, about: str
) -> None:
    assert linked.sentences[row][start : start + len(mention)] == mention
    found = linked.item(row, start)
    assert found is not None and found[:2] == (mention, label) and about in found[2]


@pytest.mark.parametrize(("row", "start", "mention", "label", "about"), MISSED)
def test_cases_beyond_a_dictionary_are_known(
    linked: Linked, row: int, start: int, mention: str, label: str, about: str
) -> None:
    assert linked.sentences[row][start : start + len(mention)] == mention
    found = linked.item(row, start)
    assert found is None or found[1] != label or about not in found[2], "it is linked now: move it to HARD"


def test_plain_sentences_mention_no_item(linked: Linked) -> None:
    for beginning in PLAIN:
        (row,) = (row for row, text in enumerate(linked.sentences) if text.startswith(beginning))
        said = [mention for (number, _), (mention, _) in linked.mentions.items() if number == row]
        assert said == [], beginning


def test_items_without_topics_get_a_category_by_their_classes(linked: Linked) -> None:
    own = {one["id"]: one.get("topics") for one in linked.entities.values()}
    walked = [qid for qid in linked.categories if not own[qid]]
    assert sum(linked.categories[qid] is not None for qid in walked) > 100
    without = {
        linked.entities[qid]["labels"]["en"]["value"]
        for qid in walked
        if linked.categories[qid] is None and "P31" in linked.entities[qid]["claims"]
    }
    assert without == {"Java", "Carl Linnaeus", "UNESCO"}
    counted = Counter(linked.categories.values())
    assert set(counted) == {None, *read_topics(str(TOPICS)).values()}


def test_countries_and_people_are_no_items(linked: Linked) -> None:
    never = {
        qid
        for qid in linked.categories
        if {COUNTRY, "Q5"}.intersection(referred(linked.entities[qid], "P31"))
    }
    assert len(never) > 10 and {linked.categories[qid] for qid in never} == {None}


def test_topics_and_classes_are_those_of_the_paper() -> None:
    topics, classes = read_topics(str(TOPICS)), read_classes(str(CLASSES))
    assert len(topics) == 18
    assert Counter(topics.values()) == {
        "material culture": 3,
        "social culture": 2,
        "organizations, customs, ideas": 11,
        "ecology": 2,
    }
    for topic in (
        "Culture.Philosophy and religion",
        "Culture.Philosophy and Religion",
        "geography.regions.Asia.Asia*",
    ):
        assert category([topic], topics)
    assert category(["Culture.Media.Software"], topics) is None
    assert 60 <= len(classes) <= 120
    assert all(topic == "" or category([topic], topics) for topic in classes.values())
    assert all(category(one["topics"], topics) for one in entities() if "topics" in one)

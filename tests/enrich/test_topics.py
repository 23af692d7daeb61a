"""Topics of pages from a topic service, whatever it does; and what they make of an item's category."""

import io
import json
from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.enrich.categorise import (
    by_category,
    category,
    enrich_categorise,
    read_classes,
)
from wokflow.enrich.lists import read_mapping
from wokflow.enrich.topics import LEAST, likely, read_topics
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.web import user_agent

from tests.enrich.defaults import categorise_settings
from tests.enrich.endpoints import (
    Asked,
    Behaviour,
    Endpoint,
    TopicService,
    cut,
    drip,
    hang,
    hang_up,
    later,
    reset,
    says,
    served,
    typed,
    well,
)
from tests.enrich.facts import dumped, entity

FOOD, REGION, LIFE = "Culture.Food and drink", "Geography.Regions.Asia.East Asia", "Culture.Biography.Women"
PAGES = {
    "en:Mapo tofu": [(REGION, 0.99), (FOOD, 0.97), ("STEM.Biology", 0.3)],
    "en:Pavlova (dessert)": [(FOOD, 1.00001), ("Culture.Performing arts", 0.06)],
    "zh:灶神": [("Culture.Philosophy and religion", 0.7)],
    "en:Anna Pavlova": [(LIFE, 0.9), ("Culture.Performing arts", 0.8), (REGION, 0.7)],
    "en:Qualicum Beach": [("Geography.Geographical", 0.9), ("Geography.Regions.Americas.North America", 0.8)],
    "en:Quiet": [("STEM.Physics", 0.4)],
}
DISH = "Q746549"
ITEMS = [
    entity("Q1", {"en": "mapo tofu"}, titles={"en": "Mapo tofu", "zh": "麻婆豆腐"}),
    entity("Q2", {"en": "pavlova"}, titles={"en": "Pavlova (dessert)"}),
    entity("Q3", {"zh": "灶神"}, titles={"zh": "灶神"}),
    entity("Q4", {"en": "Anna Pavlova"}, titles={"en": "Anna Pavlova"}),
    entity("Q5", {"en": "Qualicum Beach"}, titles={"en": "Qualicum Beach"}),
    entity("Q6", {"en": "quiet"}, titles={"en": "Quiet"}),
    entity("Q7", {"en": "pie"}),
    entity("Q8", {"en": "given"}, titles={"en": "Given"}) | {"topics": ["Culture.Sports"]},
    entity("Q9", {"en": "odd"}, titles={"en": "a|b"}),
]
for item in ITEMS[5:7]:  # by their classes, they are dishes
    item["claims"] = {"P31": [{"rank": "normal", "mainsnak": {"datavalue": {"value": {"id": DISH}}}}]}
EXPECTED = {
    "Q1": ([FOOD, REGION], "material culture"),
    "Q2": ([FOOD], "material culture"),
    "Q3": (["Culture.Philosophy and religion"], "organizations, customs, ideas"),
    "Q4": ([LIFE, "Culture.Performing arts", REGION], None),
    "Q5": (["Geography.Regions.Americas.North America", "Geography.Geographical"], "ecology"),
    "Q6": ([FOOD], "material culture"),
    "Q7": ([FOOD], "material culture"),
    "Q8": (["Culture.Sports"], "social culture"),
    "Q9": ([], None),
}


class Categorise:
    """Categorises all items and gives topics and category of each."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, io.StringIO()
        self._entities = dumped(ITEMS, folder / "dump", ["zh", "en"])
        pl.DataFrame({"qid": [item["id"] for item in ITEMS]}).write_parquet(folder / "mentions.parquet")

    def __call__(self, url: str, **given: Any) -> dict[str, tuple[list[str], str | None]]:
        categories = str(self.folder / "categories.parquet")
        usual: dict[str, Any] = {
            "backend": "service",
            "endpoint": url,
            "languages": ["en", "zh"],
            "contact": "cook@example.org",
            "timeout_s": 5,
            "backoff_s": 0.01,
            "cache": str(self.folder / "cache"),
        }
        enrich_categorise(
            mentions=[str(self.folder / "mentions.parquet")],
            entities=self._entities,
            categories=categories,
            settings=categorise_settings(**usual | given),
            job=Job(progress=Progress(self.log, seconds=0)),
        )
        rows = tables.read(categories).rows()
        return {qid: (topics, found) for qid, topics, found in rows}


@pytest.fixture
def categorise(tmp_path: Path) -> Categorise:
    return Categorise(tmp_path)


def check(server: Endpoint, *, concurrency: int = 1) -> None:
    """Each page was answered once, and the service's limits were kept."""
    assert server.answered == Counter(dict.fromkeys(PAGES, 1))
    assert server.most_at_once <= concurrency
    assert concurrency > 1 or not server.early


def test_items_have_the_topics_of_their_pages(categorise: Categorise) -> None:
    with served(PAGES, kind=TopicService) as server:
        assert categorise(server.url) == EXPECTED
        assert all(asked.headers["User-Agent"] == user_agent("cook@example.org") for asked in server.asked)
        check(server)
        asked = len(server.asked)
        assert categorise(server.url) == EXPECTED  # nothing is asked twice
        lower = categorise(server.url, threshold=LEAST)  # nor for another threshold
        assert len(server.asked) == asked
        assert lower["Q2"][0] == [FOOD, "Culture.Performing arts"] and lower["Q6"][0] == ["STEM.Physics"]
        assert categorise(f"{server.url}2") == EXPECTED  # another service is another question
        assert len(server.asked) == 2 * asked


BAD: dict[str, tuple[Behaviour, ...]] = {
    "429 with seconds": (later(429, 0.3), later(429, 0.1)),
    "429 without a time": (says(429, "slow down"),),
    "500": (says(500, '{"error": "An unexpected error has occurred"}'),) * 3,
    "503 with seconds": (later(503, 0.2),),
    "502 with a page": (says(502, "<html>Bad gateway</html>", Content_Type="text/html"),),
    "timeout": (hang,),
    "slow drip": (drip, drip),
    "cut": (cut(0.5), cut(0.0), cut(0.5, honest=False)),
    "a page with status 200": (says(200, "<!DOCTYPE html>", Content_Type="text/html"),),
    "a wrong type": (typed("text/plain"),),
    "other JSON": tuple(
        says(200, content, Content_Type="application/json")
        for content in (
            "[]",
            "null",
            "{}",
            '{"prediction": {"results": 1}}',
            '{"prediction": {"results": [{"topic": "Culture.Sports"}]}}',
            '{"prediction": {"results": [{"topic": 7, "score": 1}]}}',
            '{"prediction": {"results": [{"topic": "x", "score": "NaN"}]}}',
            '{"prediction": {"results": [{"topic": "x", "score": 7}]}}',
            '{"prediction": {"results": [{"topic": "a\\tb", "score": 1}]}}',
            "[" * 100_000,
        )
    ),
    "reset": (reset, reset),
    "hung up": (hang_up, hang_up),
}


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("bad", BAD)
def test_a_service_in_trouble_leads_to_the_same_table(
    bad: str, concurrency: int, categorise: Categorise
) -> None:
    slow = {"timeout_s": 1, "backoff_s": 0.05} if bad in ("timeout", "slow drip") else {}
    with served(PAGES, well, *BAD[bad], well, kind=TopicService) as server:
        assert categorise(server.url, concurrency=concurrency, attempts=20, **slow) == EXPECTED
    check(server, concurrency=concurrency)


def refusing(*pages: str) -> Behaviour:
    def behave(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        bad = not pages or asked.qids[0] in pages
        (says(400, '{"error": "no such wiki"}') if bad else well)(endpoint, handler, asked)

    return behave


def test_a_page_that_is_refused_has_the_topic_of_its_class_and_is_asked_for_again(
    categorise: Categorise,
) -> None:
    with served(PAGES, refusing("en:Quiet", "zh:灶神"), kind=TopicService) as server:
        assert categorise(server.url) == EXPECTED | {"Q3": ([], None)}
        assert "2 pages are refused" in categorise.log.getvalue()
        server._behaviours = (well,)
        assert categorise(server.url) == EXPECTED
    assert len(server.asked) == len(PAGES) + 2


def test_a_service_that_refuses_every_page_is_an_error(categorise: Categorise) -> None:
    said = r"refuses every page[\s\S]*enrich\.categorise\.endpoint"
    with served(PAGES, refusing(), kind=TopicService) as server, pytest.raises(UserError, match=said):
        categorise(server.url)


def test_a_page_that_is_never_answered_is_an_error_and_all_others_are_kept(categorise: Categorise) -> None:
    def behave(endpoint: Endpoint, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        (says(500, "") if asked.qids == ["zh:灶神"] else well)(endpoint, handler, asked)

    with served(PAGES, behave, kind=TopicService) as server:
        with pytest.raises(
            UserError, match=r"no answer for zh:灶神 in 2 attempts[\s\S]*enrich\.categorise\.cache"
        ):
            categorise(server.url, attempts=2)
        server._behaviours = (well,)
        assert categorise(server.url) == EXPECTED
    check(server)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contact": ""}, "contact"),
        ({"contact": "me"}, "contact"),
        ({"endpoint": "https://me:secret@example.org/"}, r"enrich\.categorise\.endpoint"),
        ({"languages": ["en/../x"]}, "no code of a language"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_asked(
    given: dict[str, Any], said: str, categorise: Categorise
) -> None:
    with served(PAGES, kind=TopicService) as server, pytest.raises(UserError, match=said) as error:
        categorise(server.url, **given)
    assert not server.asked and "secret" not in str(error.value)


def test_without_the_service_classes_alone_count(categorise: Categorise) -> None:
    found = categorise("none", backend="classes", contact="")
    assert {qid for qid, (_, named) in found.items() if named} == {"Q6", "Q7", "Q8"}


@given(
    scores=st.dictionaries(
        st.sampled_from([FOOD, REGION, LIFE, "STEM.Biology", "STEM.Physics"]), st.floats(0, 1)
    )
)
def test_likely_topics_are_those_of_the_service_in_its_order(scores: dict[str, float]) -> None:
    content = {"prediction": {"results": [{"topic": name, "score": score} for name, score in scores.items()]}}
    read = read_topics(json.dumps(content).encode())
    assert dict(read) == scores and [score for _, score in read] == sorted(scores.values(), reverse=True)
    assert likely(read, 0.5) == [name for name, score in read if score >= 0.5]


MEDIA, FILMS, EUROPE = (
    "Culture.Media.Media*",
    "Culture.Media.Films",
    "Geography.Regions.Europe.Southern Europe",
)
OTHER = "organizations, customs, ideas"
TABLE_9 = read_mapping(categorise_settings().topics, "topic", "category")


@pytest.mark.parametrize(
    ("topics", "first", "named"),
    [
        ([EUROPE, FOOD], FOOD, "material culture"),
        ([FOOD, EUROPE], FOOD, "material culture"),
        ([MEDIA, FILMS], FILMS, OTHER),
        ([MEDIA, EUROPE.lower(), FILMS.upper()], FILMS.upper(), OTHER),
        ([MEDIA, EUROPE], EUROPE, "ecology"),
        ([EUROPE, REGION], EUROPE, "ecology"),
        ([FILMS, FOOD], FILMS, OTHER),  # of topics that are no regions, the first
        ([EUROPE, LIFE], EUROPE, None),
        ([EUROPE, LIFE.lower()], EUROPE, None),
        ([LIFE, FOOD], LIFE, None),
        ([FOOD, LIFE], FOOD, "material culture"),
        ([MEDIA], MEDIA, None),
    ],
)
def test_the_topic_that_decides_stands_first_and_one_of_a_region_decides_only_if_no_other_does(
    topics: list[str], first: str, named: str | None
) -> None:
    found, name = by_category(topics, TABLE_9)
    assert (found[0], name) == (first, named) and sorted(found) == sorted(topics)
    assert category(found, TABLE_9) == named


def test_topics_of_the_table_of_entities_have_the_same_order_as_those_of_the_service(
    categorise: Categorise,
) -> None:
    """And each alone has the item's category, as CAMT's files have a single one."""
    given = [item | {"topics": [MEDIA, EUROPE, FILMS]} for item in ITEMS[:1]]
    categorise._entities = dumped(given, categorise.folder / "given", ["en"])
    topics, named = categorise("none", backend="classes", contact="")["Q1"]
    assert topics == [FILMS, MEDIA, EUROPE] and named == category(topics[:1], TABLE_9) == OTHER


def test_a_person_has_no_category_and_another_topic_of_life_does_not_hide_what_comes_before() -> None:
    known = {FOOD: "material culture"}
    assert category([LIFE, FOOD], known) is None
    assert category([FOOD, LIFE], known) == "material culture"


def test_a_class_with_two_topics_and_one_without_a_name_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "classes.tsv"
    for row, said in ("Q1\tArt", "topic of Q1 is 'Art' here, and 'Food' before"), ("\tArt", "qid is empty"):
        path.write_text(f"qid\ttopic\nQ1\tFood\n# note\n{row}\n", encoding="utf-8")
        with pytest.raises(UserError, match=rf"classes.tsv, line 4: {said}\."):
            read_classes(str(path))
    path.write_text("qid\ttopic\nQ1\nQ2\tFood\n", encoding="utf-8")  # an editor cut off the tab
    assert read_classes(str(path)) == {"Q1": "", "Q2": "Food"}
    path.write_text("qid\ttopic\nwd:Q1\tFood\n", encoding="utf-8")
    with pytest.raises(UserError, match="'wd:Q1' is not an id like Q746549"):
        read_classes(str(path))

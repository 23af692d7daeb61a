"""The same facts give the same table, whether they come from a dump, a store of triples or an endpoint."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.enrich.items import enrich_items
from wokflow.enrich.lookup import enrich_lookup
from wokflow.enrich.schemas import LOOKUPS
from wokflow.enrich.settings import ItemsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError

from tests.enrich import camt
from tests.enrich.defaults import lookup_settings
from tests.enrich.endpoints import TRACE, cut, hang_up, later, reset, says, served, well
from tests.enrich.facts import SOME, WD, Entity, categorised, dumped, entity, store_of
from tests.enrich.lookups import LANGUAGES, LOOKED_UP, Lookup, rows, written


def items_of(lookups: Path, tmp_path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of enrich/items from what was looked up."""
    enrich_items(
        categories=str(tmp_path / "categories.parquet"),
        lookups=str(lookups),
        pages=[],
        dictionary=str(tmp_path / "items.parquet"),
        settings=ItemsSettings(languages=tuple(LANGUAGES)),
        job=Job(),
    )
    return rows(tmp_path / "items.parquet")


def every_backend(
    lookup: Lookup, tmp_path: Path, entities: Sequence[Entity], qids: Sequence[str], **given: Any
) -> list[Path]:
    """The tables that the three backends write of the same facts."""
    languages = given.get("languages", LANGUAGES)
    table = dumped(entities, tmp_path / "dump", languages)
    dump = lookup(qids, to="dump", backend="dump", entities=table, **given)
    store = lookup(qids, to="store", backend="store", store=written(tmp_path, entities), **given)
    with served(store_of(entities)) as server:
        endpoint = lookup(qids, to="endpoint", endpoint=server.url, **given)
    return [dump, store, endpoint]


def test_what_is_known_of_each_item_in_each_language(
    lookup: Lookup, tmp_path: Path, log: io.StringIO
) -> None:
    found = lookup(backend="store", store=written(tmp_path, SOME))
    assert tables.read(found).columns == LOOKUPS.names
    table = rows(found)
    assert list(table) == [
        (qid, lang)
        for qid in ("Q2", "Q30", "Q148", "Q404", "Q900", "Q13276", "Q836929")
        for lang in LANGUAGES
    ]
    assert table["Q836929", "zh"] == {
        "qid": "Q836929",
        "lang": "zh",
        "label": "麻婆豆腐",
        "description": "四川菜",
        "aliases": ["麻辣豆腐"],  # no name for all languages that is in another script
        "title": "麻婆豆腐",
        "summary": None,
        "country_qid": "Q148",
        "country_of_origin": "中华人民共和国",
    }
    assert table["Q836929", "en"]["aliases"] == ["Mapo", "Mapo bean curd", "mapo doufu"]
    assert table["Q836929", "es"]["country_of_origin"] is None  # China has no Spanish name here
    assert (table["Q2", "zh"]["label"], table["Q2", "zh"]["description"]) == ("披萨", "一種食品")
    assert table["Q2", "zh"]["aliases"] == ["披薩"]
    assert table["Q2", "en"]["label"] == "pizza"
    assert (table["Q2", "hi"]["label"], table["Q2", "hi"]["country_qid"]) == (None, "Q38")  # the lowest
    assert table["Q2", "es"]["country_of_origin"] == "Italia"  # a name in all languages
    assert (table["Q2", "hi"]["country_of_origin"], table["Q13276", "hi"]["label"]) == (None, None)
    assert (table["Q13276", "es"]["label"], table["Q13276", "es"]["country_qid"]) == (
        "ASCII tab\tand \u2028 feijoada",
        "Q155",  # of the best rank
    )
    assert table["Q30", "en"]["country_qid"] is None  # a deprecated statement
    assert (table["Q900", "en"]["country_qid"], table["Q900", "en"]["country_of_origin"]) == ("Q901", None)
    assert set(map(str, list(table["Q404", "en"].values())[2:])) == {"None", "[]"}
    assert "7 items: 5 have a country, 1 are unknown to the store (Q404)" in log.getvalue()


def test_every_backend_writes_the_same_bytes(lookup: Lookup, tmp_path: Path) -> None:
    dump, store, endpoint = every_backend(lookup, tmp_path, SOME, LOOKED_UP)
    assert dump.read_bytes() == store.read_bytes() == endpoint.read_bytes()
    assert lookup(to="other", backend="store", store=str(tmp_path / "facts.nt"), batch=2).read_bytes() == (
        store.read_bytes()
    )


def test_names_in_variants_of_a_language_are_aliases_of_every_backend(lookup: Lookup, tmp_path: Path) -> None:
    """The label is the language's own; a variant's only where it has none."""
    pasta = entity(
        "Q20026",
        {
            "zh": "意大利面",
            "zh-hans": "意大利面",
            "zh-tw": "義大利麵",
            "zh-hk": "意大利粉",
            "en-gb": "pasta",
            "nb": "spagetti",
            "sr-ec": "шпагети",
            "sr-el": "špageti",
            "mul": "Spaghetti",
        },
        aliases={
            "zh": ["意粉"],
            "zh-tw": ["義式麵條", "意大利面"],
            "zh-hant": ["義式麵條"],
            "no": ["spaghetti"],
        },
        descriptions={"zh-tw": "麵食"},
    )
    languages = ["zh", "en", "no", "sr", "zh-tw", "sr-el", "pt-br", "ta"]
    paths = every_backend(lookup, tmp_path, [pasta], ["Q20026"], languages=languages)
    assert len({path.read_bytes() for path in paths}) == 1
    found = rows(paths[0])
    names = {lang: (found["Q20026", lang]["label"], found["Q20026", lang]["aliases"]) for lang in languages}
    assert names == {
        "zh": ("意大利面", sorted(["意粉", "義大利麵", "意大利粉", "義式麵條"])),
        "en": ("pasta", []),
        "no": ("spagetti", ["spaghetti"]),
        "sr": ("шпагети", ["špageti"]),
        "zh-tw": ("義大利麵", sorted(["意粉", "意大利面", "意大利粉", "義式麵條"])),
        "sr-el": ("špageti", []),
        "pt-br": ("Spaghetti", []),
        "ta": (None, []),
    }
    assert found["Q20026", "zh"]["description"] == found["Q20026", "zh-tw"]["description"] == "麵食"


def test_titles_are_those_of_the_wikipedia_in_the_language(lookup: Lookup, tmp_path: Path) -> None:
    """Whose id is not always the code with `wiki` behind it."""
    titles = {"zh_yue": "豆腐", "no": "Tofu", "be_x_old": "Тофу", "zh": "豆腐乾"}
    languages = ["yue", "nb", "no", "be-tarask", "zh-tw"]
    paths = every_backend(
        lookup, tmp_path, [entity("Q177378", {}, titles=titles)], ["Q177378"], languages=languages
    )
    assert len({path.read_bytes() for path in paths}) == 1
    found = [rows(paths[0])["Q177378", lang]["title"] for lang in languages]
    assert found == ["豆腐", "Tofu", "Tofu", "Тофу", "豆腐乾"]


CODES = ["zh", "zh-hans", "zh-tw", "en", "en-gb", "es", "nb", "no", "sr-el", "fr", "mul", "yue"]
ASKED = ["zh", "zh-tw", "en", "es", "no", "nb", "sr", "sr-el", "yue", "hi"]
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)


@given(
    items=st.lists(
        st.fixed_dictionaries(
            {
                "labels": st.dictionaries(st.sampled_from(CODES), TEXTS, max_size=4),
                "descriptions": st.dictionaries(st.sampled_from(CODES), TEXTS, max_size=3),
                "aliases": st.dictionaries(st.sampled_from(CODES), st.lists(TEXTS, max_size=3), max_size=3),
                "titles": st.dictionaries(st.sampled_from(["zh", "en", "fr", "zh_yue"]), TEXTS, max_size=2),
                "origins": st.lists(st.sampled_from(["Q2", "!Q2", "+Q3", "!Q11", "-Q1"]), max_size=3, unique=True),
                "countries": st.lists(st.sampled_from(["Q2", "!Q2", "!Q3", "+!Q1", "+?"]), max_size=3, unique=True),
            }
        ),
        min_size=1,
        max_size=12,
    )
)  # fmt: skip
def test_every_backend_writes_the_same_bytes_of_any_facts(
    tmp_path_factory: pytest.TempPathFactory, items: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("facts")
    entities = [
        entity(f"Q{number + 1}", {"es": f"plato {number}"} | item.pop("labels"), **item)
        for number, item in enumerate(items)
    ]
    table = dumped(entities, folder, ASKED)
    made = []
    for backend in ("dump", "store"):
        made.append(folder / f"{backend}.parquet")
        enrich_lookup(
            categories=categorised(folder / "categories.parquet", [one["id"] for one in entities]),
            entities=table,
            lookups=str(made[-1]),
            settings=lookup_settings(ASKED, backend=backend, store=written(folder, entities)),
            job=Job(),
        )
    assert tables.read(made[0]).rows() == tables.read(made[1]).rows()
    assert made[0].read_bytes() == made[1].read_bytes()


# P495, P17, and the country: what has not ended comes first, then the lowest number or what regions.tsv prefers.
ORDERED = [
    ([], ["!Q145", "Q334"], "Q334"),
    (["Q884", "Q423"], ["Q145"], "Q884"),
    (["!Q145", "Q884", "Q423"], [], "Q884"),
    (["!Q884", "!Q423"], ["Q145"], "Q884"),  # P495 is before P17, though it has ended
    (["!Q145", "Q145", "Q334"], [], "Q145"),  # it ended, and is again
    (["+!Q884", "Q423"], [], "Q884"),  # the rank is before the end
    (["+!Q145", "+Q884", "Q423"], [], "Q884"),
    (["-Q145", "!Q884"], [], "Q884"),
    (["?", "!Q884"], [], "Q884"),
    (["?"], ["!Q145"], "Q145"),
    (["Q334", "Q145", "Q884"], [], "Q145"),  # the lowest number decides between languages
    (["Q39", "Q183", "Q145"], [], "Q183"),  # of Switzerland's language
    (["+?", "Q884"], ["Q145"], "Q145"),  # an unknown value has its rank, too
]


def test_of_several_countries_one_that_has_not_ended_counts_then_that_of_the_table_of_regions(
    lookup: Lookup, tmp_path: Path
) -> None:
    names = [entity(qid, {"en": qid}) for qid in ("Q145", "Q183", "Q334", "Q423", "Q884")]
    items = [
        entity(f"Q{number}", {"en": "item"}, origins=origins, countries=countries)
        for number, (origins, countries, _) in enumerate(ORDERED, 1)
    ]
    qids = [item["id"] for item in items]
    for found in every_backend(lookup, tmp_path, [*items, *names], qids):
        table = rows(found)
        assert [table[qid, "en"]["country_qid"] for qid in qids] == [country for *_, country in ORDERED]


def test_items_of_the_corpus_of_the_paper(shared: Path, lookup: Lookup, tmp_path: Path) -> None:
    known = camt.entities(shared / "real" / "camt")
    entities = [{name: one[name] for name in one if name not in ("summaries", "topics")} for one in known]
    qids = [one["id"] for one in entities if one["claims"]]
    assert len(qids) > 3000
    dump, store, endpoint = every_backend(lookup, tmp_path, entities, qids)
    assert dump.read_bytes() == store.read_bytes() == endpoint.read_bytes()
    assert tables.read(dump).filter(lang="en")["country_of_origin"].null_count() == 0
    bad = (says(500, TRACE), cut(0.9), reset, later(429, 0.2), hang_up, cut(0.5, said=TRACE))
    trouble = [each for one in bad for each in (well, one)]
    with served(store_of(entities), *trouble * 2, well) as server:
        cache = str(tmp_path / "another cache")
        troubled = lookup(qids, endpoint=server.url, concurrency=3, backoff_s=0.002, attempts=20, cache=cache)
    assert troubled.read_bytes() == endpoint.read_bytes()
    assert set(server.answered.values()) == {1}
    assert server.most_at_once <= 3


def test_an_item_that_was_merged_has_what_is_known_of_the_other(
    lookup: Lookup, tmp_path: Path, log: io.StringIO
) -> None:
    triples = store_of(SOME)
    merged = ox.NamedNode("http://www.w3.org/2002/07/owl#sameAs")
    for old, new in (("Q77", "Q78"), ("Q78", "Q836929"), ("Q80", "Q81"), ("Q81", "Q80")):
        triples.add(ox.Quad(ox.NamedNode(WD + old), merged, ox.NamedNode(WD + new)))
    path = tmp_path / "merged.nt"
    path.write_bytes(triples.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph()) or b"")
    qids = ["Q77", "Q80", "Q836929"]
    stored = lookup(qids, to="store", backend="store", store=str(path))
    with served(triples) as server:
        asked = lookup(qids, to="endpoint", endpoint=server.url)
    assert stored.read_bytes() == asked.read_bytes()
    found = rows(stored)
    for lang in LANGUAGES:
        assert found["Q77", lang] | {"qid": "Q836929"} == found["Q836929", lang]
    assert found["Q80", "en"]["label"] is None  # merged in a circle


def test_summaries_come_from_a_dump(lookup: Lookup, tmp_path: Path) -> None:
    told = SOME[3] | {"summaries": {"en": "Mapo tofu is a dish."}}
    table = dumped([*SOME[:3], told], tmp_path / "dump", LANGUAGES)
    found = rows(lookup(["Q836929"], backend="dump", entities=table))
    assert found["Q836929", "en"]["summary"] == "Mapo tofu is a dish."
    assert found["Q836929", "zh"]["summary"] is None


def test_of_an_item_that_a_dump_has_twice_the_first_counts(lookup: Lookup, tmp_path: Path) -> None:
    again = entity("Q836929", {"en": "another dish"}, origins=["Q38"])
    table = dumped([*SOME, again], tmp_path / "dump", LANGUAGES)
    found = rows(lookup(["Q836929"], backend="dump", entities=table))
    assert found["Q836929", "en"]["label"] == "mapo tofu"


def test_enrich_items_reads_the_table(lookup: Lookup, tmp_path: Path) -> None:
    found = lookup(backend="store", store=written(tmp_path, SOME))
    items = items_of(found, tmp_path)
    assert items["Q836929", "zh"]["country_of_origin"] == "People's Republic of China"
    assert items["Q836929", "zh"]["translations"] == ["麻婆豆腐", "麻辣豆腐"]
    assert items["Q900", "en"]["country_of_origin"] == "Q901"


def test_any_name_is_a_translation_the_label_first(lookup: Lookup, tmp_path: Path) -> None:
    """Also an alias of an item without a label, as 土耳其咖啡壶 of cezve."""
    known = [
        entity("Q1", {"en": "cezve"}, aliases={"zh": ["土耳其咖啡壶"]}, origins=["Q43"]),
        entity("Q2", {"en": "ayran", "zh": "咸酸奶"}, aliases={"zh": ["爱兰", "咸酸奶"]}, origins=["Q43"]),
        entity("Q3", {"en": "boza"}, origins=["Q43"]),
    ]
    found = lookup(["Q1", "Q2", "Q3"], backend="store", store=written(tmp_path, known))
    names = {key: row["translations"] for key, row in items_of(found, tmp_path).items() if key[1] == "zh"}
    assert names == {("Q1", "zh"): ["土耳其咖啡壶"], ("Q2", "zh"): ["咸酸奶", "爱兰"], ("Q3", "zh"): []}


def test_nothing_to_look_up_is_an_empty_table(lookup: Lookup, tmp_path: Path) -> None:
    with served(store_of(SOME)) as server:
        assert rows(lookup([], endpoint=server.url)) == {}
    assert not server.asked


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"contact": ""}, "contact"),
        ({"endpoint": None}, "enrich.lookup.endpoint"),
        ({"contact": "me"}, "contact"),
        ({"contact": "me@example.org\r\nX-Evil: 1"}, "contact"),
        ({"contact": "me@exämple.org"}, "contact"),
        ({"endpoint": "ftp://example.org/sparql"}, "enrich.lookup.endpoint"),
        ({"endpoint": "https://me:secret@example.org/sparql"}, "enrich.lookup.endpoint"),
        ({"endpoint": "https://example.org/sparql?key=secret"}, "enrich.lookup.endpoint"),
        ({"endpoint": "example.org"}, "enrich.lookup.endpoint"),
        ({"languages": ["en", 'zh") } #']}, "no code of a language"),
        ({"languages": ["EN"]}, "no code of a language"),
        ({"qids": ["Q1", "Q2 } UNION { ?a ?b ?c"]}, "no id of an item"),
    ],
)
def test_wrong_settings_are_refused_without_their_secrets_before_anything_is_asked(
    given: dict[str, Any], said: str, lookup: Lookup, log: io.StringIO
) -> None:
    with served(store_of(SOME)) as server, pytest.raises(UserError, match=said) as error:
        lookup(**{"endpoint": server.url} | given)
    assert not server.asked
    assert "secret" not in str(error.value) + log.getvalue()


def test_the_cache_is_plain_json_by_digests(lookup: Lookup, tmp_path: Path) -> None:
    with served(store_of(SOME)) as server:
        lookup(["Q30"], endpoint=server.url)
    (kept,) = (tmp_path / "cache").rglob("*.json")
    assert json.loads(kept.read_bytes())["answer"] == [["label", "en", "nowhere's dish"]]
    assert len(kept.stem) == 64

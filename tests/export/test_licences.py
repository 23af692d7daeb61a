"""Licences decide what a release holds; the card names them, and the sources that were read."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wokflow.export.arguments import available
from wokflow.export.dataset_card import LICENCES
from wokflow.export.licences import known_sources, read_registry, refuse_text
from wokflow.export.rehydrate import rehydrate
from wokflow.export.settings import Licence
from wokflow.export.subsets import subsets
from wokflow.export.verify import verified
from wokflow.frame.job import UserError

from tests.conftest import ROOT
from tests.export.made import FREE, HAVE, PROGRESS, REAL, export, raw, rows

REGISTRY = ROOT / "resources/sources.tsv"


def test_full_is_refused_by_source_and_clause(results: Path) -> None:
    with pytest.raises(UserError, match=r"recipenlg \(in pairs-zh-en\): export\.licences\.recipenlg"):
        export(results, "pairs", mode="full", licences=REAL)
    assert not (results / "export").exists() or not list((results / "export").rglob("*.parquet"))
    with pytest.raises(UserError, match=r"xiachufang .*No licence comes"):
        export(results, "pairs", mode="full", licences={})
    export(results, "items", mode="full", licences=REAL)


@pytest.mark.parametrize(
    ("licence", "release", "shown"),
    [
        ("CC-BY-4.0", "attribution", True),
        ("Apache-2.0, 2nd file of Ndola", "text", True),
        ("CC BY-NC-ND 4.0", "attribution", False),
        ("cc_by_nd", "text", False),
        ("Share it; no derivative works", "text", False),
        ("terms", "ids", False),
    ],
)
def test_what_may_not_be_derived_is_in_no_mode(
    results: Path, licence: str, release: str, shown: bool
) -> None:
    """Adaptations and predictions, though the text itself may go on."""
    licences = FREE | {"xiachufang": {"licence": licence, "release": release}}
    standoff = export(results, "gold", "predictions", licences=licences)
    assert (rows(standoff, "gold-zh-en")["adaptation"].null_count() == 0) == shown
    assert (rows(standoff, "predictions")["prediction"].null_count() == 0) == shown
    assert "Mapo" not in "".join(path.read_text() for path in standoff.glob("*.*")), (
        "nor in what stands beside"
    )
    rehydrate(str(standoff), raw(results, "xiachufang", "recipenlg"), str(results / "again"), PROGRESS)
    [gold] = rows(results / "again", "gold-zh-en").to_dicts()
    assert gold["source"]["id"] == "xiachufang:4" and (gold["adaptation"] is not None) == shown
    assert (licence.lower() in (standoff / "README.md").read_text().partition("---\n\n")[0]) == (
        licence == "CC-BY-4.0"
    )
    if shown:
        export(results, "gold", mode="full", licences=licences, to="full")
        return
    with pytest.raises(UserError, match=r"derived .*\n  - xiachufang \(in gold-zh-en\)"):
        export(results, "gold", mode="full", licences=licences, to="full")


def test_a_licence_of_the_config_is_that_of_the_users_own_file(results: Path) -> None:
    named = {
        "licence": "Unlicense",
        "release": "text",
        "version": "2024-05",
        "home_page": "https://example.org",
    }
    licences = FREE | {"recipenlg": named}
    manifest = verified(export(results, "pairs", licences=licences))
    found = manifest["sources"]["recipenlg"]
    assert {name: found[name] for name in named} == named
    other = manifest["sources"]["xiachufang"]
    assert "Liu" not in other["version"] and other["home_page"] == "", "what is known of another file"
    assert "Liu" in verified(export(results, "pairs", licences={}))["sources"]["xiachufang"]["version"]


@pytest.mark.parametrize("mode", ["standoff", "full"])
def test_what_a_source_does_not_allow_is_cited_in_no_mode(results: Path, mode: str) -> None:
    """Names, first paragraphs and people's pivots stand in both forms."""
    with pytest.raises(UserError, match=r"in either mode.*\n  - wikipedia \(in items\)"):
        export(
            results, "items", mode=mode, licences=FREE | {"wikipedia": {"licence": "none", "release": "ids"}}
        )
    given = subsets(["pivots"], replace(HAVE, by_people=["pivots"]))
    free = {name: Licence(**licence) for name, licence in FREE.items()}
    known = known_sources(REGISTRY, ["xiachufang", "given_pivots"], {}, free)
    with pytest.raises(UserError, match=r"given_pivots \(in pivots\): .*export.licences.given_pivots"):
        refuse_text(list(given.values()), known, full=mode == "full")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\trelease\t", "\treleased\t", "line 1: missing column release"),
        ("\tids\t", "\tid\t", "line 2: release 'id' is none of text, attribution, ids"),
        ("\nxiachufang\t", "\nrecipenlg\t", "line 3: the corpus 'recipenlg' is empty, or there twice"),
    ],
)
def test_a_table_of_sources_that_cannot_be_used_is_refused(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = Path(REGISTRY).read_text(encoding="utf-8")
    (tmp_path / "sources.tsv").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_registry(tmp_path / "sources.tsv")


def test_the_card_says_what_was_not_searched_and_whose_licences_reach_what(results: Path) -> None:
    text = (export(results) / "README.md").read_text(encoding="utf-8")
    assert "not in the text\nthat it points at" in text and "such as `xiachufang:12`" in text
    assert "an end is the first character behind" in text and "a source with three targets" in text
    assert "license:\n- apache-2.0\n- cc-by-4.0\n- cc-by-sa-4.0\n- cc0-1.0\n" in text, (
        "of the predictions that are shown, the annotations, Wikipedia and Wikidata"
    )
    assert "Adaptations (gold) that are shown are derived" in text and "- `records`: " in text
    text = (export(results, "pairs", mode="full", to="full") / "README.md").read_text(encoding="utf-8")
    assert "points at" not in text and "Wikidata" not in text and "derived" not in text
    assert "an end is" not in text
    assert "\n- `pairs-zh-en` (zh, en): Recipes " in text


def test_the_head_names_only_licences_that_the_hub_knows() -> None:
    """Its list has no version 2.0 of Share Alike, and none before 4.0 of No Derivatives."""
    known = ["cc-by-2.0", "cc-by-2.5", "cc-by-sa-3.0", "cc-by-nc-sa-2.0", "cc-by-nc-nd-3.0", "cc-by-nd-4.0"]
    for name in (*known, "cc-by-sa-2.0", "cc-by-nd-3.0", "cc-by-nc-sa-nd-4.0", "cc-by-5.0"):
        assert bool(LICENCES.fullmatch(name)) == (name in known), name


def test_licences_of_the_config_become_no_markup(results: Path) -> None:
    said = {"licence": "x\n\n## lines\n", "release": "ids", "attribution": "[here](javascript:x) <b>"}
    escaped = said | {"attribution": r"\[here](javascript:x)"}
    release = export(results, "pairs", licences=FREE | {"recipenlg": said, "xiachufang": escaped})
    notice = (release / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert "\n- Licence: x ## lines\n" in notice and "\n- \\[here](javascript:x) &lt;b>\n" in notice
    assert "\n- " + r"\\\[here](javascript:x)" in notice


@pytest.mark.parametrize(
    ("dumps", "backend", "cited"), [([], "none", False), (["en"], "none", True), ([], "api", True)]
)
def test_wikipedia_is_a_source_only_if_it_is_read(dumps: list[str], backend: str, cited: bool) -> None:
    """And recipes of gold sets that are in no corpus, if their text may be passed on; pairs that others published;
    and a table of entities of one's own, in which there may be more than Wikidata has.
    """
    dump = "data/wikidata-20260101-all.json.bz2"
    licences = {"given_gold": {"licence": "MIT", "release": "text" if cited else "ids"}}
    config = {
        "pivot": {"dishes": {"corpus": "zh"}, "pivots": {"given": None}, "orders": {"given": None}},
        "train": {"gold": {"zh-en": "gold.tsv"}, "published": {"zh-en": "folder" if cited else None}},
        "match": {"silver": {"accepted": None}},
        "enrich": {"pages": {"backend": backend}, "entities": {"path": "en-zh.jsonl" if cited else dump}},
        "export": {"licences": licences},
    }
    none: dict[str, Any] = {key: {} for key in ("langs", "linked")}
    directions = {"zh-en": ("zh", "en")}
    have = available(
        config, directions=directions, **none, parsed=[], item_languages=["en"], dumps=dumps, runs=[]
    )
    assert ("wikipedia" in subsets(["items"], have)["items"].sources) == cited
    assert ("given_gold" in subsets(["gold"], have)["gold-zh-en"].cites) == cited
    predictions = subsets(["predictions"], have)["predictions"]
    assert ("given_gold" in predictions.cites) == ("published_pairs" in predictions.derived) == cited
    assert subsets(["items"], have)["items"].cites[0] == ("entities" if cited else "wikidata")

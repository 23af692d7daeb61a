"""What stages left out is said with its share, its reason and an example, whatever the stage."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from wokflow.frame.columns import Reason
from wokflow.frame.stages import declared_tables, reasons, rejected
from wokflow.generate.schemas import PREDICTIONS
from wokflow.generate.schemas import REJECTS as UNANSWERED
from wokflow.ingest.schemas import RECIPES, REJECTS
from wokflow.match.schemas import REJECTS as TOO_LONG
from wokflow.match.schemas import SHEET_REJECTS
from wokflow.parse.schemas import REJECTS as NO_ACTION
from wokflow.pivot.schemas import CANDIDATE_REJECTS, CANDIDATES, GIVEN_REJECTS, PIVOTS
from wokflow.report import left_out as report
from wokflow.report.left_out import Declared, LeftOut

from tests.report.parts import table


def left_out(paths: Sequence[str], folder: Path) -> list[LeftOut]:
    return [*report.left_out(paths, folder, Declared(reasons(), rejected()))]


def recipes(folder: Path, count: int) -> str:
    rows = [
        {"recipe_id": f"recipenlg:{n}", "corpus": "recipenlg", "lang": "en", "title": "Pie", "source_row": n}
        | {"ingredients": [], "steps": [], "dish": None, "url": None}
        for n in range(count)
    ]
    return table(folder, "ingest/recipes/recipenlg", RECIPES, rows)


def rejects(folder: Path, found: Sequence[tuple[str, str | None, str]]) -> str:
    rows = [
        {"corpus": "recipenlg", "source_row": n, "reason": reason, "detail": detail, "raw": raw}
        for n, (reason, detail, raw) in enumerate(found)
    ]
    return table(folder, "ingest/rejects/recipenlg", REJECTS, rows)


def test_shares_are_of_what_a_stage_read_and_large_ones_are_explained(tmp_path: Path) -> None:
    bad = [("empty_title", None, "x  y"), ("bad_list", None, "z"), ("bad_list", "a number", "w")]
    silent = {"corpus": "recipenlg", "source_row": 7, "reason": "no_action", "detail": None, "raw": "r:7"}
    paths = [
        recipes(tmp_path, 9),
        rejects(tmp_path, bad),
        table(tmp_path, "parse/rejects/recipenlg", NO_ACTION, [silent]),
    ]
    ingest, parse = left_out(paths, tmp_path)
    assert str(ingest) == "ingest: 3 of 12 rows of recipenlg (2 bad_list, 1 empty_title)"
    assert str(parse) == "parse: 1 of 9 recipes of recipenlg (1 no_action)"
    assert ingest.loud and parse.loud
    assert parse.explained() == (
        "parse left out 11 % of the recipes of recipenlg, most often for no_action: no verb of the glossary in it "
        "that tells the cook what to do. The first: row 7, 'r:7'."
    )
    assert "The first: row 1, 'z'." in ingest.explained()


def test_what_is_left_out_by_design_is_told_and_never_explained(tmp_path: Path) -> None:
    known = [("duplicate", None, "z")] * 60
    long = {
        "corpus": "recipenlg",
        "source_row": 7,
        "reason": "too_long",
        "detail": "812 tokens",
        "raw": "r:7",
    }
    paths = [recipes(tmp_path, 40), table(tmp_path, "match/rejects/recipenlg", TOO_LONG, [long] * 9)]
    ingest, match = left_out([*paths, rejects(tmp_path, [*known, ("bad_list", None, "x")])], tmp_path)
    assert str(ingest) == "ingest: 61 of 101 rows of recipenlg (60 duplicate, 1 bad_list)"
    assert str(match) == "match: 9 of 40 recipes of recipenlg (9 too_long)"
    assert not ingest.loud and not match.loud
    (ingest,) = left_out([paths[0], rejects(tmp_path, [*known, *[("bad_list", None, "x")] * 11])], tmp_path)
    assert ingest.loud
    assert ingest.explained().startswith(
        "ingest left out 10 % of the rows of recipenlg, most often for bad_list"
    )
    assert "The first: row 60, 'x'." in ingest.explained()


def test_a_source_may_be_called_as_part_of_a_table(tmp_path: Path) -> None:
    row = {"corpus": "re", "source_row": 1, "reason": "duplicate", "detail": None, "raw": "x"}
    (one,) = left_out([table(tmp_path, "ingest/rejects/re", REJECTS, [row])], tmp_path)
    assert str(one) == "ingest: 1 rows of re (1 duplicate)"


def test_a_small_share_is_told_and_not_explained(tmp_path: Path) -> None:
    (one,) = left_out([recipes(tmp_path, 19), rejects(tmp_path, [("bad_list", None, "z")])], tmp_path)
    assert (one.count, one.whole, one.loud) == (1, 20, False)
    assert left_out([recipes(tmp_path, 19), rejects(tmp_path, [])], tmp_path) == []


@pytest.mark.parametrize(
    ("encoding", "text", "cause"),
    [
        ("cp1252", "7,Crème brûlée,jalapeño purée", "It looks like WINDOWS-1252: save it again"),
        ("gb18030", "7,红烧肉，白米饭", "It looks like GB18030: save it again"),
        ("big5", "7,紅燒肉，白米飯", "It looks like BIG5: save it again"),
        ("shift_jis", "7,カレーライス、鶏肉", "It looks like CP932: save it again"),
    ],
)
def test_another_encoding_is_guessed_from_its_rejects(
    encoding: str, text: str, cause: str, tmp_path: Path
) -> None:
    raw = text.encode(encoding).decode(errors="backslashreplace")
    (one,) = left_out([recipes(tmp_path, 1), rejects(tmp_path, [("invalid_utf8", None, raw)])], tmp_path)
    assert one.cause.startswith(cause)
    assert one.explained().endswith("NEW")


def test_requests_count_with_the_predictions_that_came(tmp_path: Path) -> None:
    answered = [{"instance_id": f"i:{n}", "run": "gpt", "prediction": "Fry."} for n in range(3)]
    row: dict[str, Any] = {"instance_id": "i:3", "run": "gpt", "turn": 1, "reason": "rejected"}
    paths = [
        table(tmp_path, "generate/predictions/gpt", PREDICTIONS, answered),
        table(
            tmp_path, "generate/rejects/gpt", UNANSWERED, [row | {"detail": "HTTP 400: no", "raw": "炒饭"}]
        ),
    ]
    (one,) = left_out(paths, tmp_path)
    assert str(one) == "generate: 1 of 4 requests of gpt (1 rejected)"
    assert "does not take the request. The first: i:3 (HTTP 400: no), '炒饭'." in one.explained()


def test_rejects_of_people_s_tables_name_the_setting(tmp_path: Path) -> None:
    row = {"source_row": 2, "reason": "not_accepted", "detail": None, "raw": "粥 | congee"}
    paths = [
        table(tmp_path, f"match/rejects/{name}", SHEET_REJECTS, [row])
        for name in ("dish-names", "silver-en-zh")
    ]
    assert [str(one) for one in left_out(paths, tmp_path)] == [
        "match: 1 names of dishes of match.candidates.titles (1 not_accepted)",
        "match: 1 rows of match.silver.accepted, en-zh (1 not_accepted)",
    ]


def test_differences_that_are_not_claimed_are_a_share_of_all(tmp_path: Path) -> None:
    both = {"base_dish": "鸡", "target_dish": "虾"}
    more = {"verb_class": "切", "ingredient_classes": [], "tool_classes": [], "phrases": []}
    counts = {"base_frequency": 0.6, "target_frequency": 0.0, "base_recipes": 20, "target_recipes": 20}
    claimed = both | more | counts | {"kind": "remove", "p_value": 0.01}
    weak = both | {"kind": "remove", "reason": "chance", "detail": "2 of 20", "raw": "拍//"}
    paths = [
        table(tmp_path, "pivot/candidates", CANDIDATES, [claimed]),
        table(tmp_path, "pivot/rejects/candidates", CANDIDATE_REJECTS, [weak, weak]),
    ]
    (one,) = left_out(paths, tmp_path)
    assert str(one) == "pivot: 2 of 3 differing actions of pairs of dishes (2 chance)"
    assert not one.loud


def test_given_entries_count_with_those_that_are_used_replacements_twice(tmp_path: Path) -> None:
    pair = {"base_dish": "鸡", "target_dish": "虾", "verb_class": "切", "ingredient_classes": []}
    used = dict.fromkeys(PIVOTS.names) | pair | {"tool_classes": [], "decided_by": "given"}
    unknown = {"source_row": 3, "reason": "unknown_class", "detail": "焗", "raw": "焗//"}
    paths = [
        table(tmp_path, "pivot/pivots", PIVOTS, [used | {"kind": kind} for kind in ("replace", "remove")]),
        table(tmp_path, "pivot/rejects/pivots", GIVEN_REJECTS, [unknown]),
    ]
    (one,) = left_out(paths, tmp_path)
    assert str(one) == "pivot: 1 of 4 given entries of pivots (1 unknown_class)"
    assert one.loud and "parse.glossary.path must name the one they were written with" in one.explained()


def name_of(pattern: str) -> str:
    """A table's name, with something in the place of its wildcards."""
    return re.sub(r"\{\w+\}", "mine", pattern)


def some_value(field: pa.Field) -> Any:
    return 7 if pa.types.is_integer(field.type) else "x"


@pytest.mark.parametrize(
    "name", [name for name, schema in declared_tables().items() if {"reason", "raw"} <= {*schema.names}]
)
def test_every_table_of_rejects_is_counted(name: str, tmp_path: Path) -> None:
    schema, known = declared_tables()[name], reasons()[name.split("/")[0]]
    assert all(isinstance(reason, Reason) for reason in known.values())
    row = {field.name: some_value(field) for field in schema} | {"reason": next(iter(known))}
    (one,) = left_out([table(tmp_path, name_of(name), schema, [row])], tmp_path)
    assert (one.count, one.stage) == (1, name.split("/")[0])
    assert one.things and one.name and one.example

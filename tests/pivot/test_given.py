"""Given pivot actions and orders come in as they are; what a run cannot use is a reject with its reason."""

import csv
import io
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.expected import Order, read_pivots
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.parse.glossary import read_glossary
from wokflow.pivot import schemas
from wokflow.pivot.given_files import ORDER_COLUMNS, PIVOT_COLUMNS, pivot_records
from wokflow.pivot.occurrences import Proto
from wokflow.pivot.orders import pivot_orders
from wokflow.pivot.pivots import pivot_pivots
from wokflow.pivot.settings import OrdersSettings, PivotsSettings

GLOSSARY = {
    "verbs": {"加": "加入", "放": "加入", "切": "切", "炒": "炒"},
    "ingredients": {"豆腐": "豆腐", "蛋": "鸡蛋", "葱": "葱", "姜": "姜"},
    "tools": {"锅": "锅"},
}
PAIRS = """\
base_dish	target_dish	ingredient_removed	ingredient_added
甲	乙	豆腐	蛋
丙	丁	葱	姜
丙	戊	葱	蛋
"""


def action(verb: str, *foods: str, tools: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"verb": verb, "ingredients": list(foods), "tools": list(tools)}


def order(insert: dict[str, Any], *constraints: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return {"insert": insert, "constraints": [{"before": a, "after": b} for a, b in constraints]}


FRY = action("炒", "葱", "姜", tools=("锅",))
ADD = action("加入", "鸡蛋")
CUT = action("切", "豆腐")
EXPERTS = {
    "丁": {"pivots": [FRY | {"kind": "insert"}, FRY | {"kind": "insert"}], "orders": []},
    "乙": {
        "pivots": [
            CUT | {"kind": "remove"},
            ADD | {"kind": "insert"},
            action("煮", "冰") | {"kind": "remove"},
        ],
        "orders": [
            order(ADD, (CUT, ADD), (ADD, FRY), (CUT, ADD)),
            order(FRY, (ADD, FRY)),
        ],
    },
    "己": {"pivots": [CUT | {"kind": "remove"}], "orders": []},
}


class Given:
    """A folder with pairs and glossary, and the tables that given files become."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
        (folder / "glossary.json").write_text(json.dumps(GLOSSARY), encoding="utf-8")
        self.known = {"pairs": str(folder / "pairs.tsv"), "glossary": str(folder / "glossary.json")}

    def file(self, name: str, content: Any) -> str:
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    def pivots(self, given: str, said: Progress | None = None) -> pl.DataFrame:
        out = str(self.folder / "pivots.parquet")
        files = {name: str(self.folder / name) for name in ("votes", "agreement", "rejects")}
        settings = PivotsSettings(given=given, **self.known)
        pivot_pivots(
            candidates=[], pivots=out, **files, settings=settings, job=Job(progress=said or Progress())
        )
        return tables.read(out)

    def orders(self, given: str) -> pl.DataFrame:
        files = {name: str(self.folder / f"{name}.parquet") for name in ("pivots", "effects", "orders")}
        files |= {"rejects": str(self.folder / "rejects")}
        pivot_orders(
            proto=[], dishes=[], **files, settings=OrdersSettings(given=given, **self.known), job=Job()
        )
        assert tables.read(files["effects"]).is_empty()
        return tables.read(files["orders"])

    @property
    def rejects(self) -> list[tuple[int, str, str]]:
        return tables.read(self.folder / "rejects").select("source_row", "reason", "detail").rows()  # type: ignore[return-value]


@pytest.fixture
def given(tmp_path: Path) -> Given:
    return Given(tmp_path)


def test_experts_pivots_go_in_as_published(given: Given) -> None:
    pivots = given.pivots(given.file("experts.json", EXPERTS))
    assert pivots.drop("new_ingredient_classes", "base_frequency", "target_frequency").rows() == [
        ("甲", "乙", "切", ["豆腐"], [], "remove", "given"),
        ("甲", "乙", "加入", ["鸡蛋"], [], "insert", "given"),
        ("丙", "丁", "炒", ["姜", "葱"], ["锅"], "insert", "given"),
    ]
    assert all(tables.read(given.folder / name).is_empty() for name in ("votes", "agreement"))
    assert pivots["base_frequency"].null_count() == pivots["target_frequency"].null_count() == 3
    assert given.rejects == [
        (1, "repeated", "丁, pivot 2"),
        (4, "unknown_class", "冰, 煮"),
        (5, "unknown_pair", "any to 己: none of the pairs"),
    ]
    raw = tables.read(given.folder / "rejects")["raw"].to_list()
    assert json.loads(raw[1]) == EXPERTS["乙"]["pivots"][2]


def test_experts_orders_go_in_as_published_where_their_pivot_is_inserted(given: Given) -> None:
    path = given.file("experts.json", EXPERTS)
    given.pivots(path)
    orders = given.orders(path)
    assert orders.select("base_dish", "target_dish", "pivot", "before", "after", "effect", "flag").rows() == [
        ("甲", "乙", "加入/鸡蛋/", "切/豆腐/", "加入/鸡蛋/", None, ""),
        ("甲", "乙", "加入/鸡蛋/", "加入/鸡蛋/", "炒/姜,葱/锅", None, ""),
    ]
    assert given.rejects == [
        (2, "repeated", "乙, order 1, constraint 3"),
        (3, "not_inserted", "炒/姜,葱/锅"),
    ]


def test_the_workflow_s_own_tables_go_in_again(given: Given) -> None:
    path = given.file("experts.json", EXPERTS)
    pivots = given.pivots(path)
    orders = given.orders(path)
    for name, frame in (("p.parquet", pivots), ("o.parquet", orders)):
        frame.write_parquet(given.folder / name)
    assert given.pivots(str(given.folder / "p.parquet")).equals(pivots)
    assert given.rejects == []
    assert given.orders(str(given.folder / "o.parquet")).equals(orders)
    assert given.rejects == []


def test_a_replacement_is_one_pivot_and_goes_in_again(given: Given) -> None:
    """Both its actions are pivots of scores and orders, also where the insertion stands first."""
    cut = action("切", "葱", "鸡蛋")
    twins = [cut | {"kind": "insert"}, action("切", "豆腐", "葱") | {"kind": "remove"}]
    other = action("炒", "豆腐") | {"kind": "remove"}
    path = given.file("x.json", {"乙": {"pivots": [*twins, other], "orders": [order(cut, (cut, FRY))]}})
    pivots = given.pivots(path)
    columns = ["verb_class", "ingredient_classes", "kind", "new_ingredient_classes"]
    replaced = ("切", ["葱", "豆腐"], "replace", ["葱", "鸡蛋"])
    assert pivots.select(columns).rows() == [replaced, ("炒", ["豆腐"], "remove", None)]
    assert given.orders(path)["pivot"].to_list() == ["切/葱,鸡蛋/"]
    pair = {"base_dish": "甲", "target_dish": "乙", "ingredient_removed": "豆腐", "ingredient_added": "蛋"}
    files = [str(given.folder / f"{name}.parquet") for name in ("pivots", "orders")]
    words = read_glossary(given.folder / "glossary.json")
    found = read_pivots(pl.DataFrame([pair]), files, words, lambda texts: [[] for _ in texts], Progress())
    assert {one.written for one in found["甲", "乙"].remove} == {"切/葱,豆腐/", "炒/豆腐/"}
    assert {one.written for one in found["甲", "乙"].insert} == {"切/葱,鸡蛋/"}
    pivots.write_parquet(given.folder / "again.parquet")
    assert given.pivots(str(given.folder / "again.parquet")).equals(pivots) and given.rejects == []


def tsv(columns: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text, dialect="excel-tab").writerows([columns, *rows])
    return "\ufeff" + text.getvalue()


def test_sheets_go_in(given: Given) -> None:
    rows = [("甲", "乙", "切", "豆腐", "", "remove"), ("丙", "戊", "炒", "葱, 姜", "锅", "insert")]
    pivots = given.pivots(given.file("pivots.tsv", tsv(PIVOT_COLUMNS, *rows)))
    assert pivots.select("target_dish", "verb_class", "ingredient_classes", "tool_classes").rows() == [
        ("乙", "切", ["豆腐"], []),
        ("戊", "炒", ["姜", "葱"], ["锅"]),
    ]
    line = ("丙", "戊", "炒/葱,姜/锅", "切/葱/", "炒/姜,葱/锅")
    orders = given.orders(given.file("orders.tsv", tsv(ORDER_COLUMNS, line)))
    assert orders["before"].to_list() == ["切/葱/"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.json", [], "not an object of target dishes"),
        ("x.json", {"乙": {"pivots": [action("切")]}}, "乙: pivots are not as published .*kind"),
        ("x.json", {"乙": {"pivots": [action("切") | {"kind": "keep"}]}}, "kind 'keep' of pivot 1"),
        ("x.json", {"乙": {"pivots": [{"verb": "切", "kind": "remove"}]}}, "ingredients"),
        (
            "x.json",
            {"乙": {"pivots": [CUT | {"kind": "remove"}, CUT | {"kind": "insert"}]}},
            "乙, pivot 2: an earlier row says to remove 切/豆腐/, this one to insert it",
        ),
        ("x.json", {"乙": {"pivots": [action("煮") | {"kind": "remove"}]}}, "none of 1 rows .* Found: 煮"),
        ("x.tsv", tsv(PIVOT_COLUMNS[:-1]), "missing column kind"),
        ("x.tsv", tsv(PIVOT_COLUMNS, ("甲", "乙", "切", "", "", "ask")), "row 2: .* remove or insert"),
    ],
)
def test_malformed_files_are_refused_with_the_place(
    given: Given, name: str, content: Any, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        given.pivots(given.file(name, content))


def test_an_order_without_its_pivot_is_refused(given: Given) -> None:
    path = given.file("experts.json", EXPERTS | {"丁": {"pivots": [], "orders": [order(ADD, (CUT, FRY))]}})
    given.pivots(given.file("pivots.json", EXPERTS))
    with pytest.raises(UserError, match="丁, order 1, constraint 1: the pivot must be one of"):
        given.orders(path)


def test_scores_are_computed_on_given_pivots_and_orders(given: Given) -> None:
    path = given.file("experts.json", EXPERTS)
    given.pivots(path)
    given.orders(path)
    pair = {"base_dish": "甲", "target_dish": "乙", "ingredient_removed": "豆腐", "ingredient_added": "蛋"}
    files = [str(given.folder / f"{name}.parquet") for name in ("pivots", "orders")]
    words = read_glossary(given.folder / "glossary.json")
    found = read_pivots(pl.DataFrame([pair]), files, words, lambda texts: [[] for _ in texts], Progress())
    cut, add = Proto("切", ("豆腐",), ()), Proto("加入", ("鸡蛋",), ())
    assert found["甲", "乙"].remove == {cut} and found["甲", "乙"].insert == {add}
    fry = Proto("炒", ("姜", "葱"), ("锅",))
    assert found["甲", "乙"].orders == {add: [Order(cut, add), Order(add, fry)]}


def test_nothing_mined_is_said_in_the_log_and_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables.write(tmp_path / "none", schemas.CANDIDATES, tables.frame(schemas.CANDIDATES), {})
    files = {name: str(tmp_path / name) for name in ("pivots", "votes", "agreement", "rejects")}
    settings, said = PivotsSettings(**Given(tmp_path).known), io.StringIO()
    pivot_pivots(
        candidates=[str(tmp_path / "none")], **files, settings=settings, job=Job(progress=Progress(said))
    )
    screen = capsys.readouterr().err
    assert "pivot.pivots.given" in screen and screen.strip() in said.getvalue()


def test_the_authors_files_go_in_whole(shared: Path, tmp_path: Path) -> None:
    """All 800 pivot actions; of 382 order constraints those whose pivot they insert, each once."""
    folder = shared / "real" / "counterfactual"
    given = Given(tmp_path)
    given.known = {"pairs": str(folder / "dish_pairs.json"), "glossary": str(folder / "glossary.json")}
    published = str(folder / "expert_pivots.json")
    pivots = given.pivots(published, Progress(sys.stdout))
    assert given.rejects == []
    kinds = {"remove": 491 - 3, "insert": 309 - 3, "replace": 3}
    assert dict(pivots["kind"].value_counts().iter_rows()) == kinds
    orders = given.orders(published)
    assert orders.height + len(given.rejects) == 382
    assert Counter(reason for _, reason, _ in given.rejects) == {"repeated": 2, "not_inserted": 11}


def test_words_of_corpora_may_have_been_read_wrongly(tmp_path: Path) -> None:
    pivot = {"verb": "加", "ingredients": ["CrÃ¨me"], "tools": [], "kind": "remove"}
    path = tmp_path / "pivots.json"
    path.write_text(json.dumps({"乙": {"pivots": [pivot]}}), encoding="utf-8")
    assert len([*pivot_records(str(path))]) == 1
    table = tmp_path / "pivots.tsv"
    table.write_text("\t".join(PIVOT_COLUMNS) + "\n甲\t乙\t加\tCrÃ¨me\t\tremove\n", encoding="utf-8")
    assert len([*pivot_records(str(table))]) == 1

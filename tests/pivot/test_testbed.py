"""The testbed's files as its authors published them go in, and come out of a run."""

import json
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow import cli
from wokflow.evaluate.given_predictions import read_predictions
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.pickles import read_pickle
from wokflow.generate.schemas import PREDICTIONS
from wokflow.ingest.counterfactual import decode
from wokflow.ingest.schemas import RECIPES
from wokflow.parse.glossary import PICKLED
from wokflow.pivot import schemas
from wokflow.pivot.dishes import PAIR, read_pairs
from wokflow.pivot.given_files import pivot_records
from wokflow.pivot.instances import write_instances
from wokflow.pivot.orders import pivot_orders
from wokflow.pivot.pivots import pivot_pivots
from wokflow.pivot.settings import InstancesSettings, OrdersSettings, PivotsSettings
from wokflow.pivot.testbed import FIXED, write_testbed

CUT = ("切", (frozenset({"豆腐"}), frozenset[str]()))
FRY = ("炒", (frozenset({"姜", "葱"}), frozenset({"锅"})))
WORDS = ({"豆腐": "豆腐", "姜": "姜", "葱": "葱"}, {"切": "切", "炒": "炒"}, {"锅": "锅"})
ACTIONS = (
    {"乙": [[CUT, 0], [FRY, 1]], "丁": []},
    {"乙": [(FRY, [(CUT, FRY)])], "丁": []},
)
TEXTS = {
    "dish_pairs.txt": "甲 乙\n丙 丁\n",
    "changing_ingres.txt": "豆腐 蛋\n 葱\n",
    "base_recipes.txt": "甲\t乙\t切豆腐。炒。\n丙\t丁\t炒葱。\n",
    "gpt2.txt": "炒蛋。\n\n",
}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A folder with the files of the repository, and with predictions as L1_eval.py reads them."""
    folder = tmp_path / "published"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "glossary_dict.pkl").write_bytes(pickle.dumps(WORDS))
    (folder / "pivot_actions.pkl").write_bytes(pickle.dumps(ACTIONS, 2))  # calls frozenset by name
    return folder


def part(results: Path, table: str) -> str:
    (results / table).mkdir(parents=True)
    return str(results / table / "part-00000.parquet")


def results_of(published: Path, results: Path) -> None:
    """The tables of a run on these files that come out again."""

    pairs = str(published)
    known = {"pairs": pairs, "glossary": str(published / "glossary_dict.pkl")}
    given = str(published / "pivot_actions.pkl")
    pivots = part(results, "pivot/pivots")
    left = {name: str(results / name) for name in ("votes", "agreement", "rejects", "effects")}
    settings: Any = PivotsSettings(given=given, **known)
    files = {name: left[name] for name in ("votes", "agreement", "rejects")}
    pivot_pivots(candidates=[], pivots=pivots, **files, settings=settings, job=Job())
    assert tables.read(left["rejects"]).is_empty()
    pivot_orders(
        proto=[],
        dishes=[],
        pivots=pivots,
        effects=left["effects"],
        orders=part(results, "pivot/orders"),
        rejects=left["rejects"],
        settings=OrdersSettings(given=given, **known),
        job=Job(),
    )
    assert tables.read(left["rejects"]).is_empty()
    recipes: list[Any] = [decode(line) for line in TEXTS["base_recipes.txt"].splitlines()]
    rows = [
        pair
        | {
            "instance_id": f"counterfactual:{number}:{pair['target_dish']}",
            "recipe_id": f"counterfactual:{number}",
            "text": recipe["steps"][0],
        }
        for number, (pair, recipe) in enumerate(zip(read_pairs(pairs).to_dicts(), recipes, strict=True))
    ]
    tables.write(part(results, "pivot/instances"), schemas.INSTANCES, rows, {})
    names = [row["instance_id"] for row in rows]
    ((run, said),) = read_predictions([str(published / "gpt2.txt")], names[::-1], Progress()).items()
    answers = [{"instance_id": name, "run": run, "prediction": said[name]} for name in names]
    tables.write(part(results, f"generate/predictions/{run}"), PREDICTIONS, answers, {})


def test_the_testbed_s_files_go_in_and_come_out(
    published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results_of(published, tmp_path / "results")
    out = tmp_path / "out"
    places = ["--results", str(tmp_path / "results"), "--to", str(out)]
    assert cli.main(["papers", "testbed", "--glossary", str(published / "glossary_dict.pkl"), *places]) == 0
    assert {path.name for path in out.iterdir()} == {*TEXTS, "glossary_dict.pkl", "pivot_actions.pkl"}
    assert {name: (out / name).read_text(encoding="utf-8") for name in TEXTS} == TEXTS
    assert read_pickle(out / "glossary_dict.pkl") == WORDS
    assert read_pickle(out / "pivot_actions.pkl") == ACTIONS
    assert not capsys.readouterr().err


def test_results_without_predictions_or_base_recipes_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without predictions the other files are written; without base recipes nothing is."""
    drawn(tmp_path, ("甲", "乙", "豆腐", "蛋"))
    pivots_of(tmp_path)
    (tmp_path / "generate/predictions/mine/part-00000.parquet").unlink()
    command = ["papers", "testbed", "--glossary", "resources/glossary", "--results", str(tmp_path), "--to"]
    assert cli.main([*command, str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == FIXED
    assert "no predictions" in capsys.readouterr().err
    tables.write(tmp_path / "pivot/instances/part-00000.parquet", schemas.INSTANCES, [], {})
    assert cli.main([*command, str(tmp_path / "none")]) == 2
    assert "pivot/instances is empty" in capsys.readouterr().err and not (tmp_path / "none").exists()


@pytest.mark.parametrize("glossary", ["testbed/glossary_dict.pkl", "testbed/words.json", "elsewhere.json"])
def test_the_authors_files_are_not_overwritten(
    glossary: str, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even through a link; another folder that has the glossary alone gets nothing, either."""
    monkeypatch.chdir(tmp_path)
    results_of(published, tmp_path / "results")
    words = json.dumps(dict(zip(PICKLED, WORDS, strict=True)))
    target = published
    if glossary == "testbed/words.json":
        target = tmp_path / "words"
        target.mkdir()
        (target / "words.json").write_text(words)
    Path("elsewhere.json").write_text(words)
    Path("testbed").symlink_to(target)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    assert cli.main(["papers", "testbed", "--glossary", glossary, "--to", "testbed"]) == 2
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def drawn(results: Path, *pairs: tuple[str, str, str | None, str]) -> list[str]:
    """The ids of instances of these pairs, four recipes for each, with a prediction of each."""
    dishes, recipes = str(results / "dishes.parquet"), part(results, "ingest/recipes")
    rows = [
        {"recipe_id": f"counterfactual:{number}", "corpus": "counterfactual", "lang": "zh", "title": "甲"}
        | {"ingredients": [], "steps": [f"切{number}"], "source_row": number}
        for number in range(4)
    ]
    tables.write(recipes, RECIPES, tables.frame(RECIPES, rows), {})
    known = [{"recipe_id": row["recipe_id"], "dish": "甲", "found_by": "field"} for row in rows]
    tables.write(dishes, schemas.DISHES, known, {})
    instances, settings = part(results, "pivot/instances"), InstancesSettings(pairs="none")
    frame = pl.DataFrame(pairs, dict.fromkeys(PAIR, pl.String), orient="row")
    write_instances([recipes], dishes, frame, instances, settings, Job())
    names = tables.read(instances)["instance_id"].to_list()
    answers = [{"instance_id": name, "run": "mine", "prediction": f"about {name}"} for name in names]
    tables.write(part(results, "generate/predictions/mine"), PREDICTIONS, answers, {})
    tables.write(part(results, "pivot/orders"), schemas.ORDERS, [], {})
    return names


def pivots_of(results: Path, *targets: str) -> None:
    own = {"base_dish": "甲", "verb_class": "切", "ingredient_classes": ["豆腐"], "tool_classes": []}
    own |= {"kind": "remove", "decided_by": "given"}
    rows = [own | {"target_dish": target} for target in targets]
    tables.write(part(results, "pivot/pivots"), schemas.PIVOTS, tables.frame(schemas.PIVOTS, rows), {})


def test_predictions_come_out_in_the_order_in_which_they_go_in(tmp_path: Path) -> None:
    names = drawn(tmp_path, ("甲", "乙", "豆腐", "蛋"), ("甲", "丁", None, "葱"))
    pivots_of(tmp_path, "乙", "戊")  # no recipe was drawn for the latter
    out = tmp_path / "out"
    few = [{"instance_id": names[0], "run": "few", "prediction": "soup"}]
    tables.write(part(tmp_path, "generate/predictions/few"), PREDICTIONS, few, {})
    pl.DataFrame({"run": ["mine"]}).write_parquet(part(tmp_path, "evaluate/scores"))
    said: list[str] = []
    write_testbed(str(tmp_path), "resources/glossary", str(out), said.append)
    lacking, left = said
    assert lacking == "few.txt: 7 of 8 base recipes have no prediction, and empty lines"
    assert left.startswith("few is not in evaluate/scores: perhaps the config no longer has it")
    back = read_predictions([str(out / "mine.txt")], names, Progress())
    assert back == {"mine": {name: f"about {name}" for name in sorted(names)}}
    recipes = [line.split("\t")[1:] for line in (out / "base_recipes.txt").read_text().splitlines()]
    assert recipes == [[target, f"切{number}。"] for number in range(4) for target in ("丁", "乙")]
    assert (out / "dish_pairs.txt").read_text() == "甲 乙\n甲 丁\n"
    pivots, orders = read_pickle(out / "pivot_actions.pkl")
    assert [(target, len(some)) for target, some in pivots.items()] == [("乙", 1), ("丁", 0), ("戊", 1)]
    assert orders.keys() == pivots.keys()


def test_names_that_their_form_would_part_are_refused(tmp_path: Path) -> None:
    drawn(tmp_path, ("甲", "乙 丙", "豆腐", "蛋"))
    pivots_of(tmp_path)
    with pytest.raises(UserError, match="'乙 丙' of pivot/instances holds a blank"):
        write_testbed(str(tmp_path), "resources/glossary", str(tmp_path / "out"), print)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("action", "said"),
    [([CUT, -1], "kind -1 is not 0 or 1"), ([("切", ("豆腐", set())), 0], "no set of classes")],
)
def test_a_pickle_of_another_form_is_refused(action: list[Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "pivot_actions.pkl"
    path.write_bytes(pickle.dumps(({"乙": [action]}, {})))
    with pytest.raises(UserError, match=said):
        [*pivot_records(str(path))]


def test_a_pickle_cannot_run_code(tmp_path: Path) -> None:
    (tmp_path / "p.pkl").write_bytes(b"cos\nsystem\n(S'touch ran'\ntR.")
    with pytest.raises(UserError, match=r"p\.pkl is no pickle of plain values .*os\.system"):
        read_pickle(tmp_path / "p.pkl")

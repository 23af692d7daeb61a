"""Rates of literal translation: what is counted in both languages, and what is not."""

from pathlib import Path

import polars as pl
import pytest
from wokflow.evaluate.literal import counter, evaluate_literal, read_concepts
from wokflow.evaluate.settings import LiteralSettings
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.conftest import ROOT
from tests.evaluate.adapted import JOB, write_instances, write_predictions

CONCEPTS = str(ROOT / "resources" / "concepts.tsv")
HEADER = "data\tconcept\tsource\ttarget\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Bake it. It bakes; baked, baking: BAKE!", 5),
        ("Preheat the oven, oven-roasted, broiling", 4),
        ("a bakery, a broiler pan, bakeware", 0),
        ("1 tsp baking powder, then bake", 1),
        ("", 0),
    ],
)
def test_english_words_count_with_their_endings(text: str, count: int) -> None:
    assert counter(["bake", "roast", "broil", "oven", "-baking powder"], "en")(text) == count


@pytest.mark.parametrize(
    ("terms", "text", "count"),
    [
        (["stir-fry"], "Stir-fry, stir-fries, stir-fried, stir-frying", 4),
        (["chop"], "chop, chops, chopped, chopping, chopstick", 4),
        (["oil"], "oil, boil, foil, oils, sesame oil", 3),
        (["soy", "soy sauce"], "soy sauce and soy", 2),
        (["butter", "-peanut butter"], "butter, peanut butter, butters", 2),
    ],
)
def test_english_terms_are_words_and_the_longest_wins(terms: list[str], text: str, count: int) -> None:
    assert counter(terms, "en")(text) == count


@pytest.mark.parametrize(
    ("terms", "text", "count"),
    [
        (["烤"], "放入烤箱烘烤", 2),
        (["油", "-酱油", "-蚝油"], "锅里放油，加酱油、蚝油和香油", 2),
        (["酱油", "生抽", "老抽"], "生抽、老抽、酱油膏", 3),
        (["奶酪", "奶油奶酪"], "奶油奶酪", 1),
        (["XO酱"], "加XO酱", 1),
    ],
)
def test_chinese_terms_are_found_longest_first(terms: list[str], text: str, count: int) -> None:
    assert counter(terms, "zh")(text) == count


def found(folder: Path, predictions: dict[str, dict[str, str]]) -> pl.DataFrame:
    rows = [
        {"instance_id": "silver:a", "source": "Title: Bake\nSteps: Bake in\nthe oven", "reference": "烤箱烤"},
        {"instance_id": "silver:b", "source": "Roast", "reference": "煮"},
        {"instance_id": "silver:c", "source": "Boil", "reference": "烤烤烤"},
        {"instance_id": "gold:a", "dataset": "gold", "source": "Boil", "reference": None},
    ]
    table = folder / "concepts.tsv"
    table.write_text(f"# said\n{HEADER}en-zh\tbake\tbake|roast|oven\t烤\n", encoding="utf-8")
    evaluate_literal(
        instances_en_zh=[write_instances(folder / "i", rows)],
        instances_zh_en=[],
        predictions_en_zh=[write_predictions(folder / run, run, texts) for run, texts in predictions.items()],
        predictions_zh_en=[],
        induced=[],
        literal=str(folder / "out"),
        settings=LiteralSettings(concepts=str(table)),
        job=JOB,
    )
    return tables.read(folder / "out")


def test_translations_are_counted_where_the_source_has_the_concept(tmp_path: Path) -> None:
    made = {"silver:a": "烤", "silver:b": "烤\n烤", "silver:c": "烤", "gold:a": "烤"}
    rows = found(tmp_path, {"r": made, "few": {"silver:b": ""}})
    assert rows.rows() == [
        ("en-zh/gold", "r", "bake", 0, 0, None),
        ("en-zh/silver", "few", "bake", 1, 0, 0.0),
        ("en-zh/silver", "r", "bake", 4, 3, 0.75),
        ("en-zh/silver", "reference", "bake", 4, 2, 0.5),
    ]


def test_without_runs_the_references_are_counted(tmp_path: Path) -> None:
    assert found(tmp_path, {})["run"].to_list() == ["reference"]


def test_the_tables_concepts_can_be_read_and_count() -> None:
    concepts = {data: {one.name: one for one in of} for data, of in read_concepts(CONCEPTS).items()}
    assert set(concepts) == {"zh-en", "en-zh"}
    bake = concepts["en-zh"]["bake"]
    assert bake.source("Baking powder; broil, then roast in the oven.") == 3
    oil = concepts["zh-en"]["oil"]
    assert oil.source("起油锅，下黄油、酱油、香油、辣椒油") == 3
    assert oil.target("oil and boiled") == 1
    assert concepts["zh-en"]["steam"].target("Steamed in a steamer; steaming") == 3


def test_terms_stand_between_bars_of_both_keyboards_with_blanks_or_without(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text(f"{HEADER}zh-en\tsoy\t酱油\u200b｜豆腐 | -豆腐皮\tsoy sauce | tofu\n")
    [soy] = read_concepts(str(tmp_path / "c.tsv"))["zh-en"]
    assert (soy.source("酱油、豆腐和豆腐皮"), soy.target("Tofu in soy sauce")) == (2, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data\tconcept\tsource\n", "missing column target"),
        ("", "missing column concept, data, source, target"),
        (f"# x\n{HEADER}en-fr\toil\toil\thuile\n", "row 3: data must be"),
        (f"{HEADER}en-zh\toil\toil\n", "line 2: 3 cells, but the header has 4"),
        (f"{HEADER}en-zh\toil\toil\t\n", "row 2: .* must not be empty"),
        (f"{HEADER}en-zh\toil\toil|\t油\n", "row 2: .* must not be empty, nor a term between bars"),
        (f"{HEADER}en-zh\toil\toil\t油 | -\n", "row 2: .* nor a term between bars"),
        (f"{HEADER}en-zh\toil\toil\t油\nen-zh\toil\tfat\t油\n", "row 3: oil of en-zh occurs twice"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_concepts(str(path))
    with pytest.raises(UserError, match=r"There is no file .* with concepts"):
        read_concepts(str(tmp_path / "none.tsv"))

"""Accepted candidates become a set with one source to one target; every other row of the sheet has a reason."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.match import schemas
from wokflow.match.settings import SilverSettings
from wokflow.match.silver import ANSWERS, GIVEN, match_silver, read_rows

from tests.match.test_candidates import eligible

COLUMNS = (*GIVEN, "direction")
ENGLISH = ["Kung Pao Chicken", "Mapo Tofu", "=Tea"]
CHINESE = ["宫保鸡丁", "麻婆豆腐", "茶"]


def row(zh: int, en: int, accepted: str = "yes", direction: str = "", **other: str) -> dict[str, str]:
    titles = {"zh_title": (CHINESE + [""] * 9)[zh], "en_title": (ENGLISH + [""] * 9)[en]}
    ids = {"zh_id": f"xiachufang:{zh}", "en_id": f"recipenlg:{en}"}
    dishes = {"dish_zh": "宮保雞丁", "dish_en": "Kung Pao"}
    return dishes | ids | titles | {"accepted": accepted, "direction": direction} | other


def made(folder: Path, *rows: dict[str, str], direction: str = "zh-en") -> tuple[pl.DataFrame, pl.DataFrame]:
    write_sheet(folder / "sheet.tsv", COLUMNS, [[each[name] for name in COLUMNS] for each in rows])
    silver, rejects = str(folder / "silver"), str(folder / "rejects")
    match_silver(
        recipenlg=eligible(folder / "en", "recipenlg", ENGLISH),
        xiachufang=eligible(folder / "zh", "xiachufang", CHINESE),
        silver=silver,
        rejects=rejects,
        direction=direction,
        settings=SilverSettings(accepted=str(folder / "sheet.tsv")),
        job=Job(),
    )
    return tables.read(silver), tables.read(rejects)


def test_an_accepted_row_stands_in_both_directions(tmp_path: Path) -> None:
    there, _ = made(tmp_path, row(0, 0), row(1, 1, "no"))
    assert there.rows() == [
        *[
            (
                "xiachufang:0",
                "recipenlg:0",
                "宫保鸡丁",
                "Kung Pao Chicken",
                "宮保雞丁",
                "Kung Pao",
                100.0,
                pytest.approx(66.67, abs=0.01),
            )
        ]
    ]
    back, _ = made(tmp_path, row(0, 0), direction="en-zh")
    assert back.select("source_id", "target_id", "source_dish").row(0) == (
        "recipenlg:0",
        "xiachufang:0",
        "Kung Pao",
    )


def test_every_other_row_has_its_reason(tmp_path: Path) -> None:
    rows = [
        row(0, 0, "Y"),
        row(0, 1),
        row(1, 0, "是"),
        row(1, 1, ""),
        row(1, 1, "no"),
        row(1, 1, "maybe"),
        row(1, 1, direction="en-zh"),
        row(1, 7),
        row(1, 1, zh_title="麻婆豆腐煲"),
        row(2, 2, direction="zh-en", en_title="tea"),
    ]
    silver, rejects = made(tmp_path, *rows)
    assert silver["source_id"].to_list() == ["xiachufang:0", "xiachufang:2"]
    assert rejects.select("source_row", "reason", "detail").rows() == [
        (3, "taken", "xiachufang:0 in row 2"),
        (4, "taken", "recipenlg:0 in row 2"),
        (5, "not_accepted", None),
        (6, "not_accepted", None),
        (7, "no_answer", "maybe"),
        (8, "other_direction", "en-zh"),
        (9, "unknown_recipe", "recipenlg:7"),
        (10, "other_title", "xiachufang:1: 麻婆豆腐"),
    ]
    assert set(rejects["reason"]) <= schemas.REASONS.keys()


def test_a_direction_counts_with_any_dash_and_others_are_refused(tmp_path: Path) -> None:
    """Passed over as the other direction's in both, accepted rows would be in no set."""
    silver, _ = made(tmp_path, row(0, 0, direction="ZH – EN"), row(1, 1, direction="zh_en"))
    assert silver.height == 2
    with pytest.raises(UserError, match=r"sheet\.tsv, row 3: 'both' is not a direction"):
        made(tmp_path, row(0, 0), row(1, 1, direction="both"))
    sheet = (tmp_path / "sheet.tsv").read_text().replace("direction", "Direction")
    (tmp_path / "sheet.tsv").write_text(sheet)
    with pytest.raises(UserError, match="Did you mean direction"):
        read_rows(str(tmp_path / "sheet.tsv"))


def test_a_sheet_that_fails_as_a_whole_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"no row can be used for zh-en; .*unknown_recipe \(1\).*row 3, recipenlg:8"
    ):
        made(tmp_path, row(0, 0, "no"), row(0, 8))
    silver, _ = made(tmp_path, row(0, 0, direction="zh-en"), direction="en-zh")
    assert silver.height == 0


answers = st.sampled_from([*ANSWERS, "maybe"])
rows = st.builds(row, st.integers(0, 3), st.integers(0, 3), answers, st.sampled_from(["", "zh-en", "en-zh"]))


@given(st.lists(rows, max_size=12), st.sampled_from(["zh-en", "en-zh"]))
def test_rows_in_are_rows_out_and_rejects_and_each_recipe_is_there_once(
    tmp_path_factory: pytest.TempPathFactory, sheet: list[dict[str, str]], direction: str
) -> None:
    folder = tmp_path_factory.mktemp("silver")
    silver, rejects = made(folder, row(0, 0), *sheet, direction=direction)
    assert silver.height + rejects.height == 1 + len(sheet)
    for side in ("source_id", "target_id"):
        assert max(Counter(silver[side]).values()) == 1

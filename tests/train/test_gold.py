from pathlib import Path

import pytest
from wokflow.job import UserError
from wokflow.train.gold import gold_sources, read_gold

from tests.conftest import ROOT

HEADER = "source_id\ttitle\tingredients\tsteps"


def gold(tmp_path: Path, *lines: str) -> str:
    (tmp_path / "gold.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(tmp_path / "gold.tsv")


def test_lists_are_cut_at_bars(tmp_path: Path) -> None:
    [row] = read_gold(gold(tmp_path, HEADER, 'zh:1\tTea\t1 "cup" | water\tBoil.')).to_dicts()
    assert row == {
        "source_id": "zh:1",
        "title": "Tea",
        "ingredients": ['1 "cup"', "water"],
        "steps": ["Boil."],
        "source_title": None,
        "source_ingredients": None,
        "source_steps": None,
    }


def test_a_source_may_come_with_the_set(tmp_path: Path) -> None:
    header = f"{HEADER}\tsource_title\tsource_ingredients\tsource_steps"
    [row] = read_gold(gold(tmp_path, header, "mine\tTea\twater\tBoil.\t茶\t水\t烧 | 喝")).to_dicts()
    assert (row["source_title"], row["source_steps"]) == ("茶", ["烧", "喝"])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["source_id\ttitle"], "lacks the columns ingredients, steps"),
        ([HEADER, "zh:1\tTea\t\tBoil."], "line 2: ingredients is empty"),
        ([HEADER, "zh:1\tTea\twater"], "line 2: steps is empty"),
        ([HEADER, "zh:1\tA\tb\tc", "zh:1\tA\tb\tc"], "line 3: zh:1 is there twice"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_gold(gold(tmp_path, *lines))


def test_without_a_set_nothing_is_kept_out() -> None:
    assert gold_sources(None) == []


@pytest.mark.parametrize("data", ["zh-en", "en-zh"])
def test_the_sets_of_the_demo_can_be_read(data: str) -> None:
    assert len(read_gold(str(ROOT / "resources" / "gold" / f"{data}.tsv"))) >= 8

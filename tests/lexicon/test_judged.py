"""The sheet, as people fill it in, and what follows from their marks; corpora that are too small are said to be."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from wokflow.evaluate.literal import read_concepts
from wokflow.frame.job import UserError
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.lexicon.alignment_summary import read_summary, write_summary
from wokflow.lexicon.vectors import Space, read_space, write_space

from tests.lexicon.runs import align, judge, look_up

ZH, EN = ["盐", "豆腐", "蒸", "筷子", "汤"], ["salt", "ham", "bake", "fork", "steam", "sausage"]
DICTIONARY = "zh\ten\n豆腐\ttofu\n蒸\tsteam\n筷子\tchopsticks\n蒸发\tevaporate\n"
Sheet = list[dict[str, str]]
Fill = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An alignment by hand, with k = 2: near 豆腐 are ham and sausage, near 蒸 bake and steam, and so on."""
    angles = {"zh": [0, 40, 80, 120, 170], "en": [2, 40, 78, 121, 86, 45]}
    for side, words in (("zh", ZH), ("en", EN)):
        turned = np.radians(angles[side])
        vectors = np.column_stack([np.cos(turned), np.sin(turned)]).astype(np.float32)
        (tmp_path / "aligned" / side).mkdir(parents=True)
        counts = np.arange(len(words), 0, -1, np.int64)
        write_space(tmp_path / "aligned" / side, Space(words, counts, vectors))
    write_summary(tmp_path / "aligned", {"doubts": []})
    (tmp_path / "seed.tsv").write_text("zh\ten\n盐\tsalt\n", encoding="utf-8")
    (tmp_path / "dictionary.tsv").write_text(DICTIONARY, encoding="utf-8")
    look_up(tmp_path, tmp_path / "seed.tsv", tmp_path / "dictionary.tsv", count=2, neighbourhood=1)
    return tmp_path


@pytest.fixture
def filled(folder: Path) -> Fill:
    """A function that fills in the sheet: annotator, and (literal, kind) by word."""

    def fill(annotator: str, **marks: tuple[str, str]) -> Path:
        lines = (folder / "sheet.tsv").read_text(encoding="utf-8").splitlines()
        made = [lines[0]]
        for line in lines[1:]:
            cells = line.split("\t")
            literal, kind = marks.get(cells[1], ("", ""))
            made.append("\t".join([*cells[:-3], annotator if literal or kind else "", literal, kind]))
        path = folder / f"{annotator}.tsv"
        path.write_text("\n".join(made) + "\n", encoding="utf-8")
        return path

    return fill


def judged(folder: Path, *sheets: Path) -> None:
    none = {"lexicon": str(folder / "no_lexicon"), "glossary": str(folder / "no_dictionary")}
    shared = none | {"dictionary": str(folder / "dictionary.tsv")}
    judge(folder, shared, count=2, marks=tuple(map(str, sheets)))


def words(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["word"]: row for row in pl.read_parquet(folder / "words.parquet").to_dicts()}


def precision(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    rows = pl.read_parquet(folder / "precision.parquet").to_dicts()
    return {(row["measure"], row["judge"]): row for row in rows}


def test_the_most_frequent_content_words_outside_of_the_seed_are_asked_about(folder: Path) -> None:
    rows = [row for _, row in read_sheet(str(folder / "sheet.tsv"), ("word_id", "literal"))]
    assert [row["word"] for row in rows] == ["豆腐", "蒸", "筷子", "汤"]
    assert rows[0] | {"word_id": ""} == {
        "word_id": "",
        "word": "豆腐",
        "meanings": "tofu",
        "nearest_1": "ham",
        "nearest_2": "sausage",
        **dict.fromkeys(("also_3", "also_4", "annotator", "literal", "kind"), ""),
    }


def test_the_dictionary_tells_of_words_whose_meaning_has_a_vector(folder: Path) -> None:
    assert {word: row["by_dictionary"] for word, row in words(folder).items()} == {
        "豆腐": None,
        "蒸": True,
        "筷子": None,
        "汤": None,
    }
    row = precision(folder)["csls", "dictionary"]
    assert (row["words"], row["found"], row["precision"]) == (1, 1, 1.0)
    assert (row["low"], row["high"]) == pytest.approx((0.2065, 1.0), abs=1e-4)  # Wilson, 1 of 1


def test_a_majority_of_people_decides_what_is_literal_and_of_which_kind_the_rest_is(
    folder: Path, filled: Fill
) -> None:
    sheets = (
        filled("a", 豆腐=("none", "cultural"), 蒸=("2", ""), 筷子=("none", "文化"), 汤=("无", "accidental")),
        filled("b", 豆腐=("none", "cultural"), 蒸=("none", "cultural"), 筷子=("none", "error")),
        filled("c", 蒸=("1 2", "")),
    )
    judged(folder, *sheets)
    found = {word: (row["by_people"], row["kind"], row["annotators"]) for word, row in words(folder).items()}
    assert found == {
        "豆腐": (False, "cultural", 2),
        "蒸": (True, None, 3),
        "筷子": (False, "undecided", 2),
        "汤": (False, "accidental", 1),
    }
    assert words(folder)["蒸"]["literal"] == [words(folder)["蒸"]["nearest"][1]]
    row = precision(folder)["csls", "people"]
    counts = ("words", "found", "cultural", "accidental", "undecided")
    assert [row[name] for name in counts] == [4, 1, 1, 1, 1]
    # Pairs of marks: 豆腐, 筷子 agree (no, no), 蒸 has two yes and one no: observed 2 of 7, expected 2 * 2 * 5 / 42.
    assert row["alpha"] == pytest.approx(1 - (2 / 7) / (20 / 42))


def test_words_without_a_literal_match_are_concepts_but_for_accidents(
    folder: Path, filled: Fill, capsys: pytest.CaptureFixture[str]
) -> None:
    none, accident = ("none", "cultural"), ("none", "accidental")
    judged(folder, filled("a", 豆腐=none, 蒸=none, 筷子=accident, 汤=none))
    assert "汤: by people without a literal match, but no concepts" in capsys.readouterr().err
    lines = (folder / "concepts.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1] for line in lines[1:]] == ["tofu (豆腐)", "steam (蒸)"]
    concept = read_concepts(str(folder / "concepts.tsv"))["zh-en"][1]
    assert concept.source("蒸鱼，再蒸") == 2 and concept.target("Steamed fish") == 1


def test_the_dictionary_s_misses_are_concepts_unless_the_alignment_is_doubted(folder: Path) -> None:
    for doubts, found in (([], ["salt (汤)"]), (["small"], [])):
        write_summary(folder / "aligned", {"doubts": doubts})
        (folder / "dictionary.tsv").write_text("zh\ten\n汤\tsalt\n", encoding="utf-8")
        look_up(folder, folder / "seed.tsv", folder / "dictionary.tsv", count=1, neighbourhood=1)
        lines = (folder / "concepts.tsv").read_text(encoding="utf-8").splitlines()
        assert [line.split("\t")[1] for line in lines[1:]] == found


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (("7", ""), r"'7' is not the number of a neighbour of 蒸.*1 bake, 2 steam"),
        (("tasty", ""), "'tasty' is not the number of a neighbour"),
        (("1 none", ""), "'1 none' says that some are literal and that none is"),
        (("none", "strange"), "'strange' is not a kind of mismatch"),
        (("1", "cultural"), "has a literal translation, so leave the column kind empty"),
    ],
)
def test_marks_that_mean_nothing_are_named_with_their_row(
    mark: tuple[str, str], message: str, folder: Path, filled: Fill
) -> None:
    sheet = filled("a", 蒸=mark)
    with pytest.raises(UserError, match=rf"a\.tsv, row 3: .*{message}"):
        judged(folder, sheet)


def test_an_id_that_stands_beside_another_word_is_refused(folder: Path, filled: Fill) -> None:
    path = filled("anna", 蒸=("2", ""))
    text = path.read_text(encoding="utf-8")
    assert all(line.startswith("w") for line in text.splitlines()[1:]), (
        "else spreadsheets take some for numbers"
    )
    path.write_text(text.replace("\t蒸\t", "\t汤\t"), encoding="utf-8")
    with pytest.raises(UserError, match="word_id is that of 蒸, but the word is '汤'"):
        judged(folder, path)


def test_a_sheet_of_other_neighbours_and_marks_of_nobody_are_refused(folder: Path, filled: Fill) -> None:
    sheet = filled("a", 蒸=("2", ""))
    text = sheet.read_text(encoding="utf-8")
    key = read_sheet(str(sheet), ())[1][1]["word_id"]
    sheet.write_text(text.replace(key, "0" * 12), encoding="utf-8")
    with pytest.raises(UserError, match=r"row 3: there is no word .0{12}. \(蒸\) with these neighbours"):
        judged(folder, sheet)
    sheet.write_text(text.replace("\ta\t", "\t\t"), encoding="utf-8")
    with pytest.raises(UserError, match="row 3: annotator is empty"):
        judged(folder, sheet)


def test_without_a_seed_pair_there_is_no_alignment_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, name in (("zh", "豆腐"), ("en", "tofu")):
        (tmp_path / side).mkdir()
        write_space(tmp_path / side, Space([name], np.array([10]), np.ones((1, 4), np.float32)))
    seeds = tmp_path / "seed.tsv"
    seeds.write_text("zh\ten\n盐\tsalt\n", encoding="utf-8")
    align(tmp_path, seeds)
    assert read_space(tmp_path / "aligned" / "zh").words == []
    look_up(tmp_path, seeds, None)
    assert [row["words"] for row in precision(tmp_path).values()] == [0, 0]
    assert read_summary(tmp_path / "aligned")["doubts"][0].startswith("there is no alignment: of 1 seed pair")
    seeds.write_text("zh\ten\n豆腐\ttofu\n", encoding="utf-8")
    assert "small: 10 (zh) and 10 (en)" in read_summary(align(tmp_path, seeds))["doubts"][0]

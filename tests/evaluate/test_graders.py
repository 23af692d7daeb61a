"""Two graders' sheets: figures by hand, and sheets that cannot be compared."""

from pathlib import Path

import pytest
from wokflow.evaluate.graders import figures, readme
from wokflow.evaluate.settings import Bootstrap
from wokflow.frame.job import UserError


def sheet(folder: Path, name: str, *grades: str) -> Path:
    """A sheet with grades as corpus, number of the pair, grade."""
    rows = ["corpus\tzh_id\ten_id\tgrade"]
    for corpus, pair, grade in map(str.split, grades):
        rows.append(f"{corpus}\tz:{pair}\te:{pair}\t{grade}")
    path = folder / name
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_figures_are_of_the_pairs_that_both_have_graded(tmp_path: Path) -> None:
    first = sheet(tmp_path, "first.tsv", "a 1 0", "a 2 0", "a 3 1", "a 4 2", "a 5 0", "b 1 2")
    second = sheet(tmp_path, "second.tsv", "b 1 2", "a 4 2", "a 3 1", "a 2 1", "a 1 0")
    lines = figures(first, second, Bootstrap()).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    # Of corpus a, one pair of four differs by one grade. By chance, from 2, 1, 1 and 1, 2, 1 pairs of grades 0, 1, 2:
    # 20 / 4 squared, 14 / 4 absolute; with 1 and 2 as one, 2 of four.
    values, intervals = zip(*(cell.split(" (") for cell in cells[2][2:]), strict=True)
    assert (*cells[2][:2], *values) == ("a", "4", "0.75", "0.80", "0.71", "0.75", "0.50")
    assert all(" to " in interval for interval in intervals)
    assert cells[3] == ["b", "1", "1.00 (0.21 to 1.00)", "–", "–", "1.00 (0.21 to 1.00)", "–"]
    assert cells[4][:2] == ["both", "5"]
    counts = {(row[0], row[1]): row[2:] for row in cells[8:17]}
    assert counts["a", "0"] == ["1", "1", "0"]
    assert counts["both", "2"] == ["0", "0", "2"]
    assert lines[-1] == "Of the 2 pairs to which either grader gave 1, both gave it to 1."


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (["a 1 0", "a 2 3"], r"second.tsv, line 3: the grade '3' is not 0, 1 or 2"),
        (["a 1 0", "a 1 0"], r"second.tsv, line 3: a z:1 e:1 was graded before"),
        (["a 9 0"], r"a z:9 e:9 is not in .*first.tsv"),
    ],
)
def test_sheets_that_cannot_be_compared_are_refused(tmp_path: Path, grades: list[str], message: str) -> None:
    first = sheet(tmp_path, "first.tsv", "a 1 0", "a 2 1")
    with pytest.raises(UserError, match=message):
        figures(first, sheet(tmp_path, "second.tsv", *grades), Bootstrap())


def test_a_readme_without_a_place_for_figures_is_refused() -> None:
    with pytest.raises(ValueError, match="0 places"):
        readme("# Pairs\n")

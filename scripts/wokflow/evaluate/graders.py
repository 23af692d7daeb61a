"""How far two graders of pairs of recipes agree: the figures of resources/rerank/README.md.

`python -m wokflow.evaluate.graders` writes them there (`make docs`).
"""

import re
from pathlib import Path

import numpy as np

from wokflow.evaluate.resampling import Floats, kappas, with_interval
from wokflow.evaluate.settings import Bootstrap
from wokflow.frame.intervals import wilson
from wokflow.frame.job import UserError
from wokflow.frame.tsv_sheets import read_sheet

FOLDER = Path(__file__).resolve().parents[3] / "resources" / "rerank"
PAIR = ("corpus", "zh_id", "en_id")
GRADES = ("0", "1", "2")
FIGURES = re.compile(r"(?<=<!-- agreement: make docs -->\n).*(?=<!-- /agreement -->)", re.S)
DISTANCES = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
Pair = tuple[str, ...]


def read_grades(path: Path) -> dict[Pair, int]:
    """The grade of each pair of a sheet: corpus, Chinese recipe, English recipe.

    Raises UserError for a grade that is not 0, 1 or 2, and for a pair that comes twice.
    """
    grades: dict[Pair, int] = {}
    for line, row in read_sheet(str(path), (*PAIR, "grade")):
        pair = tuple(row[name] for name in PAIR)
        if row["grade"] not in GRADES:
            raise UserError(f"{path}, line {line}: the grade {row['grade']!r} is not 0, 1 or 2")
        if pair in grades:
            raise UserError(
                f"{path}, line {line}: {' '.join(pair)} was graded before; delete one of the rows"
            )
        grades[pair] = int(row["grade"])
    return grades


def figures(first: Path, second: Path, bootstrap: Bootstrap) -> str:
    """Tables in Markdown of how far two sheets agree on the pairs of the second: figures, grades by grades.

    Raises UserError for a pair that the first sheet lacks.
    """
    others, grades = read_grades(second), read_grades(first)
    for pair in others:
        if pair not in grades:
            raise UserError(f"{second}: {' '.join(pair)} is not in {first}; both must have graded a pair")
    cells = np.zeros((len(others), 3, 3))  # of each pair, 1 at the grades of both
    for place, (pair, grade) in enumerate(others.items()):
        cells[place, grades[pair], grade] = 1
    corpora = np.array([pair[0] for pair in others])
    groups = {corpus: cells[corpora == corpus] for corpus in sorted({*corpora})} | {"both": cells}
    whole = cells.sum(axis=0)
    shared, either = whole[1, 1], whole[1].sum() + whole[:, 1].sum() - whole[1, 1]
    return "\n".join(
        (
            "| corpus | pairs | equal grades | quadratic kappa | linear kappa "
            "| right or not: equal | right or not: kappa |",
            "|---|---|---|---|---|---|---|",
            *(_figures_row(name, group, bootstrap) for name, group in groups.items()),
            "",
            "| corpus | first grader | second: 0 | second: 1 | second: 2 |",
            "|---|---|---|---|---|",
            *(
                f"| {name} | {grade} | {' | '.join(str(int(count)) for count in counts)} |"
                for name, group in groups.items()
                for grade, counts in zip(GRADES, group.sum(axis=0), strict=True)
            ),
            "",
            f"Of the {int(either)} pairs to which either grader gave 1, both gave it to {int(shared)}.",
            "",
        )
    )


def _figures_row(name: str, cells: Floats, bootstrap: Bootstrap) -> str:
    """The row of a group of pairs, from their `cells` (pairs, grades of the first, grades of the second)."""
    right = np.add.reduceat(np.add.reduceat(cells, [0, 1], axis=1), [0, 1], axis=2)  # 0, and 1 or 2
    columns = (
        _share(cells),
        _kappa(cells, DISTANCES**2, bootstrap),
        _kappa(cells, DISTANCES, bootstrap),
        _share(right),
        _kappa(right, DISTANCES[:2, :2], bootstrap),
    )
    return f"| {name} | {len(cells)} | {' | '.join(columns)} |"


def _share(cells: Floats) -> str:
    share = float(np.trace(cells.sum(axis=0)) / len(cells))
    return _shown(share, *wilson(share, len(cells)))


def _kappa(cells: Floats, differences: Floats, bootstrap: Bootstrap) -> str:
    return _shown(*with_interval(cells, kappas(differences), bootstrap))


def _shown(value: float | None, low: float | None, high: float | None) -> str:
    """A figure and its interval; a dash where it is not defined."""
    if value is None:
        return "–"
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} ({low:.2f} to {high:.2f})"


def readme(text: str) -> str:
    """The README of the graded pairs with the figures of its sheets. Raises ValueError if no place is marked."""
    tables = figures(FOLDER / "labels.tsv", FOLDER / "second.tsv", Bootstrap())
    text, places = FIGURES.subn(lambda _: tables, text)
    if places != 1:
        raise ValueError(f"README.md has {places} places marked for figures of agreement, instead of one")
    return text


if __name__ == "__main__":
    page = FOLDER / "README.md"
    page.write_text(readme(page.read_text(encoding="utf-8")), encoding="utf-8")

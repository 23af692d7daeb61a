"""A study in a folder: texts of a few systems, sheets that are handed out, filled in by a rule and read again."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.annotate.ratings import annotate_ratings
from wokflow.annotate.settings import RatingsSettings, SheetsSettings, TasksSettings
from wokflow.annotate.sheets import annotate_sheets
from wokflow.annotate.tasks import annotate_tasks
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.text_files import Row
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.frame.workbooks import read_filled
from wokflow.generate.schemas import INSTANCES, PREDICTIONS

from tests.conftest import ROOT

OWN = ROOT / "resources" / "annotate"
GIVEN = ("id", "rater", "source", "recipe")
DIMENSIONS = ("grammar", "consistency", "preservation", "culture")
Answer = Callable[[Mapping[str, str]], Mapping[str, str]]  # what is filled in, of the cells of a row


class Study:
    """Items source-0, source-1, ... of each of which each system made the text <system>-<item's number>."""

    def __init__(self, folder: Path, systems: Sequence[str] = ("a", "b"), items: int = 3, **own: Any) -> None:
        self.folder, self.kind = folder, own.get("kind", "rating")
        given = {"study": "s", "kind": "rating", "data": "zh-en", "systems": [], "texts": None}
        dimensions = str(OWN / f"{self.kind}.en.tsv")
        settings = TasksSettings(**{**given, "dimensions": dimensions, **own})
        instances = [
            {"instance_id": f"gold:{n}", "dataset": "gold", "source_id": f"x:{n}", "title": f"source-{n}"}
            | {
                "source": f"Title: source-{n}\nSteps: cook\n",
                "base": "Stew",
                "reference": None,
                "retrieved": None,
            }
            for n in range(items)
        ]
        made = [
            {"instance_id": f"gold:{n}", "run": system, "prediction": f"Title: {system}-{n}\n"}
            for system in systems
            for n in range(items)
        ]
        self.write("instances", INSTANCES, instances)
        self.write("predictions", PREDICTIONS, made)
        annotate_tasks(
            instances=[self.path("instances")],
            predictions=[self.path("predictions")],
            rated=[],
            sources=[],
            tasks=self.path("tasks"),
            settings=settings,
            job=Job(),
        )

    @property
    def name(self) -> str:
        return str(self.read("tasks")["study"][0])

    def move(self, place: str, *, back: bool = False) -> None:
        """Move sheets and assignments to where the workflow puts them, or back."""
        for name, part in {
            "sheets": f"sheets/{self.name}",
            "assigned.parquet": f"assigned/{self.name}/part-00000.parquet",
        }.items():
            ends = [self.folder / name, self.folder / place / part]
            ends[not back].parent.mkdir(parents=True, exist_ok=True)
            ends[back].rename(ends[not back])

    def path(self, name: str) -> str:
        return str(self.folder / f"{name}.parquet")

    def read(self, name: str) -> pl.DataFrame:
        return tables.read(self.path(name))

    def write(self, name: str, schema: Any, rows: list[dict[str, Any]]) -> None:
        tables.write(self.path(name), schema, tables.frame(schema, rows), {})

    def raters(self, *rows: str) -> str:
        """The table of raters of these rows, whose cells are parted by |."""
        path = self.folder / "raters.tsv"
        lines = ["rater|consent|state|replaces", *rows]
        path.write_text("\n".join(lines).replace("|", "\t") + "\n", encoding="utf-8")
        return str(path)

    def hand_out(self, *raters: str, **own: Any) -> None:
        """Write the sheets of raters who all consent, or of rows of their table."""
        rows = [rater if "|" in rater else f"{rater}|yes||" for rater in raters]
        given = {"study": "s", "kind": self.kind, "raters": self.raters(*rows), "checks": None}
        files = {name: str(OWN / f"{name}.en.md") for name in ("consent",)}
        files["instructions"] = str(OWN / f"{self.kind}.en.md")
        annotate_sheets(
            tasks=self.path("tasks"),
            assigned=self.path("assigned"),
            sheets=str(self.folder / "sheets"),
            settings=SheetsSettings(**{**given, **files, **own}),
            job=Job(),
        )

    def sheet(self, rater: str, ending: str = "xlsx") -> list[dict[str, str]]:
        return [row for _, row in self.rows(self.folder / "sheets" / f"{rater}.{ending}")]

    @staticmethod
    def rows(path: Path) -> list[Row]:
        return read_filled(path, ("id",))

    def send(self, rows: Sequence[Mapping[str, str]], name: str = "r1") -> None:
        """A sheet of these rows comes back."""
        (self.folder / "answers").mkdir(exist_ok=True)
        header = list(rows[0])
        cells = [[row[column].replace("\n", " | ") for column in header] for row in rows]
        write_sheet(self.folder / "answers" / f"{name}.tsv", header, cells)

    def answer(self, rater: str, answer: Answer, ending: str = "xlsx") -> None:
        self.send([{**row, **answer(row)} for row in self.sheet(rater, ending)], rater)

    def collect(self, **own: Any) -> dict[str, pl.DataFrame]:
        """The ratings, the raters and the rejects of the sheets that came back."""
        given = {"answers": str(self.folder / "answers"), "raters": str(self.folder / "raters.tsv")}
        annotate_ratings(
            tasks=self.path("tasks"),
            assigned=self.path("assigned"),
            ratings=self.path("ratings"),
            raters=self.path("raters"),
            rejects=self.path("rejects"),
            criteria=str(self.folder / "criteria.tsv"),
            settings=RatingsSettings(**{**given, **own}),
            job=Job(),
        )
        return {name: self.read(name) for name in ("ratings", "raters", "rejects")}


def by_system(row: Mapping[str, str]) -> dict[str, str]:
    """7 for texts of system a, 2 for others."""
    return dict.fromkeys(DIMENSIONS, "7" if row["recipe"].startswith("a-") else "2")

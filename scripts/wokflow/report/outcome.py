"""The summary at the end of a run: the results, where they are, and what was not found.

It reads only the footers of tables and small files, so that it is quick after a large run, too.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import stages, tables
from wokflow.pivot.dishes import PAIR, read_pairs
from wokflow.pivot.order_limits import limits
from wokflow.pivot.settings import OrdersSettings
from wokflow.report import shortfalls
from wokflow.report.inputs import tsv
from wokflow.report.left_out import Declared, LeftOut, left_out
from wokflow.report.shortfalls import SERVED, SPLITS

RUN_TABLES = (  # with a folder for each run
    "train/model",
    *(f"generate/{table}" for table in ("decode", "predictions", "calls", "rejects")),
    *(f"generate/{table}" for table in ("adaptations", "rejects/adaptations")),
    *(f"evaluate/{table}" for table in ("outputs", "parts")),
)
CHECKPOINTS = ".checkpoints"  # ends the folder of those of a training


@dataclass(frozen=True)
class Outcome:
    """The results of a run whose targets need the files `outputs`; other files in the folder belong to other runs.

    `runs` are the names in the table of runs, `baselines` the names of runs that have no row there. `idle` are names
    of rows that are left out under the settings of a paper; `lost` says which rows of all tables are, and why.
    """

    config: Mapping[str, Any]
    outputs: Collection[str]
    runs: Collection[str]
    baselines: Collection[str] = ()
    idle: Collection[str] = ()
    lost: Collection[str] = ()

    def text(self) -> str:
        """Some lines for the screen."""
        lines = [f"{name:10}{what}" for name, what in self.results()]
        notes = [f"  - {note}" for note in self.notes()]
        return "\n".join([*lines, *(["Note:"] if notes else []), *notes])

    def results(self) -> Iterator[tuple[str, str]]:
        """What came out and where, the names first."""
        counts = {
            corpus: [self._rows(f"ingest/{table}/{corpus}") for table in ("recipes", "rejects")]
            for corpus, source in self.config["sources"].items()
            if "kind" not in source
        }
        texts = [
            f"{good} of {good + bad} rows of {corpus}" for corpus, (good, bad) in counts.items() if good + bad
        ]
        if texts:
            yield "Recipes", f"{', '.join(texts)}: {self._folder}/ingest/recipes"
        for number, lost in enumerate(self._left_out):
            yield "" if number else "Left out", str(lost)
        for direction, pairs in self._pairs().items():
            splits = ", ".join(f"{split} {pairs[split]}" for split in SPLITS)
            yield "Pairs", f"{direction}: {sum(pairs.values())} ({splits})"
        for name, path, hint in (
            ("Near", "match/near/zh-en.tsv", "titles on both sides of the threshold"),
            ("Release", self._release, "what to publish"),
            ("Pivots", "pivot/pivots/part-00000.parquet", "actions to remove, to insert and to replace"),
            ("Words", "lexicon/sheet/sheet.tsv", "to mark literal translations on: docs/lexicon.md"),
            ("Items", "enrich/items/part-00000.parquet", "mentioned in the sentences of enrich/sentences"),
            ("Scores", "evaluate/summary/summary.tsv", ""),
            ("Report", "report/page/index.html", "open it in a browser"),
        ):
            empty = path.endswith(".parquet") and not self._rows(str(Path(path).parent))
            if self._has(path) and not empty:
                shown = path if not hint or name in ("Release", "Report") else str(Path(path).parent)
                yield name, f"{self._folder}/{shown}" + (f" ({hint})" if hint else "")

    def notes(self) -> Iterator[str]:
        """What was left out or not found, and what to do about it."""
        yield from self.lost
        yield from (lost.explained() for lost in self._left_out if lost.loud)
        yield from self._answers()
        if self._pairs():
            yield from shortfalls.of_sources(self.config["sources"])
        match = self.config["match"]
        precision = match["rerank"]["precision"] if match["rerank"]["by"] == "recipes" else None
        sources, targets = self._pairs("sources"), self._pairs("targets")
        paired = {name: (sum(sources[name].values()), sum(targets[name].values())) for name in sources}
        yield from shortfalls.of_pairs(self._pairs(), match["pair"]["threshold"], paired, precision)
        dishes = f"pivot/dishes/{self.config['pivot']['dishes']['corpus']}/part-00000.parquet"
        if self._has(dishes) and not self.config["pivot"]["pivots"]["given"]:  # given ones need no recipes
            pairs = list(read_pairs(self.config["pivot"]["pairs"]["path"]).select(PAIR[:2]).iter_rows())
            counted = tables.scan(self._path(dishes), ["dish"]).group_by("dish").agg(pl.len())
            recipes = dict(counted.collect(engine="streaming").iter_rows())
            units = limits(OrdersSettings.of_config(self.config)).units
            yield from shortfalls.of_dishes(pairs, recipes, units)
            if self._has("pivot/questions/part-00000.parquet"):
                compared = sum(1 for pair in pairs if all(map(recipes.get, pair)))
                yield from shortfalls.of_questions(self._rows("pivot/questions"), compared)
        if self._has("evaluate/summary/summary.tsv"):
            yield from shortfalls.of_runs(len(self.runs) + len(self.idle))
        yield from shortfalls.of_removed(list(self._removed()))

    @cached_property
    def _left_out(self) -> list[LeftOut]:
        declared = Declared(stages.reasons(), stages.rejected())
        return list(left_out(self.outputs, self._folder, declared))

    def _removed(self) -> Iterator[str]:
        """Folders of runs that are not in the table of runs, below tables that this run's targets need."""
        for table in RUN_TABLES:
            folder = self._path(table)
            if folder.is_dir() and any(str(path).startswith(f"{folder}/") for path in self.outputs):
                for path in sorted(folder.iterdir()):
                    name = path.name.removesuffix(CHECKPOINTS)
                    if (
                        path.is_dir()
                        and not name.startswith(".")
                        and name not in {*self.runs, *self.baselines, *self.idle}
                    ):
                        yield str(path)

    def _answers(self) -> Iterator[str]:
        """What was wrong with what each run wrote."""
        for path in sorted(
            path for path in self.outputs if "/evaluate/outputs/" in path and Path(path).exists()
        ):
            yield from shortfalls.of_outputs(tables.read(path).iter_rows(named=True))
        for path in sorted(
            path for path in self.outputs if "/generate/calls/" in path and Path(path).exists()
        ):
            yield from shortfalls.of_calls(tables.read(path, ["run", "in_form"]))
        for table, name in SERVED.items():
            for path in sorted(path for path in self.outputs if f"/{table}/" in path and Path(path).exists()):
                yield from shortfalls.of_served(
                    tables.read(path, [name, "served_model"]).rename({name: "name"})
                )

    def _pairs(self, column: str = "pairs") -> dict[str, dict[str, int]]:
        """Pairs, or their different sources or targets, by direction and split."""
        if not self._has("match/statistics/table1.tsv"):
            return {}
        counts: dict[str, dict[str, int]] = {}
        for row in tsv(self._path("match/statistics/table1.tsv")):
            if row["split"] in SPLITS:
                counts.setdefault(row["direction"], {})[row["split"]] = int(row[column])
        return counts

    def _rows(self, table: str) -> int:
        begin = str(self._path(table))
        return tables.rows([path for path in self._parquets.get(begin, ()) if Path(path).exists()])

    @property
    def _parquets(self) -> dict[str, list[str]]:
        directions: dict[str, list[str]] = {}
        for path in self.outputs:
            if path.endswith(".parquet"):
                directions.setdefault(str(Path(path).parent), []).append(path)
        return directions

    @property
    def _release(self) -> str:
        release = self.config["export"]["release"]
        return f"export/release/{release['name']}-{release['version']}"

    @property
    def _folder(self) -> str:
        return str(self.config["results"])

    def _path(self, name: str) -> Path:
        return Path(self._folder, name)

    def _has(self, name: str) -> bool:
        return str(self._path(name)) in self.outputs and self._path(name).exists()

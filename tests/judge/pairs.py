"""Sentences with items in a folder, runs that translated them, and models that choose by rules."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.enrich.schemas import ITEMS, SENTENCES
from wokflow.evaluate.pta import evaluate_pta
from wokflow.evaluate.settings import PtaSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, job
from wokflow.generate.schemas import PREDICTIONS
from wokflow.judge.prompt import judge_prompt
from wokflow.judge.pta import judge_pta
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.settings import PtaSettings as TasksSettings

from tests.conftest import ROOT
from tests.judge.models import settings

PTA = ROOT / "resources" / "pta"
SHOWN = re.compile(r"Translation A: (.*)\n\nTranslation B: (.*)\n\nFIRST", re.DOTALL)
TABLES = ("pairs", "tasks", "rejects")
FIGURES = ("pta", "biases", "agreement", "alpha")
Sentence = tuple[str, str, Sequence[tuple[str, str]]]  # source, target, and its items: id and mention


def chooses(choose: Callable[[str, str], str]) -> Callable[[str], str]:
    """What a model answers that chooses A, B or C of two translations."""

    def answer(text: str) -> str:
        shown = SHOWN.search(text)
        assert shown
        return f'Comparison: So it is.\n\nPreferred: "{choose(shown[1], shown[2])}"'

    return answer


def drawn(*texts: str) -> float:
    """A number from 0 to 1 that texts have in common with no others."""
    return int.from_bytes(hashlib.sha256("|".join(texts).encode()).digest()[:4], "big") / 2**32


class Compared:
    """The steps of PTA in a folder, run as jobs do. `untranslated` items have no name in Chinese."""

    def __init__(
        self,
        folder: Path,
        sentences: Sequence[Sentence],
        runs: Mapping[str, Mapping[int, str | None]],
        untranslated: Sequence[str] = (),
        **own: Any,
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        rows, qids = [], dict.fromkeys(qid for *_, items in sentences for qid, _ in items)
        for number, (source, target, items) in enumerate(sentences):
            found = [(qid, name, source.index(name)) for qid, name in items]
            marks = [
                {"qid": qid, "mention": name, "start": at, "end": at + len(name), "category": "Ecology"}
                for qid, name, at in found
            ]
            rows.append(
                {"sentence_id": f"lines:{number}", "source": source, "target": target, "items": marks}
            )
        known = [
            {"qid": qid, "lang": "zh", "translations": [] if qid in untranslated else ["名"]}
            | dict.fromkeys(("category", "country_of_origin", "country_qid"), "x")
            | {"aliases": [], "topics": []}
            for qid in qids
        ]
        said = [
            {"instance_id": f"lines:{number}", "run": run, "prediction": text}
            for run, texts in runs.items()
            for number, text in texts.items()
        ]
        for name, schema, given in (
            ("sentences", SENTENCES, rows),
            ("items", ITEMS, known),
            ("predictions", PREDICTIONS, said),
        ):
            frame = tables.frame(schema, given)
            tables.write(self.path(name), schema, frame, {})
        judge_pta(
            sentences=[self.path("sentences")],
            dictionary=self.path("items"),
            predictions=[self.path("predictions")],
            held_out=[],
            pta=[self.path("pairs"), self.path("tasks")],
            rejects=self.path("rejects"),
            settings=TasksSettings(
                pairs={"lines": "en-zh"}, **{"dimensions": str(PTA / "dimensions.tsv")} | own
            ),
            job=Job({"key": "k"}),
        )

    def path(self, name: str) -> str:
        return str(self.folder / f"{name}.parquet")

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.path(name))

    def ask(self, name: str, url: str | None, **own: Any) -> None:
        """Ask a model all tasks, and read its choices."""
        given = {"run": name, "endpoint": url, "prompt": str(PTA / "prompt.txt"), "timeout_s": 5, "tries": 2}
        given |= {"cache": str(self.folder / "cache"), "ledger": str(self.folder / f"{name}.jsonl")}
        with job(str(self.folder / "log.txt")) as progress:
            judge_prompt(
                tasks=self.path("tasks"),
                server=[],
                answers=self.path(name),
                settings=settings(**given | own),
                job=Job({"key": "k"}, progress),
            )
        judge_ratings(
            tasks=self.path("tasks"),
            answers=self.path(name),
            ratings=self.path(f"{name}_ratings"),
            rejects=self.path(f"{name}_rejects"),
            job=Job({"key": "k"}),
        )

    def measure(self, *names: str, **models: Any) -> dict[str, pl.DataFrame]:
        """The tables of figures by name; `models` are those of the judges and of the systems."""
        ratings = [self.path(f"{name}_ratings") for name in names]
        made = {name: self.path(name) for name in FIGURES}
        who = PtaSettings(**{"judges": (), "systems": ()} | models)
        evaluate_pta(pairs=self.path("pairs"), ratings=ratings, **made, settings=who, job=Job({"key": "k"}))
        return {name: self.table(name) for name in FIGURES}

    def bytes(self, *names: str) -> list[bytes]:
        return [Path(self.path(name)).read_bytes() for name in names]

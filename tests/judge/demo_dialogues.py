"""Answers of rules to the dialogues of the demo, in place of models; run as a module, this writes them."""

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from wokflow.evaluate.edit_finding import edits
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.runs import Run, read_runs
from wokflow.frame.text_files import read_table, read_text
from wokflow.generate.adaptations import generate_adaptations
from wokflow.generate.dialogues import generate_dialogues
from wokflow.generate.prompt import generate_prompt
from wokflow.generate.prompts import Dialogue, Prompt
from wokflow.generate.released_answers import digest_of
from wokflow.generate.schemas import CALLS
from wokflow.generate.settings import AdaptationsSettings, DialoguesSettings
from wokflow.ingest.annotations import ingest_annotations
from wokflow.ingest.dialogues import ingest_dialogues
from wokflow.ingest.settings import AnnotationsSettings
from wokflow.ingest.settings import DialoguesSettings as SpokenSettings
from wokflow.judge.arguments import OF_DIALOGUES, AskedModel, read_models
from wokflow.judge.dialogues import judge_dialogues
from wokflow.judge.edit_tasks import arrow, judge_edit_tasks
from wokflow.judge.edits import judge_edits
from wokflow.judge.prompt import Question, filled
from wokflow.judge.schemas import ANSWERS
from wokflow.judge.settings import DialoguesSettings as RatedSettings
from wokflow.judge.settings import EditTasksSettings

from tests.conftest import ROOT
from tests.generate.asking import prompt_settings

DEMO = ROOT / "resources" / "demo" / "dialogues"
RESOURCES = ROOT / "resources" / "dialogues"
MODELS = ROOT / "resources" / "demo" / "models.tsv"
SHOW = "The Fourth Floor"
WORDS = {
    row["words"]: (row["local"], row["global"])
    for _, row in read_table(DEMO / "words.tsv", ("words", "local", "global"), comments=True)
}
AUDIENCE = {"culture": "India", "people": "Indian"}


def runs() -> dict[str, Run]:
    """The demo's runs on dialogues."""
    schema = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
    found = read_runs(str(ROOT / "config" / "demo_runs.tsv"), schema)
    return {name: run for name, run in found.items() if run.data == "dialogues"}


def chance(*texts: str) -> int:
    """A number below 100 that texts have in common with no others."""
    return hashlib.sha256("|".join(texts).encode()).digest()[0] * 100 // 256


def adapted(rule: str, source: str) -> str:
    """What a rule makes of a dialogue: Indian words for most items, or words without a country for many of them.

    Bold loses a line of one dialogue; mild says what it does before and behind some.
    """
    for words in sorted(WORDS, key=len, reverse=True):
        local, common = WORDS[words]
        takes_local = chance(rule, words) < {"bold": 92, "mild": 12}[rule]
        new = local if takes_local else common if rule == "mild" and chance(words) < 80 else ""
        source = source.replace(words, new or words)
    if rule == "bold" and "Mister Pickles" in source:
        return source.rpartition("\n")[0]
    if rule == "mild" and chance(source) < 30:
        return f"Here is the adapted dialogue:\n\n{source}\n\nNote: words that few would know are plain ones now."
    return source


def found(shown: Mapping[str, str]) -> str:
    """The edits of an utterance, by an aligner."""
    lines = [arrow(one.original, one.adapted) for one in edits(shown["original"], shown["adapted"])]
    return "\n".join(lines) or "No edit found."


def _edit(text: str) -> tuple[str, str]:
    one, _, other = text.partition(" → ")
    return one, other.removesuffix(" # deletion")


def is_local(words: str) -> bool:
    return any(local and words.casefold() in local.casefold() for local, _ in WORDS.values())


def strategy(shown: Mapping[str, str]) -> str:
    one, other = _edit(shown["edit"])
    if not other or other.startswith("#"):
        return "2. Omission"
    if is_local(other):
        return "5. Transformation" if chance(one, other) < 25 else "4. Localization"
    return "3. Globalization"


def edit_scores(shown: Mapping[str, str]) -> str:
    one, other = _edit(shown["edit"])
    values = {
        "correctness": int(chance("correct", one, other) >= 8),
        "localisation": 2 if is_local(other) else 1,
        "offensiveness": int(chance("offence", one, other) < 3),
    }
    return str(values)


def dialogue_scores(shown: Mapping[str, str], rule: str) -> str:
    """More Indian words are more local, a little less natural, and, where there are many, a stereotype."""
    many = sum(bool(local) and local in shown["adapted"] for local, _ in WORDS.values())
    changed = sum(words in shown["original"] and words not in shown["adapted"] for words in WORDS)
    drift = chance(rule, shown["adapted"]) // 67  # 0 or 1
    values = {
        "naturalness": max(1, 5 - many // 2 - drift),
        "localisation": min(5, 1 + 2 * many - (drift if many else 0)),
        "offensiveness": 1 + (chance("offence", shown["adapted"]) < 5),
        "stereotypical": 1 + (many > 2) + (drift if many else 0),
        "content preservation": max(2, 5 - changed // 2 - drift),
    }
    told = ", ".join(
        f'"{name}": {{"score": {value}, "explanation": "By rule."}}' for name, value in values.items()
    )
    return f"{{{told}}}"


class Demo:
    """The demo's dialogues through all steps in a folder, answered by rules."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.job = Job({})
        ingest_dialogues(
            utterances=self.path("utterances"),
            rejects=self.path("left"),
            settings=SpokenSettings(path=str(DEMO / "dialogues.jsonl")),
            job=self.job,
        )
        ingest_annotations(
            utterances=self.path("utterances"),
            annotations=self.path("annotations"),
            rejects=self.path("left_marks"),
            published=self.path("published"),
            settings=AnnotationsSettings(
                path=str(DEMO / "annotations.jsonl"), categories=str(RESOURCES / "categories.tsv")
            ),
            job=self.job,
        )
        generate_dialogues(
            utterances=self.path("utterances"),
            data=self.path("instances"),
            digest=self.path("digest"),
            settings=DialoguesSettings(exemplars=str(RESOURCES / "exemplars.txt")),
            job=self.job,
        )

    def path(self, name: str) -> str:
        return str(self.folder / f"{name}.parquet")

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.path(name))

    def calls(self) -> pl.DataFrame:
        """Answers of the runs, as generate/calls."""
        rows = [row for run in runs().values() for row in self._calls(run)]
        return tables.frame(CALLS, rows)

    def _calls(self, run: Run) -> list[dict[str, Any]]:
        prompt = Dialogue(Prompt.read(run.prompt_file or ""))
        rows = []
        for row in self.table("instances").sort("instance_id").iter_rows(named=True):
            values = {name: row[name] for name in ("source", "culture", "people", "exemplars")}
            digest = digest_of(prompt.said(values))
            answer = adapted(run.model.partition(":")[2], row["source"])
            made = {"instance_id": row["instance_id"], "run": run.name, "turn": 1, "prompt": digest}
            made |= {"request": digest, "status": "ok", "finish_reason": "stop", "in_language": True}
            rows.append(made | {"answer": answer})
        return rows

    def adapt(self) -> None:
        """The adaptations of all runs, from their answers."""
        for name, run in runs().items():
            generate_prompt(
                instances=self.path("instances"),
                exemplars=[],
                server=[],
                predictions=self.path("predictions"),
                calls=self.path("own_calls"),
                rejects=self.path("lost"),
                settings=prompt_settings(
                    run=name, model=run.model, prompt=run.prompt_file, released=self.path("calls")
                ),
                job=self.job,
            )
            generate_adaptations(
                utterances=self.path("utterances"),
                predictions=self.path("predictions"),
                calls=self.path("own_calls"),
                adaptations=self.path(f"adapted_{name}"),
                rejects=self.path(f"rejected_{name}"),
                run=name,
                settings=AdaptationsSettings(),
                job=self.job,
            )

    def answers(self) -> pl.DataFrame:
        """Answers of the judges, as judge/answers."""
        adaptations = [self.path(f"adapted_{name}") for name in runs()]
        judge_dialogues(
            adaptations=adaptations,
            dialogues=self.path("dialogues"),
            utterances=self.path("spoken"),
            settings=RatedSettings(
                dimensions=str(RESOURCES / "dialogue_dimensions.tsv"), show=SHOW, **AUDIENCE
            ),
            job=self.job,
        )
        judges = [model for model in models().values() if model.role in OF_DIALOGUES]
        of_role: dict[str, tuple[str, Callable[[Mapping[str, str], str], str]]] = {
            "editor": ("spoken", lambda shown, rule: found(shown)),
            "dialogue_rater": ("dialogues", lambda shown, rule: dialogue_scores(shown, rule)),
            "edit_rater": ("edits", lambda shown, rule: edit_scores(shown)),
            "strategist": ("strategies", lambda shown, rule: strategy(shown)),
        }
        made = list[dict[str, Any]]()
        for model in sorted(judges, key=lambda model: model.role != "editor"):
            tasks, answer = of_role[model.role]
            rows = self._rows(model, tasks, answer)
            made += rows
            if model.role == "editor":
                tables.write(self.path("found"), ANSWERS, pl.DataFrame(rows, _answers()), {})
                judge_edits(
                    adaptations=adaptations,
                    annotations=[self.path("annotations")],
                    tasks=self.path("spoken"),
                    answers=self.path("found"),
                    edits=self.path("of_editor"),
                    rejects=self.path("no_edits"),
                    job=self.job,
                )
                judge_edit_tasks(
                    adaptations=adaptations,
                    edits=[self.path("of_editor")],
                    changes=[],
                    scored=self.path("edits"),
                    strategies=self.path("strategies"),
                    settings=EditTasksSettings(
                        dimensions=str(RESOURCES / "edit_dimensions.tsv"),
                        strategies=str(RESOURCES / "strategy_dimensions.tsv"),
                        show=SHOW,
                        **AUDIENCE,
                    ),
                    job=self.job,
                )
        return pl.DataFrame(made, _answers())

    def _rows(
        self, model: AskedModel, tasks: str, answer: Callable[[Mapping[str, str], str], str]
    ) -> list[dict[str, Any]]:
        template, rows = read_text(model.prompt).rstrip("\n"), []
        for name, shown in self.table(tasks).select("task_id", "shown").sort("task_id").iter_rows():
            prompt, known = (
                filled(template, shown, model.prompt),
                {each["name"]: each["text"] for each in shown},
            )
            for repetition in range(1, model.repetitions + 1):
                digest = Question(name, repetition, prompt).digest
                row = {"task_id": name, "asked": model.name, "repetition": repetition, "prompt": digest}
                text = answer(known, model.model.partition(":")[2])
                rows.append(row | {"request": digest, "status": "ok", "answer": text})
        return rows


def models() -> dict[str, AskedModel]:
    return read_models({"judge": {"models": str(MODELS), "budget": None}}, {}, runs())


def _answers() -> Any:
    return tables.columns(ANSWERS)


if __name__ == "__main__":
    for name in ("calls", "answers"):
        if not (DEMO / f"{name}.parquet").exists():
            (DEMO / f"{name}.parquet").touch()  # tables of runs and models name them
    with tempfile.TemporaryDirectory() as folder:
        demo = Demo(Path(folder))
        calls = demo.calls()
        tables.write(DEMO / "calls.parquet", CALLS, calls, {})
        tables.write(demo.path("calls"), CALLS, calls, {})
        demo.adapt()
        tables.write(DEMO / "answers.parquet", ANSWERS, demo.answers(), {})

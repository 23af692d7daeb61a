"""The record of a training for programs: its curve (curve.tsv), and its settings and data (run.json)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.digests import file_digest
from wokflow.models.loading import commit_of
from wokflow.train.checkpoints import Evaluation, best_of
from wokflow.train.settings import ModelSettings
from wokflow.train.task import Task
from wokflow.train.validation import validation_decoding

PACKAGES = ("torch", "transformers", "accelerate", "tokenizers", "sacrebleu")
COLUMNS = ("epoch", "step", "train_loss", "valid_loss", "valid_bleu", "learning_rate", "best")
# Keys of train.model that are not among the settings in run.json: they stand elsewhere in it.
ELSEWHERE = {"processes", "nodes", "revision", "valid_beams"}


def write_record(
    folder: Path,
    task: Task,
    rows: pl.DataFrame,
    base: Mapping[str, Any],
    evaluations: Sequence[Evaluation],
    metric: str,
    computed: Mapping[str, Any],
) -> dict[str, Any]:
    """Write curve.tsv and run.json beside the model in `folder`; return the content of run.json.

    `rows` are the examples, `base` is the result of base_of, and `metric` decides which of the `evaluations` is best.
    `computed` says what the settings became here: the device, the precision and the number of processes, on which
    rounding and the draws of dropout depend.
    """
    (folder / "curve.tsv").write_text(curve(evaluations, metric), encoding="utf-8")
    settings = task.settings
    packages = [*PACKAGES, *(["trl"] if settings.family == "causal" else [])]
    packages += ["peft"] if settings.lora.rank else []
    run = {
        "run": task.run,
        "family": settings.family,
        "base": base,
        "seed": settings.seed,
        "languages": settings.languages,
        "prompt": Path(settings.prompt).read_text(encoding="utf-8-sig").strip() if settings.prompt else None,
        "chat": settings.chat,
        "settings": recorded(settings),
        "computed": dict(computed),
        "decoding": asdict(validation_decoding(settings)),
        "examples": {
            "sha256": tables.strings_digest(
                pl.concat([rows[name] for name in ("split", "source", "target")])
            ),
            "train": len(rows.filter(split="train")),
            "valid": len(rows.filter(split="valid")),
        },
        "metric": metric,
        "steps": evaluations[-1].step,
        "packages": {name: metadata.version(name) for name in packages},
    }
    (folder / "run.json").write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return run


def recorded(settings: ModelSettings) -> dict[str, Any]:
    """The settings of run.json: all keys of train.model, apart from ELSEWHERE."""
    learning = settings.model_dump(include={*ModelSettings.own()} - ELSEWHERE, mode="json")
    plain: dict[str, Any] = json.loads(json.dumps(learning), parse_float=_number)
    return plain


def _number(text: str) -> float:
    """A number in the form in which it stands in a config: 1 and not 1.0."""
    return int(text[:-2]) if text.endswith(".0") else float(text)


def base_of(model: str | None, revision: str | None) -> dict[str, Any]:
    """The base model: its name without path, and its commit on the hub or the digests of its weights."""
    if model is None:
        return {"model": "small", "kind": "made on the spot with random weights"}
    if Path(model).is_dir():
        weights = {path.name: file_digest(path) for path in _weights(Path(model))}
        return {"model": Path(model).resolve().name, "kind": "folder", "weights": weights}
    return {"model": model, "kind": "hub", "revision": revision, "commit": commit_of(model, revision)}


def _weights(folder: Path) -> list[Path]:
    """The files of weights in a model's folder: its .safetensors, or its .bin if it has none."""
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin"))


def curve(evaluations: Sequence[Evaluation], metric: str) -> str:
    """The evaluations as a tab-separated table; column best is 1 in the row whose model is kept."""
    best = best_of(evaluations, metric)
    lines = ["\t".join(COLUMNS)]
    for row in evaluations:
        values = [*asdict(row).values(), int(row is best)]
        lines.append("\t".join("" if value is None else str(value) for value in values))
    return "\n".join(lines) + "\n"

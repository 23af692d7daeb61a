"""Section of the page: the models that were trained, and how the training went."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.report import inputs
from wokflow.report.charts import Charts, curves
from wokflow.report.inputs import to_float
from wokflow.report.render import Cell, Table

REWRITING = "counterfactual"  # the data of models that do not go from one language to another
LINES = {  # columns of curve.tsv by picture, each with its name
    "Loss": {"valid_loss": "valid", "train_loss": "train"},
    "BLEU of the validation pairs": {"valid_bleu": "valid"},
}


def section(folders: Sequence[str], names: Mapping[str, str], draw: Charts) -> dict[str, Any]:
    """A table of models, and the curves and settings of each.

    `folders` are those of train/model, `names` are of data.
    """
    rows, models = [], []
    for folder in map(Path, folders):
        details = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        curve = inputs.tsv(folder / "curve.tsv")
        best = next((row for row in reversed(curve) if row["best"] == "1"), {})
        data, examples = "-".join(details["languages"] or [REWRITING]), details["examples"]
        rows.append(
            (
                Cell(details["run"], names.get(data, data)),
                Cell(details["base"]["model"], details["family"]),
                Cell(examples["train"], f"{examples['valid']:,} to validate"),
                sum(map(count_weights, folder.glob("*.safetensors"))),
                f"{best.get('epoch', '–')} of {curve[-1]['epoch']}",
                Cell(to_float(best.get("valid_loss")), digits=3),
                Cell(to_float(best.get("valid_bleu")), digits=1),
            )
        )
        pictures = [*curves_of(details["run"], curve, to_float(best.get("epoch")), draw)]
        models.append({"run": details["run"], "curves": pictures, "settings": settings(details)})
    head = ["Run", "Base model", "Examples", "Parameters", "Best epoch", "Loss", "BLEU"]
    return {"overview": Table(head, rows), "models": models}


def count_weights(path: Path) -> int:
    """Numbers in a file of safetensors, by its header: eight bytes of length, then JSON."""
    with path.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")


def settings(details: Mapping[str, Any]) -> Table:
    """Seed, hyperparameters and package versions of a training (run.json)."""
    given = {"seed": details.get("seed"), "base": details["base"], **details.get("settings", {})}
    given |= {name: details.get(name, {}) for name in ("computed", "packages")}
    return Table(["Setting", "Value"], [(name, plain(value)) for name, value in given.items()])


def plain(value: Any) -> str:
    """A setting as text: those of a block one after another, those of a block in it in brackets."""
    if isinstance(value, Mapping):
        texts = ((name, plain(each), isinstance(each, Mapping)) for name, each in value.items())
        return ", ".join(f"{name} ({text})" if block else f"{name} {text}" for name, text, block in texts)
    return json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value


def curves_of(
    run: str, curve: Sequence[Mapping[str, str]], best: float | None, draw: Charts
) -> Iterator[tuple[str, Any]]:
    """The curves, without those that were not measured."""
    for title, lines in LINES.items():
        chart = curves({name: _points(curve, column) for column, name in lines.items()}, best)
        if chart is not None:
            yield title, draw.draw(chart, f"{title} by epoch, {run}")


def _points(curve: Sequence[Mapping[str, str]], column: str) -> list[tuple[float, float]]:
    points = ((to_float(row["epoch"]), to_float(row[column])) for row in curve)
    return [(epoch, value) for epoch, value in points if epoch is not None and value is not None]

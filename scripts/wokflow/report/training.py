"""Section of the page: the models that were trained, and how the training went."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from wokflow.report import inputs
from wokflow.report.charts import Html, beside, esc, folded, noted, number, paragraph, table
from wokflow.report.curves import Line, curves
from wokflow.report.inputs import to_float

OPEN = 3  # models whose curves are open at first; the others are folded
REWRITING = "counterfactual"  # the data of models that do not go from one language to another
WORDING = (
    "After each epoch a model is measured on the validation pairs, from which it does not learn. The model of the "
    "best epoch is kept; training stops when several epochs in a row bring nothing better. Loss is by token, and "
    "each model cuts text into tokens in its own way: losses compare within a run, not between runs."
)
LINES = {  # columns of curve.tsv by picture, each with its name and style
    "Loss": {"train_loss": ("train", "train"), "valid_loss": ("valid", "valid")},
    "BLEU of the validation pairs": {"valid_bleu": ("valid", "valid")},
}


class Model(NamedTuple):
    """A trained model: run.json, the number of its weights, and the rows of curve.tsv."""

    details: dict[str, Any]
    weights: int
    curve: list[dict[str, str]]

    @property
    def run(self) -> str:
        return str(self.details["run"])

    @property
    def best(self) -> dict[str, str]:
        return next((row for row in reversed(self.curve) if row["best"] == "1"), {})


def section(folders: Sequence[str], names: Mapping[str, str]) -> str:
    """A table of models, then the curves of each; `folders` are those of train/model, `names` are of data."""
    models = [read(Path(folder)) for folder in folders]
    if not models:
        return paragraph("No model was trained: the table of runs has no run of stage train.")
    details = (
        folded(Html(f"<h3>{esc(model.run)}</h3>"), pictures(model), unfolded=place < OPEN)
        for place, model in enumerate(models)
    )
    return paragraph(WORDING) + overview(models, names) + "".join(details)


def read(folder: Path) -> Model:
    details = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    weights = sum(map(count_weights, folder.glob("*.safetensors")))
    return Model(details, weights, inputs.tsv(folder / "curve.tsv"))


def count_weights(path: Path) -> int:
    """Numbers in a file of safetensors, by its header: eight bytes of length, then JSON."""
    with path.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")


def overview(models: Sequence[Model], names: Mapping[str, str]) -> Html:
    """A row for each model: its base model and examples, and its figures at the best epoch."""
    rows = []
    for model in models:
        best, examples = model.best, model.details["examples"]
        data = "-".join(model.details["languages"] or [REWRITING])
        rows.append(
            (
                noted(model.run, names.get(data, data)),
                noted(model.details["base"]["model"], model.details["family"]),
                noted(number(examples["train"]), f"{number(examples['valid'])} to validate"),
                number(model.weights),
                f"{best.get('epoch', '–')} of {model.curve[-1]['epoch']}",
                number(to_float(best.get("valid_loss")), 3),
                number(to_float(best.get("valid_bleu")), 1),
            )
        )
    head = ["Run", "Base model", "#Examples", "#Parameters", "#Best epoch", "#Loss", "#BLEU"]
    return table(head, rows)


def pictures(model: Model) -> Html:
    """The curves side by side, without those that were not measured."""
    best = to_float(model.best.get("epoch"))
    figures = []
    for title, lines in LINES.items():
        picture = curves(
            [Line(name, kind, _points(model.curve, column)) for column, (name, kind) in lines.items()],
            best,
            f"{title} by epoch, {model.run}",
        )
        if picture:
            figures.append(f"<figure><figcaption>{esc(title)}</figcaption>{picture}</figure>")
    return beside(*figures)


def _points(curve: Sequence[Mapping[str, str]], column: str) -> list[tuple[float, float]]:
    found = ((to_float(row["epoch"]), to_float(row[column])) for row in curve)
    return [(epoch, value) for epoch, value in found if epoch is not None and value is not None]

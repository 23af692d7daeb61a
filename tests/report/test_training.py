"""The section on training: models, their figures, curves and settings."""

import json
from pathlib import Path
from typing import Any

from wokflow.frame import tables
from wokflow.report.charts import Charts
from wokflow.report.training import count_weights, section

from tests.report.parts import shown, texts

NAMES = {"zh-en": "Chinese → English", "counterfactual": "Counterfactual recipes"}
HEAD = "epoch\tstep\ttrain_loss\tvalid_loss\tvalid_bleu\tlearning_rate\tbest\n"


def model(folder: Path, run: str, curve: str, *, base: str = "small", data: str | None = "zh-en") -> str:
    """A folder such as train/model/{run}: 2 x 3 + 4 weights, 12 examples."""
    told: dict[str, Any] = {
        "run": run,
        "family": "seq2seq",
        "base": {"model": base},
        "languages": data and data.split("-"),
    }
    told |= {
        "examples": {"train": 9, "valid": 3},
        "seed": 13,
        "settings": {"batch": 64, "small": {"width": 8}},
    }
    shapes = {"a": {"shape": [2, 3]}, "b": {"shape": [4]}, "__metadata__": {"format": "pt"}}
    header = json.dumps(shapes).encode()
    tables.write_text(folder / run / "run.json", json.dumps(told))
    tables.write_text(folder / run / "curve.tsv", HEAD + curve)
    (folder / run / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(40))
    return str(folder / run)


def test_best_epoch_with_its_figures(tmp_path: Path) -> None:
    rows = "1\t5\t4.0\t3.5\t1.25\t0.1\t0\n2\t10\t3.0\t3.25\t7.5\t0.1\t1\n3\t15\t2.0\t3.0\t6.0\t0.1\t0\n"
    found = section([model(tmp_path, "mine", rows)], NAMES, Charts())
    row = ["mine Chinese → English", "small seq2seq", "9 3 to validate", "10", "2 of 3", "3.250", "7.5"]
    assert texts(found["overview"]) == [row]
    html = shown("train", found)
    assert html.count("best: epoch 2") == 2 and html.count("<figure>") == 2


def test_hyperparameters_are_there(tmp_path: Path) -> None:
    found = section([model(tmp_path, "mine", "1\t5\t4\t3\t2\t0.1\t1\n")], NAMES, Charts())
    rows = dict(texts(found["models"][0]["settings"]))
    assert rows["seed"] == "13" and rows["batch"] == "64" and rows["small"] == "width 8"
    assert "Hyperparameters of mine" in shown("train", found)


def test_without_bleu_there_is_one_picture(tmp_path: Path) -> None:
    found = section([model(tmp_path, "gpt", "1\t5\t4.0\t3.5\t\t0.1\t1\n", data=None)], NAMES, Charts())
    assert [title for title, _ in found["models"][0]["curves"]] == ["Loss"]
    assert texts(found["overview"])[0][0] == "gpt Counterfactual recipes"
    assert texts(found["overview"])[0][-1] == "–"


def test_models_beyond_three_are_folded(tmp_path: Path) -> None:
    paths = [model(tmp_path, f"run-{place}", "1\t5\t4\t3\t2\t0.1\t1\n") for place in range(5)]
    html = shown("train", section(paths, NAMES, Charts()))
    assert html.index("<h3>run-2</h3>") < html.index("More models (2)") < html.index("<h3>run-3</h3>")


def test_names_are_escaped(tmp_path: Path) -> None:
    evil = model(tmp_path, "mine", "1\t5\t4\t3\t2\t0.1\t1\n", base="<script>&")
    html = shown("train", section([evil], NAMES, Charts()))
    assert "<script" not in html and "&lt;script&gt;&amp;" in html


def test_no_models() -> None:
    assert "No model was trained" in shown("train", section([], NAMES, Charts()))


def test_weights_are_counted_from_the_header(tmp_path: Path) -> None:
    assert count_weights(Path(model(tmp_path, "mine", "")) / "model.safetensors") == 10

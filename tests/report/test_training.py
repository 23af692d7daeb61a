"""The section on training: models, their figures and their curves."""

import json
from pathlib import Path

import pytest
from wokflow.frame import tables
from wokflow.report.curves import Line, curves, steps
from wokflow.report.training import count_weights, section

NAMES = {"zh-en": "Chinese → English", "counterfactual": "Counterfactual recipes"}
HEAD = "epoch\tstep\ttrain_loss\tvalid_loss\tvalid_bleu\tlearning_rate\tbest\n"


def model(folder: Path, run: str, curve: str, *, base: str = "small", data: str | None = "zh-en") -> str:
    """A folder such as train/model/{run}: 2 x 3 + 4 weights, 12 examples."""
    told = {"run": run, "family": "seq2seq", "base": {"model": base}, "languages": data and data.split("-")}
    told["examples"] = {"train": 9, "valid": 3}
    shapes = {"a": {"shape": [2, 3]}, "b": {"shape": [4]}, "__metadata__": {"format": "pt"}}
    header = json.dumps(shapes).encode()
    tables.write_text(folder / run / "run.json", json.dumps(told))
    tables.write_text(folder / run / "curve.tsv", HEAD + curve)
    (folder / run / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(40))
    return str(folder / run)


def test_best_epoch_with_its_figures(tmp_path: Path) -> None:
    rows = "1\t5\t4.0\t3.5\t1.25\t0.1\t0\n2\t10\t3.0\t3.25\t7.5\t0.1\t1\n3\t15\t2.0\t3.0\t6.0\t0.1\t0\n"
    html = section([model(tmp_path, "mine", rows)], NAMES)
    assert "<td>mine<small>Chinese → English</small></td><td>small<small>seq2seq</small></td>" in html
    assert '9<small>3 to validate</small></td><td class="n">10</td><td class="n">2 of 3</td>' in html
    assert '<td class="n">3.250</td><td class="n">7.5</td>' in html
    assert html.count("best: epoch 2") == 2 and html.count("<figure>") == 2


def test_without_bleu_there_is_one_picture(tmp_path: Path) -> None:
    html = section([model(tmp_path, "gpt", "1\t5\t4.0\t3.5\t\t0.1\t1\n", data=None)], NAMES)
    assert html.count("<figure>") == 1 and "Counterfactual recipes" in html and '<td class="n">–</td>' in html


def test_curves_of_many_models_are_folded(tmp_path: Path) -> None:
    paths = [model(tmp_path, f"run-{place}", "1\t5\t4\t3\t2\t0.1\t1\n") for place in range(5)]
    html = section(paths, NAMES)
    assert html.count("<details open>") == 3 and html.count("<details>") == 2
    assert html.index("run-0") < html.index("run-4")


def test_names_are_escaped(tmp_path: Path) -> None:
    html = section([model(tmp_path, "mine", "1\t5\t4\t3\t2\t0.1\t1\n", base="<script>&")], NAMES)
    assert "<script" not in html and "&lt;script&gt;&amp;" in html


def test_no_models() -> None:
    assert section([], NAMES).startswith("<p>No model was trained")


def test_weights_are_counted_from_the_header(tmp_path: Path) -> None:
    assert count_weights(Path(model(tmp_path, "mine", "")) / "model.safetensors") == 10


def test_points_lie_where_they_belong() -> None:
    """Epochs 0 to 4 lie between 40 and 312 of the width, values 0 to 4 between 118 and 20 of the height."""
    html = curves([Line("valid", "valid", [(0, 0.0), (2, 4.0), (4, 2.0)])], 2, "Loss")
    assert 'd="M40.0 118.0 L176.0 20.0 L312.0 69.0 h0"' in html
    assert '<circle class="in" cx="176.0" cy="20.0"' in html
    assert ">0</text>" in html and ">4</text>" in html


def test_names_of_lines_do_not_meet() -> None:
    html = curves([Line("one", "train", [(1, 2.0)]), Line("two", "valid", [(1, 2.0)])], None, "Loss")
    assert 'y="72.5" class="tick start">one' in html and 'y="83.5" class="tick start">two' in html


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_not_drawn(value: float) -> None:
    assert curves([Line("valid", "valid", [(1, value)])], 1, "Loss") == ""
    html = curves([Line("valid", "valid", [(1, value), (2, 3.0)])], 2, "Loss")
    assert "nan" not in html and "inf" not in html and 'd="M312.0 69.0 h0"' in html


def test_steps_are_round() -> None:
    assert steps(0, 12) == [0, 5, 10] and steps(1.7, 5.6) == [2, 3, 4, 5]
    assert steps(3, 3) == [3] and steps(0, 4) == [0, 1, 2, 3, 4]
    assert steps(0.31, 0.39) == pytest.approx([0.32, 0.34, 0.36, 0.38])

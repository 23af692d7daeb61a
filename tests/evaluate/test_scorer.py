"""The way of texts to COMET and BLEURT and back. These need environments of their own: here small programs stand."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from wokflow.evaluate import bleurt, bleurt_worker, comet, comet_worker
from wokflow.evaluate.bleurt import evaluate_bleurt
from wokflow.evaluate.comet import evaluate_comet
from wokflow.evaluate.contributions import Texts
from wokflow.evaluate.scorer import Scorer, signature
from wokflow.evaluate.settings import BleurtSettings, CometSettings
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.evaluate.adapted import JOB, write_instances, write_predictions

SHARE = "print(len(row['mt']) / len(row['ref']))"
BLEURT = """
class BleurtScorer:
    def __init__(self, checkpoint):
        self.checkpoint = checkpoint

    def score(self, *, references, candidates, batch_size):
        print(self.checkpoint, batch_size)
        return [len(text) / len(reference) for text, reference in zip(candidates, references)]
"""
COMET = """
from types import SimpleNamespace

def download_model(name):
    return f"downloaded {name}"

def load_from_checkpoint(path):
    def predict(rows, batch_size, gpus):
        print(path, batch_size, gpus)
        return SimpleNamespace(scores=[len(row["mt"]) / len(row["ref"]) for row in rows])
    return SimpleNamespace(predict=predict)
"""


def command(code: str) -> list[str]:
    head = "import json, sys, pathlib\ni = pathlib.Path(sys.argv[1]); sys.stdout = open(sys.argv[2], 'w')\n"
    return [
        sys.executable,
        "-c",
        f"{head}for row in map(json.loads, i.open()): {code}",
        "{input}",
        "{output}",
    ]


def values(given: Texts, program: list[str], metric: str = "comet") -> list[float]:
    return Scorer(metric, metric.upper(), "", program, None).values(given, program)


def texts(*given: str) -> Texts:
    return Texts(["Title: 汤 Steps: 煮"] * len(given), list(given), ["abcd"] * len(given))


def test_each_text_has_its_number_and_an_empty_one_has_0() -> None:
    assert values(texts("ab", "", "abcd"), command(SHARE)) == [0.5, 0, 1]
    assert values(texts("", " "), ["not called"]) == [0, 0]


def test_sources_come_without_headings() -> None:
    assert values(texts("x"), command("print(int(row['src'] == '汤 煮'))")) == [1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(1, 2, sep='\\n')", "given 2 lines and wrote 4 numbers"),
        ("row['mt'] == 'ab' and print(1)", "given 2 lines and wrote 1 numbers"),
        ("print('good')", "line 1 .* is no number: 'good'"),
        ("print('nan')", "line 1 .* is nan"),
    ],
)
@pytest.mark.parametrize("metric", ["comet", "bleurt"])
def test_what_is_no_score_is_refused(code: str, said: str, metric: str) -> None:
    with pytest.raises(UserError, match=rf"evaluate\.{metric}\.command: .*{said}"):
        values(texts("ab", "abc"), command(code), metric)


@pytest.mark.parametrize("metric", ["comet", "bleurt"])
@pytest.mark.parametrize("given", [[], command(SHARE)])
def test_a_run_is_scored_or_the_note_says_why_not(tmp_path: Path, given: list[str], metric: str) -> None:
    out = tmp_path / "parts"
    rows = [{"instance_id": "s", "source": "Title: 汤", "reference": "ab\ncd"}]
    files = {"instances": write_instances(tmp_path / "i", rows), "parts": str(out)}
    files["predictions"] = write_predictions(tmp_path / "p", "r", {"s": "a"})
    if metric == "comet":
        evaluate_comet(**files, run="r", settings=CometSettings(data="zh-en", command=given), job=JOB)
    else:
        evaluate_bleurt(**files, run="r", settings=BleurtSettings(data="zh-en", command=given), job=JOB)
    row = tables.read(out).row(0, named=True)
    assert row["metric"] == metric
    if not given:
        assert row["parts"] is None and f"No program for {metric.upper()}" in row["note"]
    else:
        assert (row["statistic"], row["parts"]) == ("mean", [20, 1])


SEES = "import os; print(len(os.environ['CUDA_VISIBLE_DEVICES']))"


@pytest.mark.parametrize("metric", ["comet", "bleurt"])
@pytest.mark.parametrize(("device", "score"), [(None, 1), ("cpu", 0)])
def test_on_a_cpu_a_program_sees_no_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str, device: Any, score: int
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    files = {
        "parts": str(tmp_path / "parts"),
        "predictions": write_predictions(tmp_path / "p", "r", {"s": "a"}),
    }
    files["instances"] = write_instances(tmp_path / "i", [{"instance_id": "s", "reference": "ab"}])
    own: dict[str, Any] = {"data": "zh-en", "command": command(SEES), "device": device}
    if metric == "comet":
        evaluate_comet(**files, run="r", settings=CometSettings(**own), job=JOB)
    else:
        evaluate_bleurt(**files, run="r", settings=BleurtSettings(**own), job=JOB)
    assert tables.read(files["parts"])["parts"][0][0] == 100 * score


def test_the_signature_names_the_model_and_not_where_things_lie() -> None:
    given = ["/home/x/env/bin/python", "{worker}", "--model", "Unbabel/wmt22-comet-da", "{input}", "{output}"]
    assert signature(given) == "command:python --model Unbabel/wmt22-comet-da"


@pytest.mark.parametrize(
    ("worker", "module", "library", "options", "said"),
    [
        (comet.WORKER, "comet/__init__.py", COMET, ["--gpus", "0"], "downloaded m 3 0\n"),
        (bleurt.WORKER, "bleurt/score.py", BLEURT, [], "m 3\n"),
    ],
    ids=["comet", "bleurt"],
)
def test_the_worker_calls_the_library_and_not_its_namesake_beside_it(
    worker: str, module: str, library: str, options: list[str], said: str, tmp_path: Path
) -> None:
    """Here the library is a stand-in of a few lines."""
    path = tmp_path / "lib" / module
    path.parent.mkdir(parents=True)
    (path.parent / "__init__.py").touch()
    path.write_text(library)
    rows = [{"src": "汤", "mt": "a", "ref": "ab"}, {"src": "汤", "mt": "\u2028", "ref": "abcd"}]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "in").write_text(lines, encoding="utf-8")
    shell = [sys.executable, worker, "--model", "m", "--batch", "3", *options]
    done = subprocess.run(
        [*shell, str(tmp_path / "in"), str(tmp_path / "out")],
        env={"PYTHONPATH": str(tmp_path / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == said
    assert (tmp_path / "out").read_text() == "0.5\n0.25\n"


@pytest.mark.parametrize("worker", [comet_worker, bleurt_worker])
def test_the_worker_asks_for_both_files(worker: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        worker.main(["--model", "m"])
    assert "input, output" in capsys.readouterr().err

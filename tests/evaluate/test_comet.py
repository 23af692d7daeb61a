"""COMET's way there and back. COMET itself needs an environment of its own: here stands a small program for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from wokflow.evaluate import comet_worker
from wokflow.evaluate.comet import WORKER, evaluate_comet, signature, values
from wokflow.evaluate.parts import Texts
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.evaluate.adapted import METADATA, write_instances, write_predictions

SHARE = "print(len(row['mt']) / len(row['ref']))"
LIBRARY = """
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


def texts(*given: str) -> Texts:
    return Texts(["Title: 汤 Steps: 煮"] * len(given), list(given), ["abcd"] * len(given))


def test_each_text_has_its_number_and_an_empty_one_has_0() -> None:
    assert values(texts("ab", "", "abcd"), command(SHARE), None) == [0.5, 0, 1]
    assert values(texts("", " "), ["not called"], None) == [0, 0]


def test_sources_come_without_headings() -> None:
    assert values(texts("x"), command("print(int(row['src'] == '汤 煮'))"), None) == [1]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print(1, 2, sep='\\n')", "given 2 lines and wrote 4 numbers"),
        ("row['mt'] == 'ab' and print(1)", "given 2 lines and wrote 1 numbers"),
        ("print('good')", "line 1 .* is no number: 'good'"),
        ("print('nan')", "line 1 .* is nan"),
    ],
)
def test_what_is_no_score_is_refused(code: str, said: str) -> None:
    with pytest.raises(UserError, match=rf"evaluate\.comet\.command: .*{said}"):
        values(texts("ab", "abc"), command(code), None)


@pytest.mark.parametrize("given", [None, command(SHARE)])
def test_a_run_is_scored_or_the_note_says_why_not(tmp_path: Path, given: list[str] | None) -> None:
    out = tmp_path / "parts"
    evaluate_comet(
        instances=write_instances(
            tmp_path / "i", [{"instance_id": "s", "source": "Title: 汤", "reference": "ab\ncd"}]
        ),
        predictions=write_predictions(tmp_path / "p", "r", {"s": "a"}),
        parts=str(out),
        run="r",
        data="zh-en",
        command=given,
        metadata=METADATA,
    )
    row = tables.read(out).row(0, named=True)
    assert row["metric"] == "comet"
    if given is None:
        assert row["parts"] is None and "No program for COMET" in row["note"]
    else:
        assert (row["statistic"], row["parts"]) == ("ratio", [0.2, 1])


def test_the_signature_names_the_model_and_not_where_things_lie() -> None:
    given = ["/home/x/env/bin/python", "{worker}", "--model", "Unbabel/wmt22-comet-da", "{input}", "{output}"]
    assert signature(given) == "command:python --model Unbabel/wmt22-comet-da"


def test_the_worker_calls_the_library_and_not_its_namesake_beside_it(tmp_path: Path) -> None:
    """Here the library is a stand-in of a few lines."""
    (tmp_path / "lib" / "comet").mkdir(parents=True)
    (tmp_path / "lib" / "comet" / "__init__.py").write_text(LIBRARY)
    rows = [{"src": "汤", "mt": "a", "ref": "ab"}, {"src": "汤", "mt": "\u2028", "ref": "abcd"}]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "in").write_text(lines, encoding="utf-8")
    shell = [sys.executable, WORKER, "--model", "m", "--batch", "3", "--gpus", "0"]
    done = subprocess.run(
        [*shell, str(tmp_path / "in"), str(tmp_path / "out")],
        env={"PYTHONPATH": str(tmp_path / "lib")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "downloaded m 3 0\n"
    assert (tmp_path / "out").read_text() == "0.5\n0.25\n"


def test_the_worker_asks_for_both_files(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        comet_worker.main(["--model", "m"])
    assert "input, output" in capsys.readouterr().err

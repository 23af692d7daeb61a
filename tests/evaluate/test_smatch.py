"""Smatch: as smatchpp's command line has it, by a parser that is a stand-in, and with all that may go wrong."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from wokflow.evaluate.contributions import Texts
from wokflow.evaluate.score_intervals import score
from wokflow.evaluate.settings import SmatchSettings
from wokflow.evaluate.smatch import compare, evaluate_smatch, parsed, split_graphs
from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError

from tests.evaluate.adapted import JOB, write_instances, write_predictions

pytest.importorskip("smatchpp")
CONCEPTS = ("cut", "heat", "add", "stir", "tofu", "oil", "wok", "salt", "green", "small", "minute", "serve")
STAND_IN = """
for line in i.read_text().splitlines():
    print("(s / " + " :mod (x / ".join(line.split()) + ")", end="\\n\\n")
"""


def command(code: str) -> list[str]:
    """A parser that a line of Python is; what it prints goes to the file of graphs."""
    head = "import sys, pathlib\ni = pathlib.Path(sys.argv[1]); sys.stdout = open(sys.argv[2], 'w')\n"
    return [sys.executable, "-c", head + code, "{input}", "{output}"]


def graph(draw: random.Random, size: int) -> str:
    """A tree of concepts with some edges back to it."""
    nodes = [f"(x{number} / {concept}" for number, concept in enumerate(draw.sample(CONCEPTS, size))]
    children: dict[int, list[int]] = {}
    for number in range(1, size):
        children.setdefault(draw.randrange(number), []).append(number)

    def written(number: int) -> str:
        below = [f" :ARG{place} {written(child)}" for place, child in enumerate(children.get(number, []))]
        again = f" :time x{draw.randrange(size)}" if draw.random() < 0.3 else ""
        return nodes[number] + "".join(below) + again + ")"

    return written(0)


def test_counts_by_hand() -> None:
    graphs = {"t": "(a / eat :ARG0 (b / boy))", "r": "(a / eat :ARG0 (b / girl) :mod (q / quick))"}
    metric = compare(Texts([], ["t", "", "t"], ["r", "r", ""]), graphs, "ilp", Progress())
    # triples: root, eat, boy, ARG0 against root, eat, girl, ARG0, quick, mod; all but boy match
    assert metric.parts.tolist() == [[3, 3, 4, 6], [0, 0, 0, 6], [0, 0, 4, 0]]
    assert metric.values == pytest.approx([60, 0, 0])
    assert "solver:ilp" in metric.signature and "smatchpp:" in metric.signature


def test_scores_are_those_of_the_command_line_to_the_last_digit(tmp_path: Path) -> None:
    draw = random.Random(4)
    pairs = [(graph(draw, draw.randint(3, 8)), graph(draw, draw.randint(3, 8))) for _ in range(24)]
    for name, side in zip("ab", zip(*pairs, strict=True), strict=True):
        (tmp_path / name).write_text("".join(f"{one}\n\n" for one in side))
    options = ["-graph_type", "amr", "-solver", "ilp", "-score_type", "micro", "-output_format", "json"]
    shell = [sys.executable, "-m", "smatchpp", "-a", str(tmp_path / "a"), "-b", str(tmp_path / "b"), *options]
    printed = subprocess.run(shell, check=True, capture_output=True, text=True).stdout
    expected = json.loads(printed[printed.index("{") :])["main"]["F1"]["result"]
    texts = [f"t{number}" for number in range(24)]
    references = [f"r{number}" for number in range(24)]
    graphs = dict(
        zip([*texts, *references], [one for side in zip(*pairs, strict=True) for one in side], strict=True)
    )
    metric = compare(Texts([], texts, references), graphs, "ilp", Progress())
    assert round(score(metric), 2) == expected


def test_hill_climbing_gives_the_same_each_time() -> None:
    draw = random.Random(5)
    graphs = {"t": graph(draw, 9), "r": graph(draw, 9)}
    texts = Texts([], ["t"] * 4, ["r"] * 4)
    found = compare(texts, graphs, "hillclimber", Progress()).parts
    assert (found == found[0]).all()
    best = compare(texts, graphs, "ilp", Progress()).parts
    assert found[0, 0] <= best[0, 0] and found[0, 2:].tolist() == best[0, 2:].tolist()


def test_graphs_that_cannot_be_read_are_empty_and_said(tmp_path: Path) -> None:
    graphs = {"t": "no graph", "r": "(a / eat :ARG0 (b / boy))"}
    with (tmp_path / "log").open("w+") as log:
        metric = compare(Texts([], ["t", "r"], ["r", "t"]), graphs, "ilp", Progress(log))
        log.seek(0)
        assert "1 of 2 graphs cannot be read and count as empty" in log.read()
    assert metric.parts.tolist() == [[0, 0, 0, 4], [0, 0, 4, 0]]


def test_graphs_stand_between_blank_lines_with_comments_or_without() -> None:
    text = "# ::snt a\n(a / b\n   :mod (c / d))\n\n\n# ::id 2\n\n# ::snt e\n(e / f)\n \n(g / h)"
    assert split_graphs(text) == ["(a / b\n   :mod (c / d))", "(e / f)", "(g / h)"]
    assert split_graphs("\n\n") == []


def test_each_text_is_parsed_once_and_blank_ones_not_at_all() -> None:
    code = "lines = i.read_text().splitlines(); print('\\n\\n'.join(f'({len(lines)} / {line})' for line in lines))"
    assert parsed(["b", "", "a", "b", " "], command(code), "k", None) == {"a": "(2 / a)", "b": "(2 / b)"}
    assert parsed(["", " "], ["not called"], "k", None) == {}


@pytest.mark.parametrize("gpu", [True, False])
def test_a_parser_sees_no_gpu_where_it_is_to_have_none(monkeypatch: pytest.MonkeyPatch, gpu: bool) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    code = "import os; print('(a / n' + os.environ['CUDA_VISIBLE_DEVICES'] + ')')"
    assert parsed(["b"], command(code), "k", None, gpu=gpu) == {"b": "(a / n7)" if gpu else "(a / n)"}


def test_too_few_graphs_are_refused() -> None:
    with pytest.raises(
        UserError, match=r"evaluate\.smatch\.parsers\.zh: the parser was given 2 texts and wrote 1"
    ):
        parsed(["a", "b"], command("print('(a / b)')"), "evaluate.smatch.parsers.zh", None)


@pytest.mark.parametrize("given", [[], command(STAND_IN)])
def test_a_run_is_scored_or_the_note_says_why_not(tmp_path: Path, given: list[str]) -> None:
    out = tmp_path / "parts"
    evaluate_smatch(
        instances=write_instances(tmp_path / "i", [{"instance_id": "s", "reference": "eat\ntofu"}]),
        predictions=write_predictions(tmp_path / "p", "r", {"s": "eat"}),
        parts=str(out),
        run="r",
        settings=SmatchSettings(data="zh-en", command=given),
        job=JOB,
    )
    row = tables.read(out).row(0, named=True)
    assert (row["metric"], row["dataset"]) == ("smatch", "zh-en/silver")
    if not given:
        assert row["parts"] is None and "(evaluate.smatch.parsers.en)" in row["note"]
    else:
        assert row["statistic"] == "f1" and row["parts"] == [2, 2, 2, 4]

"""The metrics agree with the command lines of sacrebleu and rouge_score on the same files, to the last digit."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from rouge_score import rouge as command_line
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.score_intervals import Metric, score

from tests.evaluate.adapted import real, recipes

Lines = tuple[str, ...]
Pairs = Callable[[str], tuple[Lines, Lines]]


@pytest.fixture(params=["made up", "real"])
def pairs(request: pytest.FixtureRequest) -> Pairs:
    """A function from a language to predictions and references, of a line each."""
    if request.param == "made up":
        read: Callable[[str], tuple[list[str], list[str]]] = recipes
    else:
        read = partial(real, request.getfixturevalue("shared"), count=20)

    def lines(lang: str) -> tuple[Lines, Lines]:
        texts, references = read(lang)
        assert len(texts) == len(references) >= 20
        return tuple(map(one_line, texts)), tuple(map(one_line, references))

    return lines


@cache
def metrics(pairs: tuple[Lines, Lines], lang: str) -> dict[str, Metric]:
    return {metric.name: metric for metric in overlap(*pairs, lang)}


def write(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def sacrebleu(folder: Path, pairs: tuple[Sequence[str], Sequence[str]], *options: str) -> Any:
    """What its command line says of a metric or of several."""
    texts, references = write(folder / "texts", pairs[0]), write(folder / "references", pairs[1])
    command = [sys.executable, "-m", "sacrebleu", references, "-i", texts, "-w", "4", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def jieba_joined(lines: Lines) -> list[str]:
    import jieba

    return [" ".join(jieba.cut(line)) for line in lines]


@pytest.mark.parametrize(("lang", "tokenizer"), [("en", "13a"), ("zh", "zh")])
def test_bleu_and_chrf(pairs: Pairs, tmp_path: Path, lang: str, tokenizer: str) -> None:
    found = metrics(pairs(lang), lang)
    said = sacrebleu(tmp_path, pairs(lang), "-m", "bleu", "chrf", "-tok", tokenizer)
    for one, name in zip(said, ("bleu", "chrf"), strict=True):
        assert f"{one['score']:.4f}" == f"{score(found[name]):.4f}"
        assert one["signature"] == found[name].signature


def test_bleu_of_chinese_words_that_jieba_cuts(pairs: Pairs, tmp_path: Path) -> None:
    texts, references = pairs("zh")
    said = sacrebleu(tmp_path, (jieba_joined(texts), jieba_joined(references)), "-m", "bleu")
    assert f"{said['score']:.4f}" == f"{score(metrics((texts, references), 'zh')['bleu_jieba']):.4f}"


def rouge(folder: Path, pairs: tuple[Sequence[str], Sequence[str]]) -> list[str]:
    """The F1 of each pair as the command line of rouge_score writes it."""
    command_line.FLAGS(
        [
            *("rouge", "--rouge_types=rougeL", "--noaggregate"),
            f"--target_filepattern={write(folder / 'references', pairs[1])}",
            f"--prediction_filepattern={write(folder / 'texts', pairs[0])}",
            f"--output_filename={folder / 'scores.csv'}",
        ]
    )
    command_line.main(["rouge"])
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        return [row["rougeL-F"] for row in csv.DictReader(file)]


def test_rouge_l(pairs: Pairs, tmp_path: Path) -> None:
    found = metrics(pairs("en"), "en")["rouge_l"].values
    assert rouge(tmp_path, pairs("en")) == [f"{one / 100:.6f}" for one in found]


def test_rouge_l_of_chinese_words(pairs: Pairs, tmp_path: Path) -> None:
    """Its command line drops all that is not ASCII: it is given a number for each of them."""
    joined = [jieba_joined(side) for side in pairs("zh")]
    found = metrics(pairs("zh"), "zh")
    for name, cut in (
        ("rouge_l", str.split),
        ("rouge_l_blanks", lambda line: " ".join(line).split(" ") if line else []),
    ):
        numbers: dict[str, str] = {}
        coded = [
            [" ".join(numbers.setdefault(word, f"w{len(numbers)}") for word in cut(line)) for line in side]
            for side in joined
        ]
        assert rouge(tmp_path, (coded[0], coded[1])) == [f"{one / 100:.6f}" for one in found[name].values]

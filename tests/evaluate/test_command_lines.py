"""The metrics agree with the command lines of sacrebleu and rouge_score on the same files, to the last digit."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.overlap import overlap
from wokflow.evaluate.score_intervals import Metric, score

from tests.evaluate.adapted import real, recipes

Pairs = Callable[[str], tuple[list[str], list[str]]]


@pytest.fixture(params=["made up", "real"])
def pairs(request: pytest.FixtureRequest) -> Pairs:
    """A function from a language to predictions and references, of a line each."""
    if request.param == "made up":
        read: Pairs = recipes
    else:
        read = partial(real, request.getfixturevalue("shared"))

    def lines(lang: str) -> tuple[list[str], list[str]]:
        texts, references = read(lang)
        assert len(texts) == len(references) >= 20
        return list(map(one_line, texts)), list(map(one_line, references))

    return lines


def metrics(pairs: tuple[list[str], list[str]], lang: str) -> dict[str, Metric]:
    return {metric.name: metric for metric in overlap(*pairs, lang)}


def write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def sacrebleu(folder: Path, pairs: tuple[list[str], list[str]], *options: str) -> str:
    texts, references = write(folder / "texts", pairs[0]), write(folder / "references", pairs[1])
    command = [sys.executable, "-m", "sacrebleu", references, "-i", texts, *options]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def jieba_joined(lines: list[str]) -> list[str]:
    import jieba

    return [" ".join(jieba.cut(line)) for line in lines]


@pytest.mark.parametrize(("lang", "tokenizer"), [("en", "13a"), ("zh", "zh")])
def test_bleu_and_chrf(pairs: Pairs, tmp_path: Path, lang: str, tokenizer: str) -> None:
    found = metrics(pairs(lang), lang)
    printed = sacrebleu(tmp_path, pairs(lang), "-m", "bleu", "-tok", tokenizer, "-b", "-w", "4")
    assert printed.strip() == f"{score(found['bleu']):.4f}"
    printed = sacrebleu(tmp_path, pairs(lang), "-m", "chrf", "-b", "-w", "4")
    assert printed.strip() == f"{score(found['chrf']):.4f}"
    said = json.loads(sacrebleu(tmp_path, pairs(lang), "-m", "bleu", "chrf", "-tok", tokenizer))
    assert [one["signature"] for one in said] == [found["bleu"].signature, found["chrf"].signature]


def test_bleu_of_chinese_words_that_jieba_cuts(pairs: Pairs, tmp_path: Path) -> None:
    texts, references = pairs("zh")
    printed = sacrebleu(
        tmp_path, (jieba_joined(texts), jieba_joined(references)), "-m", "bleu", "-b", "-w", "4"
    )
    assert printed.strip() == f"{score(metrics((texts, references), 'zh')['bleu_jieba']):.4f}"


def rouge(folder: Path, pairs: tuple[list[str], list[str]]) -> list[str]:
    """The F1 of each pair as the command line of rouge_score prints it."""
    command = [
        *(sys.executable, "-m", "rouge_score.rouge", "--rouge_types=rougeL", "--noaggregate"),
        f"--target_filepattern={write(folder / 'references', pairs[1])}",
        f"--prediction_filepattern={write(folder / 'texts', pairs[0])}",
        f"--output_filename={folder / 'scores.csv'}",
    ]
    subprocess.run(command, check=True, capture_output=True)
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

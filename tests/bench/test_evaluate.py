"""Scoring many predictions with intervals and a paired comparison, against sacrebleu and rouge_score themselves."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock
from tests.evaluate.adapted import recipe

COUNTS = {"tiny": 50, "small": 10_000, "full": 10_000}
ROUNDS = {"tiny": 1, "small": 3, "full": 3}
SAMPLES = 1000
LIBRARIES = {"bleu": "sacrebleu", "chrf": "sacrebleu", "rouge_l": "rouge_score"}
LANGS = {"en": "English", "zh": "Chinese"}


def test_evaluate() -> None:
    count, rounds = COUNTS[measure.scale()], ROUNDS[measure.scale()]
    rows, ratios = [], {}
    for metric, library in LIBRARIES.items():
        given = {"metric": metric, "count": count}
        measured = measure.in_turn({"ours": Call(ours, given), "theirs": Call(theirs, given)}, rounds)
        left, right = measured["ours"], measured["theirs"]
        assert left[0].outcome == pytest.approx(right[0].outcome, abs=1e-4)
        ratios[metric] = measure.ratio(right, left)
        seconds = measure.middle(left, "wall"), measure.middle(right, "wall")
        memory = measure.middle(left, "peak"), measure.middle(right, "peak")
        rows.append(
            [
                f"{metric} ({library})",
                *(f"{second:.1f}" for second in seconds),
                f"{ratios[metric]:.1f}",
                f"{2 * count / seconds[0]:,.0f}",
                *(f"{one:,.0f}" for one in memory),
            ]
        )
    publish(rows, [whole(lang, count, rounds) for lang in LANGS], count)


def whole(lang: str, count: int, rounds: int) -> list[str]:
    """All metrics of overlap of one run and their intervals, by language."""
    measured = measure.in_turn({LANGS[lang]: Call(all_metrics, {"lang": lang, "count": count})}, rounds)
    seconds = measure.middle(measured[LANGS[lang]], "wall")
    words = measured[LANGS[lang]][0].outcome
    return [LANGS[lang], f"{words:.0f}", f"{seconds:.1f}", f"{count / seconds:,.0f}"]


def publish(rows: list[list[str]], whole: list[list[str]], count: int) -> None:
    measure.publish(
        "evaluate",
        "Scoring predictions",
        f"""Two runs of {count:,} made-up English recipes each: their scores, and the comparison of both by
        {SAMPLES:,} paired resamples; of BLEU and chrF sacrebleu's own paired bootstrap does the same work (it gives
        intervals and p-values from the same statistics), of ROUGE-L rouge_score only gives the two scores, and so
        does Wokflow in this row. sacrebleu counts the references once for both runs, Wokflow once a run, as its jobs
        do. Texts in memory, libraries loaded.
        {measure.repeat("test_evaluate.py")}""",
        measure.machine("sacrebleu", "rouge-score", "jieba", "numpy"),
        measure.table(
            ["metric (library)", "s", "library, s", "times", "texts/s", "peak MiB", "library, MiB"], rows
        ),
        f"""All metrics of overlap of one run of {count:,} (BLEU, chrF, ROUGE-L, words; of Chinese also the BLEU of
        jieba's words), with an interval each by {SAMPLES:,} resamples:""",
        measure.table(["language", "words a text", "s", "texts/s"], whole),
    )


@cache
def texts(lang: str, count: int) -> tuple[list[str], list[str], list[str]]:
    """Two runs and the references: a line each, of about the length of the paper's."""
    draw = random.Random(lang)
    drawn = [[recipe(draw, lang) for _ in range(6)] for _ in range(count)]
    lines = [[" ".join(text.split("\n")) for text in of] for of in drawn]
    first, second = [" ".join(of[:3]) for of in lines], [" ".join(of[2:5]) for of in lines]
    return first, second, [" ".join([of[0], of[3], of[5]]) for of in lines]


def ours(clock: Clock, metric: str, count: int) -> list[float]:
    from wokflow.evaluate import overlap
    from wokflow.evaluate.intervals import Bootstrap, Metric
    from wokflow.evaluate.measured import Measured
    from wokflow.evaluate.resampling import comparison_rows, score_rows

    overlap.overlap(["warm up"], ["warm up"], "en")
    *runs, references = texts("en", count)
    ids = tuple(map(str, range(count)))

    def measured(name: str, side: list[str]) -> Measured:
        of: Metric = {
            "bleu": lambda: overlap.bleu_metric("bleu", side, references, "13a"),
            "chrf": lambda: overlap.chrf_metric(side, references),
            "rouge_l": lambda: overlap.rouge_l_metric(
                *([*map(overlap.rouge_words(), one)] for one in (side, references)), "rouge_score"
            ),
        }[metric]()
        return Measured("d", name, metric, of.statistic, ids, of.parts, of.signature, None)

    with clock:
        found = [measured(name, side) for name, side in zip("ab", runs, strict=True)]
        if metric == "rouge_l":
            return [one.value(one.parts) for one in found]
        comparison_rows([(found[1], found[0])], Bootstrap(SAMPLES))
        return [float(value) for value in score_rows(found, Bootstrap(SAMPLES))["value"]]


def theirs(clock: Clock, metric: str, count: int) -> list[float]:
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.significance import PairedTest

    *runs, references = texts("en", count)
    if metric == "rouge_l":
        scorer = RougeScorer(["rougeL"])
        with clock:
            pairs = [zip(references, side, strict=True) for side in runs]
            return [
                100 * float(np.mean([scorer.score(*pair)["rougeL"].fmeasure for pair in of])) for of in pairs
            ]
    library: Any = {"bleu": BLEU, "chrf": CHRF}[metric]
    with clock:
        of = {metric: library(references=[references])}
        named = list(zip("ab", runs, strict=True))
        _, results = PairedTest(named, of, None, "bs", n_samples=SAMPLES)()
        return [
            float(result.score) for result in next(of for name, of in results.items() if name != "System")
        ]


def all_metrics(clock: Clock, lang: str, count: int) -> float:
    """The number of words of a text."""
    from wokflow.evaluate.intervals import Bootstrap
    from wokflow.evaluate.measured import Measured
    from wokflow.evaluate.overlap import overlap
    from wokflow.evaluate.resampling import score_rows

    overlap(["热身"], ["热身"], lang)
    run, _, references = texts(lang, count)
    ids = tuple(map(str, range(count)))
    with clock:
        found = [
            Measured("d", "r", one.name, one.statistic, ids, one.parts, one.signature, None)
            for one in overlap(run, references, lang)
            if one.note is None
        ]
        rows = score_rows(found, Bootstrap(SAMPLES))
    return float(dict(zip(rows["metric"], rows["value"], strict=True))["tokens"])

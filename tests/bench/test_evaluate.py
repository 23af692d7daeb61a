"""Scoring many predictions with intervals, and comparing two runs."""

import random
from functools import cache

from tests.bench import measure
from tests.bench.measure import Call, Clock
from tests.evaluate.adapted import recipe

COUNTS = {"tiny": 50, "small": 2_000, "full": 10_000}
ROUNDS = {"tiny": 1, "small": 1, "full": 3}
SAMPLES = 1000
TRIALS = 10_000
LANGS = {"en": "English", "zh": "Chinese"}


def test_evaluate() -> None:
    count, rounds = COUNTS[measure.scale()], ROUNDS[measure.scale()]
    measure.publish(
        "evaluate",
        "Scoring predictions",
        f"""All metrics of overlap of one run of {count:,} made-up recipes (BLEU and chrF by sacrebleu, ROUGE-L by
        rouge-score, words; of Chinese also the BLEU of jieba's words and the ROUGE-L with blanks), with an
        interval each by {SAMPLES:,} resamples; then the comparison with a second run, by {TRIALS:,} random swaps and
        {SAMPLES:,} resamples of each metric. Texts in memory, libraries loaded.
        {measure.repeat("test_evaluate.py")}""",
        measure.machine("sacrebleu", "rouge-score", "jieba", "scipy", "numpy"),
        measure.table(
            ["language", "words a text", "scores, s", "texts/s", "comparison, s", "peak MiB"],
            [timed(lang, count, rounds) for lang in LANGS],
        ),
    )


def timed(lang: str, count: int, rounds: int) -> list[str]:
    given = {"lang": lang, "count": count}
    calls = {"scores": Call(scores, given), "comparison": Call(comparison, given)}
    measured = measure.in_turn(calls, rounds)
    seconds = {name: measure.middle(found, "wall") for name, found in measured.items()}
    words, peak = measured["scores"][0].outcome, measure.middle(measured["comparison"], "peak")
    return [
        *(LANGS[lang], f"{words:.0f}", f"{seconds['scores']:.1f}", f"{count / seconds['scores']:,.0f}"),
        *(f"{seconds['comparison']:.1f}", f"{peak:,.0f}"),
    ]


@cache
def texts(lang: str, count: int) -> tuple[list[str], list[str], list[str]]:
    """Two runs and the references: a line each, of about the length of the paper's."""
    draw = random.Random(lang)
    drawn = [[recipe(draw, lang) for _ in range(6)] for _ in range(count)]
    lines = [[" ".join(text.split("\n")) for text in of] for of in drawn]
    first, second = [" ".join(of[:3]) for of in lines], [" ".join(of[2:5]) for of in lines]
    return first, second, [" ".join([of[0], of[3], of[5]]) for of in lines]


def scores(clock: Clock, lang: str, count: int) -> float:
    """The number of words of a text."""
    from wokflow.evaluate.overlap import overlap
    from wokflow.evaluate.score_intervals import score_rows
    from wokflow.evaluate.settings import Bootstrap

    overlap(["热身"], ["热身"], lang)
    run, _, references = texts(lang, count)
    with clock:
        measured = overlap(run, references, lang)
        rows = score_rows((("run", "d", one) for one in measured), Bootstrap(samples=SAMPLES))
    return float(dict(zip(rows["metric"], rows["value"], strict=True))["tokens"])


def comparison(clock: Clock, lang: str, count: int) -> int:
    """The number of metrics that were compared."""
    from wokflow.evaluate.comparisons import comparison_rows
    from wokflow.evaluate.measured import Measured
    from wokflow.evaluate.overlap import overlap
    from wokflow.evaluate.settings import Bootstrap

    *runs, references = texts(lang, count)
    ids = tuple(map(str, range(count)))
    pairs = [
        [
            Measured("d", name, one.name, ids, one)
            for one in overlap(side, references, lang)
            if one.note is None
        ]
        for name, side in zip("ab", runs, strict=True)
    ]
    with clock:
        return comparison_rows(list(zip(*pairs, strict=True)), TRIALS, Bootstrap(samples=SAMPLES)).height

"""CSI-Match against its definition in plain Python, and against rapidfuzz on all spans of an output."""

import random
from collections.abc import Sequence

from tests.bench import measure
from tests.bench.measure import Call, Clock, at_least
from tests.evaluate.test_csi_match import defined

ROUNDS = {"tiny": 1, "small": 3, "full": 3}
SENTENCE, LONG = 25, 500  # words of an output
TRANSLATIONS = 3
LETTERS_A_WORD = 1.7  # of Chinese
LANGS = {"en": "English", "zh": "Chinese"}
FASTER = 20  # times as fast as the definition, at least


def test_csi_match() -> None:
    scale = measure.scale()
    cases = [  # words of an output, number of outputs, and what Wokflow is measured against
        (SENTENCE, {"tiny": 2, "small": 100, "full": 1000}[scale], definition),
        (SENTENCE, {"tiny": 20, "small": 3000, "full": 10_000}[scale], all_spans),
        (LONG, {"tiny": 1, "small": 20, "full": 200}[scale], all_spans),
    ]
    rows, promised = [], []
    for lang, language in LANGS.items():
        for words, count, other in cases:
            given = {"lang": lang, "words": words, "count": count}
            contenders = {"ours": Call(ours, given), "theirs": Call(other, given)}
            measured = measure.in_turn(contenders, ROUNDS[scale])
            outcomes = [one.outcome for results in measured.values() for one in results]
            assert all(outcome == outcomes[0] for outcome in outcomes)
            ratio = measure.ratio(measured["theirs"], measured["ours"])
            if other is definition:
                promised.append(at_least(ratio, FASTER))
            seconds = [measure.middle(measured[name], "wall") for name in contenders]
            each = (f"{1e6 * second / count:,.0f}" for second in seconds)
            name = "the definition" if other is definition else "rapidfuzz"
            rows.append([f"{language}, {name}", str(words), f"{count:,}", *each, f"{ratio:,.1f}"])
    measure.publish(
        "csi-match",
        "CSI-Match",
        f"""Made-up outputs, each with an item of {TRANSLATIONS} translations: in a third of the outputs one of these
        occurs, in a third one with a letter changed, in the others none. Against the definition in plain Python, a
        fraction for each pair of span and translation (it would take minutes for an output of {LONG} words), and
        against extractOne of rapidfuzz on a list of all spans, which Wokflow does too for outputs of a few words. All
        give the same scores to the last bit, as the benchmark checks. Texts in memory, libraries loaded.
        {measure.repeat("test_csi_match.py")}""",
        measure.machine("rapidfuzz", "numpy"),
        measure.table(["against", "words", "outputs", "us an output", "theirs, us", "times as fast"], rows),
        f"At least {min(one.value for one in promised):,.0f} times as fast as the definition ({promised[0]}).",
        targets=promised,
    )


def made(lang: str, words: int, count: int) -> list[tuple[list[str], str]]:
    """Translations of an item, and an output."""
    draw = random.Random(f"{lang} {words}")
    found = []
    for number in range(count):
        text = _text(draw, lang, words)
        translations = [_text(draw, lang, draw.randint(1, 4)) for _ in range(TRANSLATIONS)]
        if number % 3 < 2:
            name = list(translations[0])
            if number % 3:
                name[draw.randrange(len(name))] = "丁" if lang == "zh" else "q"
            gap, at = " " if lang == "en" else "", draw.randrange(words)
            pieces = text.split(" ") if gap else list(text)
            text = gap.join([*pieces[:at], "".join(name), *pieces[at:]])
        found.append((translations, text))
    return found


def _text(draw: random.Random, lang: str, words: int) -> str:
    """Common letters and rare ones, as Zipf would have them."""
    if lang == "zh":
        return "".join(
            chr(0x4E00 + int(3000 * draw.random() ** 3)) for _ in range(round(words * LETTERS_A_WORD))
        )
    letters = "etaoinshrdlcumwfgypbvk"
    return " ".join(
        "".join(letters[int(len(letters) * draw.random() ** 1.5)] for _ in range(draw.randint(2, 9)))
        for _ in range(words)
    )


def ours(clock: Clock, lang: str, words: int, count: int) -> list[float | None]:
    from wokflow.evaluate.spans import Output, csi_match

    items = made(lang, words, count)
    csi_match(["warm up"], Output("warming up " * 50, lang), lang)
    with clock:
        return [csi_match(translations, Output(text, lang), lang) for translations, text in items]


def definition(clock: Clock, lang: str, words: int, count: int) -> list[float | None]:
    items = made(lang, words, count)
    defined(["warm up"], "warming up", lang)
    with clock:
        return [defined(translations, text, lang) for translations, text in items]


def all_spans(clock: Clock, lang: str, words: int, count: int) -> list[float]:
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extractOne
    from wokflow.evaluate.spans import Output, normalised

    items = made(lang, words, count)
    assert Output("warm up", lang).spans
    extractOne("warm", ["up"], scorer=Levenshtein.normalized_similarity)

    def best(translations: Sequence[str], text: str) -> float:
        spans = Output(text, lang).spans
        same, whole = 0, 1
        for one in [normalised(name, lang) for name in translations]:
            span = extractOne(one, spans, scorer=Levenshtein.normalized_similarity)[0]
            longer = max(len(one), len(span))
            ratio = longer - Levenshtein.distance(one, span), longer
            if ratio[0] * whole > same * ratio[1]:
                same, whole = ratio
        return 100 * same / whole

    with clock:
        return [best(*item) for item in items]

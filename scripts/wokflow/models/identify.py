"""Which language a text is certainly in: what its script does not tell."""

from functools import cache
from typing import Any

ALIKE = (  # languages that are not told apart
    frozenset({"zh", "yue", "wuu"}),
    frozenset({"bs", "hr", "sr"}),
    frozenset({"no", "nn", "nb", "da"}),
    frozenset({"id", "ms"}),
    frozenset({"ar", "arz", "ary"}),
    frozenset({"hi", "mr", "ne", "sa"}),
)


def alike(lang: str) -> frozenset[str]:
    """The language, with those that are not told apart from it."""
    return next((group for group in ALIKE if lang in group), frozenset({lang}))


def known(lang: str) -> bool:
    return lang in _model().labels


def likeliest(text: str) -> list[str]:
    """All languages that can be identified, the likeliest first."""
    return [str(name) for name, _ in _model().rank(text)]


def other_language(text: str, lang: str, certain: float) -> str | None:
    """The language that a text is in with the probability `certain`, or more, if that is not `lang`; None otherwise.

    Short texts say too little: whoever asks sees to their length.
    """
    if not known(lang):
        return None
    ranked = _model().rank(text)
    found = alike(ranked[0][0])
    likely = sum(probability for name, probability in ranked if name in found)
    return None if lang in found or likely < certain else str(ranked[0][0])


@cache
def _model() -> Any:
    """py3langid: langid.py's method (Lui and Baldwin 2012) with its model in the package, read without pickle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

"""Identifies the language of a text, for languages that share a script."""

from functools import cache
from typing import Any

ALIKE = (  # groups of languages that count as one
    frozenset({"zh", "yue", "wuu"}),
    frozenset({"bs", "hr", "sr"}),
    frozenset({"no", "nn", "nb", "da"}),
    frozenset({"id", "ms"}),
    frozenset({"ar", "arz", "ary"}),
    frozenset({"hi", "mr", "ne", "sa"}),
)


def alike(lang: str) -> frozenset[str]:
    """The language and those that count as the same."""
    return next((group for group in ALIKE if lang in group), frozenset({lang}))


def known(lang: str) -> bool:
    return lang in _model().labels


def likeliest(text: str) -> list[str]:
    """All languages that can be identified, the likeliest first."""
    return [str(name) for name, _ in _model().rank(text)]


def other_language(text: str, lang: str, certain: float) -> str | None:
    """The language of a text if it is another than `lang` with probability `certain` or more; None otherwise.

    Callers must not ask about short texts, whose language is unsure.
    """
    if not known(lang):
        return None
    ranked = _model().rank(text)
    likeliest_group = alike(ranked[0][0])
    likely = sum(probability for name, probability in ranked if name in likeliest_group)
    return None if lang in likeliest_group or likely < certain else str(ranked[0][0])


@cache
def _model() -> Any:
    """py3langid: langid.py's method (Lui and Baldwin 2012) with its model in the package, read without pickle."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

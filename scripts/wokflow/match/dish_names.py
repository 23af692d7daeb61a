"""Names of dishes: normal forms of titles, and their similarity.

Cultural Adaptation of Recipes, section 3.3: the most similar title is sought "allowing for different capitalization,
punctuation and slight differences in word choice and order".
"""

from collections.abc import Callable

import polars as pl

FILLERS = r"\b(?:a|an|and|for|in|n|of|on|s|style|the|to|with)\b"
PLURALS = [  # endings, in the order in which they are tried
    (r"\b(\w{2,})ies?\b", "${1}y"),
    (r"\b(\w*(?:[scz]h|ss|x|o))es\b", "${1}"),
    (r"\b(\w{2,}[^su\W])s\b", "${1}"),
]


def normal(titles: pl.Series, lang: str) -> pl.Series:
    """Normal forms of titles: in English, sorted words in the singular; in Chinese, simplified characters.

    Case, accents, punctuation, symbols and full width do not count, nor do function words such as "with". Titles
    without anything else become empty.
    """
    if lang == "zh":
        folded = titles.str.normalize("NFKC").str.to_lowercase()
        return _simplified(folded.str.replace_all(r"[^\p{L}\p{N}]", ""))
    words = titles.str.normalize("NFKD").str.to_lowercase().str.replace_all(r"\p{M}|['’]", "")
    words = words.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.replace_all(FILLERS, " ")
    for plural, singular in PLURALS:
        words = words.str.replace_all(plural, singular)
    return words.str.strip_chars().str.split(" ").list.sort().list.join(" ").str.strip_chars()


def similarity() -> Callable[..., float]:
    """The similarity of two normal forms, 0 to 100: the share of characters that need no insertion or deletion.

    In English this is rapidfuzz's token_sort_ratio, since words are sorted already.
    """
    from rapidfuzz.fuzz import ratio

    return ratio


def _simplified(titles: pl.Series) -> pl.Series:
    """Traditional characters become simplified ones (OpenCC, t2s); a line a title, in one call."""
    from opencc import OpenCC

    text: str = OpenCC("t2s").convert("\n".join(titles))
    return pl.Series(titles.name, text.split("\n") if len(titles) else [], dtype=pl.String)

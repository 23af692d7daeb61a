"""The languages in which items are known."""

from collections.abc import Mapping
from typing import Any

# English: what countries are called in, what Table 9 has topics of, and whose capitals tell names of one thing from
# common nouns.
NAMING = "en"


def item_languages(config: Mapping[str, Any], pairs: Mapping[str, str]) -> list[str]:
    """Those of `enrich.languages`, those of all pairs, and English."""
    of_pairs = [lang for pair in pairs.values() for lang in pair.split("-", 1)]
    return list(dict.fromkeys([*config["enrich"]["languages"], *of_pairs, NAMING]))


def english_first(languages: list[str]) -> list[str]:
    """The same languages, English before the others."""
    return sorted(languages, key=lambda lang: lang != NAMING)

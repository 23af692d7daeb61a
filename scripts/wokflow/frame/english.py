"""The forms of English words."""

VOWELS = "aeiou"


def inflections(term: str) -> list[str]:
    """An English term with all endings of nouns and verbs on its last word: bake, bakes, baked, baking.

    Some of the forms do not exist; they do no harm, since no text has them.
    """
    term = term.lower()
    plural = [f"{term.removesuffix('e')[:-1]}ves"] if term.endswith(("f", "fe")) else []  # loaves, knives
    if term.endswith("e"):
        return [term, *(term[:-1] + ending for ending in ("es", "ed", "ing")), *plural]
    forms = [term, *plural, *(term + ending for ending in ("s", "es", "ed", "ing"))]
    if term.endswith("y") and term[-2:-1] not in VOWELS:
        forms += [term[:-1] + ending for ending in ("ies", "ied")]
    if term[-2:-1] in VOWELS and term[-1] not in VOWELS:
        forms += [term + term[-1] + ending for ending in ("ed", "ing")]
    return forms

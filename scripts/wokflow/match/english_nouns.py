"""Nouns of English titles: which are meat, and the plurals of those that are counted."""

import re
from collections.abc import KeysView


def word_set(text: str) -> KeysView[str]:
    """The words of a text, in its order."""
    return dict.fromkeys(text.split()).keys()


MEATS = word_set(
    "pork beef lamb mutton chicken duck goose turkey rabbit pigeon meat belly brisket rib steak liver tongue "
    "tripe feet wing thigh leg trotter sausage bacon ham meatball fish carp bass salmon cod eel shrimp prawn "
    "crab lobster crayfish squid octopus oyster clam scallop mussel egg"
)
COUNTABLE = word_set(
    "potato tomato egg onion mushroom carrot bean pea pepper chili leek scallion shallot chive sprout shoot "
    "olive wing rib chop bone thigh leg trotter sausage meatball ball clam mussel oyster scallop prawn "
    "noodle dumpling wonton cake roll bun pancake walnut almond peanut cashew chestnut nut seed date lentil "
    "chickpea apple banana orange grape raisin strawberry blueberry cherry cranberry"
)
PLURALS = {word: re.sub("([^aeiou])y$", r"\1ie", re.sub("o$", "oe", word)) + "s" for word in COUNTABLE}
SINGULARS = {plural: singular for singular, plural in PLURALS.items()} | {"leaves": "leaf"}

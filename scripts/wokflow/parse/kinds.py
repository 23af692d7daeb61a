"""What a verb does to the food in a kitchen, and the sort of food in a mention, by resources/grammar/kitchen.tsv.

Everything is decided by characters, not by a glossary's classes, so that any glossary can be used.
"""

from enum import Enum, auto

from wokflow.frame.wordlists import word_lists
from wokflow.parse.types import Mention


class Kind(Enum):
    """What a verb does. Kinds that are easily confused have their words in WHOLE."""

    STOVE = auto()  # heat, lids, tasting; food is only left in the pot, or oil waited for: 锅留底油, 油热
    DISCARD = auto()  # named food is gone: 倒掉, 去皮
    EMPTY = auto()  # all of the pot leaves: 出锅, 盛出
    TAKE = auto()  # solid food leaves the pot, liquids and seasonings stay: 捞出
    ASIDE = auto()  # what was prepared last is put by, and what follows begins anew: 备用
    HEAT = auto()  # acts on the pot: 炒, 煮
    ADD = auto()  # named food joins the pot or the bench: 放入
    MIX = auto()  # acts on the place in use: 拌匀; so does any verb that is not known
    PREPARE = auto()  # acts on the bench: 洗, 切


_LISTS = word_lists("grammar/kitchen.tsv")
WHOLE = {word: kind for kind in Kind for word in _LISTS.get(f"WHOLE_{kind.name}", ())}  # whole verbs
WHOLE |= dict.fromkeys(_LISTS["FRESH"], Kind.HEAT)
PREFIX = {word: kind for kind in Kind for word in _LISTS.get(f"PREFIX_{kind.name}", ())}  # the longest counts
COATS = frozenset(verb for verb, kind in WHOLE.items() if kind is Kind.ADD)  # 上浆, 刷
LONGEST = max(map(len, PREFIX))
# verbs, most of them by their first characters
DRY, WET, BLANCHING, SOAKING = (_LISTS[name] for name in ("DRY", "WET", "BLANCHING", "SOAKING"))
WASHING, WASHED_OFF = _LISTS["WASHING"], _LISTS["WASHED_OFF"]
STEEPING, RENDERING, BY_HAND = (_LISTS[name] for name in ("STEEPING", "RENDERING", "BY_HAND"))
DRAINING, PRICKING, BEATING = (_LISTS[name] for name in ("DRAINING", "PRICKING", "BEATING"))
COATING, STEAMING = _LISTS["COATING"], _LISTS["STEAMING"]
STAGES = _LISTS["STAGES"]
HEATS_MEDIUM, FRESH = _LISTS["HEATS_MEDIUM"], _LISTS["FRESH"]
HEATS_VESSEL, LEAVING, CLEANING = (_LISTS[name] for name in ("HEATS_VESSEL", "LEAVING", "CLEANING"))
SWITCHING, TURNING, BLENDING, OFF = (_LISTS[name] for name in ("SWITCHING", "TURNING", "BLENDING", "OFF"))
POURS, STUFFING, NO_FAT, THROWN = (_LISTS[name] for name in ("POURS", "STUFFING", "NO_FAT", "THROWN"))
FETCHING, BINDING, SHELLS, PARTING = (_LISTS[name] for name in ("FETCHING", "BINDING", "SHELLS", "PARTING"))
PUT_IN, WASTE_CLASSES, NO_POWDERS = (_LISTS[name] for name in ("PUT_IN", "WASTE_CLASSES", "NO_POWDERS"))
CLEANED, COVERS = _LISTS["CLEANED"], _LISTS["COVERS"]  # last characters of tools
# food by its last character, or whole
SOFT, SAUCES, SPICES = (_LISTS[name] for name in ("SOFT", "SAUCES", "SPICES"))
POWDERS = tuple(_LISTS["POWDERS"])
AROMATICS, VEGETABLES, COMMON = (_LISTS[name] for name in ("AROMATICS", "VEGETABLES", "COMMON"))
TAKEN_AWAY, DRAINED, UNNAMED = (_LISTS[name] for name in ("TAKEN_AWAY", "DRAINED", "UNNAMED"))
ANIMALS, PORK, NO_MEAT, MEATS = (_LISTS[name] for name in ("ANIMALS", "PORK", "NO_MEAT", "MEATS"))
HEATED_VESSELS = _LISTS["HEATED_VESSELS"]  # characters in names of vessels


def kind(verb: str) -> Kind:
    """The kind of a verb in simplified characters, by the whole verb or its longest listed prefix."""
    if verb in WHOLE:
        return WHOLE[verb]
    if len(verb) > 1 and verb[-1] == "掉":
        return Kind.DISCARD
    sizes = range(min(len(verb), LONGEST), 0, -1)
    return next((PREFIX[verb[:size]] for size in sizes if verb[:size] in PREFIX), Kind.MIX)


def steams(verb: str) -> bool:
    """Whether a verb cooks food above the named water and not in it: 开水上锅."""
    return not STEAMING.isdisjoint(verb) or verb.startswith(("上锅", "上笼"))


def stays(name: str) -> bool:
    """Whether a food of this name is a liquid or seasoning, which stays behind when food is taken out."""
    return name[-1] in SOFT or (name.endswith(POWDERS) and name not in NO_POWDERS)


def flavours(name: str) -> bool:
    """Whether a food of this name only flavours: taking food out of the pot does not mean it."""
    aromatic = not AROMATICS.isdisjoint(name) and not any(vegetable in name for vegetable in VEGETABLES)
    return aromatic or stays(name) or name in SPICES


def animal(name: str) -> str:
    """The character of the animal in a name of meat; empty if there is none, or if it is no meat: 鸡蛋."""
    if name in MEATS or name[-1] in NO_MEAT:
        return ""
    named = next((character for character in name if character in ANIMALS), "")
    return named or ("猪" if any(cut in name for cut in PORK) else "")


def soft(food: Mention) -> bool:
    return stays(food.surface)


def aromatic(food: Mention) -> bool:
    return flavours(food.surface)


def watery(food: Mention) -> bool:
    return food.surface[-1] == "水" or food.surface.endswith("白开")


def oil(food: Mention) -> bool:
    """Whether a food is oil to fry in; sesame oil and chilli oil are seasonings."""
    return food.surface[-1] == "油" and food.surface not in SAUCES


def fat(food: Mention) -> bool:
    """Whether a food is oil or fat, also one for taste."""
    return food.surface[-1] == "油" and food.surface[-2:] not in NO_FAT


def cleans(food: Mention) -> bool:
    """Whether a food that is named with a verb of washing is washed off again."""
    return soft(food) or food.surface in WASHED_OFF


def spicy(food: Mention) -> bool:
    """Whether a food is a seasoning for a broth, and not a broth itself."""
    return soft(food) and not medium(food) and food.surface[-1] not in "汤汁糖露"


def medium(food: Mention) -> bool:
    return watery(food) or oil(food)


def heated(vessel: Mention) -> bool:
    return any(character in vessel.surface for character in HEATED_VESSELS)

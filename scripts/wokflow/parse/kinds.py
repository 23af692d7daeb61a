"""What a verb does to the food in a kitchen, and the sort of food in a mention, by resources/grammar/kitchen.tsv.

Everything is decided by characters, not by a glossary's classes, so that any glossary can be used.
"""

from enum import Enum, auto
from functools import lru_cache

from wokflow.parse import lexemes as lx
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


# whole verbs, and beginnings of verbs, of which the longest counts
WHOLE, PREFIX = (
    {word: kind for kind in Kind for word in getattr(lx, f"{part}_{kind.name}", ())}
    for part in ("WHOLE", "PREFIX")
)
WHOLE |= dict.fromkeys(lx.FRESH, Kind.HEAT)
COATS = frozenset(verb for verb, kind in WHOLE.items() if kind is Kind.ADD)  # 上浆, 刷
LONGEST = max(map(len, PREFIX))
# endings of names and verbs, in the form that str.endswith takes
INWARD, SAUCES, POWDERS = tuple(lx.INWARD), tuple(lx.SAUCES), tuple(lx.POWDERS)
CUTS = "".join(lx.CUTS)
DOUGHS, COATINGS = tuple(lx.DOUGHS), tuple(lx.COATINGS)
LONG_MIXTURES = tuple(name for name in lx.MIXTURES if len(name) > 1)


@lru_cache(100_000)
def kind(verb: str) -> Kind:
    """The kind of a verb in simplified characters, by the whole verb or its longest listed prefix.

    A verb of preparing or mixing that ends with 入 or 进 adds food to what is there: 筛入, 包进去; not so 浸入.
    """
    if verb in WHOLE:
        return WHOLE[verb]
    if len(verb) > 1 and verb[-1] == "掉":
        return Kind.DISCARD
    sizes = range(min(len(verb), LONGEST), 0, -1)
    what = next((PREFIX[verb[:size]] for size in sizes if verb[:size] in PREFIX), Kind.MIX)
    enters = verb.endswith(INWARD) and verb[0] not in lx.NO_INWARD
    return Kind.ADD if enters and what in (Kind.MIX, Kind.PREPARE) else what


def changes_food(verb: str) -> bool:
    """Whether a result follows 至 after the verb, rather than a place as after 放至."""
    return kind(verb) in (Kind.HEAT, Kind.MIX, Kind.PREPARE)


def by_hand(verb: str) -> bool:
    """Whether a verb begins with work on the bench or with mixing: 筛入, 拌入."""
    return PREFIX.get(verb[0]) in (Kind.MIX, Kind.PREPARE)


def steams(verb: str) -> bool:
    """Whether a verb cooks food above the named water and not in it: 开水上锅."""
    return not lx.STEAMING.isdisjoint(verb) or verb.startswith(("上锅", "上笼"))


def stays(name: str) -> bool:
    """Whether a food of this name is a liquid or seasoning, which stays behind when food is taken out."""
    return name[-1] in lx.SOFT or (name.endswith(POWDERS) and name not in lx.NO_POWDERS)


def flavours(name: str) -> bool:
    """Whether a food of this name only flavours: taking food out of the pot does not mean it."""
    aromatic = not lx.AROMATICS.isdisjoint(name) and not any(vegetable in name for vegetable in lx.VEGETABLES)
    return aromatic or stays(name) or (name.rstrip(CUTS) or name) in lx.SPICES


def animal(name: str) -> str:
    """The character of the animal in a name of meat; empty if there is none, or if it is no meat: 鸡蛋."""
    if name in lx.MEATS or (name.rstrip(CUTS) or name)[-1] in lx.NO_MEAT or name[0] == "素":
        return ""
    named = next((character for character in name if character in lx.ANIMALS), "")
    return named or ("猪" if any(cut in name for cut in lx.PORK) else "")


def soft(food: Mention) -> bool:
    return stays(food.surface)


def aromatic(food: Mention) -> bool:
    return flavours(food.surface)


def watery(food: Mention) -> bool:
    return food.surface[-1] == "水" or food.surface.endswith("白开")


def cold(food: Mention) -> bool:
    """Whether a food is water to cool in: 冰水."""
    return watery(food) and food.surface[0] in lx.COLD


def oil(food: Mention) -> bool:
    return fries_in(food.surface)


def fries_in(name: str) -> bool:
    """Whether a food of this name is oil to fry in: no sesame oil, soy sauce or cream, of whatever kind."""
    return name[-1] == "油" and (name in lx.NO_SAUCES or not name.endswith(SAUCES))


def fat(food: Mention) -> bool:
    """Whether a food is oil or fat, also one for taste."""
    return food.surface[-1] == "油" and food.surface[-2:] not in lx.NO_FAT


def cleans(food: Mention) -> bool:
    """Whether a food that is named with a verb of washing is washed off again."""
    return soft(food) or food.surface in lx.WASHED_OFF


def mixed(food: Mention) -> bool:
    """Whether a food's name is one that a mixture gets, such as 料汁, which may be of what the text mixed before."""
    name = food.surface
    return name in lx.MIXTURES or (len(name) > 2 and name.endswith(LONG_MIXTURES))


def spicy(food: Mention) -> bool:
    """Whether a food is a seasoning for a broth, and not a broth itself."""
    return soft(food) and not medium(food) and food.surface[-1] not in "汤汁糖露"


def medium(food: Mention) -> bool:
    return watery(food) or oil(food)


def heated(vessel: Mention) -> bool:
    return any(character in vessel.surface for character in lx.HEATED_VESSELS)

"""Actions as the kitchen of `pot` reads them, and what lists of food have in common."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wokflow.parse import kinds
from wokflow.parse.kinds import Kind, aromatic, medium, soft
from wokflow.parse.types import Mention


class Doing(NamedTuple):
    """An action for the reading: its verb in simplified characters, and its own nouns."""

    verb: str
    foods: tuple[Mention, ...]
    tools: tuple[Mention, ...]
    inside: tuple[Mention, ...] = ()  # food that a word contains: 水 of 加水, 油 of 油锅
    start: int = 0  # of the verb, in the step of its nouns

    def topics(self, foods: Iterable[Mention]) -> list[Mention]:
        """Those of the foods that stand before the verb."""
        return [food for food in foods if food.start < self.start]

    @property
    def only_liquid(self) -> bool:
        """Whether the named food is only the liquid in which other food is washed, soaked or cooked: 用清水浸泡."""
        if not self.foods or self.tools or not all(map(medium, self.foods)):
            return False
        what = kinds.kind(self.verb)
        if what is Kind.PREPARE:
            return self.verb[0] in kinds.SOAKING
        cooked = what is Kind.HEAT and self.verb not in kinds.HEATS_MEDIUM
        before = len(self.topics(self.foods)) == len(self.foods)
        return cooked and (
            self.verb[0] in kinds.BLANCHING or (before and self.verb[0] not in kinds.RENDERING)
        )


class Held(NamedTuple):
    """What an action acts on without naming it, and whether it soaks it in hot oil, which is to fry it."""

    foods: tuple[Mention, ...]
    in_oil: bool = False


def distinct(foods: Iterable[Mention]) -> list[Mention]:
    """The foods, each class once: the last mention, at the place of the first."""
    return list({food.cls: food for food in foods}.values())


def mains(foods: Sequence[Mention]) -> list[Mention]:
    """The foods without what flavours them; all solid ones if nothing else is there."""
    return [food for food in foods if not aromatic(food)] or [food for food in foods if not soft(food)]


def same(food: Mention, other: Mention) -> bool:
    """Whether two mentions may mean one food: by their class, a character in both (鲷鱼, 鱼片), or as 肉 of 羊排."""
    if food.cls == other.cls or set(food.surface) & set(other.surface) - kinds.COMMON:
        return True
    both = (food.surface, other.surface), (other.surface, food.surface)
    return any(one in kinds.MEATS and kinds.animal(two) for one, two in both)


def without(foods: Iterable[Mention], gone: Sequence[Mention]) -> list[Mention]:
    """The foods that are none of those that are gone."""
    return [food for food in foods if not any(same(food, other) for other in gone)]


def left(foods: Iterable[Mention], gone: Sequence[Mention]) -> list[Mention]:
    """The foods of other classes than those that are gone: shrimps stay when their veins (虾线) go."""
    classes = {food.cls for food in gone}
    return [food for food in foods if food.cls not in classes]


def next_work(later: Sequence[Doing]) -> Kind | None:
    """The kind of the next action that neither adds nor concerns the stove; to coat food (上浆) is to prepare it."""
    work = (Kind.PREPARE if doing.verb in kinds.COATS else kinds.kind(doing.verb) for doing in later)
    return next((what for what in work if what not in (Kind.ADD, Kind.STOVE)), None)

"""Actions as the kitchen reads them, and helpers for lists of food."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wokflow.parse import kinds
from wokflow.parse import lexemes as lx
from wokflow.parse.kinds import Kind, aromatic, cleans, medium, soft, spicy, watery
from wokflow.parse.types import Mention

FEW = 2  # so many seasonings may be for food that the text did not name
PARTS = lx.PARTS | lx.TAKEN_AWAY


class KitchenAction(NamedTuple):
    """An action as the kitchen reads it: its verb in simplified characters, and its own nouns."""

    verb: str
    foods: tuple[Mention, ...]
    tools: tuple[Mention, ...]
    inside: tuple[Mention, ...] = ()  # food that a word contains: 水 of 加水, 油 of 油锅
    start: int = 0  # of the verb, in the step of its nouns
    onto: bool = False  # the named food is where something goes: 浇在鱼上, 放入盐水中
    product: Mention | None = None  # what it makes: 料汁 of 调成料汁
    together: tuple[Mention, ...] = ()  # the foods of the sentence so far, which join each other: 放一起

    def topics(self, foods: Iterable[Mention]) -> list[Mention]:
        """The foods that stand before the verb."""
        return [food for food in foods if food.start < self.start]

    @property
    def prepared(self) -> list[Mention]:
        """The named food that is worked on, without parts taken away and without what it is cleaned or lies in."""
        foods = [food for food in self.foods if not is_part(food)] + list(self.inside)
        if len(self.verb) > 1 and self.verb[-1] in lx.OFF:  # 芹菜摘去黄叶, 剪去虾须, 瓜瓤挖去
            return [food for food in self.topics(foods) if food.surface[-1] not in lx.SHELLS]
        if self.verb[0] in lx.PARTING:  # 刮白瓤
            foods = [food for food in foods if food.surface[-1] not in lx.SHELLS]
        if self.verb[0] in lx.DRAINING:
            return [food for food in foods if food.surface not in lx.DRAINED]
        if not lx.WASHING.isdisjoint(self.verb):
            return [food for food in foods if not cleans(food)]
        if self.verb[0] in lx.SOAKING:
            return [food for food in foods if not medium(food)]
        return foods

    @property
    def only_helps(self) -> bool:
        """Whether the named food only helps and is not worked on itself.

        It is a liquid (用清水浸泡) or seasonings (用盐腌) for other food, or where that goes (浇在鱼上).
        """
        if not self.foods:
            return False
        what, first = kinds.kind(self.verb), self.verb[0]
        if self.onto and what in (Kind.ADD, Kind.EMPTY):
            return True
        if first in lx.BY_HAND:
            return all(map(aromatic, self.foods)) and any(map(soft, self.foods))
        if what is Kind.PREPARE or first in lx.SOAKING:  # 水中放三分钟
            return first in lx.SOAKING and all(map(soft, self.foods))
        if what is not Kind.HEAT or self.verb in lx.HEATS_MEDIUM:
            return False
        if first in lx.WET and all(map(aromatic, self.foods)) and any(map(spicy, self.foods)):
            return first not in lx.RENDERING
        if not all(map(medium, self.foods)) or self.tools:
            return False
        before = len(self.topics(self.foods)) == len(self.foods)
        return first in lx.BLANCHING or (before and first not in lx.RENDERING)

    @property
    def moves(self) -> bool:
        """Whether a vessel is named, and no food: 放入碗中, 下油锅, but not 锅中加水."""
        return (
            bool(self.tools) and not self.foods and not any(food.surface in self.verb for food in self.inside)
        )

    @property
    def in_bowl(self) -> bool:
        """Whether a vessel is named, and none that is heated."""
        return bool(self.tools) and not any(map(kinds.heated, self.tools))

    @property
    def works_in(self) -> bool:
        """Whether food that is named behind the verb goes into what is there: 筛入面粉, 包上培根."""
        behind = bool(self.foods) and not self.topics(self.foods)
        return behind and (self.verb[0] in lx.STUFFING or self.verb[0] == "筛")

    @property
    def joins(self) -> bool:
        """Whether food that was just prepared goes into what lies there, and not into a vessel: 过筛加入, 拌进去."""
        onto = self.verb[0] in lx.COATING or self.verb[0] == "加" or self.verb[-1] == "去"
        return onto or kinds.by_hand(self.verb)

    @property
    def pours_sauce(self) -> bool:
        """Whether a sauce that is named before the verb is poured over food that is named behind it: 汤汁浇在鱼上."""
        sauces = self.topics(self.foods)
        place = without(self.foods, sauces)
        return self.verb[0] in lx.POURS and bool(sauces and place) and all(map(aromatic, sauces))

    @property
    def leaves(self) -> bool:
        """Whether a liquid, or food in a vessel, stays in the pot: 锅留底油."""
        stays = any(map(medium, self.foods)) or bool(self.foods and self.tools)
        return self.verb[0] in lx.LEAVING and stays

    @property
    def seasons(self) -> bool:
        """Whether seasonings are added to food that is named before the verb: 蒜加盐."""
        topics = self.topics(self.foods)
        added = without(self.foods, topics)
        to_it = bool(topics and added) and self.verb[0] == "加"
        return to_it and not any(map(soft, topics)) and any(map(soft, added))

    @property
    def mixes_sauce(self) -> bool:
        """Whether something is added to a list of seasonings, which are a sauce of its own: 盐、醋、糖加水."""
        topics = self.topics(self.foods)
        return FEW < len(topics) < len(self.foods) and all(map(soft, self.foods))

    @property
    def in_other_water(self) -> bool:
        """Whether nothing is named but the water in which something is cooked: 焯水, 开水煮三分钟."""
        if not self.foods:
            return self.verb[0] in lx.BLANCHING
        wet = self.verb[0] in lx.BLANCHING | lx.WET
        return wet and self.only_helps and all(map(watery, self.foods))

    @property
    def on_tools(self) -> bool:
        """Whether a tool itself is worked on: it is heated, cleaned, got ready, or covers something."""
        if not self.tools:
            return False
        what = kinds.kind(self.verb)
        if what in (Kind.STOVE, Kind.ASIDE) or self.verb in lx.HEATS_VESSEL | lx.FRESH or self.has_lid:
            return True
        ends = {tool.surface[-1] for tool in self.tools}
        if self.verb[0] in lx.CLEANING:
            return not ends.isdisjoint(lx.CLEANED)
        covers = what in (Kind.ADD, Kind.MIX) and not ends.isdisjoint(lx.COVERS)
        return covers and self.verb[-1] not in "在入到于进"  # but 放在吸油纸上

    @property
    def has_lid(self) -> bool:
        """Whether the verb is about a lid or a door alone, and not about cooking under a lid."""
        if self.verb.startswith("打开"):
            return bool(self.tools)
        return kinds.kind(self.verb) is not Kind.HEAT and any(
            tool.surface.endswith(("盖", "盖子")) for tool in self.tools
        )


class Held(NamedTuple):
    """The food that an action acts on without naming it; and whether soaking it in hot oil means to fry it."""

    foods: tuple[Mention, ...]
    in_oil: bool = False


def distinct(foods: Iterable[Mention]) -> list[Mention]:
    """The foods, each class once: the last mention, at the place of the first, and by its last name."""
    once = {food.cls: food for food in foods}
    last = [food for food in once.values() if food.surface in lx.LATER_NAMES or cut_meat(food)]
    return [food for food in once.values() if not any(renames(name, food) for name in last)]


def cut_meat(food: Mention) -> str:
    """The animal in a name of cut meat: 鸡丝, 鱼片; empty if it is none."""
    animal, rest = food.surface[0], food.surface[1:]
    return animal if animal in lx.ANIMALS and (rest in lx.CUTS or rest == "肉") else ""


def renames(name: Mention, food: Mention) -> bool:
    """Whether a name is a later one of a food: 鱼 of 多宝鱼, 鸡丝 of 鸡胸肉."""
    if name == food:
        return False
    cut = cut_meat(name)
    if cut:
        whole = not (cut_meat(food) or food.surface[-1] in PARTS)
        return whole and kinds.animal(food.surface) == cut
    return food.surface.endswith(name.surface)


def is_part(food: Mention) -> bool:
    """Whether a food is a part that is taken away, by its word or by a class of which nothing is eaten."""
    return food.surface in PARTS or food.cls in lx.WASTE_CLASSES


def mains(foods: Sequence[Mention]) -> list[Mention]:
    """The foods without flavourings; all solid ones if there is nothing else."""
    return [food for food in foods if not aromatic(food)] or [food for food in foods if not soft(food)]


def alike(food: Mention, other: Mention) -> bool:
    """Whether two mentions may mean one food: by a character in both (鲷鱼, 鱼片), or as 肉 of 羊排."""
    if set(food.surface) & set(other.surface) - lx.COMMON:
        return True
    both = (food.surface, other.surface), (other.surface, food.surface)
    return any(one in lx.MEATS and kinds.animal(two) for one, two in both)


def meant(name: Mention, foods: Sequence[Mention]) -> list[Mention]:
    """Which foods a mention means: those of its class or kind (鱼: 鲈鱼), or else all that are alike.

    So 鸡翅 is not 鸡蛋 if the wings are there too.
    """
    kind = name.surface if len(name.surface) == 1 and name.surface not in lx.COMMON else None
    named = [food for food in foods if food.cls == name.cls or food.surface[-1] == kind]
    return named or [food for food in foods if alike(food, name)]


def without(foods: Sequence[Mention], gone: Iterable[Mention]) -> list[Mention]:
    """The foods without those that are gone."""
    leaving = {food for name in gone for food in meant(name, foods)}
    return [food for food in foods if food not in leaving]


def left(foods: Iterable[Mention], gone: Sequence[Mention]) -> list[Mention]:
    """The foods whose classes differ from those that are gone: shrimps stay when their veins (虾线) go."""
    classes = {food.cls for food in gone}
    return [food for food in foods if food.cls not in classes]


def dries(later: Sequence[KitchenAction]) -> bool:
    """Whether the next heat is without water."""
    heat = next((doing.verb for doing in later if kinds.kind(doing.verb) is Kind.HEAT), "-")
    return heat[0] in lx.DRY


def comes_back(pot: Sequence[Mention], named: Sequence[Mention], later: Iterable[KitchenAction]) -> bool:
    """Whether all the pot's food but `named` is put in later, before anything is taken out: then it is not there now.

    地瓜炸至金黄。锅里放入白糖，加热。放入炸好的地瓜. Flavourings do not count. Foods are equal by their classes: 鸡蛋
    is no 鸡块.
    """
    missing = {food.cls for food in pot if not aromatic(food)} - {food.cls for food in named}
    some = bool(missing)
    for doing in later:
        what = kinds.kind(doing.verb)
        if what in (Kind.TAKE, Kind.EMPTY):
            return False
        if what is Kind.ADD and doing.verb[0] in lx.PUT_IN:
            missing -= {food.cls for food in doing.foods}
        if some and not missing:
            return True
    return False


def next_work(later: Sequence[KitchenAction]) -> Kind | None:
    """The kind of the next action that neither adds nor concerns the stove; to coat food (上浆) is to prepare it.

    Where food comes into a bowl before, the work is there: 冰糖放进去，梨放入碗中，蒸.
    """
    bowl = (at for at, doing in enumerate(later) if kinds.kind(doing.verb) is Kind.ADD and doing.in_bowl)
    later = later[: next(bowl, len(later))]
    work = (Kind.PREPARE if doing.verb in kinds.COATS else kinds.kind(doing.verb) for doing in later)
    return next((what for what in work if what not in (Kind.ADD, Kind.STOVE)), None)

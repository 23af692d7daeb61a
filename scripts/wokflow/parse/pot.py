"""The food that a verb without an ingredient of its own acts on, by the state of the kitchen.

A recipe is read action by action. Two places hold food: the pot, which is any vessel on or in a source of heat, and
the bench, which is any board, bowl or basin. A cook who reads 翻炒 stirs everything in the pot: all that went in
since it was last emptied, without what was taken out. A cook who reads 切片 cuts what was prepared last. `kinds` has
the kind of each verb, `kitchen` the effect of a kind on the two places.
"""

from collections.abc import Sequence

from wokflow.parse import lexemes as lx
from wokflow.parse.doings import Held, KitchenAction, distinct, left
from wokflow.parse.kinds import Kind, aromatic, kind, medium
from wokflow.parse.kitchen import Kitchen
from wokflow.parse.types import Mention

ALL = ("所有", "全部")


def held(doings: Sequence[KitchenAction]) -> list[Held]:
    """For each action of a recipe, in text order, the food that it acts on without naming it.

    It is empty if the action names an ingredient that does more than help (see `KitchenAction.only_helps`), or works
    on a tool itself: 预热烤箱. Food inside the verb's own word is not inherited, unless it was there before: 加水
    adds water to the other food.
    """
    kitchen = Kitchen()
    by_action: list[Held] = []
    for index, doing in enumerate(doings):
        named = tuple(food for food in doing.foods if not _unnamed(food, doing, kitchen))
        there = {food.cls for food in (*kitchen.pot, *kitchen.bench)}
        in_oil = not doing.foods and not doing.tools and kitchen.fries(doing.verb)
        acted = kitchen.acts_on(doing._replace(foods=named), doings[index + 1 :])
        inside = [food for food in doing.inside if food.cls not in there]
        if doing.inside and doing.verb in lx.HEATS_MEDIUM | lx.FRESH:  # 水开
            acted = [food for food in acted if medium(food)]
        if doing.only_helps:
            acted = left(acted, doing.foods)
        elif doing.foods or doing.on_tools:
            acted = []
        by_action.append(Held(tuple(food for food in distinct(acted) if food not in inside), in_oil))
    return by_action


def _unnamed(food: Mention, doing: KitchenAction, kitchen: Kitchen) -> bool:
    """Whether a word is not the name of a food of its own: 食材, or 所有调料 if they are there already."""
    there = kind(doing.verb) in (Kind.HEAT, Kind.MIX) and any(map(aromatic, kitchen.here()))
    return food.surface in lx.UNNAMED or (there and food.surface.startswith(ALL))

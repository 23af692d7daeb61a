"""The state of the kitchen: what a verb without an ingredient of its own acts on.

A recipe is read action by action. Two places hold food: the pot, which is any vessel on or in a source of heat, and
the bench, which is any board, bowl or basin. A cook who reads 翻炒 stirs everything in the pot: all that went in
since it was last emptied, without what was taken out. A cook who reads 切片 cuts what was prepared last. `kinds` says
what kind each verb is of, `kitchen` what a kind does to the two places.
"""

from collections.abc import Sequence

from wokflow.parse import kinds
from wokflow.parse.doings import Doing, Held, distinct, left
from wokflow.parse.kinds import medium
from wokflow.parse.kitchen import Kitchen


def held(doings: Sequence[Doing]) -> list[Held]:
    """For each action of a recipe, in text order, the food that it acts on without naming it.

    That is none if it names an ingredient, other than what helps to treat the food (see `Doing.only_helps`), or works
    on the tool itself: 预热烤箱. What a verb's own word holds is no food that it inherits, unless it was there: 加水
    adds water to the others.
    """
    kitchen = Kitchen()
    found: list[Held] = []
    for index, doing in enumerate(doings):
        named = tuple(food for food in doing.foods if food.surface not in kinds.UNNAMED)
        there = {food.cls for food in (*kitchen.pot, *kitchen.bench)}
        in_oil = not doing.foods and not doing.tools and kitchen.fries(doing.verb)
        acted = kitchen.acts_on(doing._replace(foods=named), doings[index + 1 :])
        inside = [food for food in doing.inside if food.cls not in there]
        if doing.inside and doing.verb in kinds.HEATS_MEDIUM | kinds.FRESH:  # 水开
            acted = [food for food in acted if medium(food)]
        if doing.only_helps:
            acted = left(acted, doing.foods)
        elif doing.foods or doing.on_tools:
            acted = []
        found.append(Held(tuple(food for food in distinct(acted) if food not in inside), in_oil))
    return found

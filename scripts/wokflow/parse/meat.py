"""The animal of a meat that a recipe calls only 肉: that of the meat named before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wokflow.parse import kinds
from wokflow.parse import lexemes as lx
from wokflow.parse.types import Action, Mention

FISH = "鱼"  # 肉 is of fish only in a recipe without any other meat


def with_meats(steps: Sequence[Sequence[Action]], foods: Mapping[str, str]) -> list[list[Action]]:
    """The actions of a recipe, with 肉 in the class of the nearest meat before it, or else of the first after it.

    `foods` are the words of the glossary with their classes. Without any named meat, 肉 keeps its own class.
    """
    named = [food.surface for step in steps for action in step for food in action.ingredients]
    animals = [name for name in named if kinds.animal(name)]
    if any(kinds.animal(name) != FISH for name in animals):
        animals = [name for name in animals if kinds.animal(name) != FISH]
    if not animals:
        return [list(step) for step in steps]
    last = animals[0]

    def resolved(food: Mention) -> Mention:
        nonlocal last
        if food.surface in animals:
            last = food.surface
        return replace(food, cls=_meat(last, foods, food.cls)) if food.surface in lx.MEATS else food

    return [
        [replace(action, ingredients=tuple(map(resolved, action.ingredients))) for action in step]
        for step in steps
    ]


def _meat(name: str, foods: Mapping[str, str], own: str) -> str:
    """The class of the meat of the animal in a name; the name's own class if it is a meat (鸡腿肉)."""
    if name[-1] == "肉" and name in foods:
        return foods[name]
    animal = kinds.animal(name)
    return foods.get(f"{animal}肉", foods.get(animal, own))

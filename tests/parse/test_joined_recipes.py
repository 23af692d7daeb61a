"""A recipe reads alike step by step, as it is mined, and joined to one text, as instances and models' texts are."""

import json

import pytest
from wokflow.frame.joined_steps import joined
from wokflow.parse.extract import extract
from wokflow.parse.glossary import read_glossary
from wokflow.parse.types import Action

from tests.conftest import ROOT

DEMO = ROOT / "resources" / "demo" / "xiachufang" / "recipe_corpus_full.json"
GLOSSARY = read_glossary(ROOT / "resources" / "glossary")
ENDINGS = "", "。", "，", ".", "（", "...", "！"  # in turn, of the steps of real recipes


def shown(action: Action) -> tuple[object, ...]:
    """An action without its offsets."""
    nouns = [(one.surface, one.cls) for one in (*action.foods, *action.tools)]
    return action.verb, action.verb_class, nouns, action.optional


def read(steps: list[str], style: str) -> list[tuple[object, ...]]:
    by_step = extract(steps, GLOSSARY, method="rules", style=style)
    return [shown(action) for step in by_step for action in step]


@pytest.mark.parametrize("style", ["house", "paper"])
@pytest.mark.parametrize(
    "steps",
    [
        ["鸡肉洗净，姜.", "葱花，放入锅中"],  # a dot and a short clause, as in 盐.糖.醋
        ["锅中加水2.", "5分钟后放入鸡肉"],
        ["鸡肉洗净，姜、蒜（可多放一些", "葱切段", "土豆、胡萝卜（洗净）切块"],
        ["焯水", "：鸡肉洗净，放入锅中"],
        ["鸡肉洗净，沥干", "切块", "放盐，糖", "拌匀", "牛肉切片", "锅中倒油，下肉", "翻炒"],
    ],
)
def test_steps_read_alike_when_they_are_joined(steps: list[str], style: str) -> None:
    assert read([joined(steps, "zh")], style) == read(steps, style)


def test_real_recipes_read_alike_when_their_steps_are_joined() -> None:
    recipes = []
    for line in DEMO.read_text(encoding="utf-8").splitlines():
        try:
            recipes.append(json.loads(line)["recipeInstructions"])
        except (ValueError, KeyError):  # the demonstration has damaged records, too
            continue
    recipes = [steps for steps in recipes if len(steps) > 1]
    assert len(recipes) > 20
    for steps in recipes[:100]:
        ended = [step.strip("。.，！ ") + ENDINGS[number % len(ENDINGS)] for number, step in enumerate(steps)]
        assert read([joined(ended, "zh")], "house") == read(ended, "house"), ended

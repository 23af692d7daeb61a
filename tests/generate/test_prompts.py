"""Prompts are filled as they stand, and faults of a template are told."""

from pathlib import Path

import pytest
from wokflow.frame.job import UserError
from wokflow.generate.prompts import Dialogue, Prompt, one_text


def made(folder: Path, template: str | bytes) -> Prompt:
    path = folder / "prompt.txt"
    path.write_bytes(template if isinstance(template, bytes) else template.encode())
    return Prompt.read(str(path))


def test_each_place_is_filled_wherever_it_stands(tmp_path: Path) -> None:
    prompt = made(tmp_path, "{title}: from {base} to {title}.\n{source}\nRecipe:\n\n")
    filled = prompt.fill(source="Steps: stir.\n", title="蛋炒饭", base="炒饭")
    assert filled == "蛋炒饭: from 炒饭 to 蛋炒饭.\nSteps: stir.\n\nRecipe:"


def test_braces_of_recipes_and_other_braces_stay(tmp_path: Path) -> None:
    prompt = made(tmp_path, 'Answer as {"a": 1} or {} {{title}}: {source}')
    filled = prompt.fill(source="{title} {base} {oops} \\1", title="{source}", base=None)
    assert filled == 'Answer as {"a": 1} or {} {{source}}: {title} {base} {oops} \\1'


def test_what_stands_around_the_answer_is_asked_in_turn(tmp_path: Path) -> None:
    prompt = made(tmp_path, "Explain {items}\n{answer}\nNow translate\n{source}\n")
    assert [one.template for one in prompt.questions] == ["Explain {items}", "Now translate\n{source}"]
    dialogue = Dialogue(prompt, ["a?", "b"])
    values = {"items": "tea", "source": "{answer} {items}"}
    assert dialogue.turns == 2
    assert dialogue.said(values) == ["a?", "b", "Explain tea"]
    assert dialogue.said(values, "{source}")[3:] == ["{source}", "Now translate\n{answer} {items}"]


def test_a_line_that_introduces_nothing_is_left_out(tmp_path: Path) -> None:
    prompt = made(tmp_path, "Names: {dictionary}\nAbout: {explanations}\nTranslate\n{dictionary}{source}")
    filled = prompt.fill(dictionary="", explanations="A drink.", source="x")
    assert filled == "About: A drink.\nTranslate\nx"


def test_a_dialogue_as_one_text_has_a_turn_a_line_or_behind_a_colon() -> None:
    assert one_text(["en:tea = zh:", "茶", "en:rice = zh:"]) == "en:tea = zh:茶\nen:rice = zh:"
    assert one_text(["Translate\ntea", "茶", "Translate\nrice"]) == "Translate\ntea\n茶\nTranslate\nrice"
    assert one_text(["Explain: a", "It is:", "Now:"]) == "Explain: a\nIt is:\nNow:"


def test_a_mark_at_the_file_s_beginning_is_not_sent(tmp_path: Path) -> None:
    assert made(tmp_path, b"\xef\xbb\xbf{title}\r\n").template == "{title}"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{recipe} {title}", "has the place {recipe}; known are {source}, {title}, {base}, {replaced}, "),
        ("Write a recipe.", "has no place for a recipe: put one of {source}, {title}, {base}, {replaced}, "),
        (b"\xff{title}", "is not UTF-8"),
    ],
)
def test_faults_are_told_with_the_file(tmp_path: Path, template: str | bytes, said: str) -> None:
    with pytest.raises(UserError) as error:
        made(tmp_path, template)
    assert said in str(error.value) and str(tmp_path / "prompt.txt") in str(error.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*nowhere\.txt with a prompt"):
        Prompt.read(str(tmp_path / "nowhere.txt"))


def test_a_base_dish_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="only counterfactual recipes have a base dish"):
        made(tmp_path, "{base}").fill(source="", title="", base=None)

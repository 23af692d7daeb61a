"""Adaptations as models write them: an utterance for each of the dialogue, or a reason why not."""

import pytest
from wokflow.generate.turns import Misfit, Turn, aligned

DIALOGUE = [
    Turn("Ann", "Who ate the pie?"),
    Turn("Bo", "Thanksgiving is over, so I did."),
    Turn("Ann", "Dude!"),
]
GOOD = "Ann: Who ate the kheer?\nBo: Diwali is over, so I did.\nAnn: Yaar!"
SAID = ["Who ate the kheer?", "Diwali is over, so I did.", "Yaar!"]
FITS = {
    "as asked": (GOOD, []),
    "bold and numbered": (
        "1. **Ann:** Who ate the kheer?\n2. **Bo**: Diwali is over, so I did.\n3. Ann: Yaar!",
        [],
    ),
    "full-width colons, other case": (GOOD.replace("Ann:", "ANN：").replace("Bo:", "bo :"), []),
    "remarks around": (
        f"Sure! Here is the adapted version:\n\n{GOOD}\n\nNote: Thanksgiving is now Diwali.\n- pie: kheer",
        ["words_around"],
    ),
    "a remark right behind": (f"{GOOD}\n(Note: I kept the names.)", ["words_around"]),
    "a scene before": (f"Scene: A kitchen in Pune\n\n{GOOD}", ["words_around"]),
    "names in italics": (GOOD.replace("Ann:", "*Ann*:").replace("Bo:", "_Bo:_"), []),
    "a list of changes behind": (f"{GOOD}\n\nThanksgiving: it is Diwali now\nPie: kheer", ["words_around"]),
    "the dialogue before": (
        f"Original Dialog 3:\nAnn: Who ate the pie?\nBo: I did.\nAnn: Dude!\n\nAdapted Version 3:\n{GOOD}",
        ["words_around"],
    ),
    "what was changed behind": (
        f"{GOOD}\n\nI replaced the following:\n- Thanksgiving: Diwali\n- Pie: kheer",
        ["words_around"],
    ),
    "the dialogue before, in other words": (
        f"Original:\nAnn: Who ate the pie?\nBo: I did.\nAnn: Dude!\n\nHere is the adaptation for India:\n\n{GOOD}",
        ["words_around"],
    ),
    "an utterance in two lines": (GOOD.replace("over, so", "over,\nso"), ["joined_lines"]),
    "an utterance with an empty line": (GOOD.replace("over, so", "over,\n\nso"), ["joined_lines"]),
    "the text below the name": (GOOD.replace("Bo: ", "Bo:\n"), ["joined_lines"]),
    "an utterance as two": (GOOD.replace("over, so", "over,\nBo: so"), ["joined_utterances"]),
    "all in a line": (GOOD.replace("\n", " "), ["split_lines"]),
}


@pytest.mark.parametrize("name", FITS)
def test_what_can_be_set_right_is_and_is_told(name: str) -> None:
    answer, repairs = FITS[name]
    found = aligned(DIALOGUE, answer, renamed=True)
    assert found.repairs == repairs
    assert [turn.text for turn in found.turns] == SAID
    assert [turn.speaker for turn in found.turns] == ["Ann", "Bo", "Ann"]


MISFITS = {
    "a refusal": ("I'm sorry, but I cannot adapt this dialogue.", "no_utterances"),
    "a refusal with a colon": ("Sorry: it is offensive.", "no_utterances"),
    "an essay": ("Indian culture: it has many festivals.\nFood: it is rich.", "no_utterances"),
    "the last one lost": (GOOD.rpartition("\n")[0], "fewer_utterances"),
    "two merged": ("Ann: Who ate the kheer? Diwali is over, so I did.\nAnn: Yaar!", "fewer_utterances"),
    "one more": (f"{GOOD}\nBo: Sorry!", "more_utterances"),
    "a new speaker between": (GOOD.replace("Bo:", "Cy: Hm.\nBo:"), "more_utterances"),
    "speakers swapped": ("Bo: Who ate the kheer?\nAnn: I did.\nBo: Yaar!", "other_speakers"),
    "in another order": ("Ann: Who ate the kheer?\nAnn: Yaar!\nBo: I did.", "other_speakers"),
    "one in the line of another": (GOOD.replace("kheer?", "kheer? Bo: Me."), "other_speakers"),
    "one speaker with two names": (GOOD.replace("Ann: Yaar", "Ria: Yaar"), "other_speakers"),
    "two speakers with one name": (GOOD.replace("Ann:", "Ria:").replace("Bo:", "Ria:"), "no_utterances"),
    "one who says nothing": (GOOD.replace("Yaar!", "..."), "empty_utterance"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_is_no_adaptation_utterance_by_utterance_has_its_reason(name: str) -> None:
    answer, reason = MISFITS[name]
    with pytest.raises(Misfit) as misfit:
        aligned(DIALOGUE, answer, renamed=True)
    assert misfit.value.reason == reason


@pytest.mark.parametrize("names", [("Ria", "Dev"), ("Ann", "Dev"), ("Ria", "Bo")])
def test_speakers_may_have_other_names_throughout_if_that_is_allowed(names: tuple[str, str]) -> None:
    answer = GOOD.replace("Ann:", f"{names[0]}:").replace("Bo:", f"{names[1]}:")
    found = aligned(DIALOGUE, answer, renamed=True)
    assert found.repairs == ["renamed_speakers"] and found.turns[0].speaker == names[0]
    assert [turn.text for turn in found.turns] == SAID
    with pytest.raises(Misfit) as misfit:
        aligned(DIALOGUE, answer, renamed=False)
    assert misfit.value.reason == "other_speakers"


def test_a_part_of_a_name_is_enough_where_no_other_speaker_has_it() -> None:
    dialogue = [Turn("Paul the Wine Guy", "Hi."), Turn("Monica Geller", "Yes: hi."), Turn("#ALL#", "Hi!")]
    found = aligned(
        dialogue, "Paul (smiling): Namaste.\nMonica: Yes: hello.\n#ALL# [waving]: Hello!", renamed=True
    )
    assert found.turns == [
        ("Paul the Wine Guy", "(smiling) Namaste."),
        ("Monica Geller", "Yes: hello."),
        ("#ALL#", "[waving] Hello!"),
    ]
    assert found.repairs == ["short_names"]
    two = [Turn("Ann Lee", "Hi."), Turn("Bo Lee", "Hi.")]
    with pytest.raises(Misfit):
        aligned(two, "Lee: Hi.\nLee: Hi.", renamed=True)


def test_who_says_nothing_in_the_dialogue_may_say_nothing_in_the_adaptation() -> None:
    assert aligned([Turn("Ann", "Bo?"), Turn("Bo", "...")], "Ann: Bo?\nBo: ...", renamed=True).turns[1] == (
        "Bo",
        "...",
    )


def test_only_what_parts_one_utterance_is_joined() -> None:
    """Two utterances of a speaker in a row are two: of three, nobody knows which belong together."""
    dialogue = [Turn("Ann", "One."), Turn("Ann", "Two."), Turn("Bo", "Three.")]
    assert (
        aligned(dialogue, "Ann: Ek.\nAnn: Do.\nBo: Teen.\nBo: Bas.", renamed=True).turns[2].text
        == "Teen. Bas."
    )
    with pytest.raises(Misfit) as misfit:
        aligned(dialogue, "Ann: Ek.\nAnn: Do.\nAnn: Hm.\nBo: Teen.", renamed=True)
    assert misfit.value.reason == "more_utterances"


def test_of_new_names_no_utterance_is_left_out_as_words_around() -> None:
    dialogue = [Turn("Ann", "One."), Turn("Ann", "Two."), Turn("Bo", "Three.")]
    with pytest.raises(Misfit) as misfit:
        aligned(dialogue, "Ria: Hm.\nRia: Ek.\nRia: Do.\nBo: Teen.", renamed=True)
    assert misfit.value.reason == "more_utterances"


def test_a_speaker_who_is_spoken_of_does_not_speak() -> None:
    with pytest.raises(Misfit) as misfit:
        aligned(
            [Turn("Ann", "I told Bo: go home."), Turn("Bo", "OK.")], "Ann: I told Bo: go home.", renamed=True
        )
    assert misfit.value.reason == "fewer_utterances"


def test_letters_that_differ_in_case_alone_for_patterns_are_new_names() -> None:
    found = aligned([Turn("Kim", "Hi."), Turn("Bo", "Hi.")], "KİM: Hi.\nBo: Hi.", renamed=True)
    assert found.repairs == ["renamed_speakers"] and found.turns[0].speaker == "KİM"


def test_a_word_and_a_colon_are_no_new_speaker_of_a_short_dialogue() -> None:
    with pytest.raises(Misfit) as misfit:
        aligned([Turn("Ann", "Go to hell.")], "Sorry: I cannot adapt that.", renamed=True)
    assert misfit.value.reason == "no_utterances"

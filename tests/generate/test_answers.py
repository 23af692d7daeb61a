"""What answers hold: their text, their count, their language and form."""

from typing import Any

import pytest
from wokflow.frame.language_codes import in_language
from wokflow.generate.answers import cleaned, in_form, read_answer
from wokflow.generate.costs import Tokens

from tests.generate.servers import USAGE, response

USED = Tokens(USAGE["prompt_tokens"], USAGE["completion_tokens"])


def test_an_answer_is_read_from_chats_completions_and_parts() -> None:
    chat = read_answer(response("a", reason="length"))
    assert (chat.text, chat.finish_reason, chat.tokens, chat.status) == ("a", "length", USED, "cut")
    parts = read_answer(response([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))  # type: ignore[arg-type]
    assert parts.text == "ab"
    thoughts: Any = [{"type": "reasoning", "text": "Eggs?"}, {"type": "text", "text": None}, {"text": "a"}]
    assert read_answer(response(thoughts)).text == "a"
    assert read_answer({"choices": [{"text": "a", "finish_reason": "stop"}]}).text == "a"


NOT_WHOLE: dict[str, Any] = {
    "an error's word": {"finish_reason": "error"},
    "another word": {"finish_reason": "abort"},
    "a list": {"finish_reason": ["stop"]},
    "no word": {"finish_reason": None},
    "an error in the message": {"message": {"content": "half", "error": "gateway"}, "finish_reason": "stop"},
    "an error in the choice": {"error": {"message": "upstream broke"}, "finish_reason": "stop"},
}


@pytest.mark.parametrize("kind", NOT_WHOLE)
def test_an_answer_that_does_not_say_that_it_is_whole_is_none(kind: str) -> None:
    found = response("half a te")
    found["choices"][0] |= NOT_WHOLE[kind]
    with pytest.raises(ValueError, match=r"does not say that|an error inside"):
        read_answer(found)
    with pytest.raises(ValueError, match="an error inside"):
        read_answer(response("half a te") | {"error": {"message": "upstream broke"}})
    assert read_answer(response("a", reason="eos_token")).status == "ok"
    assert read_answer(response("a", reason="max_tokens")).status == "cut"
    assert read_answer(response("a", reason="STOP")).status == "ok"
    with pytest.raises(ValueError, match="half a character"):
        read_answer(response("Boil \ud83d"))
    declined: Any = [{"type": "refusal", "refusal": "I cannot"}]
    assert read_answer(response(declined)).status == "refused"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        "many",
        {"prompt_tokens": 1},
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": True, "completion_tokens": 1},
    ],
)
def test_a_count_that_cannot_be_used_is_none(usage: Any) -> None:
    assert read_answer(response(usage=usage)).tokens is None


def test_thoughts_that_a_server_bills_beside_the_answer_count() -> None:
    usage = {"prompt_tokens": 32, "completion_tokens": 9, "total_tokens": 135}
    assert read_answer(response(usage=usage)).tokens == Tokens(32, 103)
    assert read_answer(response(usage=usage | {"total_tokens": 41})).tokens == Tokens(32, 9)
    assert read_answer(response(usage=usage | {"total_tokens": None})).tokens == Tokens(32, 9)


def test_thoughts_and_marks_of_code_are_no_part_of_a_recipe() -> None:
    assert cleaned("<think>Eggs?\nYes.</think>\n\nTitle: A") == "Title: A"
    assert cleaned("Eggs? Yes.</think>Title: A") == "Title: A"
    assert cleaned("<think>Eggs? Ye") == ""
    assert cleaned("Here it is:\n```markdown\nTitle: A\nSteps: Stir.\n```\nEnjoy!") == (
        "Here it is:\nTitle: A\nSteps: Stir.\nEnjoy!"
    )
    assert cleaned("use ```this``` here") == "use ```this``` here"


def test_the_language_is_that_of_most_words() -> None:
    assert in_language("蛋炒饭 with egg", "zh") and not in_language("蛋炒饭 with egg", "en")
    assert in_language("Mapo tofu (麻婆) is a dish", "en") and not in_language(
        "Mapo tofu (麻婆) is a dish", "zh"
    )
    assert in_language("12 !", "en") is None


def test_other_languages_are_told_by_their_script() -> None:
    assert in_language("नमस्ते दुनिया", "hi") and not in_language("Hello world", "hi")
    assert in_language("வணக்கம்", "ta") and in_language("హలో", "te") and not in_language("హలో", "ta")
    assert in_language("El cocido", "es") and not in_language("नमस्ते", "fr")
    assert in_language("麻婆豆腐", "zh_TW") and in_language("Привет", "xx") is None
    assert in_language("Cơm tấm bì chả với nước mắm ngọt và đồ chua", "vi")


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("ru", "Нарежьте лук и обжарьте его."),
        ("ja", "玉ねぎを切って、油で炒めます。"),
        ("ko", "양파를 썰어 기름에 볶습니다."),
        ("ar", "قطعي البصل واقليه في الزيت."),
        ("th", "หั่นหัวหอมแล้วผัดในน้ำมัน"),
        ("bn", "পেঁয়াজ কেটে তেলে ভাজুন"),
    ],
)
def test_no_script_is_taken_for_another(lang: str, text: str) -> None:
    assert in_language(text, lang)
    for other in {"en", "zh", "hi", "ru", "ko", "th"} - {lang}:
        assert in_language(text, other) is False, other
    for other in ("en", "zh"):
        both = f"{text} {'Cut it.' if other == 'en' else '切'}"  # a word of it is not enough
        assert in_language(both, other) is False


def test_the_form_is_that_of_the_source() -> None:
    assert in_form("title: A\nSteps: B", "Title: C\nSteps: D")
    assert in_form("Title: A", "Title: C\nSteps: D") is False
    assert in_form("A", "C") is None

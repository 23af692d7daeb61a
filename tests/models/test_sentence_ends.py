"""Texts in sentences."""

import pytest
from wokflow.models.sentence_ends import first_sentence, sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("洗菜。切菜！\n 下锅", ["洗菜。", "切菜！\n ", "下锅"]),
        ("“好。”然后走。。。", ["“好。”", "然后走。。。"]),
        ("Take 1.5 kg. Cut it.) Go", ["Take 1.5 kg. ", "Cut it.) ", "Go"]),
        ("\n\n洗，切", ["\n\n洗，切"]),
        (" \n", []),
        ("", []),
    ],
)
def test_sentences_are_the_text(text: str, found: list[str]) -> None:
    assert sentences(text) == found
    assert first_sentence(text) == (found[0].strip() if found else "")

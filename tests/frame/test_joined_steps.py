import pytest
from wokflow.frame.joined_steps import joined


@pytest.mark.parametrize(
    ("steps", "lang", "text"),
    [
        (["洗净", "切块！", "煮，"], "zh", "洗净。切块！煮。"),
        (["洗净. ", " 切块"], "zh", "洗净。切块。"),
        (["加盐.", "加水2.", "煮开...", "."], "zh", "加盐。加水2。煮开...。"),
        (["Wash it", "Cut.", "Boil"], "en", "Wash it. Cut. Boil."),
        ([], "zh", ""),
    ],
)
def test_steps_are_joined(steps: list[str], lang: str, text: str) -> None:
    assert joined(steps, lang) == text

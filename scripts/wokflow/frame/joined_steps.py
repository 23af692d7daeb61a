"""A recipe's steps as one text."""

import re
from collections.abc import Sequence

LATIN_STOP = re.compile(r"(?<!\.)\.\Z")
ENDS = "。！？；…~～.!?;"  # marks after which a step needs no full stop


def joined(steps: Sequence[str], lang: str) -> str:
    """Steps as one text: each ends in a mark, Chinese ones without blanks between them.

    A single Latin full stop behind a Chinese step becomes a Chinese one: without a blank behind it, it could stand in
    a list (盐.糖.醋) or in a number (2.5).
    """
    stop, blank = ("。", "") if lang == "zh" else (".", " ")
    bare = [step.strip() for step in steps]
    plain = [step[:-1] if lang == "zh" and LATIN_STOP.search(step) else step for step in bare]
    return blank.join(
        step if step.endswith(tuple(ENDS)) else step.rstrip("，,、：: ") + stop for step in plain
    )

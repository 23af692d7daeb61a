"""A recipe's steps as one text."""

from collections.abc import Sequence

ENDS = "。！？；…~～.!?;"  # marks after which a step needs no full stop


def joined(steps: Sequence[str], lang: str) -> str:
    """Steps as one text: each ends in a mark, Chinese ones without blanks between them."""
    stop, blank = ("。", "") if lang == "zh" else (".", " ")
    return blank.join(
        step if step.endswith(tuple(ENDS)) else step.rstrip("，,、：: ") + stop for step in steps
    )

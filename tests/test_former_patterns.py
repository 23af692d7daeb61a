"""Expressions that took too long, as they were: they are found to, and what came in their place does the same."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snakemake_executor_plugin_slurm_robust import causes, slurm_questions
from wokflow.export import privacy
from wokflow.frame.languages import HAN
from wokflow.generate import answers
from wokflow.ingest import leads, pages
from wokflow.match import lexicon
from wokflow.models import decoding, recipe_texts
from wokflow.parse import induce, segment, verbs

from tests.backtracking import slow_on


class Former(NamedTuple):
    """An expression as it was, what it was used for, what does this now, and what texts to try are made of."""

    pattern: str
    used: Callable[[re.Pattern[str], str], Any]
    now: Callable[[str], Any]
    parts: list[str]
    how: str = "search"


def without(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub("", text)


def place(pattern: re.Pattern[str], text: str, how: str = "search") -> Any:
    found = getattr(pattern, how)(text)
    return found and found.span()


FORMER = {
    "fields": Former(
        r"(\w+)=(\S*)",
        lambda pattern, text: pattern.findall(text),
        slurm_questions.FIELD.findall,
        list("=a_- 豆\n"),
    ),
    "memory": Former(
        r"slurmstepd.*((?i:exceeded )(job |step )?(?i:memory limit)|(?i:oom[-_ ]kill))",
        lambda pattern, text: pattern.search(text) is not None,
        causes.is_out_of_memory,
        ["slurmstepd", "exceeded ", "job ", "memory limit", "oom-kill", "OOM_kill", "\n", " ", "a"],
    ),
    "headings": Former(  # with the condition, which is newer, that no word goes on into one
        r"(?i)\s*(?<![A-Za-z])(?:Title:|Ingredients:|Steps:)[^\S\n]*",
        lambda pattern, text: pattern.sub("\n", text).strip(),
        recipe_texts.without_headings,
        ["Title:", "STEPS:", "Ingredients:", "steps", *" \n\ta\u3000"],
    ),
    "fences": Former(
        r"(?m)^[^\S\n]*```[^\S\n]*\w*[^\S\n]*$\n?",
        without,
        lambda text: answers._FENCE.sub("", text),
        ["```", "json", *"` \n\r_."],
    ),
    "spaces": Former(
        rf"(?<=[{HAN}])\s+|\s+(?=[{HAN}])",
        without,
        lambda text: lexicon.SPACES.sub("", text),
        list("豆腐 \na1"),
    ),
    "glosses": Former(r"\s*\([^)]*\)", without, lexicon._without_gloss, list("() \na")),
    "blanks": Former(
        rf"(?<={decoding._WIDE}) +| +(?={decoding._WIDE}|:)",
        without,
        lambda text: decoding._SPACES.sub("", text),
        list("豆，: a\n"),
    ),
    "decimals": Former(
        r"(\d+\.\d+)", lambda pattern, text: pattern.split(text), segment.DECIMAL.split, list("12..a٣")
    ),
    "unseen": Former(
        r"(?is)<!--.*?-->|<ref\b[^>]*/>|<ref\b[^>]*>.*?</ref\s*>|__[A-Z]+__",
        without,
        leads._without_unseen,
        [
            "<!--",
            "-->",
            "<ref>",
            "<ref/>",
            "</ref>",
            "</REF  >",
            "<ref a",
            "__A__",
            "__",
            "<references/>",
            *"/> \na-",
        ],
    ),
    "tables": Former(
        r"(?ms)^\s*\{\|.*?^\s*\|\}",
        without,
        leads._without_tables,
        ["{|", "|}", "\n", "\n\n", " ", "a", "|", "\r"],
    ),
    "amounts": Former(
        f"(?:的?用量为?|{induce.AMOUNT})+$|^(?:{induce.NO_NAME.pattern})$",
        lambda pattern, text: pattern.sub("", induce.LEADING.sub("", text, count=1)),
        induce._without_amounts,
        [
            *"约各一两半几克个张大小点儿些许的盐每顿人份数",
            "大约",
            "公斤",
            "小半",
            "左右",
            "适量",
            "少许",
            "一些",
            "用量",
            "为",
        ],
    ),
    "brackets": Former(
        r"[(（\[【{《〈].*?(?:[)）\]】}》〉]|$)",
        without,
        lambda text: induce.BRACKETS.sub("", text),
        list("(（)】a《 "),
    ),
    "codes": Former(
        r"(?i:ISBN|ISSN|EAN|UPC|DOI)\W*(?:1[03]\W+)?[\d\-]*$|[A-Za-z0-9_/=]$",
        place,
        lambda text: place(privacy._CODE, text),
        ["ISBN", "upc", "13", *" -:1\n，a"],
    ),
    "durations": Former(
        rf"\s*个?\s*[{verbs.NUMERALS}][{verbs.NUMERALS}多来个\s~～-]*(小时|分|刻|会|min)",
        lambda pattern, text: place(pattern, text, "match"),
        lambda text: place(verbs.DURATION, text, "match"),
        ["小时", *" 个一2多分~a\n"],
        "match",
    ),
    "redirections": Former(
        r"(?i)\s*[#＃](?:REDIRECT|重定向)\s*:?\s*\[\[",
        lambda pattern, text: place(pattern, text, "match"),
        lambda text: place(pages.REDIRECT, text, "match"),
        ["#REDIRECT", "重定向", "#", "[[", *" :\na"],
        "match",
    ),
    "accounts": Former(
        r"微博[\s_]*[:：=@「【“\"《]+[\s@「【“\"《]*(?P<account>[\w\-]{2,30})",
        lambda pattern, text: [found.span("account") for found in pattern.finditer(text)],
        lambda text: [found.span("account") for found in re.finditer(privacy.USER, text) if found["account"]],
        ["微博", *" _:：「ab-\n"],
    ),
}
names = pytest.mark.parametrize("name", FORMER)


@names
def test_it_takes_more_steps_than_in_proportion_to_a_text(name: str) -> None:
    if name != "brackets":  # which did so in texts of several lines alone
        assert slow_on(re.compile(FORMER[name].pattern), FORMER[name].how)


@names
@given(data=st.data())
def test_the_same_is_done_now(name: str, data: st.DataObject) -> None:
    former = FORMER[name]
    text = "".join(data.draw(st.lists(st.sampled_from(former.parts), max_size=9)))
    assert former.now(text) == former.used(re.compile(former.pattern), text)

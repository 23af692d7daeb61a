"""The list of findings says what stops a release, what was accepted, and what need not be accepted any longer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.export.gate_findings import EXAMPLES, GATES, Finding, finding, printable, report, standing

LEAK = Finding("shared_titles", "pairs-zh-en", 12, ("xiachufang:3: 红烧肉",), "Leave them out.")
LINK = Finding("links", "silver-zh-en", 1, ("recipenlg:7: steps: see h***.com",), "Remove them.")


def test_what_stops_comes_first_and_what_is_accepted_is_still_named() -> None:
    assert report([LINK, LEAK], {"links", "mojibake"}) == (
        "The release is stopped by 1 finding:\n"
        "- shared_titles in pairs-zh-en: 12. Recipes of two sides of the split have the same title.\n"
        "    xiachufang:3: 红烧肉\n"
        "  -> Leave them out.\n"
        "Accepted in the config, and still there (1 finding):\n"
        "- links in silver-zh-en: 1. Text holds links or domains.\n"
        "    recipenlg:7: steps: see h***.com\n"
        "  -> Remove them.\n"
        "Accepted in the config, but nothing was found: mojibake.\n"
    )


def test_nothing_found_stops_nothing() -> None:
    assert report([], ()) == "Nothing stops the release.\n"
    assert report([LINK], ("links",)).startswith("Nothing stops the release.\nAccepted")


def test_a_finding_of_a_gate_that_is_none_is_refused_and_none_is_made_of_nothing() -> None:
    with pytest.raises(ValueError, match="none of the gates"):
        finding("leak", "", 1, (), "")
    assert finding("links", "", 0, ("a",), "") == []
    assert len(finding("links", "", 9, map(str, range(9)), "")[0].examples) == EXAMPLES


@given(st.lists(st.sampled_from(sorted(GATES)), max_size=5), st.sets(st.sampled_from(sorted(GATES))))
def test_each_finding_stops_or_is_accepted_and_is_in_the_list(gates: list[str], accepted: set[str]) -> None:
    found = [Finding(gate, "", 1, (), "") for gate in gates]
    text = report(found, accepted)
    assert {one.gate for one in standing(found, accepted)} == set(gates) - accepted
    assert text.count("\n- ") == len(found)
    assert ("Nothing stops" in text) == (set(gates) <= accepted)


def test_examples_cannot_speak_to_the_terminal() -> None:
    assert printable("a\x1b[31mb\nc\u202e红") == "a\\x1b[31mb\\nc\\u202e红"

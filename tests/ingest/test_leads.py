"""The first paragraph is told from the second by the wikitext, where the text has both on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.ingest.leads import first_of_joined

TEXT = "Mapo tofu (麻婆豆腐) is from Sichuan. It was hot, and sold in Chengdu. It is eaten with rice."


@pytest.mark.parametrize(
    "wikitext",
    [
        "Mapo tofu is from [[Sichuan]].\n\nIt was hot, and sold in Chengdu.",
        "'''Mapo tofu''' ({{zh|麻婆豆腐}}) is from [[a]].\n \t\nIt was ''hot'', and sold in [[b c|Chengdu]].",
        "{{Infobox food\n|name={{lang|zh|麻}}\n\n|place=}}\n\nMapo [[a]].<ref>A\n\nB</ref>\n\nIt was hot,\nand sold",
        "[[File:Mapo.jpg|thumb|A dish [[of]]\n\nhere]]\n\nMapo.\n\n\nIt was hot, {{and}} sold.\n== History ==\n",
        "<!-- no\n\nno -->__NOTOC__\n\nMapo tofu.<ref name=a />\n\n<span id='x'>It was hot, and</span>",
        "{| class=a\n|-\n\n| b\n|}\n\nMapo tofu.\n\nIt was&nbsp;hot,&#32;and sold",
        ":''For other tofu, see [[Tofu]].''\n\nMapo tofu.\n\nIt was hot, and sold in Chengdu.\n\nIt is eaten.",
        "-{zh-hans:a;zh-hant:b}-\n\nMapo tofu.\n\nIt was hot, and",
        "Mapo tofu.\n\nIt was hot, and",
        "Mapo tofu.\n\nIt was {{very}} hot",
        "== Taste ==\n=== Heat ===\nMapo tofu.\n\nIt was hot, and\n\n== History ==",
    ],
)
def test_a_text_is_cut_before_its_second_paragraph(wikitext: str) -> None:
    assert first_of_joined(TEXT, wikitext) == "Mapo tofu (麻婆豆腐) is from Sichuan."


@pytest.mark.parametrize(
    "wikitext",
    [
        "",
        "Mapo tofu.",
        "Mapo tofu.\n== History ==\n\nIt was hot, and sold.",
        "Mapo tofu.\n\n{{It}} was hot, and sold.",
        "Mapo tofu.\n\n* It was hot, and sold.",
        "Mapo tofu.\n\nIt is cold.",
        "Mapo tofu.\n\nIt {{was}}",
        "It is.\n\nMapo tofu (麻婆豆腐) is from",
        "Mapo tofu.\n\n{{It was hot, and",
        "[[" * 5000,
        "{{" * 5000,
        f"Mapo tofu.\n\n&#{'9' * 5000}; was hot",  # no character has such a number
    ],
)
def test_where_the_second_paragraph_is_not_found_nothing_is_cut(wikitext: str) -> None:
    assert first_of_joined(TEXT, wikitext) == TEXT


def test_what_is_found_twice_is_no_end() -> None:
    assert (
        first_of_joined("It was hot. It was hot. A.", "It was hot.\n\nIt was hot.")
        == "It was hot. It was hot. A."
    )


@given(
    st.lists(
        st.sampled_from(["{{", "}}", "[[", "]]", "|", "\n\n", "''", "{|", "|}", "<ref>", "==", "Mapo tofu"])
    )
)
def test_any_wikitext_leaves_a_beginning_of_the_text(pieces: list[str]) -> None:
    first = first_of_joined(TEXT, "".join(pieces))
    assert first and TEXT.startswith(first)

"""Sentences of two texts find each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.ingest.sentence_alignment import aligned, sentences

ENGLISH = [
    "Mole poblano is a thick sauce from Puebla.",
    "It is made of chili peppers, nuts, spices and a little chocolate.",
    "Cooks toast every ingredient by itself.",
    "Then all of it is ground and fried in lard.",
    "It is served over turkey at weddings.",
]
SPANISH = [
    "El mole poblano es una salsa espesa de Puebla.",
    "Se hace con chiles, nueces, especias y un poco de chocolate.",
    "Los cocineros tuestan cada ingrediente por separado.",
    "Luego se muele todo y se fríe en manteca.",
    "Se sirve sobre guajolote en las bodas.",
]
MACHINE = [
    "Mole poblano es una salsa espesa de Puebla.",
    "Está hecho de chiles, nueces, especias y un poco de chocolate.",
    "Los cocineros tuestan cada ingrediente por sí mismo.",
    "Después todo se muele y se fríe en manteca.",
    "Se sirve sobre pavo en bodas.",
]


def test_sentences_side_by_side_are_pairs() -> None:
    assert aligned(ENGLISH, SPANISH, [], ("en", "es")) == list(zip(ENGLISH, SPANISH, strict=True))
    assert aligned(ENGLISH, SPANISH, MACHINE, ("en", "es")) == list(zip(ENGLISH, SPANISH, strict=True))


@pytest.mark.parametrize("gone", range(5))
def test_what_was_not_translated_has_no_partner(gone: int) -> None:
    rest = SPANISH[:gone] + SPANISH[gone + 1 :]
    want = [(one, "" if one == ENGLISH[gone] else other) for one, other in zip(ENGLISH, SPANISH, strict=True)]
    assert aligned(ENGLISH, rest, MACHINE, ("en", "es")) == want


def test_what_was_added_has_no_partner() -> None:
    added = "Otra receta, la del mole negro, viene de Oaxaca y lleva hoja santa."
    found = aligned(ENGLISH, [*SPANISH[:2], added, *SPANISH[2:]], MACHINE, ("en", "es"))
    assert found[2] == ("", added)
    assert [pair for pair in found if all(pair)] == list(zip(ENGLISH, SPANISH, strict=True))


def test_two_sentences_may_become_one_and_one_two() -> None:
    joined = f"{SPANISH[2][:-1]}; luego se muele todo y se fríe en manteca."
    found = aligned(ENGLISH, [*SPANISH[:2], joined, SPANISH[4]], MACHINE, ("en", "es"))
    assert found[2] == (f"{ENGLISH[2]} {ENGLISH[3]}", joined)
    again = aligned([*ENGLISH[:2], f"{ENGLISH[2]} {ENGLISH[3]}", ENGLISH[4]], SPANISH, [], ("en", "es"))
    assert again[2] == (f"{ENGLISH[2]} {ENGLISH[3]}", f"{SPANISH[2]} {SPANISH[3]}")


def test_a_machine_translation_decides_where_lengths_say_nothing() -> None:
    """Two sentences of one length, of which one was left out: only the words tell which."""
    source = ["He ate a red apple.", "She sold a big goat."]
    machine = ["Comió una manzana roja.", "Vendió una cabra grande."]
    assert aligned(source, ["Vendió su cabra grande."], machine, ("en", "es")) == [
        (source[0], ""),
        (source[1], "Vendió su cabra grande."),
    ]


@given(
    st.lists(st.text("ab。 .", min_size=1), max_size=6), st.lists(st.text("ab。 .", min_size=1), max_size=6)
)
def test_every_sentence_comes_out_once_and_in_order(one: list[str], other: list[str]) -> None:
    found = aligned(one, other, [], ("en", "zh"))
    assert " ".join(pair[0] for pair in found if pair[0]) == " ".join(one)
    assert "".join("".join(pair[1] for pair in found).split()) == "".join("".join(other).split())


def test_sentences_that_become_one_have_spaces_between_them_only_where_the_language_does() -> None:
    english = "Mole is a sauce of chili peppers and nuts, and it is served over turkey."
    chinese = ["莫莱是辣椒和坚果做的酱。", "它配火鸡吃。"]
    assert aligned([english], chinese, [], ("en", "zh")) == [
        (english, "莫莱是辣椒和坚果做的酱。它配火鸡吃。")
    ]
    assert aligned(chinese, [english], [], ("zh", "en")) == [
        ("莫莱是辣椒和坚果做的酱。它配火鸡吃。", english)
    ]
    assert aligned(["她说：", "I came.", "I saw."], [], [], ("zh", "en"))[0] == ("她说：", "")
    (pair,) = aligned(["「I came.", "I saw.」"], ["“I came, and I saw.”"], [], ("zh", "en"))
    assert pair[0] == "「I came. I saw.」"
    (pair,) = aligned(
        ["Khao soi is a soup of noodles and meat."], ["ข้าวซอยเป็นก๋วยเตี๋ยว!", "ใส่เนื้อ"], [], ("en", "th")
    )
    assert pair[1] == "ข้าวซอยเป็นก๋วยเตี๋ยว! ใส่เนื้อ"


def test_a_machine_translation_in_hindi_counts_as_it_does_in_spanish() -> None:
    """Its sentences end with a danda; the text of two of three was left out."""
    source = ["He ate a red apple.", "She sold a big goat.", "They met the old king."]
    machine = sentences("उसने लाल सेब खाया। उसने बड़ी बकरी बेची। वे बूढ़े राजा से मिले।")
    assert len(machine) == 3
    found = aligned(source, ["वे बूढ़े राजा से मिले।"], machine, ("en", "hi"))
    assert found == [(source[0], ""), (source[1], ""), (source[2], "वे बूढ़े राजा से मिले।")]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (
            "Dr. Wang cooks. He is from St. Louis! Is he?",
            ["Dr. Wang cooks.", "He is from St. Louis!", "Is he?"],
        ),
        ("他做饭。「真香！」她说。", ["他做饭。", "「真香！」", "她说。"]),
        ("It costs 3.5 yuan. J. Smith paid.", ["It costs 3.5 yuan.", "J. Smith paid."]),
        ("¿Qué es? Es mole.", ["¿Qué es?", "Es mole."]),
        (
            "U.S. Army cooks of J.R.R. Tolkien ate. They left.",
            ["U.S. Army cooks of J.R.R. Tolkien ate.", "They left."],
        ),
        ("It is No. 5 of 3.5 miles. Is it?", ["It is No. 5 of 3.5 miles.", "Is it?"]),
        ("यह भात है। वे मीठे हैं।2010 में नहीं॥१॥", ["यह भात है।", "वे मीठे हैं।", "2010 में नहीं॥१॥"]),
        ("یہ 3۔5 ہے۔ کیا؟ ہاں۔", ["یہ 3۔5 ہے۔", "کیا؟", "ہاں۔"]),
        ("እንጀራ ነው። ምግብ ነው፧ አዎ።", ["እንጀራ ነው።", "ምግብ ነው፧", "አዎ።"]),
        ("နေကောင်းလား။ကောင်းတယ်။", ["နေကောင်းလား။", "ကောင်းတယ်။"]),
        ("នេះជាបាយ។ ឆ្ងាញ់៕", ["នេះជាបាយ។", "ឆ្ងាញ់៕"]),
        ("真的？！好。2022年开业。", ["真的？！", "好。", "2022年开业。"]),
        ("one\ntwo", ["one", "two"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_say(text: str, want: list[str]) -> None:
    assert sentences(text) == want

"""What a word is, which are content words, and what the dictionary calls a literal translation."""

from pathlib import Path

import pytest
from wokflow.frame.job import UserError
from wokflow.lexicon.recipe_words import (
    Matcher,
    content_words,
    cutter,
    exceptions,
    read_dictionary,
    read_light,
    read_pairs,
)

from tests.conftest import ROOT

RESOURCES = ROOT / "resources"


def test_words_are_cut_in_both_languages() -> None:
    assert cutter("en")("Pre-heat the OVEN to 350°; don't stir.") == [
        *("pre-heat", "the", "oven", "to", "350", "don't", "stir")
    ]
    assert cutter("zh")("豆腐切块，放入350度的烤箱！") == ["豆腐", "切块", "放入", "350", "度", "的", "烤箱"]


def test_content_words_are_nouns_verbs_and_adjectives_and_what_the_dictionary_knows() -> None:
    words = ["豆腐", "的", "蒸", "新鲜", "克", "放", "350", "fresh", "很", "空气炸锅炸锅"]
    assert [*content_words(words, {"放"}, {"空气炸锅炸锅"})] == ["豆腐", "蒸", "新鲜", "空气炸锅炸锅"]


def test_light_words_and_seed_pairs_of_the_resources_can_be_read() -> None:
    light, pairs = (
        read_light(str(RESOURCES / "bilingual/light_words.txt")),
        read_pairs(str(RESOURCES / "bilingual/seed.tsv")),
    )
    assert "放入" in light and not any(word.startswith("#") for word in light)
    assert len(pairs) == len({zh for zh, _ in pairs}) == len({en for _, en in pairs}) == 15


def test_the_dictionary_has_a_class_by_its_name_and_entries_without_slots_and_glosses(tmp_path: Path) -> None:
    glossary, lexicon, own = tmp_path / "glossary", tmp_path / "lexicon", tmp_path / "own.tsv"
    glossary.mkdir()
    lexicon.mkdir()
    for kind in ("ingredients", "tools"):
        (glossary / f"{kind}.tsv").write_text("surface\tclass\n", encoding="utf-8")
    (glossary / "verbs.tsv").write_text("surface\tclass\n拌\t拌\n凉拌\t拌\n", encoding="utf-8")
    (glossary / "english.tsv").write_text("kind\tclass\tenglish\nverb\t拌\ttoss\n", encoding="utf-8")
    rows = ["拌\tcold ... salad\ttechnique", "粥\tCongee (rice porridge)\tform", "家常\thome\tdecoration"]
    (lexicon / "words.tsv").write_text("\n".join(["zh\ten\tkind", *rows]) + "\n", encoding="utf-8")
    own.write_text("zh\ten\n拌\tMix\n", encoding="utf-8")
    found = read_dictionary(str(lexicon), str(glossary), str(own))
    assert found == {"拌": ["mix", "toss", "cold salad"], "粥": ["congee"]}


def test_a_literal_word_may_be_inflected_on_either_side() -> None:
    matcher = Matcher({"potatoes", "bake", "soy"})
    assert matcher.literal("potatoes", ["potato"]) and matcher.literal("bake", ["baked"])
    assert matcher.literal("knives", ["knife"]) and matcher.literal("leaf", ["bay", "leaves"])
    assert not matcher.literal("soy", ["soy sauce"]) and not matcher.literal("pot", ["potato"])
    assert matcher.knows(["potato"]) and matcher.knows(["soy sauce", "baked"])
    assert not matcher.knows(["soy sauce"]) and not matcher.knows([])


def test_exceptions_are_longer_words_that_mean_something_else() -> None:
    others = {
        "酱油": ["soy sauce"],
        "花生油": ["peanut oil"],
        "油": ["oil"],
        "盐": ["salt"],
        "油条": ["boiled dough"],
    }
    assert exceptions("油", ["oil"], others) == ["酱油", "油条"]  # boiled has no word oil


@pytest.mark.parametrize(
    ("text", "message"), [("zh\ten\n盐\t\n", "line 2: zh and en must both"), ("zh\ten\n", "no word pairs")]
)
def test_a_seed_dictionary_that_begins_nothing_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "seed.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read_pairs(str(path))

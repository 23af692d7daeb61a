import json
from pathlib import Path

import pytest
from wokflow.frame.job import UserError
from wokflow.parse.glossary import read_glossary

TABLES = {
    "verbs": "surface\tclass\n切\t切\n切片\t切\n",
    "ingredients": "surface\tclass\n姜\t姜\n 老姜 \t姜\n",
    "tools": "surface\tclass\n锅\t锅\n",
    "english": "kind\tclass\tenglish\nverb\t切\tcut\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TABLES.items():
        (tmp_path / f"{name}.tsv").write_text(text, encoding="utf-8")
    return tmp_path


def test_reads_a_folder(folder: Path) -> None:
    glossary = read_glossary(folder)
    assert glossary.verbs == {"切": "切", "切片": "切"}
    assert glossary.ingredients == {"姜": "姜", "老姜": "姜"}
    assert glossary.english["verb"] == {"切": "cut"}


def test_english_names_are_optional(folder: Path) -> None:
    (folder / "english.tsv").unlink()
    assert read_glossary(folder).english == {}


def test_reads_the_papers_form_without_its_noise(tmp_path: Path) -> None:
    path = tmp_path / "glossary.json"
    given = {"verbs": {"炒": "炒"}, "ingredients": {"盐 ": "油", "盐": "盐", "。水": "水"}, "tools": {}}
    path.write_text(json.dumps(given), encoding="utf-8")
    assert read_glossary(path).ingredients == {"盐": "盐"}


def test_invisible_characters_neither_lose_a_word_nor_make_a_class(folder: Path) -> None:
    (folder / "ingredients.tsv").write_text("surface\tclass\n豆腐\u200b\t豆腐\n猪肉\t肉\n牛肉\t肉\ufeff\n")
    assert read_glossary(folder).ingredients == {"豆腐": "豆腐", "猪肉": "肉", "牛肉": "肉"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("verbs", "word\tclass\n", "line 1: missing column surface"),
        ("verbs", "surface\tclass\n切\n", "line 2"),
        ("tools", "surface\tclass\n锅\t锅\n锅\t碗\n", "line 3"),
        ("english", "kind\tclass\tenglish\nfood\t姜\tginger\n", "kind food"),
        ("tools", "surface\tclass\n锅\t锅/碗\n", "the class '锅/碗' of 锅 has a comma or a slash"),
    ],
)
def test_says_what_is_wrong(folder: Path, name: str, text: str, said: str) -> None:
    (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_glossary(folder)


def test_says_what_is_missing(folder: Path) -> None:
    (folder / "tools.tsv").unlink()
    with pytest.raises(UserError, match=r"tools\.tsv is missing"):
        read_glossary(folder)


@pytest.mark.parametrize("text", ["{", "[]", '{"verbs": {}}', '{"verbs": 1, "ingredients": 2, "tools": 3}'])
def test_refuses_other_json(tmp_path: Path, text: str) -> None:
    path = tmp_path / "glossary.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="is not a glossary"):
        read_glossary(path)

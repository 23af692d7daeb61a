"""The section on words of two kitchens: what is underlined, and whose verdict counts."""

from pathlib import Path
from typing import Any

from wokflow.lexicon import schemas
from wokflow.report import aligned_words
from wokflow.report.charts import Charts

from tests.conftest import ROOT
from tests.report.parts import by_name, table
from tests.report.parts import shown as drawn

PUBLISHED = str(ROOT / "resources" / "published.tsv")
PRECISION = {"neighbours": 2, "precision": 0.5, "low": 0.1, "high": 0.9, "alpha": None}


def word(name: str, by_dictionary: bool | None, by_people: bool | None = None, **more: Any) -> dict[str, Any]:
    row = {"word_id": name, "word": name, "count": 9, "meanings": ["tofu", "bean curd", "doufu"]}
    row |= {"nearest": ["ham", "tofu"], "annotators": 0 if by_people is None else 2, "literal": []}
    return row | {"by_dictionary": by_dictionary, "by_people": by_people, "kind": None} | more


def shown(folder: Path, *words: dict[str, Any]) -> dict[str, Any]:
    near = [
        {
            **row,
            "measure": measure,
            "rank": rank,
            "neighbour": name,
            "similarity": 0.5,
            "literal": name == "tofu",
        }
        for row in words
        for measure in ("csls", "cosine")
        for rank, name in enumerate(("<ham>", "tofu"), 1)
    ]
    precision = [PRECISION | {"measure": "csls", "judge": "dictionary", "words": 2, "found": 1}]
    precision[0] |= dict.fromkeys(("cultural", "accidental", "undecided"))
    points = [
        {"lang": lang, "word": name, "meaning": None, "x": x, "y": x, "named": True}
        for lang, name, x in (("zh", "盐", 0.0), ("en", "salt", 1.0))
    ]
    paths = [
        table(folder, "lexicon/words", schemas.WORDS, words),
        table(folder, "lexicon/neighbours", schemas.NEIGHBOURS, near),
        table(folder, "lexicon/precision", schemas.PRECISION, precision),
        table(folder, "lexicon/picture", schemas.PICTURE, points),
    ]
    section = aligned_words.section(by_name(folder, paths), ["too small"], PUBLISHED, Charts())
    assert section
    return section


def test_people_s_verdict_counts_before_the_dictionary_s(tmp_path: Path) -> None:
    section = shown(
        tmp_path,
        word("a", by_dictionary=True),
        word("b", by_dictionary=None),
        word("c", by_dictionary=True, by_people=False, kind="cultural"),
        word("d", by_dictionary=False, by_people=True, literal=["<ham>"]),
    )
    cells = [[str(cell.text) for cell in row] for row in section["all"].rows]
    assert [row[-1] for row in cells] == ["match", "not known", "none: cultural", "match"]
    assert [row[2] for row in cells] == [
        "&lt;ham&gt;, <u>tofu</u>",
        "&lt;ham&gt;, <u>tofu</u>",
        "&lt;ham&gt;, tofu",
        "<u>&lt;ham&gt;</u>, tofu",
    ]
    assert section["all"].rows[0][0].note == "tofu; bean curd"


def test_the_published_figures_stand_below_and_the_picture_names_seeds(tmp_path: Path) -> None:
    section = shown(tmp_path, word("a", by_dictionary=True))
    rows = [[cell.text for cell in row] for row in section["precision"].rows]
    assert rows[0][:4] == ["CSLS, by dictionary", "2", "1", "50.0 %"]
    assert rows[-1] == ["published, by people", "100", "68", "68.0 %", "26", "6"]
    assert "盐" in section["picture"] and "salt" in section["picture"]
    text = drawn("lexicon", section)
    assert "Do not rely on this: too small" in text and "Nobody marked" in text and "<u>tofu</u>" in text


def test_without_the_stage_there_is_no_section() -> None:
    assert aligned_words.section({}, [], PUBLISHED, Charts()) is None

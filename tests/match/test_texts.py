"""Two cutoffs: each title once, each text once, and digests of them alone."""

from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.tables import strings_digest
from wokflow.match import schemas
from wokflow.match.texts import match_texts
from wokflow.match.titles import match_titles

OUT = ("texts.parquet", "translations.parquet", "texts.sha256", "translations.sha256")


def eligible(path: Path, titles: list[str], metadata: dict[str, str] | None = None) -> str:
    table = pl.DataFrame(
        {
            "recipe_id": [f"x:{row}" for row in range(len(titles))],
            "title": titles,
            "tokens": [3] * len(titles),
        },
        schema={"recipe_id": pl.String, "title": pl.String, "tokens": pl.Int32},
    )
    tables.write(path, schemas.ELIGIBLE, table, metadata or {})
    return str(path)


def titles_of(
    folder: Path, titles: list[str], metadata: dict[str, str] | None = None
) -> tuple[list[str], str]:
    """Distinct titles and their digest, by way of files."""
    found = eligible(folder / "eligible.parquet", titles, metadata)
    match_titles(
        eligible=found,
        data=str(folder / "titles.parquet"),
        digest=str(folder / "sha256"),
        job=Job(metadata or {}),
    )
    return tables.read(folder / "titles.parquet")["title"].to_list(), (folder / "sha256").read_text()


class Texts(NamedTuple):
    """What comes of shards of (title, text): distinct texts, the translations table, the digests of both."""

    texts: list[str]
    translations: list[tuple[str, str, int]]
    digest: str
    translations_digest: str


def texts_of(
    folder: Path, shards: list[list[tuple[str, str]]], metadata: dict[str, str] | None = None
) -> Texts:
    """Gather the shards, by way of files."""
    parts = []
    for number, rows in enumerate(shards):
        part = folder / f"{number:05}.parquet"
        pl.DataFrame(rows, {"title": pl.String, "text": pl.String}, orient="row").write_parquet(part)
        parts.append(str(part))
    out = [str(folder / name) for name in OUT]
    match_texts(
        translated=parts,
        data=out[0],
        digest=out[2],
        translations=out[1],
        translations_digest=out[3],
        job=Job(metadata or {}),
    )
    digests = ((folder / name).read_text() for name in OUT[2:])
    return Texts(tables.read(out[0])["text"].to_list(), tables.read(out[1]).rows(), *digests)


def test_titles_come_once_in_the_order_of_their_first_recipes(tmp_path: Path) -> None:
    titles, _ = titles_of(tmp_path, ["soup", "cake", "soup", "Soup", "cake", "apple"])
    assert titles == ["soup", "cake", "Soup", "apple"]


def test_no_recipes_have_no_titles(tmp_path: Path) -> None:
    assert titles_of(tmp_path, [])[0] == []


def test_a_digest_of_titles_is_of_the_titles_alone(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / name).mkdir()
    digests = [
        titles_of(tmp_path / "a", ["soup", "cake", "soup"], {"key": "one"})[1],
        titles_of(tmp_path / "b", ["soup", "soup", "soup", "cake"], {"key": "two"})[1],
        titles_of(tmp_path / "c", ["cake", "soup"])[1],
        titles_of(tmp_path / "d", ["soup", "cakes"])[1],
    ]
    assert digests[0] == digests[1] and len(set(digests)) == 3


@example(["a", "b"], ["a\0b"])
@example(["", "a"], ["a", ""])
@given(st.lists(st.text("a\0", max_size=3), max_size=3), st.lists(st.text("a\0", max_size=3), max_size=3))
def test_other_strings_have_another_digest(left: list[str], right: list[str]) -> None:
    one, two = (strings_digest(pl.Series(strings, dtype=pl.String)) for strings in (left, right))
    assert (one == two) == (left == right)


def test_titles_that_translate_alike_share_a_text(tmp_path: Path) -> None:
    found = texts_of(tmp_path, [[("番茄汤", "Soup"), ("饭", "Rice")], [("西红柿汤", "Soup")]])
    assert found.texts == ["Soup", "Rice"]
    assert found.translations == [("番茄汤", "Soup", 0), ("饭", "Rice", 1), ("西红柿汤", "Soup", 0)]


@pytest.mark.parametrize("nothing", ["", "  ", "\n"])
def test_a_title_without_translation_stands_for_itself(tmp_path: Path, nothing: str) -> None:
    found = texts_of(tmp_path, [[("某某", nothing), ("饭", "Rice")]])
    assert found.texts == ["某某", "Rice"] and found.translations[0] == ("某某", "某某", 0)


def test_digests_are_of_what_the_tables_say_alone(tmp_path: Path) -> None:
    rows = [("番茄汤", "Soup"), ("饭", "Rice"), ("西红柿汤", "Soup")]
    found = texts_of(tmp_path, [rows], {"key": "one"})
    assert texts_of(tmp_path, [rows[:1], [], rows[1:]], {"key": "two"}) == found


def test_one_more_title_for_a_known_text_changes_only_the_digest_of_translations(tmp_path: Path) -> None:
    rows = [("番茄汤", "Soup"), ("饭", "Rice"), ("西红柿汤", "Soup")]
    fewer, more = (texts_of(tmp_path, [some]) for some in (rows[:2], rows))
    assert fewer.digest == more.digest and fewer.translations_digest != more.translations_digest
    other = texts_of(tmp_path, [[*rows[:2], ("西红柿汤", "Rice")]])
    assert other.digest == more.digest and other.translations_digest != more.translations_digest
    assert texts_of(tmp_path, [rows[:1]]).digest != fewer.digest


def test_no_titles_have_no_texts(tmp_path: Path) -> None:
    found = texts_of(tmp_path, [[], []])
    assert found.texts == found.translations == []


@given(st.lists(st.sampled_from(["soup", "rice", "", "饭"]), max_size=12))
def test_each_title_points_at_its_text(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    rows = [(f"title {number}", text) for number, text in enumerate(texts)]
    found = texts_of(tmp_path_factory.mktemp("texts"), [rows])
    assert len(set(found.texts)) == len(found.texts)
    assert [(title, found.texts[index]) for title, _, index in found.translations] == [
        (title, text or title) for title, text in rows
    ]
    indices = [index for _, _, index in found.translations]
    assert list(dict.fromkeys(indices)) == list(range(len(found.texts)))

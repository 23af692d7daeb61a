"""A source that is not the file that was published stops the run, and the error says what it is and what to do."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from wokflow.frame.job import UserError
from wokflow.ingest import raw_records, recipes, wrong_files

from tests.ingest.defaults import CLEAN

Ingest = Callable[..., Any]
EMPTY = "is empty. Fetch the file again."
PAGE = b"\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n"


def refused(ingest: Ingest, corpus: str, data: bytes, ending: str = "") -> str:
    """The message with which a file is refused, whatever is to be done with truncated ones."""
    messages = []
    for truncated in ("refuse", "keep"):
        with pytest.raises(UserError) as error:
            ingest(corpus, data, ending=ending, truncated=truncated, mostly_rejected="refuse")
        messages.append(str(error.value).partition(f"raw{ending} ")[2])
    assert messages[0] == messages[1]
    return messages[0]


def separated(data: bytes, delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(csv.reader(io.StringIO(data.decode())))
    return text.getvalue().encode()


def workbook() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return file.getvalue()


def test_the_file_of_the_other_corpus_is_named(
    ingest: Ingest, recipenlg_corpus: Any, xiachufang_corpus: Any
) -> None:
    pair = (recipenlg_corpus, xiachufang_corpus)
    for own, other in (pair, pair[::-1]):
        message = refused(ingest, own.name, other.file(other.titles(20)))
        assert message == f"is the file that {other.name} publishes. Are the paths in `sources` swapped?"
        packed = gzip.compress(other.file(other.titles(20)))
        assert refused(ingest, own.name, packed, ".csv.gz") == message


PUBLISHED = ["", "title", "ingredients", "directions", "link", "source", "NER"]


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "id"])
def test_the_column_of_row_numbers_may_have_a_name(name: str, ingest: Ingest, recipenlg_corpus: Any) -> None:
    data = recipenlg_corpus.file(recipenlg_corpus.titles(20)).partition(b"\n")[2]
    found = ingest(
        "recipenlg", f"{name},{','.join(PUBLISHED[1:])}\n".encode() + data, mostly_rejected="refuse"
    )
    assert (len(found.titles), found.reasons) == (20, [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_named(encoding: str, ingest: Ingest, corpus: Any) -> None:
    rows = [corpus.row(number, f"红烧肉 {number}") for number in range(20)]
    data = corpus.file(rows).decode().encode(encoding)
    said = (
        "not UTF-8. It looks like UTF-16BE"
        if encoding == "utf-16-be"
        else "UTF-16, not UTF-8. Save it as UTF-8"
    )
    assert refused(ingest, corpus.name, data).startswith(f"is {said}")


def test_a_sheet_saved_as_unicode_text_is_utf_16(ingest: Ingest, recipenlg_corpus: Any) -> None:
    data = separated(recipenlg_corpus.file(recipenlg_corpus.titles(20)), "\t").decode().encode("utf-16")
    assert refused(ingest, "recipenlg", data).startswith("is UTF-16")


def test_gb18030_is_named(ingest: Ingest, xiachufang_corpus: Any) -> None:
    rows = [xiachufang_corpus.row(number, f"红烧肉 {number}") for number in range(20)]
    data = xiachufang_corpus.file(rows).decode().encode("gb18030")
    assert refused(ingest, "xiachufang", data).startswith("is GB18030 (or GBK), not UTF-8.")


@pytest.mark.parametrize(
    ("title", "encoding", "said"),
    [
        ("Crème brûlée", "cp1252", "It looks like WINDOWS-1252"),
        ("Crème brûlée", "utf-32", "It looks like UTF-32"),
        ("Crème brûlée", "mac_roman", "It looks like MACINTOSH"),
        ("Борщ", "cp1251", "It looks like WINDOWS-1251"),
    ],
)
def test_other_encodings_are_not_taken_for_gb18030_or_utf_16(
    title: str, encoding: str, said: str, ingest: Ingest, recipenlg_corpus: Any
) -> None:
    rows = [recipenlg_corpus.row(number, f"{title} {number}") for number in range(20)]
    data = recipenlg_corpus.file(rows).decode().encode(encoding)
    assert refused(ingest, "recipenlg", data).startswith(f"is not UTF-8. {said}")


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("count", [1, 20, 2_000])
def test_a_json_array_is_named(
    indent: int | None, count: int, ingest: Ingest, xiachufang_corpus: Any
) -> None:
    values = [json.loads(line) for line in xiachufang_corpus.titles(count)]
    data = json.dumps(values, indent=indent, ensure_ascii=False).encode()
    assert refused(ingest, "xiachufang", data).startswith(
        "is a JSON array, or has records over several lines"
    )


@pytest.mark.parametrize("head", [1 << 14, (1 << 14) + 1, (1 << 14) + 2])
def test_a_json_array_is_named_wherever_it_is_cut(
    head: int, ingest: Ingest, xiachufang_corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A character of Chinese has three bytes: of three places beside one another, two are within it."""
    monkeypatch.setattr(wrong_files, "HEAD", head)
    values = [json.loads(line) | {"name": "粥" * 99} for line in xiachufang_corpus.titles(99)]
    data = json.dumps(values, ensure_ascii=False).encode()
    assert len(data) > head
    assert refused(ingest, "xiachufang", data).startswith("is a JSON array")


def test_records_over_several_lines_are_named(ingest: Ingest, xiachufang_corpus: Any) -> None:
    values = [json.loads(line) for line in xiachufang_corpus.titles(5)]
    data = "\n".join(json.dumps(value, indent=4) for value in values).encode()
    assert "jq -c" in refused(ingest, "xiachufang", data)


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_named(data: bytes, ending: str, ingest: Ingest, corpus: Any) -> None:
    packed = gzip.compress(data) if ending else data
    assert refused(ingest, corpus.name, packed, ending) == EMPTY


def test_a_header_without_rows_is_named(ingest: Ingest, recipenlg_corpus: Any) -> None:
    message = refused(ingest, "recipenlg", recipenlg_corpus.header + b"\n")
    assert message == "holds a header and no rows. Fetch the file again."


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PAGE, "is a web page"),
        (b"\xef\xbb\xbf" + PAGE, "is a web page"),
        (workbook(), "is an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500, "is an Excel workbook"),
        (b"\xfd7zXZ\0\0\x04", "is an xz archive"),
        (b"7z\xbc\xaf\x27\x1c\0\x04", "is a 7z archive"),
        (b"PAR1\x15\x04", "is a Parquet file"),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".gz", ".zip"])
def test_what_is_never_a_corpus_is_named(
    data: bytes, kind: str, ending: str, ingest: Ingest, corpus: Any
) -> None:
    assert refused(ingest, corpus.name, data, ending).startswith(kind)


def test_a_plain_file_named_gz_and_a_gz_named_plain_are_named(ingest: Ingest, corpus: Any) -> None:
    data = corpus.file(corpus.titles(20))
    plain = refused(ingest, corpus.name, data, ".csv.gz")
    assert plain.startswith("is named .gz, but is no gzip file")
    assert "give its name the ending .gz" in refused(ingest, corpus.name, gzip.compress(data), ".csv")


def test_any_other_file_is_refused_with_its_reasons(ingest: Ingest, corpus: Any) -> None:
    with pytest.raises(UserError) as error:
        data = corpus.file([corpus.row(0), b"x", b"y", corpus.row(1, "")])
        ingest(corpus.name, data, cleaning=CLEAN, mostly_rejected="refuse")
    message = str(error.value)
    assert message.startswith(f"sources.{corpus.name}.path: ")
    assert "only 1 of its 4 rows are recipes (rejected: 2 broken_record, 1 empty_title)" in message
    assert f"Is it the file that {corpus.name} publishes?" in message
    assert "It begins: " in message and "The first rejects: row 1: " in message
    assert message.endswith("ingest.recipes.mostly_rejected: keep")


def test_half_of_the_rows_may_be_rejected(ingest: Ingest, corpus: Any) -> None:
    data = corpus.file([corpus.row(0), b"x"])
    found = ingest(corpus.name, data, cleaning=CLEAN, mostly_rejected="refuse")
    assert (found.recipes.height, found.rejects.height) == (1, 1)


def test_duplicates_do_not_count_as_rejects(ingest: Ingest, corpus: Any) -> None:
    data = corpus.file([corpus.row(0)] * 50)
    found = ingest(corpus.name, data, cleaning=CLEAN, mostly_rejected="refuse")
    assert found.recipes.height == 1 and found.reasons == ["duplicate"] * 49


def test_a_wrong_file_may_be_kept(ingest: Ingest, corpus: Any) -> None:
    for data in (b"", b"Dear cook,\nthis is a letter.\n"):
        found = ingest(corpus.name, data, mostly_rejected="keep")
        assert found.recipes.is_empty()
        assert f"is it the file that {corpus.name} publishes?" in found.log


def test_a_file_that_is_cut_is_not_taken_for_another(ingest: Ingest, corpus: Any) -> None:
    """A cut file whose beginning is right is fetched again, however little of it is left."""
    with pytest.raises(UserError, match="cut off or damaged after 0 rows"):
        ingest(corpus.name, corpus.file(corpus.titles(1))[:-20], truncated="refuse", mostly_rejected="refuse")


def test_a_large_file_without_recipes_is_not_read_to_its_end(
    ingest: Ingest, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "BLOCK", 50_000)
    monkeypatch.setattr(raw_records, "LIMIT", 100_000)
    data = b"nothing to cook\n" * 100_000
    with pytest.raises(UserError, match=r"only 0 of its first 1\d{4} rows are recipes"):
        ingest(corpus.name, data, mostly_rejected="refuse")
    with pytest.raises(UserError, match="only 1 of its 100001 rows are recipes"):
        ingest(corpus.name, corpus.file(corpus.titles(1)) + data, mostly_rejected="refuse")


def test_steps_in_the_place_of_ingredients_are_quoted(corpus: Any, ingest: Ingest) -> None:
    steps = ["Cut the tofu into cubes of two centimetres.", "Simmer it in the sauce for five minutes."]
    rows = [corpus.row(number, f"Dish {number}", steps, ["1 lb. tofu", "salt"]) for number in range(20)]
    rows += [corpus.row(number, f"Dish {number}", ["1 lb. tofu", "salt"], steps) for number in range(20, 39)]
    with pytest.raises(
        UserError, match=r"in 20 of its first 39 recipes, ingredients are like 'Cut the.*'1 lb\. tofu'"
    ):
        ingest(corpus.name, corpus.file(rows), mostly_rejected="refuse")
    assert ingest(corpus.name, corpus.file(rows), mostly_rejected="keep").recipes.height == 39
    assert ingest(corpus.name, corpus.file(rows[1:]), mostly_rejected="refuse").recipes.height == 38
    assert "perhaps has steps" in ingest(corpus.name, corpus.file(rows[:19]), mostly_rejected="refuse").log


@pytest.mark.parametrize(
    ("ingredients", "steps"),
    [
        (
            ["2 oz. freshly squeezed lemon juice", "1 oz. London dry gin, well chilled."],
            ["Shake.", "Strain."],
        ),
        (["五花肉500克（带皮，切块）", "冰糖十五克，或白糖"], ["切好", "炒熟", "装盘"]),
        (["主料：五花肉500克，冰糖30克；辅料：葱，姜。"], ["水500克", "1个小时"]),
    ],
)
def test_short_steps_and_long_ingredients_are_no_swapped_columns(
    ingredients: list[str], steps: list[str], corpus: Any, ingest: Ingest
) -> None:
    rows = [corpus.row(number, f"Dish {number}", ingredients, steps) for number in range(25)]
    assert ingest(corpus.name, corpus.file(rows), mostly_rejected="refuse").recipes.height == 25


def test_a_file_of_another_kind_is_not_called_cut_off_for_its_last_line(ingest: Ingest) -> None:
    rows = b"\n".join(b'{"title": "Dish %d, with rice", "steps": []}' % number for number in range(9))
    with pytest.raises(UserError, match=r"none of its 9 rows|Is it the file that recipenlg publishes"):
        ingest("recipenlg", rows, mostly_rejected="refuse", truncated="refuse")

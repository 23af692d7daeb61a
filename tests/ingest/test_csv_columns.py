"""RecipeNLG's recipes in CSV that others wrote: dialects, orders of columns and line ends give the same recipes."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wokflow.frame.job import UserError
from wokflow.ingest import recipenlg, recipes
from wokflow.ingest.csv_columns import Columns, Dialect, NoLayoutError, reader_of

from tests.ingest.conftest import RECIPENLG

Ingest = Callable[..., Any]
Recipe = tuple[str, list[str], list[str]]
PUBLISHED = ("", "title", "ingredients", "directions", "link", "source", "NER")
# What a writer of CSV is told. With doublequote off, quotes are escaped; QUOTE_NONE escapes separators too.
STYLES: dict[str, dict[str, Any]] = {
    "minimal": {},
    "all": {"quoting": csv.QUOTE_ALL},
    "nonnumeric": {"quoting": csv.QUOTE_NONNUMERIC},
    "none": {"quoting": csv.QUOTE_NONE, "escapechar": "\\"},
    "escaped": {"doublequote": False, "escapechar": "\\"},
    "all escaped": {"quoting": csv.QUOTE_ALL, "doublequote": False, "escapechar": "\\"},
    "single quotes": {"quotechar": "'"},
    "excel-tab": {"dialect": "excel-tab"},
    "unix": {"dialect": "unix"},
    "semicolons": {"delimiter": ";"},
}
ORDERS = {
    "as published": PUBLISHED,
    "directions first": ("", "directions", "Title", "NER", "INGREDIENTS", "link"),
    "no number": ("title", "ingredients", "directions"),
    "more columns": ("id", "site", "ner", "title", "Link", "ingredients", "servings", "directions"),
}
SOME: list[Recipe] = [
    ("Fried Rice", ["2 eggs", "1 c. rice, cooked"], ["Boil the rice.", 'Fry it "hot"; serve.']),
    ("Pie\nof\tmother's", ["6 apples | 1 crust"], ["Slice.", "Bake at 350\\u00b0."]),
    ('"Quoted", and more', ["égg"], ["\\", "Stir\r\nwell."]),
]


def cells(number: int, recipe: Recipe, order: Sequence[str]) -> list[object]:
    title, ingredients, steps = recipe
    known = {
        "": number,
        "title": title,
        "ingredients": json.dumps(ingredients),
        "directions": json.dumps(steps, ensure_ascii=False),
        "ner": '["rice"]',
        "link": "www.x.org/1",
    }
    return [known.get(name.lower(), "x") for name in order]


def written(found: Sequence[Recipe], order: Sequence[str], ending: str, **style: Any) -> bytes:
    """What Python's csv module writes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=ending, **style)
    writer.writerow(order)
    writer.writerows(cells(number, recipe, order) for number, recipe in enumerate(found))
    return text.getvalue().encode()


def read(found: Any) -> list[Recipe]:
    assert found.reasons == []
    return found.recipes.select("title", "ingredients", "steps").rows()  # type: ignore[no-any-return]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(("order", "style"), [*product(ORDERS, STYLES)])
def test_a_file_that_python_wrote_is_read_whole(order: str, style: str, ending: str, ingest: Ingest) -> None:
    data = written(SOME, ORDERS[order], ending, **STYLES[style])
    assert read(ingest("recipenlg", data, mostly_rejected="refuse", truncated="refuse")) == SOME


@pytest.mark.parametrize("style", STYLES)
def test_line_ends_of_old_macs_are_read_as_others(style: str, ingest: Ingest) -> None:
    """A break within a cell is a line feed there, and Python quotes it if it is told to quote all."""
    some = SOME if "all" in style else [SOME[0]]
    data = written(some, ORDERS["directions first"], "\r", **STYLES[style])
    assert read(ingest("recipenlg", data, mostly_rejected="refuse", truncated="refuse")) == some


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
TABLES = st.lists(
    st.tuples(TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3)), min_size=1, max_size=6
)


@given(
    TABLES, st.sampled_from(sorted(ORDERS)), st.sampled_from(sorted(STYLES)), st.sampled_from(["\n", "\r\n"])
)
@example([("", [], [])], "no number", "minimal", "\n")
@example([("\ufeff", ["\\"], ['"'])], "no number", "none", "\n")
def test_any_table_that_python_wrote_is_read_whole(
    ingest: Ingest, found: list[Recipe], order: str, style: str, ending: str
) -> None:
    assert read(ingest("recipenlg", written(found, ORDERS[order], ending, **STYLES[style]))) == found


@given(TABLES, st.sampled_from(sorted(ORDERS)), st.sampled_from(["necessary", "always", "non_numeric"]))
def test_any_table_that_polars_wrote_is_read_whole(
    ingest: Ingest, found: list[Recipe], order: str, style: Any
) -> None:
    rows = [list(map(str, cells(number, recipe, ORDERS[order]))) for number, recipe in enumerate(found)]
    table = pl.DataFrame(rows, schema=list(ORDERS[order]), orient="row")
    data = io.BytesIO()
    table.write_csv(data, quote_style=style)
    assert read(ingest("recipenlg", data.getvalue())) == found


def test_row_names_that_have_no_place_in_the_header_are_passed_over(ingest: Ingest) -> None:
    """As R writes them."""
    head, _, rows = written(SOME, PUBLISHED, "\n", quoting=csv.QUOTE_ALL).partition(b"\n")
    assert read(ingest("recipenlg", head.removeprefix(b'"",') + b"\n" + rows)) == SOME


def test_the_published_layout_has_the_published_reader() -> None:
    rows = RECIPENLG.titles(20)
    for header in (
        b",title,ingredients,directions,link,source,NER",
        b'"id","title","ingredients","directions",link,source,NER',
    ):
        assert reader_of(b"\n".join([header, *rows, b""])) is recipenlg
    assert reader_of(b"\n".join([*rows, b""])) is recipenlg, "without a header"
    assert reader_of(b"\n".join([RECIPENLG.header, b"garbage", b'9,"open', *rows, b""])) is recipenlg, "dirt"


@pytest.mark.parametrize("size", [200, 1_000, 8 << 20])
@pytest.mark.parametrize("threads", [1, 3])
def test_damage_is_a_reject_and_what_comes_after_it_is_read(
    size: int, threads: int, ingest: Ingest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the blocks that the file is cut into."""
    monkeypatch.setattr(recipes, "BLOCK", size)
    monkeypatch.setattr(recipes, "LEAST", 1)
    found = [(f"Dish {number}\nof two lines", ["salt"], ["Cook."]) for number in range(60)]
    lines = written(found, ORDERS["no number"], "\n").split(b"\n")
    place = lines.index(b'"Dish 30')
    lines[place:place] = [b'"open,x', b"too,few", b'caf\xe9,"[""salt""]","[""Cook.""]"', b"", b'"a"b,[],[]']
    result = ingest("recipenlg", b"\n".join(lines), threads=threads)
    assert result.titles == [title for title, *_ in found]
    assert result.reasons == ["broken_record", "broken_record", "invalid_utf8", "broken_record"]
    assert result.rejects["raw"].to_list() == [
        '"open,x',
        "too,few",
        'caf\\xe9,"[""salt""]","[""Cook.""]"',
        '"a"b,[],[]',
    ]
    assert result.rejects["source_row"].to_list() == [30, 31, 32, 33]


def test_a_file_that_is_cut_within_a_record_is_refused(ingest: Ingest) -> None:
    data = written(SOME, ORDERS["no number"], "\n")
    for cut in (2, 5, 30):
        with pytest.raises(UserError, match=r"cut off or damaged after 2 rows: it ends within"):
            ingest("recipenlg", data[:-cut], truncated="refuse")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("title,ingredients,link", "has the columns title, ingredients, link, and lacks directions"),
        ("Title;directions", "has the columns title, directions, and lacks ingredients"),
        ("title,ingredients,directions,title", "has more than one column named title"),
    ],
)
def test_a_header_that_is_not_enough_is_refused_and_quoted(header: str, said: str, ingest: Ingest) -> None:
    data = f"{header}\nx,y,z,a\n".encode()
    with pytest.raises(UserError, match=f"{said}. Columns are read by their names"):
        ingest("recipenlg", data, mostly_rejected="refuse")
    assert ingest("recipenlg", data, mostly_rejected="keep").recipes.is_empty()


def test_a_first_row_that_contradicts_the_header_is_quoted(ingest: Ingest) -> None:
    rows = written(SOME, ("title", "title", "title"), "\n").partition(b"\n")[2]
    with pytest.raises(
        UserError, match=r"It begins: 'title,ingredients,directions', 'Fried Rice,Fried Rice,"
    ):
        ingest("recipenlg", b"title,ingredients,directions\n" + rows, mostly_rejected="refuse")


def test_a_file_of_other_columns_is_quoted(ingest: Ingest) -> None:
    said = (
        r"It begins: 'name,price', 'tofu,2'\. "
        r"The first rejects: row 0: broken_record \(2 fields, not 7\); row 1: .*/refused\.tsv\."
    )
    with pytest.raises(UserError, match=said):
        ingest("recipenlg", b"name,price\n" + b"tofu,2\n" * 9, mostly_rejected="refuse")


def test_a_dialect_reads_what_it_should() -> None:
    plain = Dialect(",", '"', "")
    assert plain.record('a,"b ""c"", d",\r\nx', 0) == (17, ["a", 'b "c", d', ""])
    assert plain.record('"a"b,c\nx', 0) == (7, None)
    assert Dialect("\t", "'", "\\").record("a\\\tb\t'it\\'s'\n", 0) == (13, ["a\tb", "it's"])
    reader = reader_of(b"title,ingredients,directions\na,[],[]\n")
    assert reader == Columns(plain, {"title": 0, "ingredients": 1, "directions": 2}, 3)
    with pytest.raises(NoLayoutError):
        reader_of(b"title,ingredients\n")


@pytest.mark.parametrize(
    "header", [",titre,étapes,ingrédients,lien,source_fr,mots", "0,名称,步骤,食材,链接,来源,关键词"]
)
def test_a_header_in_other_words_is_refused_and_quoted(
    header: str, ingest: Any, recipenlg_corpus: Any
) -> None:
    """Its columns may stand in any order, so that its rows may only seem to be the published ones."""
    rows = recipenlg_corpus.file(recipenlg_corpus.titles(20)).partition(b"\n")[2]
    with pytest.raises(UserError, match=f"{header.split(',')[1]}, .*none of which has a known name"):
        ingest("recipenlg", f"{header}\n".encode() + rows, mostly_rejected="refuse")
    assert len(ingest("recipenlg", rows, mostly_rejected="refuse").titles) == 20, (
        "without a header as published"
    )


@pytest.mark.parametrize("before", ["sep=;\r\n", '\ufeff"sep=;"\r\n', "SEP=;;;\n", "\r\n \n"])
def test_what_excel_puts_before_the_header_is_passed_over(before: str, ingest: Ingest) -> None:
    data = written(SOME, ORDERS["no number"], "\r\n", delimiter=";")
    assert read(ingest("recipenlg", before.encode() + data, mostly_rejected="refuse")) == SOME


def test_lists_as_python_prints_them_are_read(ingest: Ingest) -> None:
    """What pandas writes where lists had been read; not what numpy prints, whose texts would run together."""
    rows = [
        [title, str(ingredients), str(steps)]
        for title, ingredients, steps in [*SOME, ("It", ["1 o'c"], ["a"])]
    ]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([ORDERS["no number"], *rows, ["numpy", "['a' 'b']", "['c']"]])
    found = ingest("recipenlg", text.getvalue().encode())
    assert found.titles == [row[0] for row in rows] and found.reasons == ["bad_list"]
    assert found.recipes["ingredients"].to_list()[-1] == ["1 o'c"]
    assert found.recipes["steps"].to_list()[:3] == [steps for *_, steps in SOME]

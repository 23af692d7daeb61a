"""A source that is refused leaves its first rejects as a sheet, and tells the first three; whatever it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wokflow.enrich.entities import enrich_entities
from wokflow.frame.job import Job, UserError
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.ingest.first_rejects import HEADER, FirstRejects

from tests.enrich.defaults import entities_settings
from tests.ingest.test_pages import Ingested, pair
from tests.ingest.test_sentences import read_into


def sheet(folder: Path) -> list[tuple[str, ...]]:
    rows = read_sheet(str(folder / "refused.tsv"), HEADER)
    return [tuple(row[name] for name in HEADER) for _, row in rows]


def test_the_first_thousand_are_written_and_three_are_told(tmp_path: Path) -> None:
    first = FirstRejects(tmp_path / "part-00000.parquet")
    first.add((row, "bad_list", None, f"raw {row} " * 999) for row in range(600))
    first.add((row, "duplicate", "equals 1", "=x") for row in range(600, 1300))
    assert first.written() == (
        f"The first rejects: row 0: bad_list; row 1: bad_list; row 2: bad_list; more are in {tmp_path}/refused.tsv. "
    )
    found = sheet(tmp_path)
    assert len(found) == 1000 and len(found[0][3]) < 1000
    assert found[0][:3] == ("0", "bad_list", "") and found[600] == ("600", "duplicate", "equals 1", "=x")


def test_the_sheet_of_an_earlier_try_goes_and_none_is_written_without_rejects(tmp_path: Path) -> None:
    (tmp_path / "refused.tsv").touch()
    assert FirstRejects(tmp_path / "part-00000.parquet").written() == ""
    assert not [*tmp_path.iterdir()]


def sentences(folder: Path) -> None:
    (folder / "a.en").write_text("One bowl of rice\n\nTwo bowls of rice\n")
    (folder / "a.zh").write_text("一碗米饭\n空\n\n")
    read_into(folder, "moses", str(folder / "a"), "en-zh")


def uneven(folder: Path) -> None:
    (folder / "a.en").write_text("One bowl of rice\nTwo bowls of rice\n")
    (folder / "a.zh").write_text("一碗米饭\n两碗米饭\n三碗米饭\n")
    read_into(folder, "moses", str(folder / "a"), "en-zh")


def pages(folder: Path) -> None:
    Ingested(folder, pair(7, namespace=3) + pair(8, title=7))


def entities(folder: Path) -> None:
    (folder / "dump.json").write_text('[\n{"id": "P31"},\n{"name": "tofu"}\n]\n')
    (folder / "source.json").write_text('{"sha256": "0"}')
    paths = {"source": "source.json", "entities": "e.parquet", "rejects": "r.parquet"}
    enrich_entities(
        **{name: str(folder / path) for name, path in paths.items()},
        settings=entities_settings(folder / "dump.json", ["en"]),
        job=Job(),
    )


@pytest.mark.parametrize(
    ("ingest", "at", "told", "rows"),
    [
        (sentences, "", "row 1: empty_side; row 2: empty_side", ["1", "2"]),
        (uneven, "", "row 2: no_partner", ["2"]),
        (pages, "bad", "row 0: other_namespace (3); row 1: wrong_type (title is int, not text)", ["0", "1"]),
        (entities, "", "row 0: no_item; row 1: broken_record", ["0", "1"]),
    ],
)
def test_a_refused_source_leaves_its_rejects(
    ingest: Callable[[Path], Any], at: str, told: str, rows: list[str], tmp_path: Path
) -> None:
    with pytest.raises(UserError) as error:
        ingest(tmp_path)
    assert f"The first rejects: {told} (see {tmp_path / at / 'refused.tsv'}). " in str(error.value)
    assert [row[0] for row in sheet(tmp_path / at)] == rows

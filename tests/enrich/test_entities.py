"""Lines of a dump that hold no item are rejects with their reason, and the others are read."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from wokflow.enrich import entities
from wokflow.enrich.entities import enrich_entities
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError

from tests.enrich.defaults import entities_settings
from tests.enrich.facts import dumped, entity


def test_what_is_no_item_is_rejected_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Properties and lexemes, which a dump has; a broken line; and an id that no query may have."""
    monkeypatch.setattr(entities, "ROWS", 3)
    long = "Q" + "9" * 15
    items = [json.dumps(entity(one, {"en": "tofu"})) for one in ("Q7", long, f"{long}9")]
    lines = ['{"id": "P31"}', items[0], '{"id": "Q8", "labels"', '{"id": "L9-F1"}', *items[1:]]
    (tmp_path / "dump.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    (tmp_path / "source.json").write_text('{"sha256": "0"}')
    enrich_entities(
        source=str(tmp_path / "source.json"),
        entities=str(tmp_path / "entities.parquet"),
        rejects=str(tmp_path / "rejects.parquet"),
        settings=entities_settings(tmp_path / "dump.json", ["en"]),
        job=Job(),
    )
    assert tables.read(tmp_path / "entities.parquet")["qid"].to_list() == ["Q7", long]
    reasons = {0: "no_item", 2: "broken_record", 3: "no_item", 5: "no_item"}
    rejects = tables.read(tmp_path / "rejects.parquet").rows()
    assert rejects == [(row, reason, lines[row]) for row, reason in reasons.items()]
    # A row group each would take minutes and gigabytes where a whole dump is of the wrong kind.
    assert pq.read_metadata(tmp_path / "rejects.parquet").num_row_groups == 2


def test_an_item_that_occurs_again_is_a_reject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would share its names with itself, which halves its scores."""
    monkeypatch.setattr(entities, "PAGE", 8)
    written = ["Q8", "Q15", "Q16", "Q1", "Q7", "Q15", "Q999999999999999", "Q16"]
    table = dumped([entity(one, {"en": f"tofu {one}"}) for one in written], tmp_path, ["en"])
    assert tables.read(table)["qid"].to_list() == [*written[:5], written[6]]
    rejects = tables.read(tmp_path / "rejects.parquet")
    assert rejects.select("row", "reason").rows() == [(5, "duplicate"), (7, "duplicate")]


def test_members_of_the_wrong_type_make_a_line_a_reject(tmp_path: Path) -> None:
    """As text, `null` would be the name None, and the letters of a topic topics."""
    tofu = entity("Q7", {"en": "tofu"})
    wrong = [
        {"topics": "Culture.Food"},
        {"topics": [None]},
        {"labels": {"en": {"value": None}}},
        {"descriptions": {"en": {"value": ["a"]}}},
        {"aliases": {"en": [{"value": None}]}},
        {"summaries": {"en": {"value": "A dish"}}},
    ]
    lines = [entity("Q1", {"en": "soup"}), *(tofu | each for each in wrong)]
    table = dumped(lines, tmp_path, ["en"])
    assert tables.read(table)["qid"].to_list() == ["Q1"]
    rejects = tables.read(tmp_path / "rejects.parquet")
    assert rejects["reason"].to_list() == ["broken_record"] * len(wrong)


def test_a_plain_file_that_ends_within_a_line_is_cut_off(tmp_path: Path) -> None:
    text = "".join(json.dumps(entity(one, {"en": one})) + "\n" for one in ("Q1", "Q2"))
    (tmp_path / "cut.json").write_text(text[:-9])
    (tmp_path / "source.json").write_text('{"sha256": "0"}')
    names = {name: str(tmp_path / f"{name}.parquet") for name in ("entities", "rejects")}
    given = {"source": str(tmp_path / "source.json"), "job": Job(), **names}
    settings = entities_settings(tmp_path / "cut.json", ["en"])
    with pytest.raises(UserError, match="cut off or damaged behind 1 entities: its last line has no end"):
        enrich_entities(settings=settings, **given)


def test_names_in_variants_of_a_language_come_behind_its_own_each_once(tmp_path: Path) -> None:
    pasta = entity(
        "Q20026",
        {"zh": "意大利面", "zh-hans": "意大利面", "zh-tw": "義大利麵", "nb": "spagetti", "mul": "spaghetti"},
        aliases={"zh": ["意粉"], "mul": ["Pasta"], "zh-hk": ["意粉", "意大利粉"], "zh-hant": ["義大利麵"]},
    )
    (texts,) = tables.read(dumped([pasta], tmp_path, ["zh", "no", "en"]))["texts"].to_list()
    assert [(text["lang"], text["label"], text["aliases"], text["foreign"]) for text in texts] == [
        ("zh", "意大利面", ["意粉", "義大利麵", "意大利粉"], ["spaghetti", "Pasta"]),
        ("no", "spagetti", ["Pasta"], []),
        ("en", "spaghetti", ["Pasta"], []),
    ]


def test_a_country_whose_end_is_unknown_has_ended_and_one_without_an_end_has_not(tmp_path: Path) -> None:
    """Qualifiers may have no value, and an empty member is [] in some dumps."""
    countries = {"Q1": [{"snaktype": "somevalue"}], "Q2": [{"snaktype": "novalue"}], "Q3": None}
    item = entity("Q7", {"en": "tofu"}, countries=[*countries], origins=["!Q5"])
    for statement, ends in zip(item["claims"]["P17"], countries.values(), strict=True):
        statement["qualifiers"] = {"P582": ends} if ends else []
    item["claims"]["P31"] = [item["claims"]["P17"][0]]
    rows = tables.read(dumped([item], tmp_path, ["en"]), ["countries", "origins", "instance_of"]).rows()
    assert rows == [(["Q2", "Q3"], ["Q5"], ["Q1"])]


def test_a_dump_without_line_breaks_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused at the bound of a line: what follows, which is no gzip, is not read."""
    monkeypatch.setattr(entities, "MAX_LINE", 1 << 20)
    (tmp_path / "source.json").write_text('{"sha256": "0"}')
    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (8 << 20)) + b"no gzip")
    with pytest.raises(UserError, match="a line of more than 1 MiB"):
        enrich_entities(
            source=str(tmp_path / "source.json"),
            entities=str(tmp_path / "entities.parquet"),
            rejects=str(tmp_path / "rejects.parquet"),
            settings=entities_settings(path, ["en"]),
            job=Job(),
        )
    assert not (tmp_path / "entities.parquet").exists()

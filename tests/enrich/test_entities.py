"""Lines of a dump that hold no item are rejects with their reason, and the others are read."""

import io
import json
from pathlib import Path

from wokflow.enrich.entities import enrich_entities
from wokflow.frame import tables
from wokflow.frame.job import Progress

from tests.enrich.facts import entity


def test_a_dump_with_properties_and_a_broken_line_gives_its_items(tmp_path: Path) -> None:
    tofu = json.dumps(entity("Q7", {"en": "tofu"}))
    lines = ['{"id": "P31"}', tofu, '{"id": "Q8", "labels"', '{"id": "L9-F1"}']
    (tmp_path / "dump.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    (tmp_path / "source.json").write_text('{"sha256": "0"}')
    enrich_entities(
        path=str(tmp_path / "dump.json"),
        source=str(tmp_path / "source.json"),
        entities=str(tmp_path / "entities.parquet"),
        rejects=str(tmp_path / "rejects.parquet"),
        languages=["en"],
        truncated="refuse",
        key="{}",
        progress=Progress(io.StringIO()),
    )
    assert tables.read(tmp_path / "entities.parquet")["qid"].to_list() == ["Q7"]
    rejects = tables.read(tmp_path / "rejects.parquet").rows()
    assert [row[:2] for row in rejects] == [(0, "no_item"), (2, "broken_record"), (3, "no_item")]
    assert rejects[1][2] == lines[2]

"""Instances of sentences: what they say of items, what changes their digest, and exemplars that tell nothing."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.generate.translated import KNOWN, TEXTS, instances


def test_instances_are_sentences_with_translations_and_explanations_of_their_items(tmp_path: Path) -> None:
    found = tables.read(instances(tmp_path))
    assert found["instance_id"].to_list() == [f"camt:{number}" for number in range(4)]
    assert found["reference"].to_list() == [target for _, target, _ in TEXTS]
    first, second = found["items"][0]
    assert first["mention"] == "Dumplings" and first["translations"] == ["饺子", "水饺"]
    assert (second["qid"], second["explanation"]) == ("Q2", "Congee is a porridge.")
    assert found["items"][1][0]["translations"] == [] and not found["items"][1][0]["explanation"]
    assert tables.read(tmp_path / "exemplars.parquet").height == 0


def test_exemplars_are_no_instances_and_share_no_item_with_one(tmp_path: Path) -> None:
    """Sentences 1 and 2 share an item, and have items without a translation."""
    for seed in range(5):
        found = tables.read(instances(tmp_path, exemplars=1, seed=seed))
        shown = tables.read(tmp_path / "exemplars.parquet")
        assert shown["instance_id"][0] in ("camt:0", "camt:3")
        assert sorted([*found["instance_id"], *shown["instance_id"]]) == [f"camt:{n}" for n in range(4)]
        asked = {item["qid"] for items in found["items"] for item in items}
        assert not asked & {item["qid"] for item in shown["items"][0]}


def test_sentences_that_occur_twice_are_no_exemplars(tmp_path: Path) -> None:
    """On either side."""
    texts = [("Congee.", "粥。", [("Congee", "Q2")]), ("Mooncakes!", "粥。", [("Mooncakes", "Q5")])]
    with pytest.raises(UserError, match=r"camt has 0 sentences that can be exemplars, not 1\."):
        instances(tmp_path, exemplars=1, texts=texts)


def test_exemplars_stay_where_sentences_are_added_before_them(tmp_path: Path) -> None:
    def shown() -> list[str]:
        return tables.read(tmp_path / "exemplars.parquet")["source"].to_list()

    instances(tmp_path, exemplars=1)
    before = shown()
    instances(tmp_path, exemplars=1, texts=[("More haggis.", "更多。", [("haggis", "Q3")]), *TEXTS])
    assert shown() == before


def test_too_many_exemplars_are_refused_with_how_many_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"camt has 2 sentences that can be exemplars, not 3\."):
        instances(tmp_path, exemplars=3)


def test_the_digest_is_of_all_that_models_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def digest(**how: int) -> str:
        instances(tmp_path, **how)
        return (tmp_path / "instances.sha256").read_text(encoding="utf-8")

    plain = digest()
    assert digest(seed=1) == plain
    assert digest(exemplars=1) != plain
    monkeypatch.setitem(KNOWN, "Q4", (["茶叶"], None))
    assert digest() != plain


def test_the_plain_digest_is_of_sentences_and_of_exemplars_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digests(**how: Any) -> list[str]:
        instances(tmp_path, **how)
        return [(tmp_path / f"{name}.sha256").read_text() for name in ("instances", "plain")]

    everything, plain = digests()
    rows = tables.read(tmp_path / "plain.parquet")
    assert rows.drop("items").rows() == tables.read(tmp_path / "instances.parquet").drop("items").rows()
    assert rows["items"].to_list() == [[]] * 4
    monkeypatch.setitem(KNOWN, "Q4", (["茶叶"], "A drink."))
    changed = digests()
    assert changed[0] != everything and changed[1] == plain
    renamed = [("Dumplings and porridge.", *TEXTS[0][1:2], TEXTS[0][2][:1]), *TEXTS[1:]]
    assert digests(texts=renamed)[1] != plain
    assert digests(exemplars=1)[1] != plain

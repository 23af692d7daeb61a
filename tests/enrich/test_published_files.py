"""The paper's own files: places and countries of their annotations, and how they come out."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import regex
from wokflow.enrich.categorise import category, read_topics
from wokflow.enrich.published_annotations import (
    FIRST,
    REGIONS,
    entities,
    item_id,
    read,
    released_mentions,
)
from wokflow.evaluate.csi_match import read_mentions, read_regions

from tests.conftest import ROOT
from tests.enrich.defaults import categorise_settings
from tests.enrich.published import known, labels, through


def regions(file: Path, pair: str) -> tuple[Counter[str], Counter[str]]:
    """How many annotations are from countries of either language or others; names of those not in the table."""
    made = {one["id"]: one for one in entities([str(file)])}
    of = read_regions(str(REGIONS))
    found: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    for _, label in labels(read(str(file))):
        (origin,) = made[item_id(label)]["claims"]["P495"]
        qid = origin["mainsnak"]["datavalue"]["value"]["id"]
        source, target = (qid in of[lang] for lang in pair.split("-"))
        found["source" if source else "target" if target else "other"] += 1
        if int(qid[1:]) >= FIRST:
            unknown[made[qid]["labels"]["en"]["value"]] += 1
    return found, unknown


@pytest.mark.parametrize(
    ("pair", "counts", "unknown", "names"),
    [
        ("en-zh", (384, 183, 227), 1, {"British Hong Kong"}),
        ("en-es", (791, 384, 476), 28, {"Ancient Rome", "European Union"}),
        ("en-hi", (696, 92, 339), 30, {"Ancient Rome", "Rwanda"}),
    ],
)
def test_where_items_of_the_papers_own_files_are_from(
    pair: str, counts: tuple[int, int, int], unknown: int, names: set[str], shared: Path
) -> None:
    found, missing = regions(shared / "real" / "camt" / f"{pair}.json", pair)
    assert tuple(found[region] for region in ("source", "target", "other")) == counts
    assert missing.total() == unknown and names <= missing.keys()
    more = f" and {len(missing) - len(names)} more names" if missing.keys() - names else ""
    document = (ROOT / "docs" / "items.md").read_text(encoding="utf-8")
    row = f"| {pair} | {' | '.join(map(str, counts))} | {unknown}: "
    assert any(line.startswith(row) and line.endswith(f"{more} |") for line in document.splitlines())


@pytest.mark.parametrize(
    ("pair", "found", "no_words", "not_in_sentence", "overlap"),
    [("en-zh", 708, 69, 12, 5), ("en-es", 1541, 0, 109, 1), ("en-hi", 1019, 0, 99, 9)],
)
def test_annotations_of_the_papers_own_files_are_placed_or_counted(
    pair: str, found: int, no_words: int, not_in_sentence: int, overlap: int, shared: Path
) -> None:
    """None is inside of another word where its word stands elsewhere, by a pattern that knows the bounds of words."""
    file = str(shared / "real" / "camt" / f"{pair}.json")
    texts = [" ".join(row["source"].split()) for row in read(file)]
    rows = {"sentence_id": [f"c:{row}" for row in range(len(texts))], "source": texts}
    asked = pl.DataFrame(rows | {"source_row": range(len(texts))})
    kept, rejected = released_mentions(asked, file, lambda qid: True)
    assert len(kept) == found
    assert Counter(reason for _, reason, _ in rejected) == Counter(
        no_words=no_words, not_in_sentence=not_in_sentence, overlap=overlap
    )
    for answer in kept:
        text = texts[int(answer.sentence[2:])]
        words = text[answer.start : answer.end]
        assert words.lower() == " ".join(json.loads(answer.line)["value"].split()).lower()
        whole = regex.compile(rf"(?<![\w\p{{M}}]){regex.escape(words)}(?![\w\p{{M}}])", regex.IGNORECASE)
        spans = [match.span() for match in whole.finditer(text)]
        assert not spans or (answer.start, answer.end) in spans


@pytest.mark.parametrize(
    ("pair", "by_region"), [("en-zh", (369, 83, 219)), ("en-es", (751, 350, 440)), ("en-hi", (633, 88, 298))]
)
def test_the_papers_own_files_come_out_as_they_were(
    pair: str, by_region: tuple[int, int, int], shared: Path, tmp_path: Path
) -> None:
    """All annotations whose words the sentence has and whose topic has a category, but for overlapping ones.

    They fall into the regions by which CSI-Match scores them.
    """
    file = shared / "real" / "camt" / f"{pair}.json"
    rows, written = read(str(file)), through(file, pair, tmp_path / "out")
    topics = read_topics(categorise_settings().topics)
    texts = [" ".join(row["source"].split()) for row in rows]
    found = {(text, label["value"], label["qid"]) for text, label in labels(written)}
    expected = {
        (text, label["value"], item_id(label)): label
        for text, row in zip(texts, rows, strict=True)
        for label in row["labels"]
        if label["value"].strip() and category([label["category"]], topics)
    }
    there = {(text, words.lower(), qid) for text, words, qid in expected if words.lower() in text.lower()}
    lost = there - {(text, words.lower(), qid) for text, words, qid in found}
    assert {(text, words.lower(), qid) for text, words, qid in found} <= there
    assert len(lost) < 0.01 * len(there)
    about: dict[str, dict[str, list[Any]]] = {}  # annotations of an item may say different things
    for (_, _, qid), label in expected.items():
        for key, text in known(label).items():
            about.setdefault(qid, {}).setdefault(key, []).append(text)
    for row in written:
        for label, (qid, start, end) in zip(row["labels"], row["spans"], strict=True):
            assert (row["source"][start:end], qid) == (label["value"], label["qid"])
            said = known(label)
            assert said.keys() == about[qid].keys()
            assert all(text in about[qid][key] for key, text in said.items())
    tables_of = [str(tmp_path / "out" / name) for name in ("assembled", "items")]
    mentions = read_mentions([tables_of[0]], tables_of[1], read_regions(str(REGIONS)), *pair.split("-"))
    counted = Counter(mentions["region"])
    assert tuple(counted[region] for region in ("source", "target", "other")) == by_region

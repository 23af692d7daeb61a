"""The whole stage on CAMT's published sentences and items: what its annotators found, and its counts."""

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from wokflow.enrich.assemble import enrich_assemble
from wokflow.enrich.categorise import category, enrich_categorise, read_topics
from wokflow.enrich.entities import enrich_entities
from wokflow.enrich.items import enrich_items
from wokflow.enrich.link import enrich_link
from wokflow.enrich.link_quality import enrich_link_quality
from wokflow.enrich.lookup import enrich_lookup
from wokflow.enrich.names import enrich_names
from wokflow.enrich.settings import AssembleSettings, ItemsSettings, LinkQualitySettings, StatisticsSettings
from wokflow.enrich.statistics import enrich_statistics
from wokflow.evaluate.spans import Output, csi_match, normalised
from wokflow.frame.job import Job
from wokflow.ingest.sentences import ingest_sentences
from wokflow.ingest.source import ingest_source

from tests.conftest import ROOT
from tests.enrich import camt
from tests.enrich.defaults import categorise_settings, entities_settings, link_settings, lookup_settings
from tests.ingest.defaults import sentences_settings

LANGUAGES = ["en", "zh", "es", "hi"]


class Stage:
    """Runs the steps of the stage by hand; every table lies in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.job = Job({"key": "{}"})

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def read(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.path(name))

    def entities(self, lang: str = "en") -> None:
        ingest_source(raw=self.path("entities.jsonl"), data=self.path("source.json"), job=self.job)
        enrich_entities(
            source=self.path("source.json"), entities=self.path("entities"), rejects=self.path("rejects"),
            settings=entities_settings(self.path("entities.jsonl"), LANGUAGES), job=self.job,
        )  # fmt: skip
        enrich_names(
            entities=self.path("entities"), names=self.path("names"), digest=self.path("names.sha256"),
            lang=lang, job=self.job,
        )  # fmt: skip

    def link(self, pair: str) -> None:
        raw = [self.path(f"{pair}.{lang}") for lang in pair.split("-")]
        ingest_source(raw=raw, data=self.path("source.json"), job=self.job)
        unchecked = {
            "identical": False,
            "language": False,
            "duplicates": False,
            "ratio": None,
            "longest": None,
        }
        ingest_sentences(
            source=self.path("source.json"), sentences=[self.path(f"{pair}.s")], rejects=[self.path(f"{pair}.r")],
            corpus=pair, settings=sentences_settings("moses", raw, pair, **unchecked), job=self.job,
        )  # fmt: skip
        enrich_link(
            sentences=self.path(f"{pair}.s"), corpus_sentences=[self.path(f"{pair}.s")], names=self.path("names"),
            mentions=self.path(f"{pair}.m"), rejects=self.path(f"{pair}.mr"), corpus=pair,
            settings=link_settings(pair), job=self.job,
        )  # fmt: skip

    def assemble(self, published: Path) -> None:
        enrich_categorise(
            mentions=[self.path(f"{pair}.m") for pair in camt.PAIRS], entities=self.path("entities"),
            categories=self.path("categories"), settings=categorise_settings(), job=self.job,
        )  # fmt: skip
        enrich_lookup(
            categories=self.path("categories"), entities=self.path("entities"), lookups=self.path("lookups"),
            settings=lookup_settings(LANGUAGES), job=self.job,
        )  # fmt: skip
        enrich_items(
            categories=self.path("categories"), lookups=self.path("lookups"), pages=[], dictionary=self.path("items"),
            settings=ItemsSettings(languages=tuple(LANGUAGES)), job=self.job,
        )  # fmt: skip
        for pair in camt.PAIRS:
            enrich_assemble(
                sentences=[self.path(f"{pair}.s")], mentions=[self.path(f"{pair}.m")],
                about=[self.path("categories"), self.path("items")], assembled=self.path(f"{pair}.a"),
                rejects=self.path(f"{pair}.rejects"), camt=self.path(f"{pair}.json"),
                settings=AssembleSettings(pair=pair), job=self.job,
            )  # fmt: skip
        enrich_statistics(
            sentences=[self.path(f"{pair}.a") for pair in camt.PAIRS],
            dictionary=self.path("items"), statistics=self.path("statistics"), shares=self.path("shares"),
            table=self.path("table2.tsv"),
            settings=StatisticsSettings(pairs=tuple((pair, pair) for pair in camt.PAIRS)), job=self.job,
        )  # fmt: skip
        for pair in camt.PAIRS:
            enrich_link_quality(
                sentences=[self.path(f"{pair}.s")], mentions=[self.path(f"{pair}.m")],
                entities=self.path("entities"), dictionary=self.path("items"), quality=self.path(f"{pair}.quality"),
                corpus=pair, settings=LinkQualitySettings(annotated=str(published / f"{pair}.json")), job=self.job,
            )  # fmt: skip


@pytest.fixture(scope="module")
def stage(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = tmp_path_factory.mktemp("camt")
    camt.write(shared / "real" / "camt", folder)
    stage = Stage(folder)
    stage.entities()
    for pair in camt.PAIRS:
        stage.link(pair)
    stage.assemble(shared / "real" / "camt")
    return stage


def found(stage: Stage, shared: Path, pair: str, *, capitals: bool = False) -> tuple[int, int, int]:
    """Annotations that stand in their sentence, those found with their full extent, and those not in the text.

    With `capitals`, an annotation stands in its sentence only where it is written with the same ones.
    """
    texts = dict(stage.read(f"{pair}.s").select("source_row", "source").iter_rows())
    mentions: dict[int, list[tuple[int, int]]] = {}
    for sentence, start, end in stage.read(f"{pair}.m").select("sentence_id", "start", "end").iter_rows():
        mentions.setdefault(int(sentence.split(":")[1]), []).append((start, end))
    there = hits = absent = 0
    for number, value, _ in camt.annotations(shared / "real" / "camt", pair):
        text = texts.get(number, "")
        if not capitals:
            text, value = text.lower(), value.lower()
        places = [at for at in range(len(text)) if text.startswith(value, at)]
        if not places:
            absent += 1
            continue
        there += 1
        hits += any(
            start <= at and at + len(value) <= end for at in places for start, end in mentions.get(number, ())
        )
    return there, hits, absent


@pytest.mark.parametrize(("pair", "least"), [("en-zh", 0.95), ("en-es", 0.93), ("en-hi", 0.83)])
def test_what_annotators_found_is_found(pair: str, least: float, stage: Stage, shared: Path) -> None:
    """In en-es and en-hi, annotations themselves are often another thing of that name (a film called Moments)."""
    there, hits, absent = found(stage, shared, pair)
    print(f"{pair}: {hits} of {there} annotations are found, {absent} do not stand in their sentence")
    assert absent <= 0.1 * there
    assert hits >= least * there


@pytest.mark.parametrize("pair", camt.PAIRS)
def test_what_is_written_as_annotated_is_found(pair: str, stage: Stage, shared: Path) -> None:
    there, hits, _ = found(stage, shared, pair, capitals=True)
    print(f"{pair}: {hits} of {there} annotations with the same capitals are found")
    assert there > 500
    assert hits >= 0.95 * there


def test_what_the_target_side_has_scores_100(shared: Path) -> None:
    """CSI-Match of the references of en-zh against themselves, with the names in the published file."""
    there = 0
    for row in camt.rows(shared / "real" / "camt", "en-zh"):
        output, text = Output(row["target"], "zh"), normalised(row["target"], "zh")
        for label in row["labels"]:
            given = label["metadata"]
            aliases = given["aliases"].get("zh") or {"value": []}
            label_names = [one["value"] for one in (given["labels"].get("zh"),) if one]
            names = [name for name in [*label_names, *aliases["value"]] if name.strip()]
            score = csi_match(names, output, "zh")
            present = any(normalised(name, "zh") in text for name in names)
            assert (score is None) == (not names)
            assert (score == 100) == present, (names, row["target"])
            there += present
    assert there > 300


def annotated(shared: Path, pair: str) -> dict[int, list[tuple[str, str]]]:
    """By sentence, the words that are annotated, in small letters, and the item's name."""
    found: dict[int, list[tuple[str, str]]] = {}
    for number, value, label in camt.annotations(shared / "real" / "camt", pair):
        found.setdefault(number, []).append((value.lower(), camt.name_of(label, value)))
    return found


def unannotated(stage: Stage, shared: Path, pair: str) -> tuple[int, list[tuple[int, int, str, str]]]:
    """How many items are linked; and sentence, first character, id and words of those that are not annotated."""
    named = {one["id"]: one["labels"]["en"]["value"] for one in camt.entities(shared / "real" / "camt")}
    known = annotated(shared, pair)
    linked, left = 0, []
    for sentence, source, items in (
        stage.read(f"{pair}.a").select("sentence_id", "source", "items").iter_rows()
    ):
        row, text = int(sentence.split(":")[1]), source.lower()
        for item in items:
            linked += 1
            spans = [
                (at, at + len(value))
                for value, name in known.get(row, ())
                for at in range(len(text))
                if name == named[item["qid"]] and text.startswith(value, at)
            ]
            if not any(start < item["end"] and item["start"] < end for start, end in spans):
                left.append((row, item["start"], item["qid"], item["mention"]))
    return linked, left


def judged(pair: str, table: str = "judged.tsv") -> dict[tuple[int, int, str, str], bool]:
    """What a reader says of mentions, by default of those that are not annotated: whether the item is meant."""
    lines = (Path(__file__).parent / table).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith(("#", "pair\t"))]
    return {
        (int(row), int(at), qid, said): ok == "yes" for of, row, at, qid, said, ok, *_ in rows if of == pair
    }


@pytest.mark.parametrize("pair", camt.PAIRS)
def test_most_linked_items_are_meant(pair: str, stage: Stage, shared: Path) -> None:
    """Annotated ones count as meant. Of en-zh all others were read; of the other pairs a sample stands for all."""
    linked, left = unannotated(stage, shared, pair)
    verdicts = judged(pair)
    read = [verdicts[one] for one in left if one in verdicts]
    if pair == "en-zh":
        good, share = sum(read), len(read) / len(left)  # what nobody has read counts as wrong
    else:
        each = {"en-es": 6, "en-hi": 3}[pair]  # of so many, one was read
        good, share = sum(read) / len(read) * len(left), len(read) / (len(left) / each)
    assert share > 0.9, "the linker finds other mentions now: read them, and add them to judged.tsv"
    assert (linked - len(left) + good) / linked >= 0.9


@pytest.mark.parametrize("pair", camt.PAIRS)
def test_what_a_reader_finds_meant(pair: str, stage: Stage, shared: Path) -> None:
    """Samples stand for all: 50 annotated mentions, and of the others those that were read."""
    linked, left = unannotated(stage, shared, pair)
    still = {
        (int(sentence.split(":")[1]), item["start"], item["qid"], item["mention"])
        for sentence, items in stage.read(f"{pair}.a").select("sentence_id", "items").iter_rows()
        for item in items
    }
    annotated_ones = [ok for one, ok in judged(pair, "judged_annotated.tsv").items() if one in still]
    others = [ok for one, ok in judged(pair).items() if one in still]
    assert len(annotated_ones) >= 45
    known = sum(annotated_ones) / len(annotated_ones) * (linked - len(left))
    right = round(100 * (known + sum(others) / len(others) * len(left)) / linked)
    print(f"{pair}: {right} of 100 linked items are meant")
    assert f"| {pair} | {right} of 100 |" in (ROOT / "docs" / "items.md").read_text(encoding="utf-8")


def test_the_documents_figures_are_these(stage: Stage, shared: Path) -> None:
    document = (ROOT / "docs" / "items.md").read_text(encoding="utf-8")
    table = stage.read("statistics").sort("lang_pair", descending=True)
    rows = {row["lang_pair"]: row for row in table.iter_rows(named=True)}
    kept = [f"{rows[pair]['sentences']:,}" for pair in camt.PAIRS]
    assert f"| sentences kept here, of these without checks at reading | {' | '.join(kept)} |" in document
    linked = [f"{rows[pair]['counts']:,}, {rows[pair]['translations']:,}" for pair in camt.PAIRS]
    assert f"| items linked here, with a translation | {' | '.join(linked)} |" in document
    for pair in camt.PAIRS:
        (row,) = stage.read(f"{pair}.quality").filter(links="kept", same="item").iter_rows(named=True)
        shares = (f"{100 * row[name]:.1f}" for name in ("recall", "precision"))
        assert f"| {row['corpus']} | {' | '.join(shares)} |" in document
        count, left = unannotated(stage, shared, pair)
        assert f"{count - len(left):,} of {count:,} are annotated" in document


@pytest.mark.parametrize("pair", camt.PAIRS)
def test_offsets_point_at_mentions_and_nothing_is_lost(pair: str, stage: Stage) -> None:
    texts = dict(stage.read(f"{pair}.s").select("sentence_id", "source").iter_rows())
    for row in stage.read(f"{pair}.m").iter_rows(named=True):
        assert texts[row["sentence_id"]][row["start"] : row["end"]] == row["mention"] != ""
    assembled, rejects = stage.read(f"{pair}.a"), stage.read(f"{pair}.rejects")
    assert len(assembled) + len(rejects) == len(texts)
    assert {*assembled["sentence_id"], *rejects["raw"]} == set(texts)


@pytest.mark.parametrize(
    ("pair", "sentences", "counts", "labels", "translations"),
    [("en-zh", 778, 794, 730, 731), ("en-es", 1580, 1651, 572, 816), ("en-hi", 1086, 1127, 168, 168)],
)
def test_the_paper_s_table_is_counted_from_its_files(
    pair: str, sentences: int, counts: int, labels: int, translations: int, shared: Path
) -> None:
    """Items with a label in the target language that is not the English one, and those with such a label or alias.

    The case of letters counts for the former only. The paper has 730, 817 and 168 items with a translation, and in
    en-es one item that its file lacks.
    """
    found = camt.rows(shared / "real" / "camt", pair)
    items = [label for row in found for label in row["labels"]]
    known = [(camt.names(item, "en")[0], *camt.names(item, pair.split("-")[1])) for item in items]
    own = sum(bool(label) and label != english for english, label, _ in known)
    other = sum(
        any(name and name.lower() != english.lower() for name in (label, *aliases))
        for english, label, aliases in known
    )
    assert (len(found), len(items), own, other) == (sentences, counts, labels, translations)


@pytest.mark.parametrize("pair", camt.PAIRS)
def test_why_sentences_are_left_out(pair: str, stage: Stage, shared: Path) -> None:
    """Each of the paper's sentences that is not kept has one of three reasons; -rP lists them by number."""
    kept = {int(sentence.split(":")[1]) for sentence in stage.read(f"{pair}.a")["sentence_id"]}
    topics = read_topics(categorise_settings().topics)
    reasons: dict[str, list[int]] = {"words": [], "topic": [], "name": []}
    for number, row in enumerate(camt.rows(shared / "real" / "camt", pair)):
        if number in kept:
            continue
        text = " ".join(row["source"].lower().split())
        said = [label for label in row["labels"] if " ".join(label["value"].lower().split()) in text]
        said = [label for label in said if label["value"].strip()]
        outside = not any(category([label["category"]], topics) for label in said)
        reasons["words" if not said else "topic" if outside else "name"].append(number)
    print(pair, reasons)
    document = (ROOT / "docs" / "items.md").read_text(encoding="utf-8")
    counts = [str(len(numbers)) for numbers in reasons.values()]
    assert f"| {pair} | {' | '.join(counts)} |" in document


def test_the_table_counts_what_the_corpora_hold(stage: Stage) -> None:
    """Counted once more, from the JSON that is the corpus."""
    table = {row["corpus"]: row for row in stage.read("statistics").iter_rows(named=True)}
    assert list(table) == list(camt.PAIRS)
    for pair, row in table.items():
        target = pair.split("-")[1]
        corpus = json.loads((stage.folder / f"{pair}.json").read_bytes())
        labels = [label for sentence in corpus for label in sentence["labels"]]
        translated = [
            label
            for label in labels
            if any(target in label["metadata"][member] for member in ("labels", "aliases"))
        ]
        assert (row["lang_pair"], row["sentences"], row["counts"]) == (pair, len(corpus), len(labels))
        assert row["types"] == len({label["qid"] for label in labels})
        assert row["translations"] == len(translated)
        shares = stage.read("shares").filter(pl.col("corpus") == pair)
        assert Counter(label["category"] for label in labels) == dict(
            shares.filter(pl.col("kind") == "topic").select("name", "count").iter_rows()
        )
        for kind in ("category", "country"):
            assert shares.filter(pl.col("kind") == kind)["count"].sum() == len(labels)


def test_the_corpus_has_the_paper_s_form(stage: Stage, shared: Path) -> None:
    """Every member of a published entry stands in ours, with the same kind of value; the id stands beside them."""
    published, ours = (
        camt.rows(shared / "real" / "camt", "en-zh")[1],
        json.loads(Path(stage.path("en-zh.json")).read_bytes())[1],
    )
    assert published["source"].split() == ours["source"].split()
    assert published.keys() == ours.keys()
    one, other = published["labels"][0], ours["labels"][0]
    assert one.keys() | {"qid"} == other.keys()
    assert one["metadata"].keys() == other["metadata"].keys()
    assert (one["value"], one["category"], one["country_of_origin"]) == (
        other["value"], other["category"], other["country_of_origin"],
    )  # fmt: skip

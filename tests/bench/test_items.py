"""Culture-specific items: how fast they are linked, what their names take, and how fast a dump is read."""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from tests.bench import entities, measure
from tests.bench.measure import Call, Clock, Measured, at_least, at_most, isolated

ROUNDS = {"tiny": 1, "small": 3, "full": 3}
JOBS = 2  # side by side, each with half of the sentences
NAMES = {"tiny": 2_000, "small": 100_000, "full": 1_000_000}
SENTENCES = {"tiny": 1_000, "small": 40_000, "full": 120_000}  # of which WARM go before the clock
WARM = 0.5
SIZES = {
    "tiny": [1_000, 2_000],
    "small": [10_000, 100_000, 300_000],
    "full": [10_000, 1_000_000, 10_000_000],
}
ENTITIES = {"tiny": 100, "small": 5_000, "full": 30_000}  # of the dump
RATE = 20_000  # sentences a second of two jobs, at least
MEMORY = 8_000  # MiB of enrich_names, at most
FOUND = 0.9  # share of the planted names that are found, at least
OURS, SPACY, SEARCH = "Wokflow", "spaCy's PhraseMatcher", "pyahocorasick"


def test_linking(data: Path) -> None:
    scale = measure.scale()
    given = made(data, NAMES[scale], SENTENCES[scale])
    isolated(Call(make_names, given))
    contenders = {
        OURS: Call(link, given),
        SPACY: Call(match_phrases, given),
        SEARCH: Call(search_strings, given),
    }
    rounds: dict[str, list[list[Measured]]] = {name: [] for name in contenders}
    for turn in range(ROUNDS[scale]):
        for name, call in list(contenders.items())[:: -1 if turn % 2 else 1]:
            rounds[name].append(side_by_side(call))
            print(f"  {name}: {rate(rounds[name][-1], 'cpu'):,.0f} sentences/s", flush=True)
    best = {
        name: sorted(jobs, key=lambda one: rate(one, "cpu"))[len(jobs) // 2] for name, jobs in rounds.items()
    }
    assert all(job.outcome["found"] >= FOUND for job in best[OURS])
    target = at_least(rate(best[OURS], "cpu"), RATE)
    measure.publish(
        "items-linking",
        "Linking of items",
        f"""{SENTENCES[scale]:,} synthetic sentences, of which {WARM:.0%} go before the clock, and
        {NAMES[scale]:,} names of 1 to 4 words, words by Zipf's law; each sentence mentions one or two names, and many
        of its words are names, too. {JOBS} processes side by side, each with half of the sentences, names loaded.
        Wokflow finds the longest names whose capitals fit and chooses among their items by pages and context.
        PhraseMatcher (on small letters, with a blank English tokenizer) and pyahocorasick (on small letters between
        spaces, which are made beforehand; leftmost-longest) only find names, whatever their capitals.
        {measure.repeat("test_items.py")} {beside()}""",
        measure.machine("spacy", "marisa-trie", "pyahocorasick"),
        measure.table(
            [
                "contender",
                "sentences/s of processor time",
                "sentences/s",
                "RSS MiB of a job",
                "planted found",
            ],
            [
                [
                    name,
                    f"{rate(jobs, 'cpu'):,.0f}",
                    f"{rate(jobs, 'wall'):,.0f}",
                    f"{jobs[0].outcome['rss']:,.0f}",
                    f"{jobs[0].outcome['found']:.1%}",
                ]
                for name, jobs in best.items()
            ],
        ),
        f"""Sentences a second are those of both processes, the slower one counts; of processor time: as if each had
        a core of its own. Wokflow links {target.value:,.0f} ({target}).""",
        targets=[target] if scale != "tiny" else [],
    )


def test_names_by_size(data: Path) -> None:
    """One node holds the names of ten million, and links as fast with them as with few."""
    scale = measure.scale()
    rows, targets = [], []
    for count in SIZES[scale]:
        given = made(data / str(count), count, SENTENCES[scale])
        names = isolated(Call(make_names, given))
        jobs = side_by_side(Call(link, given))
        targets = [at_most(names.peak, MEMORY), at_least(rate(jobs, "cpu"), RATE)]
        folder = sum(path.stat().st_size for path in Path(given["folder"], "names").iterdir())
        row = [
            f"{count:,}",
            f"{names.wall:,.1f}",
            f"{names.cpu:,.1f}",
            f"{names.peak:,.0f}",
            f"{folder / 2**20:,.0f}",
            *(f"{jobs[0].outcome[kind]:,.0f}" for kind in ("rss", "pss")),
            f"{rate(jobs, 'cpu'):,.0f}",
            f"{rate(jobs, 'wall'):,.0f}",
        ]
        print(row, flush=True)
        rows.append(row)
    measure.publish(
        "items-names",
        "Names of items by their number",
        f"""enrich_names makes the folder of names from a table of synthetic items, as above; then {JOBS} processes
        side by side link {SENTENCES[scale]:,} sentences with it, of which {WARM:.0%} go before the clock. The folder
        is mapped into memory: RSS counts what both processes share in each, PSS half of it.
        {measure.repeat("test_items.py")} {beside()}""",
        measure.machine("marisa-trie", "numpy"),
        measure.table(
            [
                "names",
                "s",
                "CPU s",
                "peak MiB",
                "folder MiB",
                "a job's RSS MiB",
                "PSS MiB",
                "sentences/s of processor time",
                "sentences/s",
            ],
            rows,
        ),
        f"""With {SIZES[scale][-1]:,} names enrich_names holds {targets[0].value:,.0f} MiB ({targets[0]}), and linking
        makes {targets[1].value:,.0f} sentences a second of processor time ({targets[1]}).""",
        targets=targets if scale != "tiny" else [],
    )


def test_dump(data: Path) -> None:
    scale = measure.scale()
    path = str(data / "dump.json.gz")
    size = isolated(Call(make_dump, {"path": path, "count": ENTITIES[scale]})).outcome
    packed = Path(path).stat().st_size
    measure.cached(path)
    contenders = {
        "Wokflow": Call(read_entities, {"path": path}),
        "decompressing and parsing (orjson)": Call(parse_lines, {"path": path}),
        "decompressing alone": Call(decompress, {"path": path}),
    }
    measured = measure.in_turn(contenders, ROUNDS[scale])
    assert {name: results[0].outcome for name, results in measured.items()} == dict(
        zip(contenders, (ENTITIES[scale], ENTITIES[scale], size), strict=True)
    )
    alone = measured["decompressing alone"]
    measure.publish(
        "items-dump",
        "Reading of a dump of items",
        f"""{ENTITIES[scale]:,} synthetic items of {size / ENTITIES[scale] / 1000:,.0f} kB on average become
        enrich/entities in two languages: {size / 1e6:,.0f} MB of JSON, {packed / 1e6:,.0f} MB as .gz,
        which is in the page cache. Decompressing is that of Wokflow's own reader.
        {measure.repeat("test_items.py")} {beside()}""",
        measure.machine("orjson", "pyarrow"),
        measure.table(
            ["contender", "s", "CPU s", "MB/s of JSON", "items/s", "peak MiB", "times decompressing"],
            [
                [
                    name,
                    f"{measure.middle(results, 'wall'):,.1f}",
                    f"{measure.middle(results, 'cpu'):,.1f}",
                    f"{size / 1e6 / measure.middle(results, 'wall'):,.0f}",
                    f"{ENTITIES[scale] / measure.middle(results, 'wall'):,.0f}",
                    f"{measure.middle(results, 'peak'):,.0f}",
                    f"{measure.ratio(results, alone):.2f}",
                ]
                for name, results in measured.items()
            ],
        ),
    )


def beside() -> str:
    """Whether other work ran beside the benchmark, by the load of the machine."""
    load = os.getloadavg()[2]
    if load < JOBS + 1:
        return ""
    return f"Other work ran beside it (load average {load:.1f}): processor time says more than time."


def made(folder: Path, names: int, sentences: int) -> dict[str, Any]:
    """The arguments of the contenders, whose data lie in a folder."""
    folder.mkdir(exist_ok=True)
    isolated(Call(make_items, {"folder": str(folder), "names": names, "sentences": sentences}))
    return {"folder": str(folder)}


def side_by_side(call: Call) -> list[Measured]:
    calls = [Call(call.contender, call.arguments | {"job": job}) for job in range(JOBS)]
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(isolated, calls))


def rate(jobs: Iterable[Measured], kind: str) -> float:
    """Sentences a second of all jobs; the slowest counts."""
    jobs = list(jobs)
    return sum(job.outcome["sentences"] for job in jobs) / max(getattr(job, kind) for job in jobs)


def make_items(clock: Clock, folder: str, names: int, sentences: int) -> None:
    entities.write_items(f"{folder}/entities.parquet", names)
    entities.sentences(f"{folder}/entities.parquet", sentences).write_parquet(f"{folder}/sentences.parquet")


def make_names(clock: Clock, folder: str) -> None:
    import marisa_trie  # noqa: F401
    from wokflow.enrich.names import enrich_names
    from wokflow.frame.job import Job, Progress

    with clock, Path(folder, "log").open("w", encoding="utf-8") as log:
        enrich_names(
            entities=f"{folder}/entities.parquet",
            names=f"{folder}/names",
            digest=f"{folder}/names.sha256",
            lang="en",
            job=Job(progress=Progress(log)),
        )


def half(folder: str, job: int) -> tuple[list[str], list[str], list[list[str]]]:
    """A job's sentences before the clock, those after it, and the names that these mention."""
    table = pl.read_parquet(f"{folder}/sentences.parquet").gather_every(JOBS, job)
    warm = int(WARM * table.height)
    texts = table["text"].to_list()
    return texts[:warm], texts[warm:], table["planted"][warm:].to_list()


def outcome(texts: list[str], found: list[list[str]], planted: list[list[str]]) -> dict[str, Any]:
    """Number of sentences, share of the planted names that were found, alone or in a longer one; MiB of memory."""
    hits = [
        any(name.lower() in one for one in mentions)
        for mentions, names in zip((list(map(str.lower, one)) for one in found), planted, strict=True)
        for name in names
    ]
    used = dict(
        line.split()[:2]
        for line in Path("/proc/self/smaps_rollup").read_text().splitlines()
        if line.startswith(("Rss:", "Pss:"))
    )
    memory = {name: int(used[f"{name.title()}:"]) / 1024 for name in ("rss", "pss")}
    return memory | {"sentences": len(texts), "found": sum(hits) / len(hits)}


def link(clock: Clock, folder: str, job: int) -> dict[str, Any]:
    from wokflow.enrich.link import Linker
    from wokflow.enrich.names import Names
    from wokflow.enrich.phrases import Phrases
    from wokflow.enrich.settings import LinkSettings

    warm, texts, planted = half(folder, job)
    linker = Linker(
        Names.open(f"{folder}/names", "en"), LinkSettings(pair="en-zh", annotated=None), Phrases(())
    )
    linker.read(warm)
    with clock:
        linked = linker.read(texts)
    found = [
        [text[one.start : one.end] for one in mentions] for text, mentions in zip(texts, linked, strict=True)
    ]
    return outcome(texts, found, planted)


def all_names(folder: str) -> list[str]:
    """Labels and aliases."""
    texts = pl.read_parquet(f"{folder}/entities.parquet", columns=["texts"]).explode("texts").unnest("texts")
    return pl.concat([texts["label"], texts["aliases"].explode().drop_nulls()]).to_list()


def match_phrases(clock: Clock, folder: str, job: int) -> dict[str, Any]:
    import spacy
    from spacy.matcher import PhraseMatcher
    from spacy.util import filter_spans

    warm, texts, planted = half(folder, job)
    language = spacy.blank("en")
    matcher = PhraseMatcher(language.vocab, attr="LOWER")
    for name in all_names(folder):
        matcher.add("name", [language.make_doc(name)])

    def longest(text: str) -> list[str]:
        return [span.text for span in filter_spans(matcher(language.make_doc(text), as_spans=True))]

    list(map(longest, warm))
    with clock:
        found = list(map(longest, texts))
    return outcome(texts, found, planted)


def search_strings(clock: Clock, folder: str, job: int) -> dict[str, Any]:
    import ahocorasick

    def spaced(text: str) -> str:
        return f" {text.lower().rstrip('.').replace(' ', '  ')} "

    warm, texts, planted = half(folder, job)
    automaton = ahocorasick.Automaton()
    for name in map(str.lower, all_names(folder)):
        automaton.add_word(spaced(name), name)
    automaton.make_automaton()

    def longest(text: str) -> list[str]:
        return [name for _, name in automaton.iter_long(spaced(text))]

    list(map(longest, warm))
    with clock:
        found = list(map(longest, texts))
    return outcome(texts, found, planted)


def make_dump(clock: Clock, path: str, count: int) -> int:
    return entities.write_dump(path, count)


def read_entities(clock: Clock, path: str) -> int:
    import orjson  # noqa: F401
    from wokflow.enrich.entities import enrich_entities
    from wokflow.enrich.settings import EntitiesSettings
    from wokflow.frame import tables
    from wokflow.frame.job import Job, Progress

    folder = Path(path).parent
    (folder / "source.json").write_text('{"sha256": "0"}', encoding="utf-8")
    table = str(folder / "entities.parquet")
    with clock, (folder / "log").open("w", encoding="utf-8") as log:
        enrich_entities(
            source=str(folder / "source.json"),
            entities=table,
            rejects=str(folder / "rejects.parquet"),
            settings=EntitiesSettings(raw=path, languages=("en", "ah")),
            job=Job(progress=Progress(log)),
        )
    return tables.rows([table])


def parse_lines(clock: Clock, path: str) -> int:
    import orjson
    from wokflow.ingest.stream import chunks

    count, rest = 0, b""
    with clock:
        for chunk, _ in chunks(path):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if len(line) > 1:
                    count += bool(orjson.loads(line.removesuffix(b",")))
    return count


def decompress(clock: Clock, path: str) -> int:
    from wokflow.ingest.stream import chunks

    with clock:
        return sum(len(chunk) for chunk, _ in chunks(path))

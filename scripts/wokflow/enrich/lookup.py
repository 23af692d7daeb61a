"""Wikidata's facts about mentioned items: from a dump, a store of triples, or a SPARQL endpoint."""

import gzip
import hashlib
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from wokflow.enrich import sparql
from wokflow.enrich.countries import Countries
from wokflow.enrich.entities import number_of
from wokflow.enrich.schemas import LOOKUPS
from wokflow.enrich.settings import LookupSettings
from wokflow.enrich.sparql import (
    ALIAS,
    COUNTRY,
    DESCRIPTION,
    LABEL,
    LASTING_COUNTRY,
    LASTING_ORIGIN,
    MERGED,
    ORIGIN,
    TITLE,
    Facts,
)
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.language_codes import ANY_LANGUAGE, fallbacks, is_name_in, wikipedia
from wokflow.frame.polite import Answers, known

SUMMARY = "summary"  # a kind of facts that only dumps have
MERGES = 5  # of one item into the next, at most
SHOWN = 10  # unknown items that the log names

Source = Callable[[Sequence[str]], Mapping[str, Facts]]
Variants = Callable[[str], Sequence[str]]  # the fallbacks of a language


def enrich_lookup(
    *, categories: str, entities: str, lookups: str, settings: LookupSettings, job: Job
) -> None:
    """Write the facts about each item with a category as enrich/lookups, in each of `languages`.

    Backends: `dump` reads enrich/entities; `store` a file of triples (.nt, .ttl, plain or .gz) or a folder that
    pyoxigraph or Oxigraph made; `endpoint` asks a SPARQL endpoint, `batch` items a query, in the name of `contact`,
    and keeps answers in the folder `cache` (see polite.Client). All give the same rows from the same facts; only
    dumps have summaries. Labels and descriptions fall back on variants of the language, whose other names are aliases
    (language_codes.fallbacks); names for all languages count in those of their script (is_name_in); these are sorted
    by their characters, since triples have no order. The country of origin is a value of P495 with the best rank,
    else of P17; of several, one whose statement has no end time (P582; a store of truthy statements alone does not
    say), then the one with the lowest number or another one of its language (Countries), since triples do not have
    Wikidata's order either. If an item was merged into another since it was linked, triples say only that: it keeps
    its id, and gets the facts of the other. Paper: Yao et al. 2024, section 3.2.

    Raises UserError where a setting is missing or wrong, the store cannot be read, or the endpoint does not answer.
    """
    languages, progress = settings.languages, job.progress
    named = tables.read(categories, ["qid", "category"]).drop_nulls("category")["qid"].unique()
    sparql.check(named.to_list(), languages)
    wanted = sorted(named, key=number_of)
    source: Source
    variants: Variants = fallbacks
    match settings.backend:
        case "dump":
            variants = _none  # enrich/entities has them among the names of their language
            source = of_dump(entities, languages)
        case "store":
            source = of_store(settings.store, languages, settings.batch)
        case "endpoint":
            client = sparql.Endpoint(settings, progress.say)
            if settings.cache is None:
                raise ValueError("enrich.lookup without enrich.lookup.cache: its rule always names a folder")
            source = of_endpoint(client, answers_of(settings.cache, client.endpoint, languages), progress)
    order = Countries.read(settings.regions)
    facts = followed(source, wanted)
    countries = {qid: country for qid in wanted if (country := country_of(facts[qid], order))}
    facts |= followed(source, sorted(set(countries.values()) - facts.keys(), key=number_of))
    rows = [
        {
            "qid": qid,
            "lang": lang,
            **texts(facts[qid], lang, variants),
            **_country(countries.get(qid), facts, lang),
        }
        for qid in wanted
        for lang in languages
    ]
    tables.write(lookups, LOOKUPS, rows, job.metadata)
    unknown = [qid for qid in wanted if not facts[qid]]
    examples = f" ({', '.join(unknown[:SHOWN])}{', ...' if len(unknown) > SHOWN else ''})" if unknown else ""
    progress.say(
        f"{len(wanted)} items: {len(countries)} have a country, {len(unknown)} are unknown to the "
        f"{settings.backend}{examples}"
    )


def followed(source: Source, qids: Sequence[str]) -> dict[str, Facts]:
    """The facts of items; for an item that was merged into another, the facts of that one."""
    facts = dict(source(qids))
    merged = {qid: into for qid in qids if (into := _merged(facts[qid]))}
    for _ in range(MERGES):
        if not merged:
            break
        facts |= source(sorted(set(merged.values()) - facts.keys(), key=number_of))
        facts |= {qid: facts[into] for qid, into in merged.items()}
        merged = {qid: into for qid in merged if (into := _merged(facts[qid]))}
    return facts


def _merged(facts: Facts) -> str | None:
    return next((value for kind, _, value in facts if kind == MERGED), None)


def texts(facts: Facts, lang: str, variants: Variants = fallbacks) -> dict[str, Any]:
    """Names of an item in a language, as enrich_entities chooses them; all empty where it has no name."""
    own = (lang, *variants(lang), ANY_LANGUAGE)
    names = [fact for fact in facts if fact[0] in (LABEL, ALIAS) and is_name_in(fact[2], fact[1], lang)]
    label, title = _first(names, LABEL, own), _first(facts, TITLE, [wikipedia(lang)])
    others = {value for _, code, value in names if code in own[1:-1]} - {label}
    named = {value for kind, code, value in names if kind == ALIAS and code in (lang, ANY_LANGUAGE)}
    aliases = sorted(named | others)
    if not (label or title or aliases):
        return {"label": None, "description": None, "aliases": [], "title": None, "summary": None}
    return {
        "label": label,
        "description": _first(facts, DESCRIPTION, own),
        "aliases": aliases,
        "title": title,
        "summary": _first(facts, SUMMARY, [lang]),
    }


def _none(lang: str) -> Sequence[str]:
    """No variants."""
    return ()


def _first(facts: Facts, kind: str, codes: Collection[str]) -> str | None:
    """The value under the first of the codes that has one; of several values the first in alphabetical order."""
    return next((value for code in codes for of, lang, value in facts if (of, lang) == (kind, code)), None)


def country_of(facts: Facts, order: Countries) -> str | None:
    """The id of an item's country of origin."""
    for wanted in (LASTING_ORIGIN, ORIGIN, LASTING_COUNTRY, COUNTRY):
        if countries := [value for kind, _, value in facts if kind == wanted]:
            return order.chosen(countries)
    return None


def _country(qid: str | None, known: Mapping[str, Facts], lang: str) -> dict[str, str | None]:
    name = texts(known[qid], lang)["label"] if qid else None
    return {"country_qid": qid, "country_of_origin": name}


def of_dump(entities: str, languages: Collection[str]) -> Source:
    """Facts from enrich/entities."""
    columns = ["qid", "origins", "countries", "texts"]

    def ask(qids: Sequence[str]) -> dict[str, Facts]:
        facts: dict[str, Facts] = {qid: [] for qid in qids}
        wanted = pl.LazyFrame({"qid": qids}, {"qid": pl.String})
        rows = tables.scan(entities, columns).join(wanted, on="qid", how="semi").collect()
        for qid, origins, countries, named in rows.unique("qid", keep="first").iter_rows():
            facts[qid] = sorted(
                {(ORIGIN, "", country) for country in origins}
                | {(COUNTRY, "", country) for country in countries}
                | {fact for text in named if text["lang"] in languages for fact in _of_text(text)}
            )
        return facts

    return ask


def _of_text(text: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for kind in (LABEL, DESCRIPTION, TITLE, SUMMARY):
        if text[kind]:
            yield kind, wikipedia(text["lang"]) if kind == TITLE else text["lang"], text[kind]
    for alias in text["aliases"]:
        yield ALIAS, text["lang"], alias


def of_store(path: str | None, languages: Collection[str], batch: int) -> Source:
    """Facts from a store of triples, by the same query as at an endpoint."""
    from pyoxigraph import QueryResultsFormat, QuerySolutions

    opened = open_store(path)

    def ask(qids: Sequence[str]) -> dict[str, Facts]:
        facts: dict[str, Facts] = {}
        for start in range(0, len(qids), batch):
            part = qids[start : start + batch]
            answer = opened.query(sparql.query(part, languages))
            assert isinstance(answer, QuerySolutions)
            facts |= sparql.read_answer(answer.serialize(format=QueryResultsFormat.JSON) or b"", part)
        return facts

    return ask


def open_store(path: str | None) -> Any:
    """A pyoxigraph.Store of a file, in memory, or of a folder, read-only. Raises UserError if it cannot be read."""
    import pyoxigraph

    if not path or not Path(path).exists():
        raise UserError(
            f"enrich.lookup.store: {path} is not there; enrich.lookup.backend: store reads its triples."
        )
    if Path(path).is_dir():
        try:
            return pyoxigraph.Store.read_only(path)
        except OSError as error:
            raise UserError(
                f"enrich.lookup.store: {path} is no folder that pyoxigraph made: {error}"
            ) from error
    packed = Path(path).suffix == ".gz"
    ending = Path(path).with_suffix("").suffix if packed else Path(path).suffix
    formats = {".nt": pyoxigraph.RdfFormat.N_TRIPLES, ".ttl": pyoxigraph.RdfFormat.TURTLE}
    if ending not in formats:
        raise UserError(f"enrich.lookup.store: {path} is neither .nt nor .ttl, plain or .gz, nor a folder.")
    opened = pyoxigraph.Store()
    try:
        with cast(IO[bytes], gzip.open(path) if packed else Path(path).open("rb")) as file:
            opened.bulk_load(file, formats[ending], lenient=True)
    except (SyntaxError, OSError, EOFError, zlib.error) as error:
        raise UserError(
            f"enrich.lookup.store: {path} is damaged or not what its name says: {error}. Fetch or make it again."
        ) from error
    return opened


def answers_of(folder: str | Path, endpoint: str, languages: Collection[str]) -> Answers:
    """The cached answers of an endpoint about items in some languages; answers to another query do not count."""
    asked = hashlib.sha256(sparql.query([], languages).encode()).hexdigest()
    return Answers(folder, {"endpoint": endpoint, "query": asked})


def of_endpoint(client: sparql.Endpoint, answers: Answers, progress: Progress) -> Source:
    """Facts from the cached answers, and from the endpoint for all other items."""

    def ask(qids: Sequence[str]) -> dict[str, Facts]:
        answered = known(client, answers, qids, progress)
        return {qid: [(kind, lang, value) for kind, lang, value in facts] for qid, facts in answered.items()}

    return ask

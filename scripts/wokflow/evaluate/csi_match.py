"""CSI-Match of runs on a source of sentences: over all its items, by region and by category (see spans)."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.contributions import part
from wokflow.evaluate.given_rows import read_rows
from wokflow.evaluate.score_intervals import Metric, ratio, score_rows
from wokflow.evaluate.settings import CsiMatchSettings
from wokflow.evaluate.spans import Output, csi_match
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.language_codes import base, languages_of
from wokflow.frame.writing import one_spelling

REFERENCE = "reference"
PREDICTION_COLUMNS = ("instance_id", "run", "prediction")
METRICS = ("csi_match", "csi_exact")
SIGNATURE = (
    "similarity:1-Levenshtein/longer|spans:words, or letters of scripts without spaces|"
    "text:NFC, lower case, simplified Chinese|mean:mentions|resampled:sentences"
)
REGIONS = ("source", "target", "other")
REGION_COLUMNS = ("lang", "country_qid", "country")


def evaluate_csi_match(
    *,
    sentences: Sequence[str],
    dictionary: str,
    predictions: Sequence[str],
    held_out: Sequence[str],
    scores: str,
    parts: str,
    settings: CsiMatchSettings,
    job: Job,
) -> None:
    """Score runs on the items of a source of sentences; write schema evaluate/scores with csi_match and csi_exact.

    `parts` gets what each sentence adds to the scores of the whole source, as schema evaluate/parts. Sentences of
    `held_out` (generate/exemplars), which prompts show, are scored for no run. `predictions` are parts of
    generate/predictions; those of the settings are users' own tables with the same columns (rows.read_rows). Ids of
    sentences are their ids of instances, and those of other sources are skipped. The run `reference`, the last one,
    is the target side itself. A score is the mean over the mentions of items that have a translation (names of
    enrich/items in the target language), and `instances` is their number; an item that is mentioned twice counts
    twice. Intervals are from resamples of sentences. An empty prediction is scored; sentences without any prediction
    are left out and counted in the log.

    Data sets are each source of sentences (camt), its items by region (camt/region=source: countries of the source
    language by the table of regions, else of the target language, else other; appendix K) and by category
    (camt/category=Ecology). Raises UserError for predictions of sentences that the source does not have, or that a
    run has twice, for items that enrich/items lacks, and for tables that cannot be read.
    """
    langs = languages_of(settings.pair)
    mentions = read_mentions(sentences, dictionary, read_regions(settings.regions), *langs)
    shown = set(tables.read(held_out, ["instance_id"])["instance_id"]) if held_out else set()
    targets = dict(tables.read(sentences, ["sentence_id", "target"]).iter_rows())
    targets = {sentence: text for sentence, text in targets.items() if sentence not in shown}
    translations = _predicted(predictions, settings.predictions, settings.corpus, job.progress)
    runs = _runs(targets, settings.corpus, translations, job.progress)
    with (
        tables.PartWriter(scores, schemas.SCORES, job.metadata) as writer,
        tables.PartWriter(parts, schemas.PARTS, job.metadata) as of_sentences,
    ):
        for number, (run, texts) in enumerate(runs, start=1):
            scored = _scored(mentions, texts, base(langs[1]))
            for dataset, rows in _datasets(scored):
                sums, metrics = _metrics(rows)
                values = score_rows(((run, dataset, metric) for metric in metrics), settings.bootstrap)
                writer.write(values.with_columns(instances=pl.lit(sums["mentions"].sum(), pl.Int32)))
            sums, metrics = _metrics(scored)
            for metric in metrics:
                of_sentences.write(part(sums, metric, run, settings.pair))
            job.progress(number, f"{number} runs")


def read_mentions(
    sentences: Sequence[str], items: str, regions: Mapping[str, frozenset[str]], source: str, target: str
) -> pl.DataFrame:
    """Mentions of items: sentence_id, corpus, qid, category, region and translations, in the order of the sentences.

    A variant, such as zh-tw, has the countries under its own code in `regions`, or else those of its language. Raises
    UserError for an item that the table of items lacks.
    """
    of_source, of_target = (
        sorted(regions.get(lang) or regions.get(base(lang), frozenset())) for lang in (source, target)
    )
    rows = tables.read(sentences, ["sentence_id", "items"]).explode("items").unnest("items").drop_nulls("qid")
    known = tables.read(items).filter(pl.col("lang") == target).select("qid", "country_qid", "translations")
    if (missing := rows.join(known, on="qid", how="anti")).height:
        raise UserError(
            f"{items} has no row of {missing['qid'][0]} in language {target}, which {missing['sentence_id'][0]} "
            "mentions. Make both tables again, with this language among those of items."
        )
    country = pl.col("country_qid")
    return rows.join(known, on="qid", maintain_order="left").select(
        "sentence_id",
        "qid",
        "category",
        "translations",
        corpus=pl.col("sentence_id").str.replace(r":[^:]*$", ""),
        region=pl.when(country.is_in(of_source))
        .then(pl.lit("source"))
        .when(country.is_in(of_target))
        .then(pl.lit("target"))
        .otherwise(pl.lit("other")),
    )


def read_regions(path: str) -> dict[str, frozenset[str]]:
    """Ids of the countries that primarily use each language, or have most of its speakers.

    The table has the columns lang, country_qid and country; a country may stand under several languages. Raises
    UserError, with file and row, for a table without these columns and for ids that are not like Q148.
    """
    regions: dict[str, set[str]] = {}
    for number, (lang, country, _) in read_rows(path, REGION_COLUMNS, "countries of languages"):
        if not lang or not country or country[0] != "Q" or not country[1:].isdecimal():
            raise UserError(
                f"{path}, row {number}: lang must be a language such as zh, and country_qid an id such as Q148."
            )
        regions.setdefault(lang, set()).add(country)
    return {lang: frozenset(countries) for lang, countries in regions.items()}


def _predicted(
    predictions: Sequence[str], given: Sequence[str], corpus: str, progress: Progress
) -> pl.DataFrame:
    """All predictions: instance_id, run, prediction. Those of given files have ids with the source in front."""
    schema = dict.fromkeys(PREDICTION_COLUMNS, pl.String)
    frames = [pl.DataFrame(schema=schema)]
    if predictions:
        frames.append(tables.read(predictions, PREDICTION_COLUMNS))
    for path in given:
        rows = []
        for number, cells in read_rows(path, PREDICTION_COLUMNS, "translations", copied=True):
            if not cells[1]:
                raise UserError(f"{path}, row {number}: the column run is empty; give the run's name.")
            source = (cells[0] or "").rpartition(":")[0]
            if not source or (source != corpus and source.casefold() == corpus.casefold()):
                raise UserError(
                    f"{path}, row {number}: instance_id {cells[0] or ''!r} is that of no sentence. Write it as "
                    f"enrich/sentences has it: {corpus}:0"
                )
            rows.append(cells)
        own = sum(str(cells[0]).startswith(f"{corpus}:") for cells in rows)
        progress.say(f"{path}: {own} of {len(rows)} translations are of {corpus}")
        frames.append(pl.DataFrame(rows, schema, orient="row"))
    return pl.concat(frames)


def _runs(
    targets: dict[str, str], corpus: str, made: pl.DataFrame, progress: Progress
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each run, sorted, with its text for each sentence of `targets`; the reference is the last one."""
    made = made.filter(pl.col("instance_id").str.starts_with(f"{corpus}:"))
    key = ["run", "instance_id"]
    if (twice := made.filter(made.select(key).is_duplicated())).height:
        run, sentence = twice.select(key).row(0)
        raise UserError(f"Run {run} has instance {sentence} twice. Remove one of its predictions.")
    one_spelling("the runs", made["run"].unique().sort())
    for (run,), rows in made.sort(key).group_by("run", maintain_order=True):
        if run == REFERENCE:
            raise UserError(f"A run is called {REFERENCE}, as the target side is. Give it another name.")
        of = rows.drop_nulls("prediction").select("instance_id", "prediction").iter_rows()
        texts = {sentence: text for sentence, text in of if sentence in targets}
        if targets and not texts:
            raise UserError(
                f"No instance of run {run} is a sentence of enrich/sentences/{corpus}. Predict the sentences there."
            )
        if missing := len(targets) - len(texts):
            progress.say(f"{run}: {missing} of {len(targets)} sentences have no prediction and are left out")
        yield str(run), texts
    yield REFERENCE, targets


def _scored(mentions: pl.DataFrame, texts: Mapping[str, str], lang: str) -> pl.DataFrame:
    """The mentions in sentences that have a text, with their scores; null for items without translations."""
    rows = mentions.filter(pl.col("sentence_id").is_in(list(texts)))
    values: list[float | None] = []
    last, output = "", Output("", lang)
    for sentence, translations in rows.select("sentence_id", "translations").iter_rows():
        if sentence != last:
            last, output = sentence, Output(texts[sentence], lang)
        values.append(csi_match(translations, output, lang))
    return rows.with_columns(csi_match=pl.Series(values, dtype=pl.Float64)).with_columns(
        csi_exact=pl.when(pl.col("csi_match").is_not_null()).then(100.0 * (pl.col("csi_match") == 100.0))
    )


def _datasets(scored: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Each source of sentences, sorted, then its parts by region and by category."""
    for corpus in scored["corpus"].unique().sort():
        rows = scored.filter(pl.col("corpus") == corpus)
        yield corpus, rows
        for region in REGIONS:
            yield f"{corpus}/region={region}", rows.filter(pl.col("region") == region)
        for category in rows["category"].unique().sort():
            yield f"{corpus}/category={category}", rows.filter(pl.col("category") == category)


def _metrics(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Metric]]:
    """Sentences with mentions that have a score, and both metrics of these: sums of scores, numbers of mentions."""
    counted = rows.drop_nulls("csi_match").group_by("sentence_id", "corpus", maintain_order=True)
    sums = counted.agg(pl.col(METRICS).sum(), mentions=pl.len().cast(pl.Float64))
    mentions = sums["mentions"].to_numpy()
    metrics = [ratio(name, sums[name].to_numpy(), mentions, SIGNATURE) for name in METRICS]
    return sums.select("mentions", instance_id="sentence_id", dataset="corpus"), metrics

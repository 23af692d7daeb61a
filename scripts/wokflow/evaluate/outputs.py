"""What each run wrote, and what is wrong with it: the same text for all, copies, nothing, another language."""

from collections.abc import Iterator, Sequence

import polars as pl

from wokflow.evaluate import schemas
from wokflow.evaluate.settings import OutputsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import in_language
from wokflow.models.identify import other_language
from wokflow.models.recipe_texts import HEADINGS

HEADING = rf"(?i)\s*(?:{'|'.join(HEADINGS)})"
HALF, TENTH = 0.5, 0.1  # of the predictions: fewer distinct ones, and more faulty ones, give a warning
# Shorter texts say too little of their language; and the probability of another from which a text is in that.
LETTERS, CERTAIN = 80, 0.9
ENDS = tuple("。！？.!?…\"'”’」』)）]】~～")  # how a complete text ends
FAULTS = {  # columns of schema evaluate/outputs, each with what its count says
    "copied_train": "are targets of the training, word for word",
    "copied_source": "are their source, unchanged",
    "empty": "are empty",
    "wrong_language": "are not in the language asked for",
    "refused": "were refused",
    "truncated": "end before they are complete",
}


def evaluate_outputs(
    *,
    instances: str,
    predictions: str,
    examples: str | Sequence[str],
    calls: str | Sequence[str],
    outputs: str,
    run: str,
    settings: OutputsSettings,
    job: Job,
) -> None:
    """Write schema evaluate/outputs, a row for each data set of the instances.

    `examples` are the model's training examples (train/examples), and `calls` the endpoint's answers
    (generate/calls); without them, the columns that depend on them are null. Texts are compared without headings and
    without regard to white space. Truncated is an answer at its limit of tokens; without `calls`, a text that stops
    without a full stop where its reference has one. The log has the warnings.
    """
    rows = _judged(instances, predictions, settings.lang)
    rows = rows.with_columns(copied_train=_learnt(examples, rows["text"]), refused=pl.lit(None, pl.Boolean))
    if calls:
        rows = rows.drop("refused", "truncated").join(_answers(calls), on="instance_id", how="left")
    counts = {"distinct_sources": pl.col("source").n_unique(), "predictions": pl.len()}
    counts |= {"distinct": pl.col("text").n_unique()}
    counts |= {name: pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()) for name in FAULTS}
    counted = rows.group_by("dataset").agg(**{name: one.cast(pl.Int32) for name, one in counts.items()})
    counted = counted.sort("dataset")
    warned = [list(warnings(row)) for row in counted.iter_rows(named=True)]
    data = settings.data
    wide = counted.with_columns(
        run=pl.lit(run),
        dataset=pl.lit(data) if data == "counterfactual" else pl.lit(f"{data}/") + pl.col("dataset"),
        smoke_test=pl.lit(settings.smoke_test),
        warnings=pl.Series(warned, dtype=pl.List(pl.String)),
    )
    tables.write(outputs, schemas.OUTPUTS, wide, job.metadata)
    for dataset, line in wide.explode("warnings").drop_nulls("warnings")["dataset", "warnings"].iter_rows():
        job.progress.say(f"{dataset}: {line}")


def warnings(row: dict[str, int | None]) -> Iterator[str]:
    """What is wrong with the predictions of a data set, by their counts (columns of evaluate/outputs)."""
    count, distinct = row["predictions"] or 0, row["distinct"] or 0
    sources = row["distinct_sources"] or 0
    if sources > 1 and distinct < HALF * sources:
        yield f"{distinct} distinct text{'' if distinct == 1 else 's'} for {sources} sources"
    for name, said in FAULTS.items():
        if (row[name] or 0) > TENTH * count:
            yield f"{row[name]} of {count} predictions {said}"


def _judged(instances: str, predictions: str, lang: str) -> pl.DataFrame:
    """A row a prediction: instance_id, dataset, source, text, and what is wrong with it by itself."""
    asked = tables.read(instances, ["instance_id", "dataset", "source", "reference"])
    made = tables.read(predictions, ["instance_id", "prediction"]).drop_nulls("prediction")
    rows = asked.join(made, on="instance_id").sort("instance_id")
    source, text, reference = (_plain(name) for name in ("source", "prediction", "reference"))
    whole, ended = (one.str.slice(-1).is_in(ENDS) for one in (text, reference))
    rows = rows.with_columns(source=source, text=text)
    known = pl.Series([_in_language(one, lang) for one in rows["text"]], dtype=pl.Boolean)
    return rows.select(
        "instance_id",
        "dataset",
        "source",
        "text",
        copied_source=(pl.col("text") == pl.col("source")) & (pl.col("text") != ""),
        empty=pl.col("text") == "",
        wrong_language=known.not_(),
        truncated=pl.when(reference.is_not_null()).then((text != "") & ~whole & ended),
    )


def _in_language(text: str, lang: str) -> bool | None:
    """Whether a text is in the language's script and, as far as that is certain, in no other language of it."""
    certain = in_language(text, lang)
    other = len(text) >= LETTERS and other_language(text, lang.partition("_")[0], CERTAIN)
    return False if certain and other else certain


def _plain(column: str) -> pl.Expr:
    """A text without headings, its white space single spaces."""
    return pl.col(column).str.replace_all(HEADING, " ").str.replace_all(r"\s+", " ").str.strip_chars()


def _answers(calls: str | Sequence[str]) -> pl.DataFrame:
    """By instance, whether an endpoint refused to answer, or cut the answer that is the prediction: the last."""
    status = pl.col("status")
    given = tables.read(calls, ["instance_id", "turn", "status"]).sort("turn").group_by("instance_id")
    return given.agg(refused=(status == "refused").any(), truncated=status.last() == "cut")


def _learnt(examples: str | Sequence[str], texts: pl.Series) -> pl.Series:
    """Which of the texts are targets of training examples; null without examples."""
    if not examples:
        return pl.Series([None] * len(texts), dtype=pl.Boolean)
    targets = tables.scan(examples, ["target"]).select(target=_plain("target"))
    same = targets.filter(
        (pl.col("target") != "") & pl.col("target").is_in(texts.unique().implode())
    ).unique()
    return texts.is_in(same.collect(engine="streaming")["target"].implode())

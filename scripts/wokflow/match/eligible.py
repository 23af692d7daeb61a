"""The length filter before matching (Cultural Adaptation of Recipes, footnote 5: 512 mT5 subwords)."""

from collections.abc import Callable, Sequence

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.languages import HAN
from wokflow.frame.tables import PartWriter, rows
from wokflow.match import schemas
from wokflow.match.settings import EligibleSettings

# Estimates subword tokens without a vocabulary: one token is a Han character, up to four letters, up to three digits,
# or a punctuation mark.
ESTIMATE = rf"[{HAN}]|[\p{{L}}\p{{M}}--[{HAN}]]{{1,4}}|\p{{N}}{{1,3}}|[^\s\p{{L}}\p{{M}}\p{{N}}]"


def match_eligible(
    *,
    recipes: Sequence[str],
    eligible: str,
    rejects: str,
    corpus: str,
    settings: EligibleSettings,
    job: Job,
) -> None:
    """Write the recipes with at most `max_tokens` tokens (title, ingredients, steps), and rejects for the rest.

    A recipe without title, which ingest may have kept, is rejected. Raises UserError where the tokenizer cannot be
    loaded.
    """
    estimated = settings.tokenizer == "estimate"
    count = _estimate if estimated else _tokenizer(settings.tokenizer, settings.revision)
    total, done = rows(recipes), 0
    with (
        PartWriter(eligible, schemas.ELIGIBLE, job.metadata) as good,
        PartWriter(rejects, schemas.REJECTS, job.metadata) as bad,
    ):
        for part in recipes:
            for batch in tables.opened(part).iter_batches(
                20_000, columns=["recipe_id", "title", "ingredients", "steps", "source_row"]
            ):
                table = pl.DataFrame(batch).with_columns(corpus=pl.lit(corpus), raw="recipe_id")
                table = table.with_columns(tokens=count(_text(table)).cast(pl.Int32))
                table = table.with_columns(
                    reason=pl.when(pl.col("title") == "")
                    .then(pl.lit("empty_title"))
                    .when(pl.col("tokens") > settings.max_tokens)
                    .then(pl.lit("too_long")),
                    detail=pl.format("{} tokens", "tokens"),
                )
                good.write(table.filter(pl.col("reason").is_null()))
                bad.write(table.filter(pl.col("reason").is_not_null()))
                done += table.height
                job.progress(done, f"{done} of {total} recipes measured", of=total)


def _text(table: pl.DataFrame) -> pl.Series:
    lines = pl.concat_list("title", "ingredients", "steps")
    return table.select(lines.list.join("\n")).to_series()


def _estimate(text: pl.Series) -> pl.Series:
    return text.str.count_matches(ESTIMATE)


def _tokenizer(name: str, revision: str | None) -> Callable[[pl.Series], pl.Series]:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
    except Exception as error:  # a broken folder may raise anything
        raise UserError(f"match.eligible.tokenizer: {name} cannot be loaded: {error}") from error

    def count(text: pl.Series) -> pl.Series:
        ids = tokenizer(text.to_list(), add_special_tokens=False)["input_ids"] if text.len() else []
        return pl.Series([len(tokens) for tokens in ids], dtype=pl.Int32)

    return count

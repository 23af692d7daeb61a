"""The answers of models to tasks: recipes and ratings."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_prose
from wokflow.generate.answers import Answer
from wokflow.generate.cache import Cache
from wokflow.generate.costs import NOTHING, Ledger, Prices, Tokens
from wokflow.generate.origins import origin, same_model, several_served
from wokflow.generate.prompt import Asker, connection
from wokflow.generate.released_answers import read_released
from wokflow.generate.request import Request, check, request
from wokflow.judge.ash_files import published_answers
from wokflow.judge.schemas import ANSWERS
from wokflow.judge.settings import PromptSettings

KEYS = ["task_id", "repetition"]
_PLACE = re.compile(r"\{(\w+)\}")


class Question(NamedTuple):
    """A task's filled prompt, and which repetition of it this is."""

    task_id: str
    repetition: int
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def judge_prompt(
    *, tasks: str, server: str | list[str], answers: str, settings: PromptSettings, job: Job
) -> None:
    """Ask a model each task `repetitions` times, and write judge/answers: a row for each question, answered or not.

    Cache, budget and errors are as in wokflow.generate.prompt.generate_prompt. Each repetition adds 1 to two seeds:
    to the row's own, which tells its answers apart in the cache, and to generate.prompt.seed, which is sent to the
    endpoint if it is set.

    With `released`, a table in the form of judge/answers or a CSV of the authors of ASH (ash_files), nothing is
    asked: its answers are copied. Raises UserError if one is missing, repeated or not asked for, or answers a prompt
    of another text or for another model, which a CSV does not show.
    """
    template = read_prose(settings.prompt, "a prompt").rstrip("\r\n")
    rows = tables.read(tasks).sort("task_id")
    shown_by_task = rows.select("task_id", "shown").rows()
    texts = [(task, filled(template, shown, settings.prompt)) for task, shown in shown_by_task]
    questions = [
        Question(task, repetition, text)
        for task, text in texts
        for repetition in range(1, settings.repetitions + 1)
    ]
    if settings.released:
        wanted = _wanted(questions)
        if settings.released.endswith(".csv"):
            found = published_answers(settings.released, rows, settings.model, settings.run)
            known = found.join(wanted, on=KEYS, how="left", maintain_order="left")
            kept = known.with_columns(prompt=pl.coalesce("wanted", "prompt")).select(ANSWERS.names)
        else:
            every = read_released(settings.released, ANSWERS, "judge/answers")
            kept = every.filter(pl.col("asked") == settings.run)
            same_model(kept, settings.model, settings.released, settings.run)
        answered = _fitting(wanted, kept, settings.released, settings.run)
    else:
        answered = tables.frame(ANSWERS, _asked(questions, server, settings, job))
    for status, count in answered.group_by("status").len().sort("status").iter_rows():
        job.progress.say(f"{status}: {count} of {answered.height}")
    for notice in several_served(answered):
        job.progress.say(notice)
    tables.write(answers, ANSWERS, answered, job.metadata)


def filled(template: str, shown: Sequence[Mapping[str, str]], path: str) -> str:
    """A prompt whose places, such as {recipe}, are filled with the texts of these names; all other braces stay.

    Raises UserError if the prompt has a place for none of them.
    """
    values = {each["name"]: each["text"] for each in shown}
    if not values.keys() & set(_PLACE.findall(template)):
        raise UserError(
            f"The prompt {path} has none of the places {', '.join(f'{{{name}}}' for name in values)}."
        )
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), template)


def _asked(
    questions: Sequence[Question], server: str | list[str], settings: PromptSettings, job: Job
) -> Iterator[dict[str, Any]]:
    """The rows of judge/answers, from the endpoint, the workflow's own server, or the cache."""
    check(settings)
    prices = Prices(settings.price_in, settings.price_out)
    ledger = Ledger(prices, settings.budget, settings.budget_tokens, settings.ledger)
    if settings.repetitions > 1 and settings.temperature == 0:
        job.progress.say(
            f"temperature 0 and {settings.repetitions} repetitions: all are the same draw, so that agreement of this "
            "model with itself says nothing of how sure it is. Set a temperature above 0, or ask once."
        )
    asker = Asker(settings, Cache(settings.cache, job.progress.say, settings.again), ledger, job.progress)
    identity, connect = connection(settings, server, ledger)
    requests = [_request(each, settings, identity) for each in questions]
    most = Tokens.total({one.digest: one.most for one in requests}.values())
    cost = prices.cost(most)
    job.progress.say(
        f"{len(requests)} questions cost at most {sum(most)} tokens"
        + (f", {cost:.6g}" if cost is not None else "")
    )
    if settings.alike > 1:
        job.progress.say(
            f"{settings.alike} models are asked these tasks: at such prices and repetitions all of them cost at most "
            f"{settings.alike * sum(most)} tokens"
            + (f", {settings.alike * cost:.6g}" if cost is not None else "")
            + "; a budget is of one model"
        )
    with connect() as client:
        answers = asker.answers(requests, client)
    job.progress.say(ledger.summary())
    seen: set[str] = set()
    for question, one in zip(questions, requests, strict=True):
        answer = answers[one.digest]
        used = NOTHING if one.digest in seen else answer.tokens or one.most
        seen.add(one.digest)
        spent = None if answer.failure else prices.cost(used)
        yield _row(question, settings.run, one, answer, spent) | origin(settings.model, answer)


def _request(question: Question, settings: PromptSettings, endpoint: str) -> Request:
    """The request of a question; each repetition has other seeds."""
    more = question.repetition - 1
    seed = None if settings.seed is None else settings.seed + more
    seeded = settings.model_copy(update={"draw": settings.draw + more, "seed": seed})
    return request(seeded, endpoint, question.text)


def _row(question: Question, asked: str, one: Request, answer: Answer, cost: float | None) -> dict[str, Any]:
    return {
        "task_id": question.task_id,
        "asked": asked,
        "repetition": question.repetition,
        "prompt": question.digest,
        "request": one.digest,
        "status": answer.status,
        "reason": answer.refusal,
        "prompt_tokens": answer.tokens and answer.tokens.prompt,
        "completion_tokens": answer.tokens and answer.tokens.completion,
        "cost": cost,
        "answer": answer.text,
    }


def _wanted(questions: Sequence[Question]) -> pl.DataFrame:
    """The questions by KEYS, with the digest of what is asked."""
    return pl.DataFrame(
        [(one.task_id, one.repetition, one.digest) for one in questions],
        {"task_id": pl.String, "repetition": pl.Int32, "wanted": pl.String},
        orient="row",
    )


def _fitting(wanted: pl.DataFrame, rows: pl.DataFrame, path: str, asked: str) -> pl.DataFrame:
    """The rows that answer the questions, in their order."""
    answered = wanted.join(rows, on=KEYS, how="left", maintain_order="left")
    wrong = {
        "no answer": answered.filter(pl.col("asked").is_null()),
        "more than one answer": rows.filter(~rows.select(pl.struct(KEYS).is_first_distinct()).to_series()),
        "an answer to another text": answered.filter(pl.col("prompt") != pl.col("wanted")),
        "an answer that nobody asks for": rows.join(wanted, on=KEYS, how="anti"),
    }
    problems = [
        f"{what} for {some.height} (the first: {some['task_id'][0]}, repetition {some['repetition'][0]})"
        for what, some in wrong.items()
        if some.height
    ]
    if problems:
        raise UserError(
            f"{path} does not fit the tasks of {asked}: {'; '.join(problems)}. Released answers can be "
            "replayed only with the tables, prompts and repetitions of the run that asked them."
        )
    return answered.select(ANSWERS.names)

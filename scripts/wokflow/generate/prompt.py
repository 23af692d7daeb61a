"""Predictions by an OpenAI-compatible endpoint that is given a prompt."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.language_codes import in_language
from wokflow.frame.secrets import variable_for
from wokflow.generate import schemas
from wokflow.generate.answers import LOST, Answer, cleaned, in_form, read_answer
from wokflow.generate.cache import Cache
from wokflow.generate.client import Client, NoAnswer
from wokflow.generate.costs import NOTHING, BudgetError, Ledger, Prices
from wokflow.generate.endpoints import Key
from wokflow.generate.origins import origin, several_served
from wokflow.generate.released_answers import Released, digest_of
from wokflow.generate.request import Request, check, request
from wokflow.generate.sentence_texts import cleaner, dialogue_of, values_of
from wokflow.generate.served import await_server, folder_digest, server_command, server_identity
from wokflow.generate.settings import PromptSettings
from wokflow.models.recipe_texts import without_headings

NOTHING_SAID = ("refused", "empty")  # answers after which no second question can be asked
IN_A_ROW = 20  # requests that fail one after another, after all tries, show that the endpoint is down


def generate_prompt(
    *,
    instances: str,
    exemplars: str | list[str],
    server: str | list[str],
    predictions: str,
    calls: str,
    rejects: str,
    settings: PromptSettings,
    job: Job,
) -> None:
    """Ask for a prediction for each instance; write generate/predictions, generate/calls and generate/rejects.

    The prompt comes after the first `shots` of the table `exemplars`, with their answers. A prompt of two questions
    is asked in two turns: the second one, of the instances whose first one was answered.

    Without an endpoint in the settings, the workflow's own server is asked, which the file `server` describes. Each
    answer is kept in the `cache` as soon as it comes, by its request, the run's seed, and the endpoint's URL, or the
    server's command and its model (of a folder: the content; of the hub: the loaded commit). Nothing in there is
    asked for again, but what was refused or empty in an earlier round than `again`. Equal requests are asked once,
    and have a cost in their first row only. What the run has spent stands in the file `ledger`, over all starts. With
    `released`, a table as generate/calls, nothing is asked: its rows for the run take the place of answers, and fit
    word for word.

    A prediction is the answer without thoughts and marks of code (sentence_texts.cleaner), whatever its language
    and form; the log says how many are not as asked for. It is empty where the model refused or said nothing. An
    instance that got no answer, or a first question of two that got none to go on with, is a reject.
    Raises UserError if the endpoint cannot be reached or refuses the run, if more than `failures` requests get no
    answer, or if the budget is used up; answers that came are kept.
    """
    progress, languages = job.progress, settings.languages
    rows = tables.read(instances).sort("instance_id")
    dialogue = dialogue_of(settings.prompt, exemplars, settings.shots, languages)
    clean = cleaner(rows, continues=settings.mode == "completion")
    prices = Prices(settings.price_in, settings.price_out)
    book = Ledger(prices, settings.budget, settings.budget_tokens, settings.ledger)
    released = settings.released
    kept = Released.read(released, settings.run, settings.model) if released else None
    if not kept:
        check(settings)
        asker = Asker(settings, Cache(settings.cache, progress.say, settings.again), book, progress)
        identity, connect = connection(settings, server, book)
    values = values_of(rows, languages)
    answers: list[list[str]] = [[] for _ in values]
    described, every = list[dict[str, Any]](), list[Answer]()
    for turn in range(1, dialogue.turns + 1):
        last = turn == dialogue.turns
        asked = [number for number, given in enumerate(answers) if len(given) == turn - 1]
        questions = [dialogue.said(values[number], *answers[number]) for number in asked]
        if kept:
            now, of_turn = kept.turn(turn, rows[asked]["instance_id"].to_list(), questions)
        else:
            requests = [request(settings, identity, *texts) for texts in questions]
            with connect() as client:
                by_digest = asker.answers(requests, client, lost=sum(one.status in LOST for one in every))
            now = [by_digest[one.digest] for one in requests]
            lang = settings.lang if last else None
            of_turn = [*call_rows(rows[asked], turn, questions, requests, now, lang, prices, settings.model)]
        every += now
        described += of_turn
        if useless := _useless(now, settings.max_tokens):
            raise UserError(useless)
        for number, one in zip(asked, now, strict=True):
            if one.status not in (LOST if last else (*LOST, *NOTHING_SAID)):
                answers[number].append("" if one.status in NOTHING_SAID else clean(cleaned(one.text)))
    table = tables.frame(schemas.CALLS, described).with_columns(run=pl.lit(settings.run))
    table = table.sort("instance_id", "turn")
    report(table, every, book, progress)
    tables.write(calls, schemas.CALLS, table, job.metadata)
    whole = pl.Series([len(given) == dialogue.turns for given in answers], dtype=pl.Boolean)
    texts = pl.Series([given[-1] for given in answers if len(given) == dialogue.turns], dtype=pl.String)
    predicted = rows.filter(whole).select("instance_id", run=pl.lit(settings.run), prediction=texts)
    tables.write(predictions, schemas.PREDICTIONS, predicted, job.metadata)
    lost = table.group_by("instance_id", maintain_order=True).last().rename({"reason": "detail"})
    rejected = rows.filter(~whole).join(lost, on="instance_id", maintain_order="left")
    rejected = rejected.with_columns(reason="status", raw="source").select(schemas.REJECTS.names)
    tables.write(rejects, schemas.REJECTS, rejected, job.metadata)


def connection(
    settings: PromptSettings, server: str | list[str], ledger: Ledger
) -> tuple[str, Callable[[], Client]]:
    """What answers are kept by, and what makes a client: of the endpoint, or of the workflow's own server."""
    if settings.endpoint:
        identity, socket = settings.endpoint, ""
        url, key = settings.endpoint, Key(variable_for(settings.endpoint, settings.key_variable))
    elif server:
        content = folder_digest(settings.model)  # while the server starts
        own = await_server(str(server))
        weights = content or own.commit or None
        identity = f"server {server_identity(server_command(settings), settings.model, weights)}"
        url, key, socket = own.url, own.key, own.socket
    else:
        raise UserError("generate.prompt.endpoint: give a base URL, or let the workflow start a server.")
    connect = partial(Client, url, key, ledger, socket=socket, seconds=settings.timeout_s)
    return identity, partial(connect, tries=settings.tries, concurrency=settings.concurrency)


@dataclass(frozen=True)
class Asker:
    """Gets answers from the cache or, several at once, from the endpoint."""

    settings: PromptSettings
    cache: Cache
    ledger: Ledger
    progress: Progress

    def answers(self, requests: Sequence[Request], client: Client, lost: int = 0) -> dict[str, Answer]:
        """The answer to each request, by its digest; failures among them, and `lost` before. Raises UserError."""
        by_name = {one.digest: one for one in requests}
        kept = {name: answer for name, one in by_name.items() if (answer := self.cache.get(one))}
        missing = {name: one for name, one in by_name.items() if name not in kept}
        self.progress.say(f"{len(kept)} answers are kept from before, {len(missing)} are asked for")
        answers = kept | self._asked(missing, client)
        now = sum(one.status in LOST for one in answers.values())
        if now and (lost + now > self.settings.failures or now == len(answers)):
            raise UserError(f"{unanswered(answers, len(missing), lost)}\n{_advice(answers)}")
        return answers

    def _one(self, request: Request, client: Client) -> Answer:
        try:
            response = client.ask(request)
        except NoAnswer as none:
            return none.answer
        self.cache.put(request, response)
        return read_answer(response)

    def _asked(self, missing: Mapping[str, Request], client: Client) -> dict[str, Answer]:
        """Send the missing requests, but no more to an endpoint that is down.

        After an error, requests in flight are still awaited.
        """
        answers: dict[str, Answer] = {}
        failed = in_a_row = 0
        futures: dict[Future[Answer], str] = {}
        try:
            with ThreadPoolExecutor(self.settings.concurrency) as pool:
                try:
                    futures |= {pool.submit(self._one, one, client): name for name, one in missing.items()}
                    for future in as_completed(futures):
                        answer = answers[futures[future]] = future.result()
                        fails = answer.status in LOST
                        failed, in_a_row = failed + fails, in_a_row + 1 if fails else 0
                        if failed > self.settings.failures and in_a_row >= IN_A_ROW:
                            break
                        done = f"{len(answers)} of {len(missing)} answered, {self.ledger.summary()}"
                        self.progress(len(answers), done, of=len(missing))
                finally:
                    client.stop()
                    pool.shutdown(cancel_futures=True)
        except BudgetError as error:
            came = sum(not future.cancelled() and not future.exception() for future in futures)
            raise UserError(
                f"generate.prompt.budget: {error}. Of {len(missing)} requests {came} were answered now and "
                f"{len(missing) - came} are left. Run again with a larger budget: answers are kept."
            ) from None
        return answers


def _advice(answers: Mapping[str, Answer]) -> str:
    """What to do where too many requests got no answer; `answers` are all of the run, kept ones too."""
    statuses = {one.status for one in answers.values()}
    if not statuses.issubset(LOST):
        again = "Run again to ask for what is missing alone. " if "failed" in statuses else ""
        rejected = "Requests that were rejected would be rejected again: change them, or raise that number."
        return (
            f"{again}Answers are kept. generate.prompt.failures is how many requests may stay without an answer."
            f"{f' {rejected}' if 'rejected' in statuses else ''}"
        )
    if "rejected" in statuses:
        return "Look at the run's model and at mode, parameters and max_tokens_name of generate.prompt."
    return "Run again later."


def _useless(answers: Sequence[Answer], most: int | None) -> str | None:
    """What is wrong, and which setting to change, if all answers are empty or cut off."""
    answers = [one for one in answers if one.status not in LOST]
    if not answers or any(one.status not in ("empty", "cut") for one in answers):
        return None
    empty, cut = (sum(one.status == status for one in answers) for status in ("empty", "cut"))
    message = f"None of {len(answers)} answers can be used: {empty} are empty and {cut} are cut."
    if all(one.at_the_limit for one in answers):
        thoughts = " A model that reasons may spend them before it says anything." if empty else ""
        return f"{message} All ended at max_tokens ({most}).{thoughts} Raise generate.prompt.max_tokens."
    return f"{message} Look at the run's prompt, at its model, and at generate.prompt.mode."


def unanswered(answers: Mapping[str, Answer], asked: int, before: int = 0) -> str:
    """How many requests got no answer, of those `asked` and of a question `before`, and the most frequent reasons."""
    reasons = Counter(one.refusal for one in answers.values() if one.failure)
    lines = [f"  {count} times: {reason}" for reason, count in reasons.most_common(5)]
    more = f", and {before} before" if before else ""
    return "\n".join([f"{reasons.total()} of {asked} requests got no answer{more}:", *lines])


def call_rows(
    rows: pl.DataFrame,
    turn: int,
    said: Sequence[Sequence[str]],
    requests: Sequence[Request],
    answers: Sequence[Answer],
    lang: str | None,
    prices: Prices,
    model: str,
) -> Iterator[dict[str, Any]]:
    """Rows of generate/calls, one for each instance, without the run. `lang` None: no language is asked for."""
    seen: set[str] = set()
    instances = rows.select("instance_id", "source").iter_rows()
    for (instance, source), texts, one, answer in zip(instances, said, requests, answers, strict=True):
        text = cleaned(answer.text)
        used = NOTHING if one.digest in seen else answer.tokens or one.most
        seen.add(one.digest)
        yield {
            "instance_id": instance,
            "turn": turn,
            "prompt": digest_of(texts),
            "request": one.digest,
            "status": answer.status,
            "reason": answer.refusal,
            "finish_reason": answer.finish_reason,
            "prompt_tokens": answer.tokens and answer.tokens.prompt,
            "completion_tokens": answer.tokens and answer.tokens.completion,
            "cost": None if answer.failure else prices.cost(used),
            "in_language": in_language(without_headings(text), lang) if lang else None,
            "in_form": in_form(text, source),
            **origin(model, answer),
            "answer": answer.text,
        }


def report(calls: pl.DataFrame, answers: Sequence[Answer], ledger: Ledger, progress: Progress) -> None:
    """Log the outcomes of the requests, and the costs."""
    for status, count in calls.group_by("status").len().sort("status").iter_rows():
        progress.say(f"{status}: {count} of {calls.height}")
    for column, what in {"in_language": "language", "in_form": "form"}.items():
        if count := (~calls[column]).sum():
            known = calls[column].count()
            progress.say(f"not in the {what} asked for: {count} of {known} answers, which are kept")
    for notice in several_served(calls):
        progress.say(notice)
    if any(not one.failure and not one.tokens for one in answers):
        progress.say("the server does not count tokens: answers count as the most that they can have cost")
    progress.say(ledger.summary())
    if ledger.lost != NOTHING:
        progress.say(f"of it {sum(ledger.lost)} tokens at most for tries that timed out or were cut")

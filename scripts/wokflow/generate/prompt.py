"""Predictions by an OpenAI-compatible endpoint that is given a prompt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Progress, UserError
from wokflow.generate import schemas
from wokflow.generate.answers import Answer, cleaned, in_form, in_language, read_answer
from wokflow.generate.cache import Cache
from wokflow.generate.client import Client, NoAnswer
from wokflow.generate.costs import NOTHING, BudgetError, Ledger
from wokflow.generate.endpoints import Key, variable_for
from wokflow.generate.prompts import Prompt
from wokflow.generate.request import Request, Settings, request
from wokflow.generate.served import await_server, server_identity
from wokflow.models.texts import without_headings

IN_A_ROW = 20  # requests that fail one after another, after all tries, show that the endpoint is down

Outcome = Answer | NoAnswer


def generate_prompt(
    *,
    instances: str,
    server: str | list[str],
    predictions: str,
    calls: str,
    run: str,
    model: str,
    prompt: str,
    lang: str,
    request_settings: Mapping[str, Any],
    client_settings: Mapping[str, Any],
    command: Sequence[str] | None,
    cache: str,
    metadata: dict[str, str],
    progress: Progress,
) -> None:
    """Ask for a prediction for each instance; write generate/predictions and generate/calls, by instance.

    `prompt` is a file that Prompt reads, `lang` (zh or en) the language asked for; `request_settings` and
    `client_settings` together are the fields of request.Settings. Without an endpoint in them, the workflow's own
    server is asked: the file `server` describes it, and `command` started it. Each answer is kept in the folder
    `cache` as soon as it comes, by its request and by the endpoint's URL, or the server's command and its model (of a
    folder: the content); nothing in there is asked for again. Equal requests are asked once, and have a cost in their
    first row only.

    A prediction is the answer without thoughts, marks of code and headings, whatever its language and form; the log
    says how many are not as asked for. It is empty if there is no answer, and `calls` says why. Raises UserError if
    the endpoint cannot be reached or refuses the run, if more than `failures` requests get no answer, or if the
    budget is used up; answers that came are kept.
    """
    settings = Settings(**request_settings, **client_settings)
    rows = tables.read(instances, ["instance_id", "title", "base", "source"]).sort("instance_id")
    ledger = Ledger(settings.prices, settings.budget, settings.budget_tokens)
    if settings.endpoint:
        identity = settings.endpoint
        key = Key(variable_for(settings.endpoint, settings.key_variable))
        client = client_of(settings.endpoint, key, ledger, settings)
    elif server and command is not None:
        identity = f"server {server_identity(command, model)}"
        own = await_server(str(server))
        client = client_of(own.url, own.key, ledger, settings, own.socket)
    else:
        raise UserError("generate.prompt.endpoint: give a base URL, or let the workflow start a server.")
    filled = fill(Prompt.read(prompt), rows)
    requests = [request(settings, identity, model, text) for text in filled]
    with client:
        outcomes = answered(requests, Cache(cache, progress.say), ledger, client, settings, progress)
    found = [outcomes[one.digest] for one in requests]
    texts = [without_headings(cleaned(one.text)) if isinstance(one, Answer) else "" for one in found]
    predicted = rows.select("instance_id", run=pl.lit(run), prediction=pl.Series(texts, dtype=pl.String))
    described = call_rows(rows, run, requests, found, lang, settings)
    report(described, found, ledger, progress)
    tables.write(predictions, schemas.PREDICTIONS, predicted, metadata)
    tables.write(calls, schemas.CALLS, described, metadata)


def fill(prompt: Prompt, rows: pl.DataFrame) -> list[str]:
    """The prompt's text for each instance."""
    values = rows.select("source", "title", "base").iter_rows()
    return [prompt.fill(source=source, title=title, base=base) for source, title, base in values]


def client_of(url: str, key: Key, ledger: Ledger, settings: Settings, socket: str = "") -> Client:
    """A client of an endpoint with the settings of the config."""
    return Client(
        url,
        key,
        ledger,
        timeout=settings.timeout_s,
        tries=settings.tries,
        backoff=settings.backoff_s,
        concurrency=settings.concurrency,
        socket=socket,
    )


def answered(
    requests: Sequence[Request],
    cache: Cache,
    ledger: Ledger,
    client: Client,
    settings: Settings,
    progress: Progress,
) -> dict[str, Outcome]:
    """The outcome of each request, by its digest, from the cache or the endpoint. Raises UserError."""
    outcomes: dict[str, Outcome] = {}
    missing: dict[str, Request] = {}
    for name, one in {one.digest: one for one in requests}.items():
        if answer := cache.get(one):
            outcomes[name] = answer
            ledger.add_earlier(answer.tokens or one.most)
        else:
            missing[name] = one
    progress.say(f"{len(outcomes)} answers are kept from before, {len(missing)} are asked for")

    def ask(one: Request) -> Outcome:
        try:
            response = client.ask(one)
        except NoAnswer as none:
            return none
        cache.put(one, response)
        return read_answer(response)

    outcomes |= ask_all(missing, ask, client.stop, settings, ledger, progress)
    if outcomes and all(isinstance(one, NoAnswer) and one.status == "rejected" for one in outcomes.values()):
        raise UserError(
            f"{unanswered(outcomes, len(outcomes))}\nLook at the run's model and at mode, parameters and "
            "max_tokens_name of generate.prompt."
        )
    return outcomes


def ask_all(
    missing: Mapping[str, Request],
    ask: Callable[[Request], Outcome],
    stop: Callable[[], None],
    settings: Settings,
    ledger: Ledger,
    progress: Progress,
) -> dict[str, Outcome]:
    """Send the missing requests, several at once. After an error, requests in flight are still awaited."""
    found: dict[str, Outcome] = {}
    failed = in_a_row = 0
    futures: dict[Future[Outcome], str] = {}
    try:
        with ThreadPoolExecutor(settings.concurrency) as pool:
            try:
                futures |= {pool.submit(ask, one): name for name, one in missing.items()}
                for future in as_completed(futures):
                    outcome = found[futures[future]] = future.result()
                    fails = isinstance(outcome, NoAnswer) and outcome.status == "failed"
                    failed, in_a_row = failed + fails, in_a_row + 1 if fails else 0
                    if failed > settings.failures and in_a_row >= IN_A_ROW:
                        break
                    done = f"{len(found)} of {len(missing)} answered, {ledger.summary()}"
                    progress(len(found), done, of=len(missing))
            finally:
                stop()
                pool.shutdown(cancel_futures=True)
    except BudgetError as error:
        came = sum(not future.cancelled() and not future.exception() for future in futures)
        raise UserError(
            f"generate.prompt.budget: {error}. Of {len(missing)} requests {came} were answered now and "
            f"{len(missing) - came} are left. Run again with a larger budget: answers are kept."
        ) from None
    if failed > settings.failures:
        raise UserError(
            f"{unanswered(found, len(missing))}\nRun again to ask for what is missing alone: answers are kept. "
            "generate.prompt.failures is how many requests may stay without an answer."
        )
    return found


def unanswered(found: Mapping[str, Outcome], asked: int) -> str:
    """How many requests got no answer, and the most frequent reasons."""
    reasons = Counter(str(one) for one in found.values() if isinstance(one, NoAnswer))
    lines = [f"  {count} times: {reason}" for reason, count in reasons.most_common(5)]
    return "\n".join([f"{reasons.total()} of {asked} requests got no answer:", *lines])


def call_rows(
    rows: pl.DataFrame,
    run: str,
    requests: Sequence[Request],
    found: Sequence[Outcome],
    lang: str,
    settings: Settings,
) -> pl.DataFrame:
    """Rows of generate/calls, one for each instance."""
    seen: set[str] = set()
    described = []
    for (instance, source), one, outcome in zip(
        rows.select("instance_id", "source").iter_rows(), requests, found, strict=True
    ):
        row = {"instance_id": instance, "run": run, "request": one.digest}
        if isinstance(outcome, NoAnswer):
            described.append(row | {"status": outcome.status, "reason": str(outcome)})
            continue
        text = cleaned(outcome.text)
        counts = outcome.tokens._asdict() if outcome.tokens else {}
        used = NOTHING if one.digest in seen else outcome.tokens or one.most
        seen.add(one.digest)
        described.append(
            row
            | {"status": outcome.status, "reason": outcome.refusal, "finish_reason": outcome.finish_reason}
            | {f"{part}_tokens": count for part, count in counts.items()}
            | {"cost": settings.prices.cost(used)}
            | {"in_language": in_language(without_headings(text), lang), "in_form": in_form(text, source)}
        )
    return pl.DataFrame(described, schema=pl.DataFrame(schemas.CALLS.empty_table()).schema)


def report(calls: pl.DataFrame, found: Sequence[Outcome], ledger: Ledger, progress: Progress) -> None:
    """Log the outcomes of the requests, and the costs."""
    for status, count in calls.group_by("status").len().sort("status").iter_rows():
        progress.say(f"{status}: {count} of {calls.height}")
    for column, what in {"in_language": "language", "in_form": "form"}.items():
        if count := (~calls[column]).sum():
            progress.say(f"not in the {what} asked for: {count} of {calls.height} answers, which are kept")
    if any(isinstance(one, Answer) and not one.tokens for one in found):
        progress.say("the server does not count tokens: answers count as the most that they can have cost")
    progress.say(ledger.summary())
    if ledger.lost != NOTHING:
        progress.say(f"of it {sum(ledger.lost)} tokens at most for tries that timed out or were cut")

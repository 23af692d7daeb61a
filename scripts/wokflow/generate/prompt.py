"""Predictions by an OpenAI-compatible endpoint that is given a prompt."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

import polars as pl

from wokflow import tables
from wokflow.generate import schemas
from wokflow.generate.answers import Answer, cleaned, in_form, in_language, read_answer
from wokflow.generate.cache import Cache
from wokflow.generate.client import Client, NoAnswer
from wokflow.generate.costs import NOTHING, BudgetError, Ledger
from wokflow.generate.endpoints import Key, await_server
from wokflow.generate.prompts import Prompt
from wokflow.generate.request import Request, Settings, request
from wokflow.job import Progress, UserError
from wokflow.train.texts import without_headings

IN_A_ROW = 20  # requests that fail one after another, after all tries, show that the endpoint is down

Outcome = Answer | NoAnswer


def prompt_run(
    instances: str,
    out: str,
    calls: str,
    *,
    run: str,
    model: str,
    prompt: str,
    lang: str,
    settings: Settings,
    cache: str,
    server: str | None = None,
    metadata: dict[str, str],
    progress: Progress,
) -> None:
    """Ask for a prediction for each instance; write generate/predictions to `out`, generate/calls to `calls`.

    `prompt` is a file that Prompt reads, `lang` (zh or en) the language asked for. Without an endpoint in `settings`
    the run waits for the workflow's own server, described by the file `server`, which gets no key. Answers are kept
    in the folder `cache` as soon as they come, and nothing that is there is asked for again; the base URL, or what
    the own server was started with, is part of what they are kept by. Rows come by instance; equal requests are
    asked once, and cost something in their first row only.

    A prediction is the answer without thoughts, marks of code and headings, whatever its language and form; the
    log says how many are not as asked. It is empty where nothing came, and calls say why. Raises UserError where the
    endpoint cannot be reached, turns the run down, leaves more requests than settings.failures without an answer,
    or the budget is used up; answers that came are kept.
    """
    rows = tables.read(instances, ["instance_id", "title", "base", "source"]).sort("instance_id")
    key = Key(settings.key_variable if settings.endpoint else None)
    url = identity = settings.endpoint or ""
    if not settings.endpoint:
        if server is None:
            raise UserError("generate.prompt.endpoint: give a base URL, or let the workflow start a server.")
        own = await_server(server)
        url, identity = own.url, f"server {own.identity}"
    filled = fill(Prompt.read(prompt), rows)
    requests = [request(settings, identity, model, text) for text in filled]
    ledger = Ledger(settings.prices, settings.budget, settings.budget_tokens)
    outcomes = answered(requests, Cache(cache, progress.say), ledger, url, key, settings, progress)
    found = [outcomes[one.digest] for one in requests]
    texts = [without_headings(cleaned(one.text)) if isinstance(one, Answer) else "" for one in found]
    predictions = rows.select("instance_id", run=pl.lit(run), prediction=pl.Series(texts, dtype=pl.String))
    described = call_rows(rows, run, requests, found, lang, settings)
    tell(described, found, ledger, progress)
    tables.write(out, schemas.PREDICTIONS, predictions, metadata)
    tables.write(calls, schemas.CALLS, described, metadata)


def fill(prompt: Prompt, rows: pl.DataFrame) -> list[str]:
    """The prompt's text for each instance."""
    values = rows.select("source", "title", "base").iter_rows()
    return [prompt.fill(source=source, title=title, base=base) for source, title, base in values]


def answered(
    requests: Sequence[Request],
    cache: Cache,
    ledger: Ledger,
    url: str,
    key: Key,
    settings: Settings,
    progress: Progress,
) -> dict[str, Outcome]:
    """The outcome of each request by its digest; those that the cache lacks are asked for. Raises UserError."""
    outcomes: dict[str, Outcome] = {}
    missing: dict[str, Request] = {}
    for name, one in {one.digest: one for one in requests}.items():
        if answer := cache.get(one):
            outcomes[name] = answer
            ledger.add_earlier(answer.tokens or one.most)
        else:
            missing[name] = one
    progress.say(f"{len(outcomes)} answers are kept from before, {len(missing)} are asked for")
    client = Client(
        url,
        key,
        ledger,
        timeout=settings.timeout_s,
        tries=settings.tries,
        backoff=settings.backoff_s,
        concurrency=settings.concurrency,
    )

    def ask(one: Request) -> Outcome:
        try:
            response = client.ask(one)
        except NoAnswer as none:
            return none
        cache.put(one, response)
        return read_answer(response)

    with client:
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
    """Ask for the missing, so many at once as settings say. What is on its way at an error still comes in."""
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


def tell(calls: pl.DataFrame, found: Sequence[Outcome], ledger: Ledger, progress: Progress) -> None:
    """What became of the requests, in the log."""
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

"""Comparers on a real server that prefer their own model's translations, or their family's, are found; no others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.generate.conftest import keyed
from tests.generate.servers import endpoint, response, says
from tests.judge.pairs import Compared, Sentence, chooses, drawn

pytestmark = pytest.mark.usefixtures("keyed")
__all__ = ["keyed"]
MANY = 60  # sentences
SYSTEMS = {"wa": "alpha-1", "wb": "beta-1", "wc": "gamma-1"}  # who translates, and its model
Models = tuple[tuple[str, str, str], ...]


def named(models: dict[str, str]) -> Models:
    """Name, model and family."""
    return tuple((name, model, model[:-2]) for name, model in models.items())


def liked(model: str) -> str | None:
    """Whose translations a judge prefers: alpha-1 its own, beta-2 those of its family."""
    return {"alpha-1": "alpha-1", "beta-2": "beta-1"}.get(model)


def judges(model: str) -> Callable[[str, str], str]:
    """Takes the better text (good or poor, written on it), and in 2 of 10 the other one, whatever the order.

    In 6 of 10 of those of a model that it likes, it takes that.
    """

    def choose(a: str, b: str) -> str:
        own, is_a = (a, True) if "by" in a else (b, False)
        good = ("good" in own) != (drawn(model, "slip", own) < 0.2)
        takes_own = liked(model) == own.split()[-1] and drawn(model, "likes", own) < 0.6
        return "A" if (good or takes_own) == is_a else "B"

    return choose


def measured(folder: Path, raters: dict[str, str]) -> dict[tuple[str, str], Any]:
    """The rows of self and family, by rater and bias."""
    sentences: list[Sentence] = [(f"Dish {n}", f"ref {n}", [(f"Q{n}", "Dish")]) for n in range(MANY)]
    quality = {True: "good", False: "poor"}
    runs: dict[str, dict[int, str | None]] = {
        run: {n: f"{quality[drawn(run, str(n)) < 0.5]} {n} by {model}" for n in range(MANY)}
        for run, model in SYSTEMS.items()
    }
    compared = Compared(folder, sentences, runs)

    def behave(handler: Any, asked: Any) -> None:
        answer = chooses(judges(asked.body["model"]))(asked.text)
        says(200, response(answer))(handler, asked)

    with endpoint(behave) as server:
        for name, model in raters.items():
            compared.ask(name, server.url, model=model, concurrency=8)
    found = compared.measure(*raters, judges=named(raters), systems=named(SYSTEMS))["biases"]
    return {
        (row["rater"], row["bias"]): row
        for row in found.iter_rows(named=True)
        if row["bias"] in ("self", "family")
    }


def test_preferences_for_the_own_model_and_family_are_measured_and_a_fair_judge_has_none(
    tmp_path: Path,
) -> None:
    """Of half of the pairs, which are poor in the main, 6 of 10 more go to the text that is liked: 30 points."""
    found = measured(tmp_path, {"own": "alpha-1", "kin": "beta-2", "fair": "gamma-1", "none": "delta-1"})
    planted = {("own", "self"): 30, ("kin", "family"): 30, ("fair", "self"): 0}
    assert found.keys() == planted.keys()
    for key, value in planted.items():
        row = found[key]
        assert row["low"] < value < row["high"] and row["units"] == MANY and row["run"] is None, key
        assert (row["low"] < 0 < row["high"]) == (value == 0) and row["value"] is None, key


def test_two_judges_of_which_each_has_translated_cannot_be_told_apart(tmp_path: Path) -> None:
    """Either may like its own, or the other be strict with it: with runs of these two alone, there is no row."""
    sentences: list[Sentence] = [(f"Dish {n}", f"ref {n}", [(f"Q{n}", "Dish")]) for n in range(4)]
    runs: dict[str, dict[int, str | None]] = {
        run: {n: f"poor {n} by {SYSTEMS[run]}" for n in range(4)} for run in ("wa", "wb")
    }
    compared = Compared(tmp_path, sentences, runs)
    raters = {"a": "alpha-1", "b": "beta-1"}
    with endpoint(
        lambda handler, asked: says(200, response(chooses(judges(asked.body["model"]))(asked.text)))(
            handler, asked
        )
    ) as server:
        for name, model in raters.items():
            compared.ask(name, server.url, model=model)
    found = compared.measure(*raters, judges=named(raters), systems=named(SYSTEMS))["biases"]
    assert set(found["bias"]) <= {"position", "length"}

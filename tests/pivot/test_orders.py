"""Causes and effects are found in their order; independent actions, whatever their order, are left alone."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.stats import false_discovery_control
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress
from wokflow.pivot import effects, schemas
from wokflow.pivot import orders as module
from wokflow.pivot.effects import Confounders, Dish, Hypotheses, estimate, precedence
from wokflow.pivot.order_limits import Limits
from wokflow.pivot.orders import first_places, pivot_orders
from wokflow.pivot.settings import OrdersSettings

INF = np.inf
ALL = Limits(units=1, frequent=0.0, correct=False, level=1.0, overlap=0.0, balance=9.0, effect=-2.0)


def dish(**columns: list[float]) -> Dish:
    return Dish(list(columns), np.array(list(columns.values())).T)


def one(places: Dish, cause: str, effect: str, limits: Limits = ALL) -> dict[str, object]:
    numbers = [np.array([places.actions.index(name)]) for name in (cause, effect)]
    return estimate(places, Hypotheses(*numbers), limits).row(0, named=True)


def test_by_hand() -> None:
    """Of 4 recipes with a, 2 have b after it and one before it; of 4 without, one has b."""
    places = dish(a=[0, 0, 1, 0, INF, INF, INF, INF], b=[1, 1, 0, INF, 0, INF, INF, INF])
    found = one(places, "a", "b")
    assert found["effect"] == pytest.approx(3 / 4 - 1 / 4)
    assert found["effect_in_order"] == pytest.approx(2 / 4 - 1 / 4), (
        "the recipe with b first is without effect"
    )
    assert (found["n_treated"], found["n_control"], found["matched"]) == (4, 4, 8)
    assert (found["both"], found["in_order"], found["order_p"]) == (3, 2, 0.5)
    # Of all 70 ways to choose the treated, those with 2 or more of the 4 recipes with b:
    assert found["association_p"] == pytest.approx((6 * 6 + 4 * 4 + 1) / 70)
    assert found["overlap"] == 1.0 and found["smd_all"] == 0.0 and found["flag"] == ""


def test_precedence_counts_recipes_with_both() -> None:
    before, both = precedence(dish(a=[0, 1, INF, 0], b=[1, 0, 0, INF]))
    assert before.tolist() == [[0, 1], [1, 0]] and both.tolist() == [[3, 2], [2, 3]]


def test_confounders_come_before_both_in_most_recipes_and_go_with_both() -> None:
    present = [0.0] * 6 + [INF] * 6
    places = dish(
        a=[2.0] * 6 + [INF] * 6,
        b=[3.0] * 6 + [INF] * 6,
        early=present,
        late=[4.0 if place == 0 else INF for place in present],
        between=[2.5 if place == 0 else INF for place in present],
        unrelated=[0.0, INF] * 6,
    )
    before, both = precedence(places)
    confounders = Confounders.of(places, 2 * before > both)
    covariates = confounders.covariates(Hypotheses(np.array([0]), np.array([1])), 10)[0]
    assert covariates.shape == (2, 12)
    assert np.array_equal(covariates[0] > 0, places.occurs[:, 2])
    assert covariates[1].tolist() == pytest.approx([1, -1] * 6), "the others, counted and standardised"


@pytest.mark.parametrize(
    ("limits", "flag"),
    [
        (Limits(units=5, correct=False), "treated"),
        (Limits(units=4, correct=False), "order"),
    ],
)
def test_flags_say_why_the_data_cannot_tell(limits: Limits, flag: str) -> None:
    places = dish(a=[0.0] * 4 + [INF] * 16, b=[1, 1, 1, 1] + [INF] * 16)
    found = one(places, "a", "b", limits)
    assert found["flag"] == flag and (found["effect"] is None) == (flag == "treated")


def test_always_there_means_no_controls() -> None:
    places = dish(a=[0.0] * 20, b=[1.0, INF] * 10)
    assert one(places, "a", "b", Limits())["flag"] == "control"


def random_dish(rng: np.random.Generator, count: int, chances: NDArray[np.float64]) -> Dish:
    """Independent actions in random order."""
    occurs = rng.random((count, len(chances))) < chances
    return Dish(
        [f"{number}//" for number in range(len(chances))], np.where(occurs, rng.random(occurs.shape), INF)
    )


@pytest.mark.parametrize("ordered", [False, True], ids=["random order", "fixed order"])
@pytest.mark.parametrize("chance", [0.3, 0.6, 0.9])
def test_independent_actions_are_not_reported_beyond_the_level(chance: float, ordered: bool) -> None:
    rng = np.random.default_rng(3)
    limits, reported, made = Limits(correct=False, level=0.05), 0, 0
    for _ in range(6):
        places = random_dish(rng, 60, np.full(12, chance))
        if ordered:
            places = Dish(places.actions, np.where(places.occurs, np.arange(12.0), INF))
        found = module.tests(places, places.actions, limits).filter(pl.col("effect").is_not_null())
        reported += module.reported(found, limits).height
        made += found.height
    assert made > 500 and reported <= limits.level * made


def caused(rng: np.random.Generator, count: int) -> Dish:
    """cause -> pivot -> effect; k -> pivot2 and k -> other, without an effect of other on pivot2."""

    def after(cause: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return rng.random(count) < np.where(cause, 0.85, 0.15)

    cause, common = rng.random(count) < 0.5, rng.random(count) < 0.5
    pivot = after(cause)
    done = [cause, pivot, after(pivot), common, after(common), after(common)]
    names = ["cause//", "pivot//", "effect//", "common//", "other//", "pivot2//"]
    times = np.array([0.0, 1.0, 2.0, 0.0, 0.5, 1.0]) + rng.random((count, 6)) / 10
    return Dish(names, np.where(np.array(done).T, times, INF))


def test_true_orders_are_found_and_common_causes_are_not_mistaken_for_them() -> None:
    limits = Limits()
    found = module.tests(caused(np.random.default_rng(0), 300), ["pivot//", "pivot2//"], limits)
    assert module.reported(found, limits).select("before", "after").rows() == [
        ("cause//", "pivot//"),
        ("pivot//", "effect//"),
        ("common//", "pivot2//"),
    ]
    unadjusted = 0.85**2 + 0.15**2 - 2 * 0.85 * 0.15
    other = found.filter((pl.col("before") == "other//") & (pl.col("after") == "pivot2//")).row(0, named=True)
    assert other["effect"] < 0.1 < 0.4 < unadjusted and other["smd_all"] > 1 > other["smd_matched"]


def test_how_many_are_tested_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    places = caused(np.random.default_rng(1), 200)
    together = module.tests(places, places.actions, Limits())
    monkeypatch.setattr(effects, "CELLS", 1)
    assert module.tests(places, places.actions, Limits()).equals(together)


def test_an_order_of_two_pivots_is_one_test() -> None:
    """It has a row of each; counted twice, it would weigh twice in the correction for many tests."""
    places = caused(np.random.default_rng(1), 200)
    tested = module.tests(places, places.actions, Limits())
    pairs = tested.select("before", "after")
    assert len(pairs) > pairs.n_unique()
    once = tested.unique(["before", "after"]).with_columns(
        larger=pl.max_horizontal("association_p", "order_p")
    )
    once = once.drop_nulls("larger")
    expected = false_discovery_control(once["larger"].to_numpy())
    np.testing.assert_allclose(once["p_value"].to_numpy(), expected, atol=1e-8)


def write(folder: Path, places: Dish) -> dict[str, str | list[str]]:
    rows = [
        (f"x:{recipe}", place, name.strip("/"))
        for recipe, row in enumerate(places.first)
        for place, name in enumerate(
            name for time, name in sorted(zip(row, places.actions, strict=True)) if np.isfinite(time)
        )
    ]
    frame = pl.DataFrame(
        rows, {"recipe_id": pl.String, "position": pl.Int32, "verb_class": pl.String}, orient="row"
    )
    empty = pl.lit([], pl.List(pl.String))
    frame.with_columns(ingredient_classes=empty, tool_classes=empty).write_parquet(folder / "proto")
    frame.select("recipe_id", dish=pl.lit("乙")).unique().write_parquet(folder / "dishes")
    pivots = [("甲", "乙", name, [], [], kind, None, 0.0, 0.5, "frequency") for name, kind in PIVOTS]
    schema = tables.columns(schemas.PIVOTS)
    tables.write(folder / "pivots", schemas.PIVOTS, pl.DataFrame(pivots, schema, orient="row"), {})
    return {
        "pivots": str(folder / "pivots"),
        "proto": [str(folder / "proto")],
        "dishes": [str(folder / "dishes")],
    }


PIVOTS = [("pivot", "insert"), ("pivot2", "insert"), ("cause", "remove"), ("absent", "insert")]


def find_orders(tables_read: dict[str, Any], effects: Path, orders: Path, **changes: Any) -> str:
    """Write the tables; returns the log."""
    files = {"effects": str(effects), "orders": str(orders), "rejects": f"{orders}-rejects"}
    settings, log = OrdersSettings(pairs="none", glossary="none", **changes), io.StringIO()
    pivot_orders(**tables_read, **files, settings=settings, job=Job(progress=Progress(log)))
    return log.getvalue()


def test_tables_hold_all_tests_and_the_constraints(tmp_path: Path) -> None:
    given = write(tmp_path, caused(np.random.default_rng(0), 300))
    for name in ("one", "two"):
        find_orders(given, tmp_path / f"effects-{name}", tmp_path / name)
    found, every = tables.read(tmp_path / "one"), tables.read(tmp_path / "effects-one")
    assert found.select("base_dish", "target_dish", "pivot", "before", "after").rows() == [
        ("甲", "乙", "pivot//", "cause//", "pivot//"),
        ("甲", "乙", "pivot//", "pivot//", "effect//"),
        ("甲", "乙", "pivot2//", "common//", "pivot2//"),
    ]
    assert every.height > found.height and every.columns == schemas.ORDERS.names
    assert set(every["pivot"]) == {"pivot//", "pivot2//"}
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("frequent", "said"), [(0.125, "1 actions were not tested: they occur in less than 12.5%"), (0.0, "")]
)
def test_actions_too_rare_to_be_tested_are_counted_in_the_log(
    tmp_path: Path, frequent: float, said: str
) -> None:
    """Once for a dish that several pairs have as their target."""
    places = Dish(["pivot", "rare", "usual"], np.array([[0.0, INF, 1.0]] * 9 + [[0.0, 1.0, 2.0]]))
    given = write(tmp_path, places)
    pairs = tables.read(tmp_path / "pivots")
    pairs = pl.concat([pairs, pairs.with_columns(base_dish=pl.lit("丁"))])
    tables.write(tmp_path / "pivots", schemas.PIVOTS, pairs, {})
    log = find_orders(given, tmp_path / "effects", tmp_path / "out", frequent=frequent)
    assert said in log and ("not tested" in log) == bool(said)


def test_no_recipes_and_no_pivots_make_empty_tables(tmp_path: Path) -> None:
    given = write(tmp_path, caused(np.random.default_rng(0), 20))
    dishes = tmp_path / "dishes"
    tables.read(dishes).with_columns(dish=pl.lit("丙")).write_parquet(dishes)
    find_orders(given, tmp_path / "effects", tmp_path / "out")
    assert tables.read(tmp_path / "effects").height == tables.read(tmp_path / "out").height == 0


def test_the_place_of_an_action_is_its_first_and_rare_ones_are_left_out() -> None:
    found = pl.DataFrame(
        {
            "recipe_id": ["x:1", "x:1", "x:1", "x:2", "x:2"],
            "position": [0, 1, 2, 0, 1],
            "action": ["a", "b", "a", "b", "c"],
        }
    )
    places = first_places(found, ["c"], frequent=1.0)
    assert places.actions == ["b", "c"] and places.first.tolist() == [[1, INF], [0, 1]]
    assert first_places(found, [], frequent=0.0).first.tolist() == [[0, 1, INF], [INF, 0, 1]]

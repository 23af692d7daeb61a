"""How much of planted pivot actions and orders is found, by the number of recipes; and how fast."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, at_least, at_most
from tests.bench.planted import Noise, Truth, planted

EACH = (25, 50, 100, 200, 400)  # recipes of a dish
COUNTS = {"tiny": (100,), "small": EACH, "full": EACH}  # the paper's preset takes minutes for 400
PAIRS = {"tiny": 1, "small": 8, "full": 50}
LEVEL = 0.01
ROUNDS = {"tiny": 1, "small": 3, "full": 3}
# Times as fast as the loop. For a single pair of dishes what is prepared for all takes the longest.
TIMES = {"tiny": 10, "small": 50, "full": 50}
SPEED_PAIRS, SPEED_COUNT = {"tiny": 1, "small": 50, "full": 50}, 200
LOOP_EVERY = {"tiny": 50, "small": 100, "full": 20}  # the loop does every so manieth test
PERMUTATIONS = 1000  # of the loop
CANDIDATES = {
    "alpha": 5.0,
    "tau_remove": 0.01,
    "tau_insert": 0.1,
    "least": 0.05,
    "recipes": 10,
    "level": 0.05,
}
UNTESTED = {"recipes": 1, "level": 1.0}  # of the candidates: the paper's rule
WOKFLOW, LOOP, BARE = "Wokflow", "scikit-learn, loop", "the same without p-values"
OTHERS = {"all said": Noise(unsaid=0.0), "chatty and terse": Noise(telling=0.7)}
HOW: dict[str, dict[str, Any]] = {
    "strict": {},
    "strict, each test by itself": {"correct": False},
    "paper": {"preset": "paper"},
}
PRECISE, LEAST_PRECISION = 100, 0.9  # of preset strict, from so many recipes on


def test_recovery(data: Path) -> None:
    pivot_rows, order_rows, rates, precisions = [], [], [], []
    counts = COUNTS[measure.scale()]
    noises = [(count, count, "", None) for count in counts]
    noises += [(counts[-1], 1, f", {label}", noise) for label, noise in OTHERS.items()]
    for count, seed, label, noise in noises:
        truth = planted(data / "planted", PAIRS[measure.scale()], count, seed=seed, noise=noise)
        shares = [*found_pivots(data / "planted", truth, **UNTESTED), *found_pivots(data / "planted", truth)]
        if not label:
            pivot_rows.append([str(count), *map("{:.2f}".format, shares)])
        for how, chosen in HOW.items():
            tested = found_orders(data / "planted", truth, **chosen)
            cells = curve(tested)
            order_rows.append([f"{count}, {how}{label}", *cells])
            if how == "strict" and not label:
                rates.append(false_rate(tested, "independent"))
                if count >= PRECISE:
                    precisions.append(float(cells[0]))
    assert max(rates) <= LEVEL
    publish_recovery(pivot_rows, order_rows, max(rates), min(precisions))


def publish_recovery(
    pivot_rows: list[list[str]], order_rows: list[list[str]], worst: float, precision: float
) -> None:
    header = ["recipes a dish", "precision", "recall", "tests", "false: independent", "false: common cause"]
    false, precise = at_most(100 * worst, 100 * LEVEL), at_least(precision, LEAST_PRECISION)
    measure.publish(
        "pivot-recovery",
        "Pivot actions and orders that were planted",
        f"""{PAIRS[measure.scale()]} synthetic pairs of dishes with known pivot actions and orders. A tenth of all
        actions is left unsaid, times are blurred, each recipe has some rare actions, and some inserted actions have
        a common cause with an action before them and with one after them. {measure.repeat("test_pivot.py")}""",
        f"""Pivot actions, decided by frequency alone: by the paper's rule, and by default, which claims no difference
        that may be chance (`pivot.candidates.level: {CANDIDATES["level"]}`).""",
        measure.table(
            ["recipes a dish", "paper: precision", "recall", "default: precision", "recall"], pivot_rows
        ),
        f"""Orders of the inserted actions by both presets of `pivot.orders.preset`, and by strict without its
        correction for the number of tests of a pair (`correct: false`). Level {LEVEL:.0%}. False: the share of tests
        that were reported although the actions are independent, and although they have only a common cause. A common
        cause is adjusted for where recipes tell it: with many recipes, the tenth that leave it unsaid make a
        difference (compare `all said`). In the last rows there is a common cause that no recipe tells: some recipes
        are chatty and some terse.""",
        measure.table(header, order_rows),
        f"""From {PRECISE} recipes on the least precision of preset strict is {precision:.2f} ({precise}). Of
        independent actions it reported at most {worst:.1%} of the tests ({false} %, the level), not counting the rows
        with other noise.""",
        targets=[false, precise],
    )


def found_pivots(folder: Path, truth: Truth, **chosen: float) -> tuple[float, float]:
    """Precision and recall of what frequency decides, by settings of pivot.candidates."""
    from wokflow.frame import tables
    from wokflow.pivot.occurrences import written

    mine_pivots(folder, **chosen)
    frame = tables.read(folder / "pivots").select("target_dish", written().alias("action"), "kind")
    found = set(frame.iter_rows())
    return len(found & truth.pivots) / max(len(found), 1), len(found & truth.pivots) / len(truth.pivots)


def found_orders(folder: Path, truth: Truth, **chosen: Any) -> pl.DataFrame:
    """All tests, with what is true of each, whether it was reported, and how many true orders there are."""
    from wokflow.frame import tables

    mine_orders(folder, **chosen)
    key = ["target_dish", "pivot", "before", "after"]
    tested, reported = tables.read(folder / "effects"), tables.read(folder / "orders").select(key)
    tested = tested.select(*key, "effect").join(
        reported.with_columns(reported=pl.lit(True)), on=key, how="left"
    )
    kinds = [truth.kind(*row) for row in tested.select("target_dish", "before", "after").iter_rows()]
    return tested.with_columns(
        pl.col("reported").fill_null(False), kind=pl.Series(kinds), planted=len(truth.orders)
    )


def curve(tested: pl.DataFrame) -> list[str]:
    good = tested.filter("reported")
    true = good.filter(pl.col("kind") == "true").select("target_dish", "before", "after").n_unique()
    shares = [true / max(good.height, 1), true / tested["planted"][0]]
    rates = [false_rate(tested, kind) for kind in ("independent", "confounded")]
    return [*map("{:.2f}".format, shares), f"{tested.height:,}", *map("{:.2%}".format, rates)]


def false_rate(tested: pl.DataFrame, kind: str) -> float:
    """Share of reported among the tests of a kind that could be made."""
    made = tested.filter((pl.col("kind") == kind) & pl.col("effect").is_not_null())
    return float(made["reported"].sum() / max(made.height, 1))


def test_speed(data: Path) -> None:
    pairs = SPEED_PAIRS[measure.scale()]
    planted(data / "planted", pairs, SPEED_COUNT, seed=0)
    given = {"folder": str(data / "planted")}
    loop = given | {"every": LOOP_EVERY[measure.scale()]}
    contenders = {
        WOKFLOW: Call(wokflow_mining, given),
        LOOP: Call(plain_loop, loop | {"permutations": PERMUTATIONS}),
        BARE: Call(plain_loop, loop | {"permutations": 0}),
    }
    publish_speed(pairs, measure.in_turn(contenders, ROUNDS[measure.scale()]))


def publish_speed(pairs: int, measured: dict[str, list[Measured]]) -> None:
    tests = {name: results[0].outcome["tests"] for name, results in measured.items()}
    off = {name: measured[name][0].outcome["difference"] for name in (LOOP, BARE)}
    assert max(off.values()) < 0.1 and measured[LOOP][0].outcome["p_difference"] < 0.02
    times = {
        name: measure.ratio(results, measured[WOKFLOW]) * tests[WOKFLOW] / tests[name]
        for name, results in measured.items()
    }
    rows = [
        [
            name,
            f"{tests[name]:,}",
            f"{measure.middle(results, 'wall'):.1f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{tests[name] / measure.middle(results, 'wall'):,.0f}",
            f"{times[name]:.0f}",
        ]
        for name, results in measured.items()
    ]
    targets = (
        at_most(measure.middle(measured[WOKFLOW], "wall"), 60),
        at_least(times[LOOP], TIMES[measure.scale()]),
    )
    measure.publish(
        "pivot-speed",
        "Mining of pivot actions and orders",
        f"""{pairs} pairs with {SPEED_COUNT} recipes a dish: candidates, pivot actions and orders, with all
        diagnostics. The loop takes one pair of actions after the other through scikit-learn's
        `LogisticRegression` and `NearestNeighbors` on the same covariates, and permutes treatments
        {PERMUTATIONS:,} times where Wokflow computes the exact p-value; covariates, candidates and diagnostics
        it is spared. It does every {LOOP_EVERY[measure.scale()]}th test. Of equally near neighbours it takes any
        one, where Wokflow takes their mean: effects differ by {off[LOOP]:.3f} on average. Each may use
        {measure.THREADS} threads. {measure.repeat("test_pivot.py")}""",
        measure.machine("numpy", "polars", "scikit-learn"),
        measure.table(["contender", "tests", "s", "peak MiB", "tests/s", "times Wokflow, a test"], rows),
        f"""Wokflow takes {targets[0].value:.1f} s ({targets[0]}) and is {times[LOOP]:.0f} times as fast as the loop
        ({targets[1]}), and {times[BARE]:.0f} times as fast as one that does without p-values.""",
        targets=targets,
    )


GLOSSARY = str(measure.ROOT / "resources" / "glossary")


def mine_pivots(folder: Path, **chosen: Any) -> None:
    from wokflow.frame.job import Job
    from wokflow.pivot.candidates import pivot_candidates
    from wokflow.pivot.pivots import pivot_pivots
    from wokflow.pivot.settings import CandidatesSettings, PivotsSettings

    pairs = str(folder / "pairs.tsv")
    proto, actions, dishes, candidates, pivots = (
        str(folder / name) for name in ("proto", "actions", "dishes", "candidates", "pivots")
    )
    pivot_candidates(
        proto=[proto],
        actions=[actions],
        dishes=dishes,
        candidates=candidates,
        rejects=str(folder / "unclaimed"),
        settings=CandidatesSettings(pairs=pairs, **CANDIDATES | chosen),
        job=Job(),
    )
    files = {name: str(folder / name) for name in ("votes", "agreement", "rejects")}
    settings = PivotsSettings(pairs=pairs, glossary=GLOSSARY)
    pivot_pivots(candidates=[candidates], pivots=pivots, **files, settings=settings, job=Job())


def mine_orders(folder: Path, **chosen: Any) -> None:
    """By a preset and single settings, which say how pivot.orders differs from its default."""
    from wokflow.frame.job import Job
    from wokflow.pivot.orders import pivot_orders
    from wokflow.pivot.settings import OrdersSettings

    files = {name: str(folder / name) for name in ("pivots", "effects", "orders", "rejects")}
    read = {name: [str(folder / name)] for name in ("proto", "dishes")}
    settings = OrdersSettings(pairs=str(folder / "pairs.tsv"), glossary=GLOSSARY, **chosen)
    pivot_orders(**read, **files, settings=settings, job=Job())


def wokflow_mining(clock: Clock, folder: str) -> dict[str, int]:
    from wokflow.frame import tables

    with clock:
        mine_pivots(Path(folder))
        mine_orders(Path(folder))
    return {"tests": tables.rows([f"{folder}/effects"])}


def plain_loop(clock: Clock, folder: str, every: int, permutations: int) -> dict[str, float]:
    """Effects one by one; how far these and the p-values are from Wokflow's on average."""
    from wokflow.frame import tables
    from wokflow.pivot.order_limits import Limits

    limits = Limits()
    tested = tables.read(f"{folder}/effects").with_row_index("row")
    chosen = tested.filter(pl.col("row") % every == 0, pl.col("effect").is_not_null())
    work = list(given_covariates(folder, tested, chosen, limits))
    rng = np.random.default_rng(0)
    plain_test(*work[0], rng, permutations)  # loads the libraries
    with clock:
        found = [plain_test(*one, rng, permutations) for one in work]
    expected = chosen.select("effect_in_order", "association_p").rows()
    off = np.abs(np.array(found) - np.array(expected)).mean(axis=0)
    return {"tests": len(work), "difference": float(off[0]), "p_difference": float(off[1])}


def given_covariates(
    folder: str, tested: pl.DataFrame, chosen: pl.DataFrame, limits: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Covariates, places of the cause and places of the effect of each chosen test."""
    from wokflow.pivot.effects import Confounders, Hypotheses, precedence
    from wokflow.pivot.occurrences import occurrences
    from wokflow.pivot.orders import first_places

    for (target,), rows in chosen.partition_by("target_dish", as_dict=True, maintain_order=True).items():
        found = occurrences([f"{folder}/proto"], [f"{folder}/dishes"], [str(target)])
        pivots = tested.filter(pl.col("target_dish") == target)["pivot"].unique().to_list()
        place = first_places(found, pivots, limits.frequent)
        before, both = precedence(place)
        confounders = Confounders.of(place, 2 * before > both)
        for row in rows.iter_rows(named=True):
            cause, effect = (place.actions.index(row[name]) for name in ("before", "after"))
            one = Hypotheses(np.array([cause]), np.array([effect]))
            covariates = confounders.covariates(one, limits.confounders)[0].T
            yield covariates, place.first[:, cause], place.first[:, effect]


def plain_test(
    covariates: Any, cause: Any, effect: Any, rng: np.random.Generator, permutations: int
) -> tuple[float, float]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import NearestNeighbors

    treated, event = np.isfinite(cause), np.isfinite(effect)
    outcome = event & (~treated | (cause < effect))
    scores = LogisticRegression(C=1.0).fit(covariates, treated).decision_function(covariates)[:, None]
    pooled = np.sqrt(np.mean([scores[kind].var(ddof=1) for kind in (treated, ~treated)]))
    differences = []
    for own, other, sign in ((treated, ~treated, 1), (~treated, treated, -1)):
        distance, nearest = NearestNeighbors(n_neighbors=1).fit(scores[other]).kneighbors(scores[own])
        near = distance[:, 0] <= 0.2 * pooled
        difference = outcome[own].astype(float) - outcome[other][nearest[:, 0]]
        differences.append(sign * difference[near])
    p_value = plain_p(scores[:, 0], treated, event, (treated & outcome).sum(), rng, permutations)
    return float(np.concatenate(differences).mean()), p_value


def plain_p(
    scores: Any, treated: Any, event: Any, observed: int, rng: np.random.Generator, permutations: int
) -> float:
    from scipy.stats import rankdata

    if not permutations:
        return float("nan")
    strata = ((rankdata(scores.round(4)) - 0.5) * 10 // len(scores)).astype(int)
    hits = np.zeros(permutations)
    for stratum in range(10):
        inside = strata == stratum
        drawn = rng.permuted(np.tile(treated[inside], (permutations, 1)), axis=1)
        hits += (drawn & event[inside]).sum(axis=1)
    return float((hits >= observed).mean())

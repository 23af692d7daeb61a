"""Many regressions, matchings and permutation tests at once give what each gives by itself, done plainly."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from wokflow.pivot import propensity

Case = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]


@st.composite
def cases(draw: st.DrawFn, units: int = 12) -> Case:
    """Covariates (1, 2, n), treated and outcome (1, n); some treated, some not."""
    n = draw(st.integers(3, units))
    bits = st.lists(st.booleans(), min_size=n, max_size=n)
    treated = draw(bits.filter(lambda kinds: 0 < sum(kinds) < len(kinds)))
    covariates = np.array([[draw(bits), draw(bits)]], float)
    return covariates, np.array([treated]), np.array([draw(bits)])


@given(cases())
def test_the_penalised_likelihood_is_at_its_maximum(case: Case) -> None:
    covariates, treated, _ = case
    logits = propensity.propensity_scores(covariates, treated, ridge=0.5)[0]
    design = np.column_stack([np.ones(len(logits)), *covariates[0]])
    coefficients = np.linalg.lstsq(design, logits, rcond=None)[0]
    residuals = treated[0] - 1 / (1 + np.exp(-logits))
    assert abs(residuals.sum()) < 1e-4
    if np.linalg.matrix_rank(design) == design.shape[1]:
        assert np.allclose(covariates[0] @ residuals, 0.5 * coefficients[1:], atol=1e-4)


def test_a_covariate_that_separates_has_a_finite_coefficient() -> None:
    treated = np.array([[True] * 50 + [False] * 50])
    logits = propensity.propensity_scores(treated[:, None].astype(float), treated, ridge=1.0)
    assert (
        np.isfinite(logits).all() and 2 < logits[0, 0] < 8 and propensity.overlap(logits, treated)[0] == 0.0
    )


def plain_effect(
    logits: list[float], treated: list[bool], outcome: list[bool], caliper: float
) -> tuple[float, int]:
    differences = []
    for logit, kind, event in zip(logits, treated, outcome, strict=True):
        others = [
            (round(abs(logit - other), propensity.DIGITS), result)
            for other, other_kind, result in zip(logits, treated, outcome, strict=True)
            if other_kind != kind
        ]
        nearest = min(distance for distance, _ in others)
        if nearest <= caliper:
            tied = [result for distance, result in others if distance == nearest]
            differences.append((event - sum(tied) / len(tied)) * (1 if kind else -1))
    return (sum(differences) / len(differences) if differences else math.nan), len(differences)


@given(cases(), st.lists(st.integers(-4, 4), min_size=12, max_size=12), st.sampled_from([0.0, 0.5, 1.0, 9.0]))
def test_matching_is_nearest_neighbour_matching(case: Case, scores: list[int], caliper: float) -> None:
    _, treated, outcome = case
    logits = np.sort(np.array([scores[: treated.shape[1]]])) / 2
    weights, matched = propensity.match(logits, treated, np.array([caliper]))
    effect = propensity.average_effect(weights, matched, treated, outcome)[0]
    expected, many = plain_effect(*(values[0].tolist() for values in (logits, treated, outcome)), caliper)
    assert matched.sum() == many
    assert effect == pytest.approx(expected, nan_ok=True)
    assert weights[treated].sum() == pytest.approx(many) and weights[~treated].sum() == pytest.approx(many)


def test_without_confounders_the_effect_is_the_difference_of_shares() -> None:
    treated = np.array([[True, True, True, True, False, False]])
    outcome = np.array([[True, True, True, False, True, False]])
    logits = propensity.propensity_scores(np.zeros((1, 1, 6)), treated, ridge=1.0)
    weights, matched = propensity.match(logits, treated, np.zeros(1))
    assert matched.all() and propensity.average_effect(weights, matched, treated, outcome)[
        0
    ] == pytest.approx(0.25)
    assert propensity.imbalance(np.zeros((1, 1, 6)), treated, weights)[0] == 0.0


@given(cases(units=7), st.integers(1, 3), st.integers(0, 5))
def test_the_p_value_counts_all_permutations_within_strata(case: Case, strata: int, observed: int) -> None:
    _, treated, event = case
    n = treated.shape[1]
    logits = (np.arange(n)[None] // 2).astype(float)
    stratum = propensity._strata(logits, strata)[0]
    kept = count = 0
    for order in itertools.permutations(range(n)):
        if (stratum[list(order)] == stratum).all():
            count += 1
            kept += (treated[0][list(order)] & event[0]).sum() >= observed
    p_value = propensity.permutation_p(logits, treated, event, np.array([observed]), strata=strata)[0]
    assert p_value == pytest.approx(kept / count, abs=1e-9)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 8))
def test_strata_are_runs_by_logit_with_equal_ones_together(scores: list[int], strata: int) -> None:
    scores = sorted(scores)
    logits = np.array([scores], float)
    numbers = propensity._strata(logits, strata)[0]
    assert numbers.min() >= 0 and numbers.max() < strata
    for (left, one), (right, other) in itertools.combinations(zip(scores, numbers, strict=True), 2):
        assert (one <= other) if left < right else (one >= other) if left > right else one == other


def test_the_sign_test() -> None:
    p_values = propensity.sign_p(np.array([0, 0, 3, 2, 5]), np.array([0, 4, 3, 3, 5]))
    assert p_values.tolist() == pytest.approx([1.0, 1.0, 1 / 8, 1 / 2, 1 / 32])


def test_deviations_are_pooled_within_the_groups() -> None:
    """Austin 2011: the root of the mean of both groups' variances; the distance of the groups does not count."""
    values = np.array([[[0.0, 2.0, 1.0, 10.0, 16.0, 13.0, 13.0]]])
    treated = np.array([[True, True, True, False, False, False, False]])
    expected = math.sqrt((1.0 + 6.0) / 2)  # variances 1 and (9 + 9) / 3
    assert propensity.pooled_deviation(values, treated)[0, 0] == pytest.approx(expected)
    unmatched = propensity.imbalance(values, treated, np.ones((1, 7)))[0]
    assert unmatched[0] == pytest.approx(12 / expected)


def test_imbalance_before_and_after() -> None:
    covariates = np.array([[[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]]])
    treated = np.array([[True, False, False, False, True, True, True, False]])
    weights, _ = propensity.match(covariates[:, 0], treated, np.zeros(1))
    before, after = propensity.imbalance(covariates, treated, np.ones((1, 8)), weights)
    assert before[0] == pytest.approx(0.5 / 0.5) and after[0] == pytest.approx(0.0)
    constant_within = np.array([[[1.0] * 3 + [0.0] * 3]])
    separated = propensity.imbalance(constant_within, constant_within[:, 0] > 0, np.ones((1, 6)))[0]
    assert separated[0] == pytest.approx(2.0), "in deviations of all units, as both groups have none"


def test_more_covariates_than_units_give_the_same_scores() -> None:
    """As the plain regression, whose covariates are not rotated, gives them."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    covariates, treated = rng.random((2, 40, 15)).round(), rng.random((2, 15)) < 0.5
    logits = propensity.propensity_scores(covariates, treated, ridge=1.0)
    for one, kind, found in zip(covariates, treated, logits, strict=True):
        plain = LogisticRegression(C=1.0, tol=1e-9, max_iter=1000).fit(one.T, kind).decision_function(one.T)
        assert found == pytest.approx(plain, abs=1e-4)


def test_a_hypothesis_has_the_same_result_whatever_its_company() -> None:
    rng = np.random.default_rng(0)
    covariates, treated = rng.random((9, 4, 60)).round(), rng.random((9, 60)) < 0.4
    together = propensity.propensity_scores(covariates, treated, ridge=1.0)
    alone = [propensity.propensity_scores(covariates[[i]], treated[[i]], ridge=1.0)[0] for i in range(9)]
    assert np.abs(together - np.stack(alone)).max() <= 10**-propensity.DIGITS

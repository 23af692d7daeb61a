"""What recipes have in common is computed from their foods, and candidates come rare foods first."""

import numpy as np
import polars as pl
import pytest
from wokflow.match.overlaps import Overlaps, Side, rarity, side

SALT, TOFU, BEEF, RICE = range(4)


def contents(
    *recipes: dict[int, float],
    named: list[list[int]] | None = None,
    cooking: list[list[int]] | None = None,
    forms: list[list[int]] | None = None,
) -> Side:
    lists = pl.List(pl.Int32)
    table = pl.DataFrame(
        {
            "foods": pl.Series([list(each) for each in recipes], dtype=lists),
            "grams": pl.Series([list(each.values()) for each in recipes], dtype=pl.List(pl.Float32)),
            "named": pl.Series(named or [[] for _ in recipes], dtype=lists),
            "cooking": pl.Series(cooking or [[0] for _ in recipes], dtype=lists),
            "forms": pl.Series(forms or [[] for _ in recipes], dtype=lists),
        }
    )
    return side(table, 4, 2)


def test_rare_foods_weigh_more_and_what_all_recipes_have_weighs_nothing() -> None:
    left = contents({SALT: 0.0, TOFU: 0.0}, {SALT: 0.0})
    weights = rarity(left.foods, left.foods)
    assert weights[SALT] == 0
    assert weights[TOFU] == pytest.approx(np.log(2))
    assert weights[RICE] == 7, "a food that nobody has is as rare as can be"


def test_features_are_those_of_hand_computed_pairs() -> None:
    left = contents({TOFU: 300.0, SALT: 100.0}, {BEEF: 0.0}, named=[[TOFU], []])
    right = contents({TOFU: 100.0, RICE: 300.0}, {BEEF: 0.0})
    found = Overlaps(left, right).features(np.array([0, 1, 0]), np.array([0, 1, 1]))
    assert found["named"].to_list() == [1.0, None, 0.0]
    assert found["form"].to_list() == [None] * 3
    weight = {food: float(each) for food, each in enumerate(rarity(left.foods, right.foods))}
    length = np.hypot(weight[TOFU], weight[SALT]) * np.hypot(weight[TOFU], weight[RICE])
    assert found["foods"].to_list() == pytest.approx([weight[TOFU] ** 2 / length, 1, 0], abs=1e-6)
    assert found["amounts"].to_list() == [0.25, None, None]
    assert found["length"].to_list() == pytest.approx([0, 0, -np.log(3 / 2)])
    assert found["shared"].to_list() == pytest.approx([weight[TOFU], weight[BEEF], 0])


def test_ways_of_cooking_weigh_by_rarity_and_kinds_of_dishes_agree_or_do_not() -> None:
    """Of four recipes on each side all fry; as many boil as do not."""
    left = contents(*[{SALT: 0.0}] * 4, cooking=[[0, 1], [0], [0], [0, 1]], forms=[[0], [0, 1], [1], []])
    right = contents(*[{SALT: 0.0}] * 4, cooking=[[0, 1], [0], [0, 1], [0]], forms=[[0], [1], [0], [0]])
    found = Overlaps(left, right).features(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 0, 0]))
    assert found["cooking"].to_list() == pytest.approx([1, 0, 0, 0, 1]), "what all recipes do says nothing"
    assert found["form"].to_list() == [1, 0, 1, 0, None]
    rare = contents(*[{SALT: 0.0}] * 4, cooking=[[0, 1], [0], [1], [0]])
    [cosine] = Overlaps(rare, rare).features(np.array([0]), np.array([1]))["cooking"].to_list()
    weights = [-np.log(3 / 4), -np.log(2 / 4)]
    assert cosine == pytest.approx(weights[0] / np.hypot(*weights))


def test_candidates_are_found_by_the_rarest_foods_within_the_budget() -> None:
    right = contents({SALT: 0.0, TOFU: 0.0}, {SALT: 0.0, BEEF: 0.0}, {SALT: 0.0, BEEF: 0.0}, {SALT: 0.0})
    left = contents({SALT: 0.0, TOFU: 0.0, BEEF: 0.0}, {SALT: 0.0}, {RICE: 0.0})
    overlaps = Overlaps(left, right)

    def pairs(k: int, budget: int) -> list[tuple[int, int]]:
        found = list(overlaps.nearest([range(2), range(2, 3)], k, budget))
        return [
            (int(row), int(other)) for rows, others in found for row, other in zip(rows, others, strict=True)
        ]

    assert pairs(3, 1) == [(0, 0)], "tofu is in one recipe; beef would make three"
    assert pairs(3, 3) == [(0, 0), (0, 1), (0, 2)]
    assert pairs(2, 3) == [(0, 0), (0, 1)], "equal ones in the order of the rows"
    back = [*overlaps.nearest([range(1)], 2, 9, back=True)]
    assert [each.tolist() for each in back[0]] == [[0, 0], [0, 1]]

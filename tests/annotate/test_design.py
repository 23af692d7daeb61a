"""Samples, tuples, shares and orders: what is balanced, and what stays when raters are added."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

from wokflow.annotate.design import cycle, lettered, ordered, sampled, shares, tuples
from wokflow.annotate.tasks import STRATA

SYSTEMS = [f"s{n}" for n in range(6)]


def test_a_sample_of_200_of_800_recipes_has_five_of_each_cuisine_of_different_dishes() -> None:
    units = {f"{dish}:{cuisine}": (f"c{cuisine}", f"d{dish}") for dish in range(20) for cuisine in range(40)}
    chosen = [units[unit] for unit in sampled(units, 200, None, Random(13))]
    assert {*Counter(cuisine for cuisine, _ in chosen).values()} == {5}
    assert len({*chosen}) == len(chosen) and STRATA["ash"] == ("cuisine", "dish")


def test_a_sample_of_200_keeps_the_shares_of_outer_and_inner_strata() -> None:
    """800 instructions of 40 cuisines, of which 30 are regional, 6 religious and 4 historical, and 20 dishes."""
    groups = ["regional"] * 30 + ["religious"] * 6 + ["historical"] * 4
    units = {f"{d}:{c}": (groups[c], f"d{d}") for d in range(20) for c in range(40)}
    chosen = sampled(units, 200, None, Random(13))
    assert len(chosen) == 200
    assert Counter(units[unit][0] for unit in chosen) == {"regional": 150, "religious": 30, "historical": 20}
    assert {
        count for (group, _), count in Counter(map(units.get, chosen)).items() if group == "regional"
    } <= {7, 8}
    assert chosen == sampled(dict(reversed(units.items())), 200, None, Random(13))
    assert chosen != sampled(units, 200, None, Random(14))


def test_as_many_are_drawn_of_each_stratum_or_all_that_it_has() -> None:
    units = {"a1": ("a",), "a2": ("a",), "a3": ("a",), "b1": ("b",)}
    chosen = sampled(units, None, 2, Random(1))
    assert Counter(unit[0] for unit in chosen) == {"a": 2, "b": 1}
    assert sampled(units, 9, None, Random(1)) == sampled(units, None, None, Random(1)) == {*units}


def test_tuples_of_as_many_systems_as_are_compared_have_all_of_them() -> None:
    assert tuples({"i": ["b", "a", "d", "c"], "j": ["a", "b", "c"]}, 4, Random(1)) == [
        ("i", ("a", "b", "c", "d")),
        ("j", ("a", "b", "c")),
    ]


def test_tuples_of_more_systems_show_each_as_often_and_in_each_item() -> None:
    found = tuples({f"i{n}": SYSTEMS for n in range(30)}, 4, Random(5))
    assert len(found) == 60
    for item in {item for item, _ in found}:
        assert {system for each, chosen in found if each == item for system in chosen} == {*SYSTEMS}
    times = Counter(system for _, chosen in found for system in chosen)
    assert {*times.values()} == {40}  # 30 * 2 * 4 / 6
    pairs = Counter(pair for _, chosen in found for pair in combinations(chosen, 2))
    assert len(pairs) == 15 and max(pairs.values()) - min(pairs.values()) <= 2  # 24 on average


def test_neighbours_in_the_cycle_differ_in_item_and_system() -> None:
    tasks = [(f"i{n}", system) for n in range(4) for system in "abc"]
    order = [tasks[n] for n in cycle(tasks, Random(2))]
    assert sorted(order) == sorted(tasks)
    assert all(one[0] != two[0] for one, two in pairwise(order))
    assert sum(one[1] == two[1] for one, two in pairwise(order)) <= 2  # where a turn ends


def test_shares_cover_each_task_as_often_and_none_has_one_twice() -> None:
    found = shares(range(10), 5, 3, 6)
    assert all(len(set(share)) == len(share) == 6 for share in found)
    assert {*Counter(task for share in found for task in share).values()} == {3}
    assert shares(range(10), 7, 3, 6)[:5] == found and shares(range(10), 7, 3, 6)[5:] == [[], []]
    assert shares(range(4), 2, 2, 100) == [[0, 1, 2, 3]] * 2
    assert [len(share) for share in shares(range(10), 3, 1, None)] == [4, 4, 2]


def test_systems_stand_at_every_place_about_as_often() -> None:
    """24 raters with 6 tasks each: each system is 24 / 6 = 4 times at each place, give or take a bit."""
    systems = dict(enumerate(SYSTEMS * 4))
    seen: Counter[tuple[str, int]] = Counter()
    for share in shares(range(24), 24, 6, 6):
        assert sorted(ordered(share, systems, seen)) == sorted(share)
    assert len(seen) == 36 and max(seen.values()) <= 6
    letters: Counter[tuple[str, int]] = Counter()
    random = Random(3)
    for _ in range(24):
        lettered(SYSTEMS[:4], letters, random)
    assert {*letters.values()} == {6}

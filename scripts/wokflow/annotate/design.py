"""Which rater gets which tasks in which order: samples, tuples, shares and orders, all drawn by a seed.

If the size of shares is set, a rater's share does not depend on the raters further down in the table: people can be
added while others are at work.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
TURNS = 64  # about how many rotations of a share are tried, in each direction


def sampled(
    units: Mapping[str, tuple[str, ...]], count: int | None, each: int | None, random: Random
) -> set[str]:
    """A sample of units with their strata: `each` per stratum, or `count` in proportion; without both, all.

    The count of a stratum, and of each outer one, differs from its exact share by less than 1 (systematic sampling).
    """
    drawn = sorted(units)
    random.shuffle(drawn)
    drawn.sort(key=lambda unit: units[unit])
    if each is not None:
        seen: Counter[tuple[str, ...]] = Counter()
        chosen = set()
        for unit in drawn:
            if seen[units[unit]] < each:
                chosen.add(unit)
            seen[units[unit]] += 1
        return chosen
    if count is None or count >= len(drawn):
        return set(drawn)
    start = random.random()
    return {drawn[int((start + number) * len(drawn) / count)] for number in range(count)}


def tuples(
    items: Mapping[str, Sequence[str]], size: int, random: Random
) -> list[tuple[str, tuple[str, ...]]]:
    """(item, systems) of each tuple; `items` has the systems that wrote a text for each item.

    An item gets as few tuples as are needed to show each of its systems. Over all items with the same systems, each
    system is in as many tuples as any other, or one more. How often two systems meet is balanced greedily.
    """
    total: Counter[str] = Counter()
    pairs: Counter[frozenset[str]] = Counter()
    drawn_tuples = []
    for item, systems in items.items():
        within: Counter[str] = Counter()
        for _ in range(-(-len(systems) // size)):
            drawn = sorted(systems)
            random.shuffle(drawn)
            chosen: list[str] = []
            while len(chosen) < min(size, len(systems)):
                rest = [system for system in drawn if system not in chosen]
                chosen.append(
                    min(
                        rest,
                        key=lambda system: (
                            within[system],
                            total[system],
                            sum(pairs[frozenset((system, other))] for other in chosen),
                        ),
                    )
                )
                within[chosen[-1]] += 1
                total[chosen[-1]] += 1
            pairs.update(frozenset((one, other)) for one in chosen for other in chosen if one < other)
            drawn_tuples.append((item, tuple(sorted(chosen))))
    return drawn_tuples


def cycle(tasks: Sequence[tuple[str, str]], random: Random) -> list[int]:
    """Indices of tasks (item, system), ordered so that neighbours differ in both, as in a Latin square."""
    items, systems = (list(dict.fromkeys(sorted(side))) for side in zip(*tasks, strict=True))
    random.shuffle(items)
    random.shuffle(systems)
    place = {task: number for number, task in enumerate(tasks)}
    turns = (
        (item, systems[(number + turn) % len(systems)])
        for turn in range(len(systems))
        for number, item in enumerate(items)
    )
    return [place[task] for task in turns if task in place]


def shares(order: Sequence[T], raters: int, per_task: int, per_rater: int | None) -> list[list[T]]:
    """The tasks of each of `raters` shares: consecutive parts of the order, which is repeated `per_task` times.

    No share has a task twice. The last shares are short or empty if there are more raters than needed.
    """
    places = len(order) * per_task
    most = min(per_rater or -(-places // max(raters, 1)), len(order))
    starts = (number * most for number in range(raters))
    return [
        [order[place % len(order)] for place in range(start, min(start + most, places))] for start in starts
    ]


def ordered(share: Sequence[T], systems: Mapping[T, str], seen: Counter[tuple[str, int]]) -> list[T]:
    """The share, rotated and perhaps reversed, so that each system stands equally often at each position.

    `seen` counts (system, position) over all earlier shares, and is updated.
    """
    step = max(1, len(share) // TURNS)
    turned = [
        [*way[start:], *way[:start]]
        for way in (list(share), list(share)[::-1])
        for start in range(0, len(share), step)
    ]
    best = min(
        turned, key=lambda tasks: sum(seen[systems[task], n] for n, task in enumerate(tasks)), default=[]
    )
    seen.update((systems[task], number) for number, task in enumerate(best))
    return best


def lettered(systems: Sequence[str], seen: Counter[tuple[str, int]], random: Random) -> list[str]:
    """The systems in an order in which each gets each letter equally often. `seen` counts this, and is updated."""
    drawn = list(systems)
    random.shuffle(drawn)
    best = min(permutations(drawn), key=lambda order: sum(seen[system, n] for n, system in enumerate(order)))
    seen.update((system, number) for number, system in enumerate(best))
    return list(best)

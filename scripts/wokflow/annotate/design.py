"""Who is asked what, and in which order: samples, tuples, shares and orders, all drawn by a seed.

What one rater is given never depends on those who come after in the table of raters, where the share of a rater is
given: people can be added while others are at work.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
TURNS = 64  # about how many beginnings of a share are tried, and as many backwards


def sampled(
    units: Mapping[str, tuple[str, ...]], count: int | None, each: int | None, random: Random
) -> set[str]:
    """Some units, given with their strata: `each` of every stratum, or `count` in proportion; without both, all.

    Counts of a stratum, and of each outer one, are within one of their share (systematic sampling).
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
    """Item and systems of each tuple, of items with the systems that made something of them.

    An item has as few tuples as show each of its systems. Over all items of the same systems, each system is in as
    many tuples as any other, or one more; which systems meet is evened out as far as one choice after the other can.
    """
    total: Counter[str] = Counter()
    pairs: Counter[frozenset[str]] = Counter()
    found = []
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
            found.append((item, tuple(sorted(chosen))))
    return found


def cycle(tasks: Sequence[tuple[str, str]], random: Random) -> list[int]:
    """Places of tasks (item, system) in an order in which neighbours differ in both, as in a Latin square."""
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
    """The tasks of each of `raters` shares: the order is gone through `per_task` times, a rater after the other.

    No share has a task twice. The last ones are short, or empty, where there are more raters than are needed.
    """
    places = len(order) * per_task
    most = min(per_rater or -(-places // max(raters, 1)), len(order))
    starts = (number * most for number in range(raters))
    return [
        [order[place % len(order)] for place in range(start, min(start + most, places))] for start in starts
    ]


def ordered(share: Sequence[T], systems: Mapping[T, str], seen: Counter[tuple[str, int]]) -> list[T]:
    """A share begun at the place, and gone through in the direction, that evens out where systems stand.

    `seen` counts system and place of all shares before, and is counted on.
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
    """Systems in the order that evens out how often each stands at each letter, which `seen` counts."""
    drawn = list(systems)
    random.shuffle(drawn)
    best = min(permutations(drawn), key=lambda order: sum(seen[system, n] for n, system in enumerate(order)))
    seen.update((system, number) for number, system in enumerate(best))
    return list(best)

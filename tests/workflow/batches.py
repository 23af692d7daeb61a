"""Settings that change the keys of different rules, so that one dry run shows what many of them do."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.workflow.changes import Settings
from tests.workflow.keyed import BESIDE_ONE_ANOTHER, OTHER_KEYS, SHOWS_SETTINGS
from tests.workflow.planner import Job

TOGETHER = Settings({key: value for given in BESIDE_ONE_ANOTHER for key, value in given.values.items()})
Change = tuple[Settings, Settings, set[str]]  # what is given, what is set, the rules whose keys that changes
# These take away jobs whose keys others of their batch would change.
ALONE = {"parse.actions.method", "evaluate.counterfactual.vectors"}
# One of these refuses the other.
APART = (
    {"match.search.floor", "match.pair.threshold"},
    {"match.search.floor", "match.rerank.by"},
    {"pivot.pivots.given", "pivot.pivots.answers"},
    {"pivot.orders.given", "export.release.datasets"},
)
# Their values stand in the key under other names, or change others there.
OTHERWISE_NAMED = {
    "annotate.studies",
    "enrich.link.backend",
    "evaluate.smatch.parsers.en",
    "export.licences",
    "export.release.datasets",
    "generate.prompt.parameters",
    "judge.models",
    "parse.actions.method",
    "parse.vectors.words",
    "pivot.pairs.path",
}
Members = Mapping[str, set[str]]  # a rule whose key changed -> the names of what differs in it


def keys_changed_by(settings: Settings, runs: set[str]) -> set[str]:
    """None, if nothing runs; what OTHER_KEYS says; or else the rule of the setting's own block."""
    if not runs:
        return set()
    [dotted] = settings.values
    beginnings = [dotted.rsplit(".", cut)[0] for cut in range(dotted.count("."))]
    return next((OTHER_KEYS[each] for each in [dotted, *beginnings] if each in OTHER_KEYS), {_rule(dotted)})


def _rule(dotted: str) -> str:
    """The rule of a setting's own block."""
    return "_".join(dotted.split(".")[:2])


def members_changed(before: Mapping[Job, str], now: Mapping[Job, str]) -> dict[str, set[str]]:
    """The innermost names of what differs in the keys of a rule, of jobs that have one before and now."""
    changed: dict[str, set[str]] = {}
    for job in before.keys() & now.keys():
        if before[job] != now[job]:
            names = changed.setdefault(job[0], set())
            names.update(_differing("", json.loads(before[job]), json.loads(now[job])))
    return changed


def _differing(name: str, before: object, now: object) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for inner in before.keys() | now.keys():
            yield from _differing(inner, before.get(inner), now.get(inner))
    elif before != now:
        yield name.rpartition(".")[2]


@dataclass
class Batch:
    """Settings beside the same given ones, of which a dry run tells whether each changes the keys that it should.

    Several settings may change the key of one rule: there each must be found by its name, and nothing else.
    """

    given: Settings
    settings: Settings
    changes: dict[str, dict[str | None, str]] = field(
        default_factory=dict
    )  # rule -> member of its key -> setting
    names: list[str] = field(default_factory=list)
    # Rules of which other shards make jobs that had no key before.
    other_jobs: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        return f"{self.names[0]}, and {len(self.names) - 1} more"

    def takes(self, change: Change) -> bool:
        """Whether it can still be told which of the settings changed which key."""
        given, settings, rules = change
        alone = ALONE & (settings.values.keys() | self.settings.values.keys())
        shared = settings.values.keys() & self.settings.values.keys()
        apart = any(pair <= settings.values.keys() | self.settings.values.keys() for pair in APART)
        taken = self.other_jobs & rules or self.changes.keys() & _sharded(settings)
        member = _member(settings)
        told = [self.changes[rule].keys() for rule in rules if rule in self.changes]
        unclear = any(member is None or {None, member} & names for names in told)
        return given == self.given and not (alone or shared or apart or taken or unclear)

    def add(self, name: str, change: Change) -> None:
        _, settings, rules = change
        self.settings = Settings(self.settings.values | settings.values)
        for rule in rules:
            self.changes.setdefault(rule, {})[_member(settings)] = name
        self.other_jobs |= _sharded(settings)
        self.names.append(name)

    def wrong(self, changed: Members) -> Iterator[str]:
        """A line for each rule whose key should have changed and did not, or did and should not have."""
        for rule, expected in sorted(self.changes.items()):
            found = changed.get(rule, set())
            if None in expected and found:  # of its one setting
                continue
            lost = expected.keys() - found
            if lost:
                yield f"{rule}: its key does not change with {'; '.join(sorted(expected[name] for name in lost))}"
            if more := found - expected.keys():
                yield f"{rule}: in its key {sorted(more)} change with one of these: {'; '.join(self.names)}"
        for rule in sorted(changed.keys() - self.changes.keys()):
            yield f"{rule}: its key changes with one of these: {'; '.join(self.names)}"


def _member(settings: Settings) -> str | None:
    """What a setting is called in the key of its rule; None where nothing there has its name."""
    [dotted, *others] = settings.values
    return None if others or dotted in OTHERWISE_NAMED else dotted.rpartition(".")[2]


def _sharded(settings: Settings) -> set[str]:
    return {_rule(dotted) for dotted in settings.values if dotted.endswith(".shards")}


def batches(changes: Mapping[str, Change]) -> list[Batch]:
    """Few batches that hold all changes: each is in the first that takes it; what can be given together, is."""
    found: list[Batch] = []
    for name, (given, settings, rules) in changes.items():
        given = TOGETHER if given in BESIDE_ONE_ANOTHER else given
        change = given, settings, rules - SHOWS_SETTINGS
        batch = next((one for one in found if one.takes(change)), None)
        if batch is None:
            found.append(batch := Batch(given, Settings({})))
        batch.add(name, change)
    return found

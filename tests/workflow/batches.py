"""Settings that change the keys of different rules, so that one dry run shows what many of them do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tests.workflow.changes import Settings
from tests.workflow.keyed import BESIDE_ONE_ANOTHER, OTHER_KEYS, SHOWS_SETTINGS

TOGETHER = Settings({key: value for given in BESIDE_ONE_ANOTHER for key, value in given.values.items()})
Change = tuple[Settings, Settings, set[str]]  # what is given, what is set, the rules whose keys that changes
# These take away jobs whose keys others of their batch would change.
ALONE = {"parse.actions.method", "evaluate.counterfactual.vectors"}


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


@dataclass
class Batch:
    """Settings of different names beside the same given ones, no two of which change the key of one rule."""

    given: Settings
    settings: Settings
    changes: dict[str, str] = field(default_factory=dict)  # rule -> the name of what changes its key
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
        taken = (self.changes.keys() | self.other_jobs) & rules or self.changes.keys() & _sharded(settings)
        return given == self.given and not (alone or shared or taken)

    def add(self, name: str, change: Change) -> None:
        _, settings, rules = change
        self.settings = Settings(self.settings.values | settings.values)
        self.changes |= dict.fromkeys(rules, name)
        self.other_jobs |= _sharded(settings)
        self.names.append(name)

    def wrong(self, changed: set[str]) -> Iterator[str]:
        """A line for each rule whose key should have changed and did not, or did and should not have."""
        for rule in sorted(self.changes.keys() - changed):
            yield f"{rule}: its key does not change with {self.changes[rule]}"
        for rule in sorted(changed - self.changes.keys()):
            yield f"{rule}: its key changes with one of these: {'; '.join(self.names)}"


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

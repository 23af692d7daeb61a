"""The arguments of a step that come from the config, by how they count in the step's key.

The keyword `counts` in config/config.schema.yaml says how a key counts: `content` for files and folders, `model`
for the name of a model on a hub or a local folder, `never` for keys that do not change the result, `layout` for what
only divides it into files, `rule` for what the rules alone read, `source` for files that count by the digest that
ingest_source writes of their content, so that the rules alone read the key. Without the keyword, a key counts by its
value.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Paths = str | list[str] | None


@dataclass(frozen=True)
class Arguments:
    """Keyword arguments of a step's function that come from the config.

    `settings` are in the step's key by value. `resources` are files and folders by role: their content is in the key,
    their path is not. `options` do not change the result and are not in the key. `layout` is in the key, but the
    function sees it only in its outputs.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    resources: Mapping[str, Paths] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    layout: Mapping[str, Any] = field(default_factory=dict)


def model_arguments(**models: str | None) -> tuple[dict[str, Any], dict[str, Paths]]:
    """Settings and resources of models by role: a name counts by value, a local folder by content."""
    local = {role: model for role, model in models.items() if model and Path(model).exists()}
    return {role: model for role, model in models.items() if role not in local}, {**local}


def block_arguments(
    config: Mapping[str, Any],
    schema: Mapping[str, Any],
    step: str,
    over: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Arguments:
    """The arguments of a step: keys of its config block, borrowed keys, and settings from its rule.

    Keys that the block only lends are left out. `over` first overrides values of the block, or of the block of
    another stage that the step's settings extend. `given` has what the step's class declares by from_rule(). Keys of
    inner blocks have dotted names; an inner block that counts as `rule` reaches the step only through `given`.
    """
    stage, name = step.split(".")
    of_stage = schema["properties"].get(stage, {})
    declared = of_stage.get("steps", {}).get(name, {})
    if over:
        other, block = declared.get("extends", step).split(".")
        config = {**config, other: {**config[other], block: merged(config[other][block], over)}}
    own = of_stage.get("properties", {}).get(name, {})
    lent = declared.get("lends", ())
    keys = {
        key: {**rule, "key": f"{step}.{key}"} for key, rule in leaves(own) if key.split(".")[0] not in lent
    }
    for key, other in declared.get("borrows", {}).items():
        keys[key] = {"counts": _counts(schema, other["key"]), **other}
    by_kind: dict[str, dict[str, Any]] = {}

    def put(key: str, how: str, value: Any) -> None:
        by_kind.setdefault(how, {})[key] = value

    for key, rule in keys.items():
        if holds(config, rule):
            put(key, rule.get("counts", "value"), lookup(config, rule["key"]))
    wanted = declared.get("given", {})
    if (given or {}).keys() != wanted.keys():
        raise ValueError(f"{step} is given {sorted(given or {})}, and its class declares {sorted(wanted)}")
    for key, value in (given or {}).items():
        put(key, wanted[key].get("counts", "value"), value)
    settings, resources = model_arguments(**by_kind.get("model", {}))
    return Arguments(
        settings=by_kind.get("value", {}) | settings,
        resources=by_kind.get("content", {}) | resources,
        options=by_kind.get("never", {}),
        layout=by_kind.get("layout", {}),
    )


def leaves(block: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each key of a block's schema that holds a value, by its dotted name within the block, with its rule."""
    for key, rule in block.get("properties", {}).items():
        if "properties" not in rule:
            yield key, rule
        elif rule.get("counts") != "rule":
            yield from ((f"{key}.{inner}", of_inner) for inner, of_inner in leaves(rule))


def nested(dotted: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their blocks: {"bootstrap": {"seed": 13}} of {"bootstrap.seed": 13}."""
    settings: dict[str, Any] = {}
    for name, value in dotted.items():
        *blocks, key = name.split(".")
        block = settings
        for outer in blocks:
            block = block.setdefault(outer, {})
        block[key] = value
    return settings


def merged(block: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A config block with other values laid over it, key by key."""
    together = deepcopy(dict(block))
    for key, value in over.items():
        inner = isinstance(value, Mapping)
        together[key] = merged(together.get(key, {}), value) if inner else value
    return together


def holds(config: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    """Whether a key counts: each key in its `when`, if any, has one of the values listed there."""
    return all(lookup(config, key) in values for key, values in rule.get("when", {}).items())


def lookup(config: Mapping[str, Any], dotted: str) -> Any:
    """The value of a key named with dots; None if there is no such key."""
    value: Any = config
    for part in dotted.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _counts(schema: Mapping[str, Any], dotted: str) -> str:
    """How a key named with dots counts."""
    for part in dotted.split("."):
        schema = schema["properties"][part]
    return str(schema.get("counts", "value"))

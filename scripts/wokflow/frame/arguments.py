"""What the config gives a step, by how it counts in the step's key.

config/config.schema.yaml says with the keyword `counts` how each key does: `content` for files and folders, `model`
for the name of a model on a hub or a local folder, `never` for what does not change the result, `layout` for what
only divides it into files, `rule` for what the rules alone read; without the keyword, a key counts by its value.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Paths = str | list[str] | None


@dataclass(frozen=True)
class Arguments:
    """Keyword arguments of a step's function that come from the config.

    `settings` stand in the step's key by value. `resources` are files and folders, by the role that they play: their
    content stands in the key, and where they lie does not. `options` do not change the result, and so they are not
    in the key. `layout` stands in the key, but the function sees it in its outputs alone.
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
    also: Iterable[str] | Mapping[str, str] = (),
) -> Arguments:
    """The arguments of a step: all keys of its config block, those that it borrows, and the keys `also`.

    `also` names keys with dots; they are passed under their last part, or under the name that a mapping gives.
    """
    block = lookup(config, step, {})
    declared = _rule(schema, step) if block else {}
    keys = {key: declared["properties"][key] | {"key": f"{step}.{key}"} for key in block}
    keys |= declared.get("borrows", {})
    names = {rule["key"]: name for name, rule in keys.items() if holds(config, rule)}
    names |= also if isinstance(also, Mapping) else {key: key.rsplit(".", 1)[-1] for key in also}
    by_kind: dict[str, dict[str, Any]] = {}
    for dotted, name in names.items():
        by_kind.setdefault(counts(schema, dotted), {})[name] = lookup(config, dotted)
    settings, resources = model_arguments(**by_kind.get("model", {}))
    return Arguments(
        settings=by_kind.get("value", {}) | settings,
        resources=by_kind.get("content", {}) | resources,
        options=by_kind.get("never", {}),
        layout=by_kind.get("layout", {}),
    )


def holds(config: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    """Whether a key counts: the keys on which it depends, if any, have the values with which it does."""
    return all(lookup(config, key) in values for key, values in rule.get("when", {}).items())


def lookup(config: Mapping[str, Any], dotted: str, default: Any = None) -> Any:
    """The value of a key named with dots."""
    value: Any = config
    for part in dotted.split("."):
        value = value.get(part, default) if isinstance(value, Mapping) else default
    return value


def counts(schema: Mapping[str, Any], dotted: str) -> str:
    """How a key counts in keys: content, model, never, layout, rule or value.

    Raises ValueError for a block of keys that do not all count by value: such a block needs a function of its own.
    """
    rule = _rule(schema, dotted)
    if any("counts" in inner for inner in rule.get("properties", {}).values()):
        raise ValueError(
            f"the keys of {dotted} count in different ways: write a function that gives Arguments"
        )
    return str(rule.get("counts", "value"))


def _rule(schema: Mapping[str, Any], dotted: str) -> Mapping[str, Any]:
    """The schema of a key or block named with dots."""
    for part in dotted.split("."):
        schema = schema["properties"][part]
    return schema

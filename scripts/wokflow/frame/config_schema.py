"""The blocks of config/config.schema.yaml that classes declare: python -m wokflow.frame.config_schema writes them."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import yaml

from wokflow.frame.settings import Block, Counts, Settings, StageSettings
from wokflow.frame.stages import STAGES

SCHEMA = Path(__file__).resolve().parents[3] / "config" / "config.schema.yaml"
Declared = TypeVar("Declared", bound=Block)
FIRST, LAST = ("counts", "path", "when", "enum", "type"), ("default", "description")  # of a key's rules


def classes(stage: str) -> list[type[Settings]]:
    """The classes of a stage's settings in their order."""
    return subclasses(stage, Settings)


def subclasses(stage: str, of: type[Declared]) -> list[type[Declared]]:
    module = importlib.import_module(f"wokflow.{stage}.settings")
    return [
        member
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, of) and member.__module__ == module.__name__
    ]


def stage_schema(stage: str) -> dict[str, Any]:
    """The JSON schema of a stage's part of the config, from the classes of its settings.

    `steps` says what a step `borrows` from other blocks, what it is `given` by its rule, which keys of its own block
    it only `lends` to others, and the block that it `extends`.
    """
    steps = {}
    for each in classes(stage):
        own = f"{stage}.{each.block()}."
        borrows = {name: _dotted(lent, own) for name, lent in each.borrows().items()}
        more: dict[str, Any] = {"borrows": borrows, "given": each.takes(), "lends": each.lends()}
        if other := each.extends():
            more["extends"] = other.full_name()
        steps[each.block()] = {name: what for name, what in more.items() if what}
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "default": {}}
    for of_stage in subclasses(stage, StageSettings):
        schema |= block_schema(of_stage)
    own_keys = schema.pop("properties", {})
    if declared := {step: more for step, more in steps.items() if more}:
        schema["steps"] = declared
    blocks = {each.block(): block_schema(each) for each in classes(stage) if each.own()}
    return schema | {"properties": own_keys | blocks}


def block_schema(block: type[Block], counts: str | None = None) -> dict[str, Any]:
    """The schema of a config block and its inner blocks, without borrowed and given settings (see stage_schema)."""
    declared = block.model_json_schema()
    own = f"{block.__module__.split('.')[-2]}.{block.block()}." if issubclass(block, Settings) else ""
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "default": {}}
    if counts:
        schema["counts"] = counts
    if "description" in declared:
        schema["description"] = " ".join(declared["description"].split())
    keys = {}
    for key in block.own():
        _, field = block.by_key()[key]
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Block):
            how = [each.how for each in field.metadata if isinstance(each, Counts)]
            keys[key] = block_schema(inner, *how)
        else:
            keys[key] = _dotted(compact(declared["properties"][key], declared.get("$defs", {})), own)
    return schema | {"properties": keys}


def _dotted(rule: dict[str, Any], own: str) -> dict[str, Any]:
    """The rule, with the keys in its `when` written out as dotted names."""
    when = {key if "." in key else own + key: values for key, values in rule.get("when", {}).items()}
    return rule | ({"when": when} if when else {})


def compact(rule: dict[str, Any], blocks: dict[str, Any]) -> dict[str, Any]:
    """A key's rule in a compact form, as if written by hand: a list of types in place of alternatives, no titles.

    `blocks` are the schemas of blocks with names of the user's own (dict[str, Block]), by the names of their classes.
    """
    if "$ref" in rule:
        rule = blocks[rule["$ref"].rsplit("/", 1)[-1]]
    free = ("additionalProperties", True)  # any keys are allowed, which is the default
    rule = {key: value for key, value in rule.items() if key != "title" and (key, value) != free}
    if "anyOf" in rule:
        inner = [compact(each, blocks) for each in rule.pop("anyOf")]
        rule |= _together(inner) or {"anyOf": inner}
    for pattern, named in rule.pop(
        "patternProperties", {}
    ).items():  # without this, other keys would be allowed
        rule |= {"propertyNames": {"pattern": pattern}, "additionalProperties": named}
    if isinstance(named := rule.get("additionalProperties"), dict):
        rule["additionalProperties"] = compact(named, blocks)
    if "properties" in rule:
        rule["properties"] = {key: compact(inner, blocks) for key, inner in rule["properties"].items()}
    if "const" in rule:
        rule["enum"] = [rule.pop("const")]
    if "enum" in rule:
        rule.pop("type", None)
    if "items" in rule:
        rule["items"] = compact(rule["items"], blocks)
    if "description" in rule:
        rule["description"] = " ".join(rule["description"].split())
    others = [key for key in rule if key not in (*FIRST, *LAST)]
    return {key: rule[key] for key in (*FIRST, *others, *LAST) if key in rule}


def _together(alternatives: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Alternatives merged into one rule; None if a bound of one could be taken for a bound of another."""
    bounded = [each for each in alternatives if set(each) != {"type"}]
    if len(bounded) > 1 or any("type" not in each for each in alternatives):
        return None
    bounds = {key: value for each in bounded for key, value in each.items() if key != "type"}
    return {"type": [each["type"] for each in alternatives], **bounds}


def written(text: str) -> str:
    """The text of the schema's file, with the blocks of stages replaced by those of their classes."""
    blocks = _blocks(text)
    for stage in STAGES:
        blocks[stage] = "".join(_lines(stage, stage_schema(stage), 1))
    others = [key for key in blocks if key not in STAGES]
    return "".join(blocks[key] for key in (*others, *STAGES) if key in blocks)


def _blocks(text: str) -> dict[str, str]:
    """The text split by top-level key; the part above the first key is under the empty name."""
    blocks = {"": ""}
    key = ""
    for line in text.splitlines(keepends=True):
        if line[:2] == "  " and line[2:3].isalnum():
            key = line.strip().split(":")[0]
        blocks[key] = blocks.get(key, "") + line
    return blocks


def _lines(key: str, rule: dict[str, Any], depth: int) -> Iterator[str]:
    """A key on a line of its own; blocks have a line for each of their rules."""
    indent = "  " * depth
    if "properties" not in rule:
        yield f"{indent}{key}: {_flow(rule)}\n"
        return
    yield f"{indent}{key}:\n"
    for name, value in rule.items():
        if name == "steps":
            yield f"{indent}  steps:\n"
            yield from (f"{indent}    {step}: {_flow(more)}\n" for step, more in value.items())
        elif name != "properties":
            yield f"{indent}  {name}: {_flow(value)}\n"
    yield f"{indent}  properties:\n"
    for name, value in rule["properties"].items():
        yield from _lines(name, value, depth + 2)


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**9)
    return text.removesuffix("\n...\n").removesuffix("\n")


if __name__ == "__main__":
    SCHEMA.write_text(written(SCHEMA.read_text(encoding="utf-8")), encoding="utf-8")

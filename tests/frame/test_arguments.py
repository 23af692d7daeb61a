"""Each config key reaches a step's function, and counts in its key as the schema says."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.arguments import Arguments, block_arguments, leaves, lookup, model_arguments
from wokflow.frame.config import read_schema

from tests.conftest import ROOT

STEP = {
    "k": {"type": "integer"},
    "shards": {"counts": "rule"},
    "device": {"counts": "never"},
    "words": {"counts": "content"},
    "parts": {"counts": "layout"},
    "model": {"counts": "model"},
    "inner": {"properties": {"a": {}, "b": {"counts": "never"}}},
    "chosen": {"counts": "rule", "properties": {"zh": {"counts": "model"}}},
}
SCHEMA = {
    "properties": {
        "stage": {
            "properties": {"step": {"properties": STEP}},
            "steps": {"items": {"given": {"pair": {}, "raw": {"counts": "never"}}}},
        },
        "other": {"properties": {"step": {"properties": {"threshold": {}, "path": {"counts": "content"}}}}},
    }
}


def config(**step: Any) -> dict[str, Any]:
    usual = {
        "k": 3,
        "shards": 2,
        "device": "cpu",
        "words": "w.tsv",
        "parts": 4,
        "model": "org/name",
        "inner": {"a": 1, "b": 2},
        "chosen": {"zh": "org/zh"},
    }
    return {"stage": {"step": usual | step}, "other": {"step": {"threshold": 0.5, "path": "p.tsv"}}}


def test_a_block_is_divided_by_how_its_keys_count() -> None:
    assert block_arguments(config(), SCHEMA, "stage.step") == Arguments(
        settings={"k": 3, "model": "org/name", "inner.a": 1},
        resources={"words": "w.tsv"},
        options={"device": "cpu", "inner.b": 2},
        layout={"parts": 4},
    )


def test_keys_that_a_block_only_lends_reach_the_borrower_alone() -> None:
    steps = {
        "step": {"lends": ["words", "k", "inner"]},
        "items": {"borrows": {"words": {"key": "stage.step.words"}}},
    }
    stage = {"properties": {"step": {"properties": STEP}}, "steps": steps}
    schema = {"properties": {"stage": stage}}
    found = block_arguments(config(), schema, "stage.step")
    assert (found.settings, found.resources) == ({"model": "org/name"}, {})
    assert block_arguments(config(), schema, "stage.items") == Arguments(resources={"words": "w.tsv"})


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("one", Arguments({"kind": "one"}, {"words": "w.tsv"})),
        ("two", Arguments({"kind": "two", "most": 3}, {"words": "w.tsv", "lists": "p.tsv"})),
    ],
)
def test_borrowed_keys_come_too_and_what_has_a_condition_only_where_it_holds(
    kind: str, given: Arguments
) -> None:
    when = {"when": {"stage.step.kind": ["two", "three"]}}
    borrows = {"words": {"key": "other.words"}, "lists": {"key": "other.lists", **when}}
    stage = {
        "steps": {"step": {"borrows": borrows}},
        "properties": {"step": {"properties": {"kind": {}, "most": when}}},
    }
    files = {"words": {"counts": "content"}, "lists": {"counts": "content"}}
    schema = {"properties": {"stage": stage, "other": {"properties": files}}}
    config = {"stage": {"step": {"kind": kind, "most": 3}}, "other": {"words": "w.tsv", "lists": "p.tsv"}}
    assert block_arguments(config, schema, "stage.step") == given


def test_a_model_in_a_folder_counts_by_content_and_a_name_by_value(tmp_path: Path) -> None:
    found = block_arguments(config(model=str(tmp_path)), SCHEMA, "stage.step")
    assert "model" not in found.settings
    assert found.resources["model"] == str(tmp_path)
    assert model_arguments(zh="org/a", en=str(tmp_path), none=None) == (
        {"zh": "org/a", "none": None},
        {"en": str(tmp_path)},
    )


def test_other_values_may_lie_over_a_block() -> None:
    found = block_arguments(config(), SCHEMA, "stage.step", over={"k": 4, "inner": {"b": 5}})
    assert (found.settings["k"], found.settings["inner.a"], found.options["inner.b"]) == (4, 1, 5)
    assert config()["stage"]["step"]["k"] == 3


def test_a_step_is_given_what_its_class_declares() -> None:
    given = {"pair": "en-zh", "raw": "a.zip"}
    assert block_arguments(config(), SCHEMA, "stage.items", given=given) == Arguments(
        {"pair": "en-zh"}, options={"raw": "a.zip"}
    )
    for wrong in ({}, {"pair": "en-zh"}, given | {"more": 1}):
        with pytest.raises(ValueError, match=r"stage\.items is given"):
            block_arguments(config(), SCHEMA, "stage.items", given=wrong)


def test_a_key_that_no_block_has_is_nothing() -> None:
    assert lookup({"a": {"b": 1}}, "a.b") == 1
    assert lookup({"a": {"b": 1}}, "a.b.c") is lookup({"a": {"b": 1}}, "a.c.d") is None


def test_the_schema_knows_no_other_ways_to_count() -> None:
    assert {rule.get("counts", "value") for _, rule in leaves(read_schema(ROOT))} == {
        "value",
        "content",
        "source",
        "model",
        "never",
        "layout",
        "rule",
    }

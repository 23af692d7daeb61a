"""Settings are declared once: their schema, and what a job's function is given of them."""

import ast
import importlib
import inspect
from typing import Annotated, Any, Literal

import pytest
from pydantic import ValidationError
from wokflow.frame import arguments, code, config_schema
from wokflow.frame.settings import (
    Block,
    Content,
    Field,
    Layout,
    Lent,
    Model,
    Never,
    RuleOnly,
    Settings,
    StageSettings,
    Text,
    When,
    borrowed,
    from_rule,
    settings_class,
)
from wokflow.frame.stages import STAGES

from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"


class Inner(Block):
    rank: int = 0
    """Of adapters."""


class Baselines(Block):
    zh_en: str | None = Field(None, alias="zh-en")


class CsiSpansSettings(Settings):
    """Spans | of
    items."""

    pairs: Text = borrowed("other.pairs.path")
    words: Text | None = borrowed("other.words.path", When("kind", "two"))
    answers: Content[tuple[Text, ...]] = ()
    given: Content[Text | None] = None
    model: Model[Text] = "org/name"
    device: Annotated[Never[str], When("other.on", True)] = "cpu"
    parts: Layout[int] = Field(4, ge=1, le=9)
    shards: RuleOnly[int] = 1
    kind: Literal["one", "two"] = "one"
    """Of one kind,
    or of two."""
    share: float | None = Field(None, gt=0, le=1)
    most: int | Literal["auto"] = Field("auto")
    wanted: bool
    inner: Inner = Inner()
    chosen: RuleOnly[Inner] = Inner()
    baselines: Baselines = Baselines()
    pair: str = from_rule()
    raw: Never[tuple[str, ...]] = from_rule()


class ItemsSettings(Settings):
    pair: str = from_rule()


class Licence(Block):
    """Of a source."""

    name: Text
    url: Text | None = None


class FrameSettings(StageSettings):
    """Spans."""

    languages: tuple[str, ...] = ("en",)
    """Of spans."""
    licences: dict[Annotated[str, Field(pattern="^[a-z]+$")], Licence] = Field({})


class ReleaseSettings(Settings):
    name: Lent[Annotated[str, Field(pattern=r"^\w+(?!\n)$")]] = "mine"
    registry: Lent[Content[Text]] = "sources.tsv"
    accept: frozenset[Literal["links", "rows"]] = frozenset()


class GoldSettings(Settings):
    zh_en: str | None = Field(None, alias="zh-en")
    en_zh: str | None = Field(None, alias="en-zh")


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "default": {},
    "description": "Spans | of items.",
    "properties": {
        "answers": {
            "counts": "content",
            "type": "array",
            "items": {"minLength": 1, "type": "string"},
            "default": [],
        },
        "given": {"counts": "content", "type": ["string", "null"], "minLength": 1, "default": None},
        "model": {"counts": "model", "type": "string", "minLength": 1, "default": "org/name"},
        "device": {"counts": "never", "when": {"other.on": [True]}, "type": "string", "default": "cpu"},
        "parts": {"counts": "layout", "type": "integer", "minimum": 1, "maximum": 9, "default": 4},
        "shards": {"counts": "rule", "type": "integer", "default": 1},
        "kind": {"enum": ["one", "two"], "default": "one", "description": "Of one kind, or of two."},
        "share": {"type": ["number", "null"], "exclusiveMinimum": 0, "maximum": 1, "default": None},
        "most": {"anyOf": [{"type": "integer"}, {"enum": ["auto"]}], "default": "auto"},
        "wanted": {"type": "boolean"},
        "inner": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {"rank": {"type": "integer", "default": 0, "description": "Of adapters."}},
        },
        "chosen": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "counts": "rule",
            "properties": {"rank": {"type": "integer", "default": 0, "description": "Of adapters."}},
        },
        "baselines": {
            "type": "object",
            "additionalProperties": False,
            "default": {},
            "properties": {"zh-en": {"type": ["string", "null"], "default": None}},
        },
    },
}
STEPS = {
    "csi_spans": {
        "borrows": {
            "pairs": {"key": "other.pairs.path"},
            "words": {"key": "other.words.path", "when": {"csi.csi_spans.kind": ["two"]}},
        },
        "given": {"pair": {}, "raw": {"counts": "never"}},
    }
}


def declare(monkeypatch: pytest.MonkeyPatch, *classes: type[Block]) -> None:
    """Have all stages declare these classes."""

    def subclasses(stage: str, of: type[Block]) -> list[type[Block]]:
        return [each for each in classes if issubclass(each, of)]

    monkeypatch.setattr(config_schema, "subclasses", subclasses)


def test_a_class_gives_the_schema_that_one_would_write_by_hand() -> None:
    assert CsiSpansSettings.block() == "csi_spans"
    assert config_schema.block_schema(CsiSpansSettings) == SCHEMA


def test_what_a_step_borrows_and_is_given_stands_beside_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, CsiSpansSettings, ItemsSettings)
    schema = config_schema.stage_schema("csi")
    assert schema["steps"] == STEPS | {"items": {"given": {"pair": {}}}}
    assert list(schema["properties"]) == ["csi_spans"]  # a step without keys has no block


def test_a_class_that_extends_one_of_another_stage_borrows_its_keys_and_is_laid_over_its_block() -> None:
    class AskSettings(Settings):
        model: str = from_rule()
        heat: int = 1
        tries: Never[int] = 2
        kind: str | None = borrowed("other.kind", When("heat", 1))

    AskSettings.__module__ = "wokflow.first.settings"

    class QuizSettings(AskSettings):
        rounds: int = from_rule()

    QuizSettings.__module__ = "wokflow.second.settings"
    blocks: dict[str, Any] = {
        "first": {
            "properties": {"ask": {"properties": {"heat": {}, "tries": {"counts": "never"}}}},
        },
        "second": {
            "properties": {},
            "steps": {"quiz": {"borrows": QuizSettings.borrows(), "given": QuizSettings.takes()}},
        },
        "other": {"properties": {"kind": {}}},
    }
    blocks["second"]["steps"]["quiz"]["extends"] = "first.ask"
    assert QuizSettings.own() == [] and QuizSettings.extends() is AskSettings
    config = {"first": {"ask": {"heat": 1, "tries": 2}}, "second": {}, "other": {"kind": "k"}}

    def found(**over: Any) -> Any:
        given = {"model": "m", "rounds": 3}
        return arguments.block_arguments(config, {"properties": blocks}, "second.quiz", over, given)

    assert found().settings == {"model": "m", "rounds": 3, "heat": 1, "kind": "k"}
    assert found().options == {"tries": 2}
    assert found(heat=5).settings == {"model": "m", "rounds": 3, "heat": 5}, "kind counts where heat is 1"


def test_keys_of_the_stage_itself_lie_in_no_block_and_keys_that_are_lent_in_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declare(monkeypatch, ReleaseSettings, FrameSettings)
    schema = config_schema.stage_schema("frame")
    assert list(schema["properties"]) == ["languages", "licences", "release"]
    assert (schema["description"], schema["properties"]["languages"]["default"]) == ("Spans.", ["en"])
    assert schema["properties"]["licences"] == {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]+$"},
        "additionalProperties": {
            "type": "object",
            "description": "Of a source.",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "url": {"type": ["string", "null"], "minLength": 1, "default": None},
            },
        },
        "default": {},
    }
    assert schema["properties"]["release"]["properties"] == {
        "name": {"type": "string", "pattern": r"^\w+(?!\n)$", "default": "mine"},
        "registry": {"counts": "content", "type": "string", "minLength": 1, "default": "sources.tsv"},
        "accept": {
            "type": "array",
            "items": {"enum": ["links", "rows"]},
            "uniqueItems": True,
            "default": [],
        },
    }
    assert schema["steps"] == {"release": {"lends": ["name", "registry"]}}
    licences = FrameSettings.model_validate({"licences": {"a": {"name": "MIT"}}}).licences
    assert licences == {"a": Licence(name="MIT")}
    assert ReleaseSettings.of_config({"frame": {"release": {"accept": ["rows"]}}}).accept == {"rows"}


def test_what_a_job_is_not_given_its_function_cannot_read() -> None:
    of_job = {"pairs": "p", "answers": ["a"], "kind": "one", "wanted": True, "inner": {"rank": 2}}
    of_job |= {"pair": "en-zh", "raw": ["a.zip"], "baselines": {"zh-en": "a"}}
    settings = CsiSpansSettings.of_job(of_job)
    assert (settings.pairs, settings.answers, settings.inner.rank, settings.kind) == ("p", ("a",), 2, "one")
    assert (settings.pair, settings.raw) == ("en-zh", ("a.zip",))
    assert settings.baselines.zh_en == "a"
    assert settings.words is None
    for unread in (
        "parts",
        "shards",
        "device",
        "most",
        "chosen",
    ):  # the last two have defaults, which are in no key
        with pytest.raises(AttributeError):
            getattr(settings, unread)
    with pytest.raises(AttributeError):
        _ = CsiSpansSettings.of_job(of_job | {"inner": {}}).inner.rank
    with pytest.raises(AttributeError):
        _ = CsiSpansSettings.of_job(of_job | {"baselines": {}}).baselines.zh_en
    for wrong in ({"wnated": True}, {"kind": "three"}):
        with pytest.raises(ValidationError):
            CsiSpansSettings.of_job(of_job | wrong)


def test_a_key_that_is_no_name_in_python_is_a_field_s_alias() -> None:
    assert list(config_schema.block_schema(GoldSettings)["properties"]) == ["zh-en", "en-zh"]
    settings = GoldSettings.of_job({"zh-en": "gold.tsv"})
    assert settings.zh_en == "gold.tsv" and not hasattr(settings, "en_zh")


def test_the_config_s_schema_is_that_of_the_classes() -> None:
    text = config_schema.SCHEMA.read_text(encoding="utf-8")
    assert text == config_schema.written(text), "run: make docs"


def test_settings_hold_declarations_alone() -> None:
    """Their modules and what these import do not count in keys: nothing runs again when a description changes."""
    trees = {
        path.parent.name: ast.parse(path.read_text(encoding="utf-8"))
        for path in PACKAGE.glob("*/settings.py")
        if path.parent.name != "frame" and code.declares_settings(f"wokflow.{path.parent.name}.settings")
    }
    assert {*STAGES} == trees.keys()
    for stage, tree in trees.items():
        nodes = list(ast.walk(tree))
        others = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)} - {"typing"}
        assert [name for name in others if not code.declares_settings(name)] == [], stage
        computed = ast.FunctionDef | ast.Lambda | ast.comprehension | ast.Import
        assert not [node for node in nodes if isinstance(node, computed)], stage


@pytest.mark.parametrize("stage", STAGES)
def test_a_step_with_settings_has_no_default_and_at_most_eight_parameters(stage: str) -> None:
    blocks = {each.block() for each in config_schema.classes(stage)}
    for path in (PACKAGE / stage).glob("*.py"):
        function = getattr(
            importlib.import_module(f"wokflow.{stage}.{path.stem}"), f"{stage}_{path.stem}", None
        )
        if function is None:
            continue
        parameters = inspect.signature(function).parameters.values()
        assert (settings_class(function) is not None) == (path.stem in blocks), function.__name__
        assert len(parameters) <= 8, function.__name__
        assert all(each.default is inspect.Parameter.empty for each in parameters), function.__name__


@pytest.mark.parametrize("stage", STAGES)
def test_no_function_or_class_repeats_defaults_of_settings(stage: str) -> None:
    """Of a class, one field may have the name and the default of a setting by chance."""
    declared = [
        {(name, repr(field.default)) for name, field in each.model_fields.items()}
        for each in config_schema.classes(stage)
    ]
    for path in {*(PACKAGE / stage).glob("*.py")} - {PACKAGE / stage / "settings.py"}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.arguments | ast.ClassDef):
                most = int(isinstance(node, ast.ClassDef))
                assert all(len(defaults(node) & known) <= most for known in declared), path.name


def defaults(node: ast.arguments | ast.ClassDef) -> set[tuple[str, str]]:
    """The parameters or fields that have a default, with it."""
    pairs: list[tuple[str, ast.expr | None]] = []
    if isinstance(node, ast.ClassDef):
        pairs += [
            (ast.unparse(each.target), each.value) for each in node.body if isinstance(each, ast.AnnAssign)
        ]
    else:
        positional = [*node.posonlyargs, *node.args]
        pairs += zip(
            (each.arg for each in positional[len(positional) - len(node.defaults) :]),
            node.defaults,
            strict=True,
        )
        pairs += zip((each.arg for each in node.kwonlyargs), node.kw_defaults, strict=True)
    return {(name, ast.unparse(value)) for name, value in pairs if value}

"""The settings of a step, declared once: types, bounds, defaults, descriptions, and how each counts in the key.

A stage's `settings.py` has a class for each block of its part of the config: OrdersSettings of wokflow.pivot.settings
is pivot.orders, and what the step of that name is given. config/config.schema.yaml is written from these classes (see
wokflow.frame.config_schema), and everything else from it: the check of a config, its defaults, config/README.md, and
the keys. The values that a job gets stand in its key, so the code of these modules does not count there.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, SkipValidation
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from wokflow.frame.arguments import lookup

T = TypeVar("T")


@dataclass(frozen=True)
class Counts:
    """How a setting counts in its step's key; wokflow.frame.arguments says what each word means."""

    how: str
    path: str | None = None  # of content that is no file: folder, or either

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        path = {"path": self.path} if self.path else {}
        return {"counts": self.how, **path, **handler(core)}


@dataclass(frozen=True, init=False)
class When:
    """A setting that counts, and reaches the step, only where another setting has one of some values.

    The other is named without dots if it is in the same block.
    """

    key: str
    values: tuple[Any, ...]

    def __init__(self, key: str, *values: Any) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", values)

    def schema(self) -> dict[str, Any]:
        return {"when": {self.key: list(self.values)}}

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(core), **self.schema()}


class Lend:
    """Marks a key of a block that the step of the same name is not given."""


Content = Annotated[T, Counts("content")]  # a file: by what it holds
Folder = Annotated[T, Counts("content", "folder")]
FileOrFolder = Annotated[T, Counts("content", "either")]
Source = Annotated[T, Counts("source")]  # a file that ingest_source describes: the rules alone read the key
Model = Annotated[T, Counts("model")]  # a name on a hub, or a folder: by what it holds
Never = Annotated[T, Counts("never")]  # what does not change the result
Layout = Annotated[T, Counts("layout")]  # what only divides it into files: the outputs tell the function
RuleOnly = Annotated[T, Counts("rule")]  # what the rules alone read
Lent = Annotated[T, Lend()]  # not given to the block's own step: other steps borrow it, or rules read it
Text = Annotated[str, Field(min_length=1)]
AsWritten = Annotated[T, SkipValidation()]  # a number 1 does not become 1.0, where it is sent to others


class Block(BaseModel):
    """Settings that belong together. A subclass's docstring is its description in config/README.md."""

    # Patterns are Python's, as those of jsonschema are, which checks configs.
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, regex_engine="python-re"
    )

    @classmethod
    def borrows(cls) -> dict[str, dict[str, Any]]:
        """The origin of each borrowed setting, by its name: the dotted `key`, and `when` it counts."""
        return {name: extra for name, extra in cls._extra().items() if "key" in extra}

    @classmethod
    def takes(cls) -> dict[str, dict[str, Any]]:
        """The settings that the step's rule gives, by name, with how each counts, if not by value."""
        kinds: dict[str, dict[str, Any]] = {}
        for name in cls._extra().keys() - cls.borrows().keys():
            how = [each.how for each in cls.model_fields[name].metadata if isinstance(each, Counts)]
            kinds[name] = {"counts": how[0]} if how else {}
        return {name: kinds[name] for name in cls.model_fields if name in kinds}

    @classmethod
    def lends(cls) -> list[str]:
        """The keys of the block that its own step is not given."""
        fields = cls.model_fields.items()
        return [name for name, field in fields if any(isinstance(each, Lend) for each in field.metadata)]

    @classmethod
    def own(cls) -> list[str]:
        """The block's own keys in the config."""
        return [key for key, (name, _) in cls.by_key().items() if name not in cls._extra()]

    @classmethod
    def by_key(cls) -> dict[str, tuple[str, FieldInfo]]:
        """Name and field of each attribute by its key, which is an alias where Python has no such name, as zh-en."""
        return {field.alias or name: (name, field) for name, field in cls.model_fields.items()}

    @classmethod
    def _extra(cls) -> dict[str, dict[str, Any]]:
        extra = {name: field.json_schema_extra for name, field in cls.model_fields.items()}
        return {name: dict(known) for name, known in extra.items() if isinstance(known, dict)}


class StageSettings(Block):
    """Keys of a stage outside its blocks. A subclass's docstring describes the stage in config/README.md."""


class Settings(Block):
    """A block of a stage: the settings of its step of that name, or some that several steps share.

    One that extends the class of another stage borrows all keys of that block, and a rule's overrides for a job
    apply to that block.
    """

    @classmethod
    def block(cls) -> str:
        """The name of the config block: csi_match of CsiMatchSettings."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Settings")).lower()

    @classmethod
    def extends(cls) -> "type[Settings] | None":
        """The class of another stage that this one extends."""
        others = (each for each in cls.__mro__[1:] if issubclass(each, Settings) and each is not Settings)
        return next((each for each in others if each.__module__ != cls.__module__), None)

    @classmethod
    def full_name(cls) -> str:
        """The block with its stage, as pivot.orders of OrdersSettings of wokflow.pivot.settings."""
        return f"{cls.__module__.split('.')[-2]}.{cls.block()}"

    @classmethod
    def _extra(cls) -> dict[str, dict[str, Any]]:
        settings, other = super()._extra(), cls.extends()
        if other:
            block = other.full_name()
            own = inspect.get_annotations(cls)
            for name in [name for name in other.model_fields if name not in own]:
                extra = settings.setdefault(name, {"key": f"{block}.{name}"})
                for each in other.model_fields[name].metadata:
                    if isinstance(each, When) and "when" not in extra:
                        extra |= each.schema()
                if "when" in extra:
                    inner = extra["when"].items()
                    extra["when"] = {key if "." in key else f"{block}.{key}": of for key, of in inner}
        return settings

    @classmethod
    def of_config(cls, config: Mapping[str, Any]) -> Self:
        """The settings that a config with all its defaults holds, with all borrowed ones, whatever their `when`."""
        own = config[cls.__module__.split(".")[-2]][cls.block()]
        lent = {name: lookup(config, lent["key"]) for name, lent in cls.borrows().items()}
        return cls.model_validate(own | lent)

    @classmethod
    def of_job(cls, given: Mapping[str, Any]) -> Self:
        """The settings that a job is given; others are no attributes, and no default takes their place.

        A default could change without the key, so that a job that reads it would not run again. Borrowed settings
        that the job is not given are None.
        """
        made = cls.model_validate(given)
        _forget(made, given)
        return made


def _forget(made: Block, given: Mapping[str, Any]) -> None:
    """Delete the attributes of settings, and of their inner blocks, that were not given."""
    for key, (name, _) in type(made).by_key().items():
        if name in type(made).borrows():
            continue
        if key not in given:
            del made.__dict__[name]
        elif isinstance(inner := getattr(made, name), Block):
            _forget(inner, given[key])


def borrowed(key: str, *when: When) -> Any:
    """A setting that another block declares, by its dotted key: this step gets it as well, and it counts alike.

    With conditions, it is None where one of them does not hold.
    """
    if not when:
        return Field(json_schema_extra={"key": key})
    conditions = {of: values for each in when for of, values in each.schema()["when"].items()}
    return Field(None, json_schema_extra={"key": key, "when": conditions})


def from_rule() -> Any:
    """A setting that the rule gives (step(..., given=...)), and not the config. It counts as its type says."""
    return Field(json_schema_extra={"given": True})


def settings_class(function: Callable[..., Any]) -> type[Settings] | None:
    """The class of a step's settings, by the annotation of its function; None if it has none."""
    parameter = inspect.signature(function, eval_str=True).parameters.get("settings")
    return parameter.annotation if parameter else None


__all__ = [
    "AsWritten",
    "Block",
    "Content",
    "Field",
    "FileOrFolder",
    "Folder",
    "Layout",
    "Lent",
    "Model",
    "Never",
    "RuleOnly",
    "Settings",
    "Source",
    "StageSettings",
    "Text",
    "When",
    "borrowed",
    "from_rule",
    "settings_class",
]

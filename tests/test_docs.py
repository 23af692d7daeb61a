"""Documents do not drift: generated ones equal their sources, and what the others name is there."""

import csv
import hashlib
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from wokflow.evaluate import graders
from wokflow.frame import config_readme, documents, schemas, stages
from wokflow.frame.config import fill
from wokflow.frame.stages import reasons
from wokflow.match.bundled import BUNDLED

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
RELIABILITY = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
RULES = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules").glob("*.smk")))
ELSEWHERE = (".venv/", "my.yaml")  # made by users
RELEASE = ("data", "jsonl", "statistics.tsv")  # below a release's folder
RESULTS = ("results/", "match/", "pivot/")


def prose(text: str) -> str:
    """A document without its code blocks."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def quoted(text: str) -> set[str]:
    """What stands in backticks, outside of code blocks."""
    return set(re.findall(r"`([^`\n]+)`", prose(text)))


def paths(text: str) -> set[str]:
    """Quoted names of files and folders, as far as they have no gaps to fill in."""
    names = {name for name in quoted(text) if re.fullmatch(r"[\w.-]+(/[\w.*-]+)*/?", name)}
    file = re.compile(r"\.(md|tsv|yaml|txt|cff|py|png|toml|smk)$|^(LICENSE|Makefile)$")
    return {name for name in names if ("/" in name or file.search(name)) and not name.startswith(ELSEWHERE)}


def targets_named(text: str) -> set[str]:
    """What comes after `make`, in backticks or at the beginning of a line of code."""
    return set(re.findall(r"(?:`|^    )make ([a-z-]+)", text, re.M))


def defaults() -> dict[str, Any]:
    """The config of a user who changes nothing."""
    config: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    fill(config, SCHEMA)
    return config


def test_the_config_reference_is_that_of_the_schema() -> None:
    found = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    assert found == config_readme.markdown(SCHEMA), "run: make docs"


def test_the_tables_reference_is_that_of_the_schemas() -> None:
    found = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
    assert found == schemas.markdown(), "run: make docs"


def test_the_agreement_of_graders_is_that_of_their_sheets() -> None:
    found = (graders.FOLDER / "README.md").read_text(encoding="utf-8")
    assert found == graders.readme(found), "run: make docs"


def test_the_config_reference_names_every_key_with_type_default_and_meaning() -> None:
    number = {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "default": 3,
        "counts": "never",
        "description": "How many | of\nthem.",
    }
    choice = {"enum": ["a", "b"], "default": "a", "description": "Which."}
    step = {"properties": {"count": number, "kind": choice, "at": {"type": ["string", "null"]}}}
    schema = {"properties": {"top": {"type": "string"}, "stage": {"properties": {"step": step}}}}
    lines = config_readme.markdown(schema).splitlines()
    assert "| `top` | string | none |  | by value |" in lines
    assert lines.index("## stage") < lines.index("### stage.step")
    assert "| `stage.step.count` | integer from 1 to 9 | `3` | How many \\| of them. | never |" in lines
    assert '| `stage.step.kind` | `a`, `b` | `"a"` | Which. | by value |' in lines
    assert "| `stage.step.at` | string or null | none |  | by value |" in lines


def test_every_description_of_the_schema_is_a_whole_sentence() -> None:
    """A comma in an unquoted description ends it there, and YAML makes a key of the rest."""

    def cut(rule: dict[str, Any], key: str) -> list[str]:
        found = [] if rule.get("description", ".").strip().endswith(".") else [key]
        for name, below in rule.get("properties", {}).items():
            found += cut(below, f"{key}.{name}")
        return found

    assert cut(SCHEMA, "") == []


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 200


@pytest.mark.parametrize("text", [README, RELIABILITY], ids=["README.md", "reliability.md"])
def test_every_file_that_is_named_exists(text: str) -> None:
    named = {
        name for name in paths(text) if not name.startswith(RESULTS) and name.split("/")[0] not in RELEASE
    }
    assert len(named) > 5
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_output_that_is_named_is_made() -> None:
    """results/<stage>/<table> stands in a rule; a log and a benchmark belong to each."""
    named = {name.rstrip("/") for text in (README, RELIABILITY) for name in paths(text) if "results/" in name}
    made = set(re.findall(r"[}\"](?:/)?(\w+/\w+)/", RULES)) | {"logs", "benchmarks"}
    assert {name for name in named if "/".join(name.split("/")[1:3]) not in {*made, ""}} == set()


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert {"demo", "test", "plan"} <= targets_named(README) <= targets


def test_the_readme_and_the_slurm_profile_say_of_stages_what_these_declare() -> None:
    profile = (ROOT / "slurm" / "config.yaml").read_text(encoding="utf-8")
    assert documents.readme(README) == README, "run: make docs"
    assert documents.profile(profile) == profile, "run: make docs"


def test_every_rule_is_in_the_diagrams_and_every_cutoff_is_marked() -> None:
    rules, cutoffs = (set(re.findall(rf"^{kind} (\w+):", RULES, re.M)) for kind in ("rule", "checkpoint"))
    page = documents.rules_page(documents.checkpoints())
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == page, "run: make docs"
    assert set(re.findall(r"\{\{(\w+)\}\}", page)) == cutoffs
    named = {
        name for name in re.findall(r"\w+", page) if name.partition("_")[0] in stages.STAGES and "_" in name
    }
    assert named == rules | cutoffs
    assert set(stages.slurm_groups()) < rules


def test_every_key_that_is_named_exists() -> None:
    config = defaults()
    named = {name for text in (README, RELIABILITY) for name in quoted(text)}
    for name in named:
        if re.fullmatch(rf"({'|'.join(stages.STAGES)})(\.\w+)+", name):
            value: Any = config
            for part in name.split("."):
                assert part in value, name
                value = value[part]


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py|test_\w+)`", RELIABILITY)
    assert named
    file = Path()
    for name in named:
        if name.startswith("tests/"):
            file = ROOT / name
            assert file.is_file(), name
        else:
            assert f"def {name}(" in file.read_text(encoding="utf-8"), f"{file.name}: {name}"


def test_every_reason_of_rejects_is_explained_in_both_places() -> None:
    rows = re.findall(rf"^\| ({'|'.join(stages.STAGES)}) \| ([\w, ]+) \|", RELIABILITY, re.M)
    told = {(stage, reason) for stage, reasons in rows for reason in reasons.split(", ")}
    assert told == {(stage, reason) for stage, known in reasons().items() for reason in known}


def test_the_defaults_need_no_network() -> None:
    config = defaults()
    assert config["match"]["translate"]["backend"] == "lexicon"
    assert (ROOT / config["match"]["translate"]["lexicon"]).is_dir()
    assert config["match"]["embed"]["model"] == BUNDLED
    assert config["match"]["eligible"]["tokenizer"] == "estimate"
    assert all((ROOT / source["path"]).is_file() for source in config["sources"].values())


def test_the_table_of_sources_holds_the_demo_corpora_as_they_are() -> None:
    text = (ROOT / "resources" / "sources.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    sources = SCHEMA["properties"]["sources"]
    kinds = sources["additionalProperties"]["properties"]["kind"]["enum"]
    named = {*sources["properties"], *kinds, "entities", "items", "wikidata", "wikipedia"}
    assert {row["corpus"].split(" ")[0] for row in rows} == named
    assert all(value for row in rows for name, value in row.items() if name != "attribution")
    assert {row["release"] for row in rows} == {"text", "attribution", "ids"}
    demo = {row["file"]: row for row in rows if row["corpus"].endswith(" (demo)")}
    shown = yaml.safe_load((ROOT / "config" / "demo.yaml").read_text(encoding="utf-8"))
    paths = [source["path"] for source in (*defaults()["sources"].values(), *shown["sources"].values())]
    assert set(demo) == {*paths, shown["enrich"]["entities"]["path"]}
    for path, row in demo.items():
        data = (ROOT / path).read_bytes()
        assert (row["bytes"], row["sha256"]) == (str(len(data)), hashlib.sha256(data).hexdigest())


def test_tables_that_are_shown_have_all_their_cells() -> None:
    """A row with fewer cells than its header is refused; cells at its end that are empty cannot be seen."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in re.findall(r"(?:^    .*\t.*\n)+", path.read_text(encoding="utf-8"), re.M):
            header, *rows = block.splitlines()
            short = [row for row in rows if row.count("\t") != header.count("\t")]
            assert not short, f"{path.name}: {short}"


def test_headings_go_down_one_level_at_a_time() -> None:
    for text in (README, RELIABILITY, config_readme.markdown(SCHEMA)):
        levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.M)]
        assert levels[0] == 1
        assert all(below <= above + 1 for above, below in pairwise(levels))

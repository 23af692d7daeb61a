"""The digest of a step's code changes with what can change its result, and with nothing else."""

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow.frame import code, wordlists
from wokflow.frame.code import NEUTRAL, code_digests, package_versions, word_list_digests

from tests.conftest import ROOT

STEP = '''"""What the step does."""

from wokflow.stage import helper


def step(rows: list[int]) -> int:
    """Add them up."""
    # one by one
    return helper.total(rows) + 1
'''
HELPER = """import math

from wokflow.deep.low import ZERO


def total(rows):
    return sum(rows, ZERO)
"""
FILES = {
    "__init__.py": "",
    "stage/__init__.py": "",
    "stage/step.py": STEP,
    "stage/helper.py": HELPER,
    "stage/other.py": "import wokflow.stage.step\n",
    "deep/__init__.py": "SIZE = 1\n",
    "deep/low.py": "ZERO = 0\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small package of the name of ours; its modules' digests are asked for with `digests`."""
    monkeypatch.setattr(code, "ROOT", tmp_path)
    for name, text in FILES.items():
        write(tmp_path / "wokflow", name, text)
    yield tmp_path / "wokflow"
    forget()


def write(package: Path, name: str, text: str) -> None:
    (package / name).parent.mkdir(parents=True, exist_ok=True)
    (package / name).write_text(text, encoding="utf-8")


def forget() -> None:
    """Have all files read again."""
    for cached in (code_digests, word_list_digests, package_versions, code.modules_behind):
        cached.cache_clear()
    for of_files in (code._read, code._pins, code.installed_version, code._rows_digest):
        of_files.cache_clear()


def digests(module: str = "wokflow.stage.step") -> dict[str, str]:
    forget()
    return code_digests(module)


def changed(package: Path, name: str, text: str) -> set[str]:
    """The modules whose digest changes if the file `name` becomes `text`."""
    before = digests()
    assert (package / name).read_text(encoding="utf-8") != text
    write(package, name, text)
    after = digests()
    return {module for module in before | after if before.get(module) != after.get(module)}


def imported(package: Path, text: str, module: str = "stage/step.py") -> set[str]:
    """The modules whose code counts if the step's text is this."""
    write(package, module, text)
    name = re.sub(r"(/__init__)?\.py$", "", module).replace("/", ".")
    return set(digests(f"wokflow.{name}"))


def test_the_code_of_a_step_is_its_module_and_what_that_imports_from_here(package: Path) -> None:
    found = digests()
    assert list(found) == sorted(found)
    names = ("stage", "stage.step", "stage.helper", "deep", "deep.low")
    assert set(found) == {"wokflow", *(f"wokflow.{name}" for name in names)}


@pytest.mark.parametrize(
    "edited",
    [
        STEP.replace("# one by one", "# all at once"),
        STEP.replace("    # one by one\n", ""),
        STEP.replace("What the step does", "What it does"),
        STEP.replace('    """Add them up."""\n', ""),
        STEP.replace('"""What the step does."""\n', ""),
        STEP.replace("def step(rows: list[int]) -> int:", "def step(\n    rows: list[int],\n) -> int:"),
        STEP.replace("helper.total(rows) + 1", "(helper.total( rows )+1)"),
        STEP + "\n\n\n",
    ],
)
def test_comments_docstrings_and_layout_do_not_count(edited: str, package: Path) -> None:
    before = digests()
    assert edited != STEP
    write(package, "stage/step.py", edited)
    assert digests() == before


@pytest.mark.parametrize(
    "edited",
    [
        STEP.replace("+ 1", "+ 2"),
        STEP.replace("+ 1", "- 1"),
        STEP.replace("rows", "numbers"),
        STEP.replace("list[int]", "list[float]"),
        STEP + "\nLATER = 1\n",
        STEP.replace("    return", '    print("""Add them up.""")\n    return'),
        STEP.replace("def step", "async def step"),
    ],
)
def test_code_counts(edited: str, package: Path) -> None:
    before = digests()
    assert edited != STEP
    write(package, "stage/step.py", edited)
    after = digests()
    assert {name for name in after if after[name] != before[name]} == {"wokflow.stage.step"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep/low.py", "ZERO = 1\n"),
        ("deep/__init__.py", "SIZE = 2\n"),
        ("__init__.py", "NAME = 1\n"),
        ("stage/helper.py", HELPER + "\nMORE = 1\n"),
    ],
)
def test_code_that_is_imported_counts_however_deep(name: str, text: str, package: Path) -> None:
    before = digests()
    write(package, name, text)
    assert digests() != before


def test_code_that_is_not_imported_does_not_count(package: Path) -> None:
    before = digests()
    write(package, "stage/other.py", "import wokflow.stage.step\n\nMORE = 1\n")
    write(package, "stage/new.py", "")
    assert digests() == before


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import wokflow.deep.low", {"deep", "deep.low"}),
        ("import wokflow.deep.low as low", {"deep", "deep.low"}),
        ("import math, wokflow.deep", {"deep"}),
        ("from wokflow import deep", {"deep"}),
        ("from wokflow.deep import low, SIZE", {"deep", "deep.low"}),
        ("from wokflow.deep import SIZE", {"deep"}),
        ("from . import helper", {"stage.helper", "deep", "deep.low"}),
        ("from .helper import total", {"stage.helper", "deep", "deep.low"}),
        ("from ..deep.low import ZERO", {"deep", "deep.low"}),
        ("from .. import deep", {"deep"}),
        ("def late():\n    import wokflow.deep.low", {"deep", "deep.low"}),
        ("import math\nfrom os.path import join\nfrom wokflowers import wokflow", set()),
        ("from wokflow.stage import step", set()),
    ],
)
def test_imports_are_found_in_every_form(line: str, expected: set[str], package: Path) -> None:
    others = imported(package, line + "\n") - {"wokflow", "wokflow.stage", "wokflow.stage.step"}
    assert others == {f"wokflow.{name}" for name in expected}


def test_a_package_imports_by_its_init(package: Path) -> None:
    assert "wokflow.stage.helper" in imported(package, "from . import helper\n", "stage/__init__.py")
    assert "wokflow.deep.low" in imported(package, "from .low import ZERO\n", "deep/__init__.py")
    assert "wokflow.deep.low" in digests("wokflow.stage.step")


def test_imports_in_a_circle_come_to_an_end(package: Path) -> None:
    write(package, "deep/low.py", "import wokflow.stage.step\n")
    assert "wokflow.stage.step" in digests()


def test_a_module_that_does_not_exist_is_an_error(package: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"wokflow\.stage\.none"):
        digests("wokflow.stage.none")


def test_a_step_has_its_own_modules_and_no_other_step_s() -> None:
    found = digests("wokflow.match.pair")
    assert {"wokflow.match.pair", "wokflow.match.schemas", "wokflow.frame.columns"} <= set(found)
    assert "wokflow.match.search" not in found
    assert "wokflow.match.search_torch" in digests("wokflow.match.search")


LOGGED = STEP.replace(
    "    # one by one\n",
    """    if self.progress:
        self.progress.say("reading")
    progress(1, f"{len(rows)} rows")
""",
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"reading"', '"now reading"'),
        (
            '        self.progress.say("reading")\n',
            '        self.progress.say("a")\n        self.progress.say("b")\n',
        ),
        ('    progress(1, f"{len(rows)} rows")\n', ""),
        ('    if self.progress:\n        self.progress.say("reading")\n', ""),
    ],
)
def test_log_lines_and_progress_do_not_count(old: str, new: str, package: Path) -> None:
    write(package, "stage/step.py", LOGGED)
    assert changed(package, "stage/step.py", LOGGED.replace(old, new)) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('self.progress.say("reading")', 'self.progress.say("reading")\n        rows = rows[1:]'),
        ("    progress(1,", "    rows = progress(1,"),
        ("if self.progress:", "if self.progress and rows.pop():"),
        ('self.progress.say("reading")', 'self.rows.say("reading")'),
    ],
)
def test_what_only_looks_like_a_log_line_counts(old: str, new: str, package: Path) -> None:
    write(package, "stage/step.py", LOGGED)
    assert old in LOGGED
    assert changed(package, "stage/step.py", LOGGED.replace(old, new)) == {"wokflow.stage.step"}


TABLE = """from wokflow.frame.columns import column

ID = "The recipe's id."
REASONS = {"too_long": "It is too long."}
TABLE = schema([column("recipe_id", string(), ID), column("tokens", int32(), "Its length.", nullable=True)])
"""


USES = "from wokflow.stage.schemas import REASONS, TABLE\n" + STEP


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("Its length.", "The length.", False),
        ("The recipe's id.", "Which recipe.", False),
        ("It is too long.", "Too long.", True),  # steps that name REASONS show it
        ('"too_long"', '"too_big"', True),
        ('"tokens"', '"words"', True),
        ("int32()", "int64()", True),
        (", nullable=True", "", True),
    ],
)
def test_a_schema_counts_by_names_and_types(old: str, new: str, counts: bool, package: Path) -> None:
    write(package, "stage/schemas.py", TABLE)
    write(package, "stage/step.py", USES)
    expected = {"wokflow.stage.schemas"} if counts else set()
    assert changed(package, "stage/schemas.py", TABLE.replace(old, new)) == expected
    write(package, "stage/rating_schemas.py", TABLE)  # a part of a stage's schemas
    write(package, "stage/step.py", USES.replace(".schemas", ".rating_schemas"))
    expected = {"wokflow.stage.rating_schemas"} if counts else set()
    assert changed(package, "stage/rating_schemas.py", TABLE.replace(old, new)) == expected


@pytest.mark.parametrize(
    ("step", "counts"),
    [
        ("from wokflow.stage.schemas import TABLE\n", True),
        ("from wokflow.stage import schemas\nschemas.TABLE\n", True),
        ("from wokflow.stage import schemas as tables\ntables.TABLE\n", True),
        ("import wokflow.stage.schemas\n", True),
        ("from wokflow.stage.schemas import *\n", True),
        ("from . import schemas\nschemas.TABLE\n", True),
        ("from .schemas import TABLE\n", True),
        ("from wokflow.stage import schemas\ngetattr(schemas, 'TABLE')\n", True),
        ("from wokflow.stage.schemas import BEHIND\n", True),
        ("from wokflow.stage.schemas import OTHER\n", False),
        ("from wokflow.stage import schemas\nschemas.OTHER\n", False),
    ],
)
def test_of_schemas_the_tables_count_that_a_step_names(step: str, counts: bool, package: Path) -> None:
    text = TABLE + "BEHIND = TABLE.append(column('more', string(), 'More.'))\nOTHER = schema([])\n"
    write(package, "stage/schemas.py", text)
    write(package, "stage/step.py", step)
    expected = {"wokflow.stage.schemas"} if counts else set()
    edited = text.replace("int32", "int64") + "NEW = schema([])\n"
    assert changed(package, "stage/schemas.py", edited) == expected


@pytest.mark.parametrize(("step", "counts"), [("schemas.ID", True), ("schemas.TABLE", False)])
def test_a_text_counts_for_a_step_that_names_it(step: str, counts: bool, package: Path) -> None:
    write(package, "stage/schemas.py", TABLE)
    write(package, "stage/step.py", f"from wokflow.stage import schemas\n{step}\n")
    expected = {"wokflow.stage.schemas"} if counts else set()
    assert changed(package, "stage/schemas.py", TABLE.replace("The recipe's id.", "A recipe.")) == expected


LISTS = "list\twords\tcomment\nAND\t和 跟\tand\nOR\t或\tor\n"
READS = "from wokflow.frame.wordlists import word_lists\nWORDS = word_lists('lists.tsv')\n"


@pytest.fixture
def lists(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of word lists, which a module deep below the step reads."""
    monkeypatch.setattr(wordlists, "RESOURCES", tmp_path)
    write(package, "deep/low.py", READS)
    path = tmp_path / "lists.tsv"
    path.write_text(LISTS, encoding="utf-8")
    return path


def list_digests(module: str = "wokflow.stage.step") -> dict[str, str]:
    forget()
    return word_list_digests(module)


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [("和 跟", "和 跟 与", True), ("OR", "ELSE", True), ("\tor\n", "\talternatives\n", False)],
)
def test_words_of_lists_count_and_their_comments_do_not(
    old: str, new: str, counts: bool, lists: Path
) -> None:
    before = list_digests()
    assert set(before) == {"lists.tsv"}
    assert old in LISTS
    lists.write_text(LISTS.replace(old, new), encoding="utf-8")
    assert (list_digests() != before) == counts


def test_lists_count_where_they_are_read_alone(lists: Path) -> None:
    assert list_digests("wokflow.deep") == {}


def test_a_table_of_lists_must_be_written_out(lists: Path, package: Path) -> None:
    write(package, "deep/low.py", READS.replace("'lists.tsv'", "NAME"))
    with pytest.raises(ValueError, match=r"wokflow\.deep\.low, line 2: word_lists needs"):
        list_digests()


def test_neutral_modules_do_not_count_nor_what_they_import(package: Path) -> None:
    write(package, "frame/job.py", "import wokflow.deep.low\n")
    write(package, "stage/step.py", "from wokflow.frame.job import job\n")
    assert set(digests()) == {"wokflow", "wokflow.stage.step"}


def test_every_neutral_module_exists_and_has_a_reason() -> None:
    assert all(importlib.util.find_spec(name) and reason for name, reason in NEUTRAL.items())


def test_packages_are_those_that_the_code_imports_with_their_pins(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(package, "deep/low.py", "import os\nimport numpy.linalg\nZERO = 0\n")
    write(package, "stage/step.py", STEP + "def late():\n    from sklearn import svm\n")
    pins = tmp_path / "constraints.txt"
    pins.write_text("numpy==1.0\nscikit-learn==2.0\ntorch==3.0\n", encoding="utf-8")
    monkeypatch.setattr(code, "CONSTRAINTS", pins)
    installed = {"numpy": "1.0+cpu", "scikit-learn": "2.0"}
    monkeypatch.setattr(code.importlib.metadata, "version", installed.__getitem__)
    forget()
    assert package_versions("wokflow.stage.step") == {"numpy": "1.0", "scikit-learn": "2.0"}
    installed["scikit-learn"] = "2.1"
    forget()
    assert package_versions("wokflow.stage.step")["scikit-learn"] == "2.1 (pinned: 2.0)"
    pins.write_text("numpy==1.1\nscikit-learn==2.1\n", encoding="utf-8")
    forget()
    assert package_versions("wokflow.stage.step") == {"numpy": "1.0 (pinned: 1.1)", "scikit-learn": "2.1"}


def test_every_package_that_a_step_uses_has_a_pin() -> None:
    forget()
    pinned = {*code._pins(), "snakemake-executor-plugin-slurm-robust"}  # the latter is in executor/
    for path in sorted((ROOT / "scripts" / "wokflow").glob("*/*.py")):
        module = f"wokflow.{path.parent.name}.{path.stem}"
        if module not in NEUTRAL:
            assert set(package_versions(module)) <= pinned, module


def test_packages_behind_others_count_with_them(package: Path) -> None:
    write(package, "stage/step.py", "import sentence_transformers\n")
    forget()
    assert set(package_versions("wokflow.stage.step")) == {
        "sentence-transformers",
        "tokenizers",
        "transformers",
    }

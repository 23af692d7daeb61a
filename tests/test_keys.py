"""A rule's key changes with what its result depends on, and with nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow import keys
from wokflow.keys import code_digests, path_digest, rule_key

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
    monkeypatch.setattr(keys, "ROOT", tmp_path)
    for name, text in FILES.items():
        write(tmp_path / "wokflow", name, text)
    yield tmp_path / "wokflow"
    code_digests.cache_clear()


def write(package: Path, name: str, text: str) -> None:
    (package / name).parent.mkdir(parents=True, exist_ok=True)
    (package / name).write_text(text, encoding="utf-8")


def digests(module: str = "wokflow.stage.step") -> dict[str, str]:
    code_digests.cache_clear()
    return code_digests(module)


def imported(package: Path, text: str, module: str = "stage/step.py") -> set[str]:
    """The modules whose code counts if the step's text is this."""
    write(package, module, text)
    name = re.sub(r"(/__init__)?\.py$", "", module).replace("/", ".")
    return set(digests(f"wokflow.{name}"))


def test_the_code_of_a_step_is_its_module_and_what_that_imports_from_here(package: Path) -> None:
    found = digests()
    assert list(found) == sorted(found)
    assert set(found) == {
        "wokflow",
        "wokflow.stage",
        "wokflow.stage.step",
        "wokflow.stage.helper",
        "wokflow.deep",
        "wokflow.deep.low",
    }


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
    found = imported(package, line + "\n")
    own = {"wokflow.stage.step"}
    parents = {"wokflow", "wokflow.stage"}
    assert found - own - parents == {f"wokflow.{name}" for name in expected}


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


def test_every_step_of_ours_has_its_digests() -> None:
    code_digests.cache_clear()
    found = code_digests("wokflow.match.pair")
    assert {"wokflow.match.pair", "wokflow.match.schemas", "wokflow.tables", "wokflow.columns"} <= set(found)
    assert "wokflow.match.search" not in found
    assert "wokflow.match.search_torch" in code_digests("wokflow.match.search")


def test_a_key_is_canonical_json(package: Path, tmp_path: Path) -> None:
    (tmp_path / "digest").write_text("1a\n")
    (tmp_path / "words.tsv").write_text("粥\tcongee\n", encoding="utf-8")
    resources, frontiers = {"words": str(tmp_path / "words.tsv")}, {"titles": str(tmp_path / "digest")}
    key = rule_key({"b": 1, "a": ["粥", None]}, "wokflow.stage.step", resources, frontiers)
    parts = json.loads(key)
    assert set(parts) == {"settings", "code", "resources", "frontiers"}
    assert parts["code"] == digests()
    assert parts["settings"] == {"a": ["粥", None], "b": 1}
    assert key == json.dumps(parts, sort_keys=True, ensure_ascii=False)
    assert key == rule_key({"a": ["粥", None], "b": 1}, "wokflow.stage.step", resources, frontiers)


def test_a_key_changes_with_settings_resources_and_frontiers(package: Path, tmp_path: Path) -> None:
    for name in ("one", "same", "two"):
        (tmp_path / name).write_text("2" if name == "two" else "1")

    def key(settings: object = 1, resource: str = "one", frontier: str = "one") -> str:
        return rule_key(
            settings,
            "wokflow.stage.step",
            {"words": str(tmp_path / resource)},
            {"titles": str(tmp_path / frontier)},
        )

    assert key() == key(resource="same", frontier="same")
    assert len({key(), key(settings="1"), key(settings=2), key(resource="two"), key(frontier="two")}) == 5


def folder_digest(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        write(folder, name, text)
    path_digest.cache_clear()
    return path_digest(str(folder))


def test_a_folder_is_known_by_contents_and_names(tmp_path: Path) -> None:
    files = {"a.tsv": "1", "below/b.tsv": "2"}
    variants = [
        {"a.tsv": "1", "below/b.tsv": "3"},
        {"a.tsv": "1", "below/c.tsv": "2"},
        {"a.tsv": "1", "b.tsv": "2"},
        {"a.tsv": "2", "below/b.tsv": "1"},
        {"a.tsv": "1"},
        {**files, "empty.tsv": ""},
        {},
    ]
    (tmp_path / "empty").mkdir()
    found = [
        folder_digest(tmp_path / str(number), some) for number, some in enumerate([files, *variants[:-1]])
    ]
    found.append(folder_digest(tmp_path / "empty", {}))
    assert len(set(found)) == len(found)
    assert folder_digest(tmp_path / "elsewhere", files) == found[0]


def test_a_resource_file_is_known_by_its_content_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("粥", encoding="utf-8")
    assert path_digest(str(tmp_path / "one")) == path_digest(str(tmp_path / "two"))

"""The word lists of the clause rules and of the kitchen."""

import ast
from pathlib import Path

from wokflow.frame.wordlists import word_lists, word_table
from wokflow.parse.kinds import Kind

from tests.conftest import ROOT

OF_KINDS = {f"{where}_{kind.name}" for where in ("WHOLE", "PREFIX") for kind in Kind}  # named by kinds.py
LISTS = {
    name
    for file in ("function", "verbs", "nouns", "kitchen")
    for name in word_lists(f"grammar/{file}.tsv")
    if name not in OF_KINDS
}  # fmt: skip


def names(path: Path) -> set[str]:
    """The lists that a module names: lx.ADDING."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "lx"
    }


def test_every_list_is_used_and_every_name_is_a_list() -> None:
    modules = (ROOT / "scripts" / "wokflow" / "parse").glob("*.py")
    assert {name for path in modules for name in names(path)} == LISTS


def test_no_list_is_in_two_files() -> None:
    files = [
        word_lists(f"grammar/{file}.tsv") for file in ("function", "verbs", "nouns", "kitchen", "induce")
    ]
    assert sum(map(len, files)) == len(set().union(*files))


def test_a_verb_has_one_kind() -> None:
    kitchen = word_lists("grammar/kitchen.tsv")
    for where in ("WHOLE", "PREFIX"):
        listed = [word for kind in Kind for word in kitchen.get(f"{where}_{kind.name}", ())]
        assert len(listed) == len(set(listed))
    assert {name for name in kitchen if name.startswith(("WHOLE_", "PREFIX_"))} <= OF_KINDS


def test_noise_has_one_row_for_each_word() -> None:
    rows = word_table("grammar/noise.tsv")
    words = [(row["kind"], word) for row in rows for word in row["words"].split()]
    assert {row["kind"] for row in rows} == {"ingredients", "tools"}
    assert len(words) == len(set(words))

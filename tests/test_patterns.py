"""Regular expressions take steps in proportion to a text, whatever it holds: others may write texts to be slow."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pytest
from wokflow.enrich.phrases import WORD
from wokflow.export import privacy
from wokflow.ingest import leads
from wokflow.ingest.columns import ESCAPES, QUOTES, Dialect

from tests.backtracking import AnyPattern, Steps, attacks, slow_on
from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"
FLAGS_AT = {  # functions of re, and where their flags stand
    **dict.fromkeys(("match", "fullmatch", "search", "findall", "finditer"), 2),
    "compile": 1,
    "split": 3,
    "sub": 4,
    "subn": 4,
}
ANCHORED = {"match", "fullmatch"}  # they begin at one place
LITERALS = [re.compile("tofu|tof|egg")]  # names of a table, each as it stands
DIALECTS = [Dialect(",;"[at], QUOTES[at], ESCAPES[at]) for at in (0, 1)]
# Expressions that a function makes of what it is given, as examples, by module and function.
MADE: dict[tuple[str, str], Sequence[AnyPattern]] = {
    ("cluster", ""): [],  # reads what Slurm and the environment say, nothing of others
    ("enrich.phrases", "__init__"): [re.compile(rf"\b(?:soy\ sauce|{WORD}\ of\ {WORD}|{WORD}\-style)\b")],
    ("enrich.places", "_letters"): [],  # a character with all that is put on it
    ("enrich.words", "word_pattern"): [re.compile(r"[\w\u0300-\u036f]+")],  # of package regex
    ("evaluate.literal", "counter"): [re.compile(r"\b(?:egg|eggs)\b"), *LITERALS],
    ("evaluate.spans", "__init__"): [],  # one character
    ("evaluate.surface", "named"): LITERALS,
    ("export.damage", "_any"): [re.compile("[\ue000-\uf8ff]")],
    ("export.privacy", "_by"): [re.compile(each) for each in (privacy.MAIL, privacy.LINK, privacy.USER)],
    ("frame.leftovers", "remove_leftovers"): [],  # names of files in a folder
    ("frame.records", "_absent"): [],  # names of files in the results
    ("frame.records", "outputs"): [],
    ("generate.baselines", "substitution"): LITERALS,
    ("generate.server", "filled"): [re.compile(r"\{(model|port)\}")],
    ("ingest.columns", "_cell"): [],  # see below: it is used from where a cell begins
    ("ingest.columns", "_pairs"): [dialect._pairs for dialect in DIALECTS],
    ("ingest.columns", "_text"): [re.compile(r"\\([\s\S])")],
    ("ingest.leads", "__init__"): [re.compile(">"), re.compile("-->"), leads._REF_END],
    ("ingest.parallel", "_member_of"): [re.compile(r"\.zh([-_][A-Za-z]+)?")],
    ("report.marked", "marks"): LITERALS,
}


class Used(NamedTuple):
    """A regular expression of the package, and a way in which it is used."""

    where: str
    pattern: AnyPattern
    how: str


@cache
def trees() -> dict[str, ast.Module]:
    """The modules by their names in the package."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if path.stem != "__init__")
    named = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in paths}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in named.items()}


def calls(node: ast.AST, function: str = "", name: str = "") -> Iterator[tuple[ast.Call, str, str]]:
    """The calls of re's functions, each with the function around it, and the name that is given to its result."""
    if isinstance(node, ast.FunctionDef):
        function = node.name
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and not function:
        name = node.targets[0].id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FLAGS_AT:
        of = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        if of in ("re", "regex"):
            yield node, function, name if node.func.attr == "compile" else ""
    for child in ast.iter_child_nodes(node):
        yield from calls(child, function, name)


@cache
def methods() -> dict[tuple[str, str], set[str]]:
    """What is called of each name, by the module that uses it and the name; "search" for any other use of it."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in trees().items():
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                named = getattr(child, "id", None) or getattr(child, "attr", None)
                if named and not isinstance(getattr(child, "ctx", None), ast.Store):
                    found[module, named].add(node.attr if isinstance(node, ast.Attribute) else "search")
    return found


@cache
def importers() -> dict[tuple[str, str], set[str]]:
    """The modules that import something, by where it is imported from and its name."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    found[node.module or "", alias.name].add(module)
    return found


def uses(module: str, name: str) -> set[str]:
    """How a compiled expression is used in the package: match, fullmatch, or else search."""
    package, _, last = f"wokflow.{module}".rpartition(".")
    known = importers()
    users = {module} | known.get((f"wokflow.{module}", name), set()) | known.get((package, last), set())
    found = set().union(*(methods().get((user, name), set()) for user in users))
    return found if found and found <= ANCHORED else {"search"}


def compiled(module: str, call: ast.Call) -> AnyPattern | None:
    """The expression of a call; None where it is made of what a function is given."""
    names = vars(importlib.import_module(f"wokflow.{module}"))
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    if call.func.value.id == "regex":
        return None
    function = call.func.attr
    flags = [keyword.value for keyword in call.keywords if keyword.arg == "flags"]
    try:
        made = [
            eval(compile(ast.Expression(node), module, "eval"), names)  # noqa: S307
            for node in (call.args[0], *call.args[FLAGS_AT[function] :], *flags)
        ]
    except NameError:
        return None
    return re.compile(*made)


@cache
def collected() -> dict[str, list[Used]]:
    """All expressions of the package, by its rooms."""
    found = {
        "made": [Used(f"{where}", pattern, "search") for where, some in MADE.items() for pattern in some]
    }
    found["made"] += [Used(f"{dialect}", dialect._cell, "match") for dialect in DIALECTS]
    unused = {where for where in MADE if where[1]}
    for module, tree in trees().items():
        room = module.partition(".")[0]
        for call, function, name in calls(tree):
            if (room, "") in MADE:
                continue
            method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if (pattern := compiled(module, call)) is None:
                assert (module, function) in MADE, f"{module}, line {call.lineno}: give an example in MADE"
                unused.discard((module, function))
                continue
            ways = {method} if method in ANCHORED else uses(module, name) if name else {"search"}
            found.setdefault(room, []).extend(Used(f"{module}:{call.lineno}", pattern, how) for how in ways)
    assert not unused, f"MADE has examples of what makes no expression: {unused}"
    return found


def test_no_function_of_re_is_imported_by_itself() -> None:
    for module, tree in trees().items():
        for node in ast.walk(tree):
            names = node.names if isinstance(node, ast.Import) else ()
            assert not any(alias.name in ("re", "regex") and alias.asname for alias in names), module
            assert not isinstance(node, ast.ImportFrom) or node.module not in ("re", "regex"), module


@pytest.mark.parametrize(
    "room",
    [
        "enrich",
        "evaluate",
        "export",
        "frame",
        "generate",
        "ingest",
        "made",
        "match",
        "models",
        "parse",
        "report",
        "train",
    ],
)
def test_an_expression_takes_steps_in_proportion_to_a_text(room: str) -> None:
    slow = {used: found for used in collected()[room] if (found := slow_on(used.pattern, used.how))}
    assert not slow


def test_all_rooms_are_looked_at() -> None:
    assert len(collected()) == 12 and sum(map(len, collected().values())) > 130


@pytest.mark.parametrize(
    ("pattern", "how"),
    [(r"\s*\n\s*", "match"), (r"x[ab]{0,200}y", "search"), (r"(?<!\w)\w++,", "search"), (r"\w+", "search")],
)
def test_an_expression_that_takes_no_longer_is_not(pattern: str, how: str) -> None:
    assert slow_on(re.compile(pattern), how) is None


@pytest.mark.parametrize("pattern", ["(?:a|b?c+)+d", r"(?:\w+\s?)*;"])
def test_exponential_time_is_found(pattern: str) -> None:
    assert slow_on(re.compile(pattern), "match")


def test_the_matcher_that_counts_finds_what_re_finds() -> None:
    more = [
        r"(a|b)*?c\b",
        r"(?<=x)y*+z",
        r"(?:a|ab)(?:c|bcd)*",
        "(?>a+)b",
        "(a*)*b",
        "(a?)*?b",
        "(?=a*b)a|b*",
        "()*a",
    ]
    patterns = [used.pattern for some in collected().values() for used in some] + list(map(re.compile, more))
    for pattern in patterns:
        steps = Steps(pattern)
        for first, repeated, last in islice(attacks(steps), 0, None, 17):
            text = first + 3 * repeated + last
            given: Any = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
            same = text if given is text else given.decode("latin-1")
            steps.count = 0
            assert steps.search(same) == [found.span() for found in pattern.finditer(given)], (pattern, text)
            for whole, match in ((False, pattern.match(given)), (True, pattern.fullmatch(given))):
                assert steps.match(same, whole=whole) == (match and match.end()), (pattern, text)

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
from snakemake.io import regex_from_filepattern
from snakemake_executor_plugin_slurm_robust import causes
from wokflow.enrich import affixes, letters
from wokflow.enrich.phrases import WORD
from wokflow.export import privacy
from wokflow.frame import writing
from wokflow.generate import turns
from wokflow.ingest import leads, markup
from wokflow.ingest.csv_columns import ESCAPES, QUOTES, Dialect
from wokflow.judge import reading, strategies
from wokflow.judge.reading import Reader

from tests.backtracking import AnyPattern, Steps, attacks, slow_on
from tests.conftest import ROOT

PACKAGE = ROOT / "scripts" / "wokflow"
EXECUTOR = ROOT / "executor" / causes.__name__.partition(".")[0]
ROOMS = sorted(
    {
        "made",
        "executor",
        "pins",
        *(path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")),
    }
)
SOME = 3  # one text of so many finds 15 of the 16 former expressions that took too long
FLAGS_AT = {  # functions of re, and where their flags stand
    **dict.fromkeys(("match", "fullmatch", "search", "findall", "finditer"), 2),
    "compile": 1,
    "split": 3,
    "sub": 4,
    "subn": 4,
}
ANCHORED = {"match", "fullmatch"}  # they begin at one place
LITERALS = [re.compile("tofu|tof|egg")]  # names of a table, each as it stands
RULES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules").glob("*.smk"))]
DIALECTS = [Dialect(",;"[at], QUOTES[at], ESCAPES[at]) for at in (0, 1)]
KOREAN = affixes.particles("ko") or re.compile("")
SPEAKERS = turns._Reader([turns.Turn("Ann", ""), turns.Turn("Bo Lee", "")])


def constraints() -> dict[str, str]:
    """The constraint of each wildcard of a rule; those that Python works out are names, one or the other."""
    blocks = [
        block for rule in RULES for block in re.findall(r"wildcard_constraints:\n((?: +\w+=.*,\n)+)", rule)
    ]
    found = [line.strip().rstrip(",").split("=", 1) for block in blocks for line in block.splitlines()]
    return {
        name: ast.literal_eval(said) if re.fullmatch(r"r?\"[^\"]*\"", said) else "recipenlg|recipe|zh"
        for name, said in found
    }


# Expressions of what rules' outputs are called: with a wildcard's constraint, as rules write them.
OUTPUTS = [
    re.compile(
        regex_from_filepattern(f"results/ingest/{{wildcard,{constraint}}}/part-{{part,[0-9]{{5}}}}.parquet")
    )
    for constraint in constraints().values()
]
# Expressions that a function makes of what it is given, as examples, by module and function; and how they are used.
MADE: dict[tuple[str, str], tuple[Sequence[AnyPattern], str]] = {
    ("ingest.item_spans", "item_span"): (
        [re.compile(r"soy\s+sauce", re.IGNORECASE), re.compile(r"(?<!\w)soy\s+sauce(?!\w)")],
        "search",
    ),
    ("executor.causes", ""): ([pattern for pattern, _ in causes.STUCK], "fullmatch"),
    ("enrich.phrases", "__init__"): (
        [re.compile(rf"\b(?:soy\ sauce|{WORD}\ of\ {WORD}|{WORD}\-style)\b")],
        "search",
    ),
    ("enrich.affixes", "particles"): ([KOREAN], "fullmatch"),
    ("enrich.letters", "_half_space"): ([re.compile(letters.HALF_SPACE)], "search"),
    ("enrich.letters", "_letters"): (
        [re.compile(rf"{letters.SPACE}+|\r\n|[\w\u0300-\u036f][\u0300-\u036f\u200d]*|.")],
        "search",
    ),
    ("enrich.letters", "_optional"): ([re.compile(rf"[{letters.OPTIONAL}]|{letters.STRESS}")], "search"),
    ("enrich.word_forms", "word_pattern"): ([re.compile(r"[\w\u0300-\u036f]+")], "search"),
    ("evaluate.literal", "counter"): ([re.compile(r"\b(?:egg|eggs)\b"), *LITERALS], "search"),
    ("evaluate.spans", "__init__"): (
        [re.compile(r"(?P<m>[\u0300-\u036f])|(?P<w>\w)|(?P<s>(?s:.))")],
        "search",
    ),
    ("evaluate.surface", "named"): (LITERALS, "search"),
    ("export.damage", "_any"): ([re.compile("[\ue000-\uf8ff]")], "search"),
    ("export.privacy", "_by"): (
        [re.compile(each) for each in (privacy.MAIL, privacy.LINK, privacy.USER)],
        "search",
    ),
    ("enrich.published_annotations", "_spaceless"): ([re.compile(r"[\w]")], "search"),
    ("frame.language_codes", "_counted"): ([re.compile(r"[\w]"), re.compile(r"\w+")], "findall"),
    ("judge.reading", "_names"): ([Reader.of(("harmony", tuple("12345")))._names], "search"),
    ("judge.reading", "_scale"): ([reading._scale(("1", "2", "3", "4", "5"))], "search"),
    ("judge.edits", "_matches"): ([re.compile(r"a\s+b")], "finditer"),
    ("judge.strategies", "_names"): ([strategies._names(("localisation", "omission"))], "finditer"),
    ("generate.turns", "known"): ([SPEAKERS.known], "match"),
    ("generate.turns", "within"): ([SPEAKERS.within], "split"),
    ("frame.records", "_absent"): (OUTPUTS, "match"),
    ("frame.records", "outputs"): (OUTPUTS, "match"),
    ("generate.baselines", "renaming"): (LITERALS, "search"),
    ("generate.server", "filled"): ([re.compile(r"\{(model|port)\}")], "search"),
    ("ingest.csv_columns", "_cell"): ([dialect._cell for dialect in DIALECTS], "match"),
    ("ingest.csv_columns", "_pairs"): ([dialect._pairs for dialect in DIALECTS], "search"),
    ("ingest.csv_columns", "_text"): ([re.compile(r"\\([\s\S])")], "search"),
    ("lexicon.recipe_words", "alike"): ([re.compile(r"\bsoy\ sauce\b")], "search"),
    ("ingest.leads", "__init__"): ([re.compile(">"), re.compile("-->"), leads._REF_END], "search"),
    ("ingest.markup", ""): (list(markup.CLOSED.values()), "search"),
    ("ingest.parallel", "_member_of"): ([re.compile(r"\.zh([-_][A-Za-z]+)?")], "fullmatch"),
    ("frame.writing", "pattern"): ([writing.pattern()], "findall"),
    ("frame.language_codes", "letter_of"): ([re.compile(r"[\w]")], "search"),
    ("report.coloured", "marks"): (LITERALS, "search"),
}


class Used(NamedTuple):
    """A regular expression of the package, and a way in which it is used."""

    where: str
    pattern: AnyPattern
    how: str


@cache
def trees() -> dict[str, ast.Module]:
    """The modules by their names in the package; those of the executor plugin as of a room `executor`."""
    paths = (path for path in sorted(PACKAGE.rglob("*.py")) if path.stem != "__init__")
    named = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in paths}
    named |= {
        f"executor.{path.stem}": path for path in sorted(EXECUTOR.glob("*.py")) if path.stem != "__init__"
    }
    named["pins"] = ROOT / "scripts" / "pins.py"
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in named.items()}


def imported_as(module: str) -> str:
    """The name by which Python knows a module of `trees`."""
    room, _, name = module.partition(".")
    return {"pins": "pins", "executor": f"{EXECUTOR.name}.{name}"}.get(room, f"wokflow.{module}")


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
    package, _, last = imported_as(module).rpartition(".")
    known = importers()
    users = {module} | known.get((imported_as(module), name), set()) | known.get((package, last), set())
    found = set().union(*(methods().get((user, name), set()) for user in users))
    return found if found and found <= ANCHORED else {"search"}


def compiled(module: str, call: ast.Call) -> AnyPattern | None:
    """The expression of a call; None where it is made of what a function is given."""
    names = vars(importlib.import_module(imported_as(module)))
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
    assert all(some for some, _ in MADE.values()), "each has an example"
    found = {
        "made": [Used(f"{where}", pattern, how) for where, (some, how) in MADE.items() for pattern in some]
    }
    unused = {*MADE}
    for module, tree in trees().items():
        room = module.partition(".")[0]
        for call, function, name in calls(tree):
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


def test_an_expression_takes_steps_in_proportion_to_some_texts() -> None:
    """For the gate: of the texts that are tried at night, about one of SOME, and each expression once."""
    used = {(each.pattern, each.how): each for some in collected().values() for each in some}
    assert len(used) > 160
    slow = {
        each: found
        for each in used.values()
        if (found := slow_on(each.pattern, each.how, every=SOME, most=300))
    }
    assert not slow


@pytest.mark.parametrize("room", ROOMS)
def test_an_expression_takes_steps_in_proportion_to_a_text(room: str) -> None:
    slow = {used: found for used in collected().get(room, []) if (found := slow_on(used.pattern, used.how))}
    assert not slow


def test_all_rooms_are_looked_at() -> None:
    assert collected().keys() <= set(ROOMS)


def test_every_wildcard_of_a_rule_has_a_constraint() -> None:
    """Without one it is `.+`: several in one name of a file take more than linear time."""
    named = {name for rule in RULES for name in re.findall(r"\{\{(\w+)\}\}", rule)}
    assert named and named <= constraints().keys()


def test_rules_have_no_expressions_of_their_own() -> None:
    """Else `collected` would have to read them."""
    texts = [*RULES, (ROOT / "Snakefile").read_text(encoding="utf-8")]
    assert not [text for text in texts if re.search(r"\bre\.\w+\(|import re\b|\bregex\b", text)]


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

"""The gates that can stop a release, their findings, and the report for people."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

FINDINGS = "findings.json"  # in the folder of export_gates
EXAMPLES = 5  # most examples in a finding
WIDTH = 60  # characters of an excerpt

# What each gate checks, as a statement of the fault.
GATES = {
    "schema": "Columns or types differ from the schema that the release declares.",
    "counts": "Rows, splits or files differ from what the manifest says.",
    "duplicate_ids": "An id occurs more than once in a table.",
    "shared_recipes": "A recipe stands on two sides of the split, as source or as target.",
    "shared_titles": "Recipes of two sides of the split have the same title.",
    "connected_pairs": "Pairs of two sides of the split are connected through recipes that they share.",
    "near_duplicates": "The text of a recipe is nearly that of a recipe on another side of the split.",
    "trained_on_tests": "A model's training examples hold the recipes or the texts that it is tested on.",
    "mail_addresses": "Text holds mail addresses.",
    "phone_numbers": "Text holds phone numbers.",
    "links": "Text holds links or domains.",
    "user_names": "Text holds user names or the names of accounts (@name, WeChat, QQ, Weibo).",
    "replacement_characters": "Text holds U+FFFD, which stands for bytes that could not be decoded.",
    "control_characters": "Text holds control characters other than tabs and line ends.",
    "private_characters": "Text holds private-use characters, which only some fonts can show.",
    "mojibake": "Text was decoded with the wrong encoding.",
    "markup": "Text holds HTML entities, HTML tags or escape sequences that were not decoded.",
    "rows": "The rows into a step are not its rows out and its rejects, or not the rows out of the step before.",
    "licences": "A source has no licence, or nobody has decided what may be released of it.",
}


@dataclass(frozen=True)
class Finding:
    """The result of a gate for one part of the release.

    `gate` is a key of GATES. `config` is the subset, such as "pairs-zh-en"; "" means the whole release. `count` is
    the number of rows, ids or pairs; `examples` are at most EXAMPLES, as "id: excerpt", with personal data masked.
    `advice` says what to do.
    """

    gate: str
    config: str
    count: int
    examples: tuple[str, ...]
    advice: str


def finding(gate: str, config: str, count: int, examples: Iterable[str], advice: str) -> list[Finding]:
    """The finding in a list, or an empty list if the count is 0."""
    if gate not in GATES:
        raise ValueError(f"{gate} is none of the gates {', '.join(GATES)}")
    return [Finding(gate, config, count, tuple(islice(examples, EXAMPLES)), advice)] if count else []


def write_findings(path: Path, findings: Sequence[Finding]) -> None:
    path.write_text(
        json.dumps([asdict(each) for each in findings], ensure_ascii=False) + "\n", encoding="utf-8"
    )


def read_findings(path: Path) -> list[Finding]:
    stored = json.loads(path.read_text(encoding="utf-8"))
    return [Finding(**{**each, "examples": tuple(each["examples"])}) for each in stored]


def standing(findings: Iterable[Finding], accepted: Collection[str]) -> list[Finding]:
    """The findings that stop a release: those of gates that are not accepted."""
    return [one for one in findings if one.gate not in accepted]


def report(findings: Sequence[Finding], accepted: Collection[str]) -> str:
    """The findings as text: first those that stop the release, then those of accepted gates.

    Accepted gates without findings are named, too, since they need not be accepted any longer.
    """
    stopping = standing(findings, accepted)
    waived = [one for one in findings if one.gate in accepted]
    needless = sorted(set(accepted) - {one.gate for one in waived})
    lines = []
    if stopping:
        lines.append(f"The release is stopped by {counted(len(stopping), 'finding')}:")
        lines.extend(_lines(stopping))
    else:
        lines.append("Nothing stops the release.")
    if waived:
        lines.append(f"Accepted in the config, and still there ({counted(len(waived), 'finding')}):")
        lines.extend(_lines(waived))
    if needless:
        lines.append(f"Accepted in the config, but nothing was found: {', '.join(needless)}.")
    return "\n".join(lines) + "\n"


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    for one in findings:
        place = f" in {one.config}" if one.config else ""
        yield f"- {one.gate}{place}: {one.count}. {GATES[one.gate]}"
        yield from (f"    {printable(example)}" for example in one.examples)
        yield f"  -> {one.advice}"


def counted(count: int, name: str) -> str:
    """A number with its noun: 1 row, 2,000 rows."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def printable(text: str) -> str:
    """The text on one line, with control characters of terminals escaped as in Python."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)

"""Documents that stages declare: parts of README.md and slurm/config.yaml, and docs/rules.md.

`python -m wokflow.frame.documents` writes them.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import dropwhile, pairwise
from pathlib import Path

from wokflow.frame import stages

ROOT = Path(__file__).resolve().parents[3]
README, RULES, PROFILE = ROOT / "README.md", ROOT / "docs" / "rules.md", ROOT / "slurm" / "config.yaml"
STYLE = "fill:#dfeaea,stroke:#2a6f6f,stroke-width:2px,color:#1b2323"  # of cutoffs
ARROW = re.compile(r" (?:-->|-\. [a-z ]+ \.->) ")
RULES_HEAD = """# Rules, stage by stage

Each picture has the rules of one stage and those whose results they read; a dotted line says what people do in
between. Hexagons are early cutoffs (`wokflow/frame/cutoffs.py`). Some steps read more than the lines show: all inputs
of a rule stand in `rules/<stage>.smk`. `make docs` writes this page.
"""


def readme(text: str) -> str:
    """README.md with the table of stages as they declare themselves, and the diagram of what each reads of others."""
    rows = "".join(f"| {stage} | {about} |\n" for stage, about in stages.descriptions().items())
    text = _replaced(text, "\n| stage | what it does |\n|---|---|\n", rows, lambda line: line.startswith("|"))
    return _replaced(text, "\n```mermaid\n", overview(), lambda line: line != "```\n")


def rules_page(cutoffs: Iterable[str]) -> str:
    """docs/rules.md: a diagram of each stage's rules."""
    about, names = stages.descriptions(), [*cutoffs]
    pages = [
        f"## {stage}\n\n{wrapped(f'{stage.capitalize()} {about[stage]}.')}\n\n"
        f"```mermaid\n{diagram(lines, names)}```\n"
        for stage, lines in stages.arrows().items()
    ]
    return "\n".join([RULES_HEAD, *pages])


def wrapped(text: str) -> str:
    """The text in lines as short as those of other documents."""
    return textwrap.fill(text, 118, break_long_words=False, break_on_hyphens=False)


def profile(text: str) -> str:
    """slurm/config.yaml with the groups of rules that the stages declare."""
    groups = "".join(f"  {rule}: {group}\n" for rule, group in stages.slurm_groups().items())
    return _replaced(text, "\ngroups:\n", groups, lambda line: line.startswith("  "))


def checkpoints() -> list[str]:
    """The names of all cutoffs, from the files of rules."""
    files = sorted((ROOT / "rules").glob("*.smk"))
    return [
        name
        for path in files
        for name in re.findall(r"^checkpoint (\w+):", path.read_text(encoding="utf-8"), re.M)
    ]


def diagram(arrows: Iterable[str], cutoffs: Iterable[str]) -> str:
    """Arrows in Mermaid's language; cutoffs are hexagons."""
    unshaped, shown = {*cutoffs}, []

    def shaped(word: re.Match[str]) -> str:
        """The word; at its first mention, the name of a cutoff with its shape."""
        name = word[0]
        if name not in unshaped:
            return name
        unshaped.remove(name)
        shown.append(name)
        return f"{name}{{{{{name}}}}}"

    text = re.sub(r"\w+", shaped, "".join(f"    {line}\n" for line in arrows))
    marked = f"    classDef cutoff {STYLE}\n    class {','.join(shown)} cutoff\n" if shown else ""
    return f"flowchart TD\n{text}{marked}"


def overview() -> str:
    """Which stage reads results of which others, in Mermaid's language."""
    pairs = dict.fromkeys(
        pair for lines in stages.arrows().values() for line in lines for pair in _pairs(line)
    )
    followers: dict[str, list[str]] = {}
    for before, after in pairs:
        followers.setdefault(before, []).append(after)
    arrows = "".join(f"    {before} --> {' & '.join(after)}\n" for before, after in followers.items())
    return f"flowchart LR\n{arrows}"


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    """The two stages of each arrow between rules of different stages; `corpora` is a stage here."""
    for chain in line.split("; "):
        groups = [
            [name.partition("_")[0] for name in re.findall(r"\w+", nodes)] for nodes in ARROW.split(chain)
        ]
        for before, after in pairwise(groups):
            yield from ((one, other) for one in before for other in after if one != other)


def _replaced(text: str, head: str, new: str, is_old: Callable[[str], bool]) -> str:
    """The text with `new` in place of the old lines after `head`. Raises ValueError if `head` is not there once."""
    if text.count(head) != 1:
        raise ValueError(f"{head!r} occurs {text.count(head)} times")
    before, _, after = text.partition(head)
    return before + head + new + "".join(dropwhile(is_old, after.splitlines(keepends=True)))


if __name__ == "__main__":
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    RULES.write_text(rules_page(checkpoints()), encoding="utf-8")
    PROFILE.write_text(profile(PROFILE.read_text(encoding="utf-8")), encoding="utf-8")

"""The parts of README.md and slurm/config.yaml that stages declare: python -m wokflow.frame.documents writes them."""

import re
from collections.abc import Callable, Iterable
from itertools import dropwhile
from pathlib import Path

from wokflow.frame import stages

ROOT = Path(__file__).resolve().parents[3]
README, PROFILE = ROOT / "README.md", ROOT / "slurm" / "config.yaml"
STYLE = "fill:#dfeaea,stroke:#2a6f6f,stroke-width:2px,color:#1b2323"  # of cutoffs


def readme(text: str) -> str:
    """README.md with the table of stages and the diagram of their rules as the stages declare them."""
    rows = "".join(f"| {stage} | {about} |\n" for stage, about in stages.descriptions().items())
    text = _replaced(text, "\n| stage | what it does |\n|---|---|\n", rows, lambda line: line.startswith("|"))
    return _replaced(text, "\n```mermaid\n", diagram(checkpoints()), lambda line: line != "```\n")


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


def diagram(cutoffs: Iterable[str]) -> str:
    """The arrows of all stages in Mermaid's language, a line for each stage; cutoffs are hexagons."""
    names = list(cutoffs)
    unshaped = set(names)

    def shaped(word: re.Match[str]) -> str:
        """The word; at its first mention, the name of a cutoff with its shape."""
        if word[0] not in unshaped:
            return word[0]
        unshaped.remove(word[0])
        return f"{word[0]}{{{{{word[0]}}}}}"

    arrows = "".join(f"    {'; '.join(lines)}\n" for lines in stages.arrows().values())
    arrows = re.sub(r"\w+", shaped, arrows)
    return f"flowchart TD\n{arrows}    classDef cutoff {STYLE}\n    class {','.join(names)} cutoff\n"


def _replaced(text: str, head: str, new: str, is_old: Callable[[str], bool]) -> str:
    """The text with `new` in place of the old lines after `head`. Raises ValueError if `head` is not there once."""
    if text.count(head) != 1:
        raise ValueError(f"{head!r} occurs {text.count(head)} times")
    before, _, after = text.partition(head)
    return before + head + new + "".join(dropwhile(is_old, after.splitlines(keepends=True)))


if __name__ == "__main__":
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    PROFILE.write_text(profile(PROFILE.read_text(encoding="utf-8")), encoding="utf-8")

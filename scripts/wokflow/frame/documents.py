"""The parts of README.md and slurm/config.yaml that stages declare: python -m wokflow.frame.documents writes them."""

import re
from collections.abc import Iterable
from pathlib import Path

from wokflow.frame import stages

ROOT = Path(__file__).resolve().parents[3]
README, PROFILE = ROOT / "README.md", ROOT / "slurm" / "config.yaml"
STYLE = "fill:#dfeaea,stroke:#2a6f6f,stroke-width:2px,color:#1b2323"  # of cutoffs


def readme(text: str) -> str:
    """README.md with the table of stages and the diagram of their rules as the stages declare them."""
    rows = "".join(f"| {stage} | {about} |\n" for stage, about in stages.descriptions().items())
    text = _replaced(text, r"^\| stage \| what it does \|\n\|---\|---\|\n", r"(?:\|.*\n)*", rows)
    return _replaced(text, r"^```mermaid\n", r"(?:.*\n)*?(?=```)", diagram(checkpoints()))


def profile(text: str) -> str:
    """slurm/config.yaml with the groups of rules that the stages declare."""
    groups = "".join(f"  {rule}: {group}\n" for rule, group in stages.slurm_groups().items())
    return _replaced(text, r"^groups:\n", r"(?:  .*\n)*", groups)


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
    arrows = "".join(f"    {'; '.join(lines)}\n" for lines in stages.arrows().values())
    for name in names:  # the first mention gives a node its shape
        arrows = re.sub(rf"\b{name}\b", f"{name}{{{{{name}}}}}", arrows, count=1)
    return f"flowchart TD\n{arrows}    classDef cutoff {STYLE}\n    class {','.join(names)} cutoff\n"


def _replaced(text: str, head: str, old: str, new: str) -> str:
    """The text with `new` in place of the match of `old` after `head`. Raises ValueError if there is not just one."""
    replaced, count = re.subn(f"({head}){old}", lambda match: match[1] + new, text, flags=re.M)
    if count != 1:
        raise ValueError(f"{head} occurs {count} times")
    return replaced


if __name__ == "__main__":
    README.write_text(readme(README.read_text(encoding="utf-8")), encoding="utf-8")
    PROFILE.write_text(profile(PROFILE.read_text(encoding="utf-8")), encoding="utf-8")

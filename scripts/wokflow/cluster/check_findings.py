"""Findings of a check: something works, or is wrong and how to fix it."""

from dataclasses import dataclass

OK, WARNING, PROBLEM = "ok", "warning", "PROBLEM"


@dataclass(frozen=True)
class Finding:
    """One line of the check, and the lines that say what to do."""

    level: str
    text: str
    cure: str = ""

    def __str__(self) -> str:
        lines = [*self.text.splitlines(), *(f"-> {line}" for line in self.cure.splitlines())]
        return f"{self.level:8} " + f"\n{' ' * 9}".join(lines)

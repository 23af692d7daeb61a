"""Refused sources: the reason, and their first rejects to look at."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from wokflow.ingest.first_rejects import FirstRejects, Rejected
from wokflow.ingest.raw_records import Reader
from wokflow.ingest.wrong_files import beginning, recognised

HOPELESS = 10_000  # rows without a recipe after which the rest of a source is not read


class Written(NamedTuple):
    """Counts of a block (rows, recipes, rejects by reason), and its first rejects.

    `damage`: how the source is cut off or damaged if this is its last block.
    """

    rows: int
    recipes: int
    rejects: dict[str, int]
    damage: str | None
    first: list[Rejected]


@dataclass
class Found:
    """The counts of a source so far."""

    raw: str
    corpus: str
    readers: Mapping[str, Reader]
    first: FirstRejects
    rows: int = 0
    recipes: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    damage: str | None = None

    def add(self, block: Written) -> None:
        self.first.add(block.first)
        self.rows, self.recipes = self.rows + block.rows, self.recipes + block.recipes
        self.rejects.update(block.rejects)
        self.damage = block.damage

    @property
    def hopeless(self) -> bool:
        return not self.recipes and self.rows >= HOPELESS

    @property
    def few(self) -> bool:
        """Whether it has no recipe, or more rejects than recipes without counting duplicates."""
        return not self.recipes or self.recipes * 2 < self.rows - self.rejects["duplicate"]

    @property
    def kind(self) -> str | None:
        """What the file is instead of the corpus's, if that is known."""
        return recognised(self.raw, self.corpus, self.readers)

    def refusal(self) -> str:
        """The message that refuses the source; its first rejects are written to a sheet."""
        begin = f"sources.{self.corpus}.path: {self.raw}"
        if kind := self.kind:
            return f"{begin} {kind}"
        if not self.rows:
            return (
                f"{begin} holds no rows. Fetch the file again; it may be the rest of a download that failed."
            )
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.rejects.most_common())
        return (
            f"{begin}: only {self.recipes} of its {'first ' * self.hopeless}{self.rows} rows are recipes (rejected: "
            f"{reasons}). It begins: {beginning(self.raw)}. {self.first.written()}"
            f"Is it the file that {self.corpus} publishes? resources/sources.tsv says how to get it. To go on with "
            "these recipes, set ingest.recipes.mostly_rejected: keep"
        )

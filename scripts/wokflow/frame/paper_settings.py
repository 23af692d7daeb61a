"""The five papers, and what is left out under the settings of one (key `paper`) where its data are not there.

Without that key, a row of a table whose data are not there is refused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
CAMT = "camt"  # what config/items_runs.tsv calls the sentences


@dataclass(frozen=True)
class Paper:
    """`name` is that of its config in config/papers, `studied` are the data of its studies."""

    name: str
    studied: tuple[str, ...]

    @property
    def config(self) -> str:
        return f"config/papers/{self.name}.yaml"

    @property
    def target(self) -> str:
        return f"paper_{self.name.replace('-', '_')}"


PAPERS = {  # by the short names of resources/papers/papers.tsv
    "recipes": Paper("000-recipes", ("zh-en", "en-zh")),
    "ash": Paper("001-ash", ("ash",)),
    "counterfactual": Paper("002-counterfactual", ("counterfactual", "pivot")),
    CAMT: Paper("003-camt", ("pta",)),
    "intralingual": Paper("004-intralingual", ("dialogues",)),
}


def paper_of(config: Mapping[str, Any]) -> Paper | None:
    """The paper whose settings a config has; None where it has those of none."""
    return PAPERS.get(config.get("paper", ""))


class Rows(dict[str, T], Generic[T]):
    """The rows of a table by name; `left_out` has the names of those that were left out, each with the reason."""

    def __init__(
        self, rows: Mapping[str, T] | None = None, left_out: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(rows or {})
        self.left_out = dict(left_out or {})

    def only(self, keep: Callable[[T], bool]) -> "Rows[T]":
        """Some of the rows; what was left out stays the same."""
        return Rows({name: row for name, row in self.items() if keep(row)}, self.left_out)


def absent_data(config: Mapping[str, Any]) -> dict[str, str]:
    """Data of runs that are left out, each with the reason; without a paper, none.

    These are data of a paper for which the config names no file.
    """
    if paper_of(config) is None:
        return {}
    absent = {}
    if not config["ingest"]["dialogues"]["path"]:
        absent["dialogues"] = "there are no dialogues (ingest.dialogues.path)"
    if CAMT not in config["sources"]:
        absent[CAMT] = f"there are no sentences of it (sources.{CAMT})"
    if not config["enrich"]["entities"]["path"]:
        sentences = [name for name, source in config["sources"].items() if "kind" in source]
        absent |= dict.fromkeys(sentences, "there is no table of entities (enrich.entities.path)")
    return absent

"""The five papers, and what is left out under the settings of one (key `paper`) where its data are not there.

Without that key, a row of a table whose data are not there is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    "counterfactual": Paper("002-counterfactual", ("counterfactual",)),
    CAMT: Paper("003-camt", ("pta",)),
    "intralingual": Paper("004-intralingual", ("dialogues",)),
}


def paper_of(config: Mapping[str, Any]) -> Paper | None:
    """The paper whose settings a config has; None where it has those of none."""
    return PAPERS.get(config.get("paper", ""))


def absent_data(config: Mapping[str, Any]) -> list[str]:
    """Data of runs that are left out: of a paper's, those that the config names no file of. None without a paper."""
    if paper_of(config) is None:
        return []
    absent = [] if config["ingest"]["dialogues"]["path"] else ["dialogues"]
    if CAMT not in config["sources"]:
        absent.append(CAMT)
    if not config["enrich"]["entities"]["path"]:
        absent += [name for name, source in config["sources"].items() if "kind" in source]
    return absent

"""The corpora, sentences and runs that a config selects, on which cutoffs and targets of stages depend."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from wokflow.frame.language_codes import languages_of
from wokflow.frame.rules import Results
from wokflow.frame.runs import DIALOGUES, Run
from wokflow.frame.wikidata import PAGES


@dataclass(frozen=True)
class Scope:
    """`config` has all its defaults.

    `corpora` are those of recipes with their languages, of which `matched` are paired; `sentences` are the sources of
    parallel sentences with their languages as en-zh; `dumps` are the languages whose Wikipedia is read; `directions`
    has the source and the target corpus of each direction; `roles` are those of the models that judge.models names;
    `studies` are those that annotate.studies names, each with its kind and whether there are answers; `choosing` are
    those with answers in which people choose between translations of items (PTA).
    """

    config: Mapping[str, Any]
    runs: Mapping[str, Run]
    corpora: Mapping[str, str]
    matched: Collection[str]
    sentences: Mapping[str, str]
    dumps: Collection[str]
    directions: Mapping[str, tuple[str, str]]
    roles: Mapping[str, str] = field(default_factory=dict)
    studies: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    choosing: Collection[str] = ()

    def answered(self, *kinds: str) -> list[str]:
        """The studies of some kinds that have answers."""
        return [name for name, (kind, answers) in self.studies.items() if answers and kind in kinds]

    @property
    def results(self) -> Results:
        return Results(self.config["results"])

    @property
    def dish_corpus(self) -> str:
        """The corpus of the dish pairs."""
        return str(self.config["pivot"]["dishes"]["corpus"])

    @property
    def chinese(self) -> list[str]:
        """The corpora whose actions are read."""
        return [corpus for corpus, lang in self.corpora.items() if lang == "zh"]

    @property
    def parser_used(self) -> bool:
        return bool(self.config["parse"]["actions"]["method"] == "parser")

    @property
    def parser_trained(self) -> bool:
        return self.parser_used and bool(self.config["parse"]["dependencies"]["backend"] == "trained")

    @property
    def linked(self) -> Mapping[str, str]:
        """The sources of sentences whose items are known."""
        return self.sentences if self.config["enrich"]["entities"]["path"] else {}

    @property
    def source_langs(self) -> dict[str, str]:
        """The language of the source side of each source of sentences, by Wikidata's code."""
        return {name: languages_of(pair)[0] for name, pair in self.sentences.items()}

    @property
    def described_pages(self) -> list[str]:
        """The names under which dumps of Wikipedia are described like sources."""
        return [f"{PAGES}{lang}" for lang in self.dumps]

    @property
    def trained(self) -> set[str]:
        """The data that runs learn from: directions, counterfactual."""
        return {run.data for run in self.runs.values() if run.trained}

    @property
    def adapting(self) -> list[str]:
        """The runs that adapt dialogues."""
        return [name for name, run in self.runs.items() if run.data == DIALOGUES]

    @property
    def predicted(self) -> set[str]:
        """The data that runs predict: directions, counterfactual, dialogues, and sources of sentences."""
        return {run.data for run in self.runs.values()}

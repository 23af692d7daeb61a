"""The paths of the tables that the rules of stage export read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wokflow.export.subsets import Subset
from wokflow.frame.cutoffs import Cutoff
from wokflow.frame.rules import Results

# Further tables of a corpus that are needed to count the rows of a form, with the key of their number of parts in
# Inputs.parts; "": one part.
BESIDE: Mapping[str, Mapping[str, str]] = {
    "pairs": {"match/eligible": "", "match/rejects": ""},
    "actions": {"parse/rejects": "recipes"},
    "sentences": {"enrich/rejects": ""},
}


@dataclass(frozen=True)
class Inputs:
    """Paths of the tables behind the subsets of a release.

    `parts` has the numbers of parts of tables of recipes and of sentences; `sentences` are the sources of sentences,
    and `runs` all runs with predictions. `files` has the cutoffs of the files of each source.
    """

    subsets: Mapping[str, Subset]
    results: Results
    parts: Mapping[str, int]
    sentences: Iterable[str]
    runs: Iterable[str]
    files: Mapping[str, Sequence[Cutoff]]

    def rows(self, name: str) -> list[str]:
        """The parts of a subset's table."""
        subset = self.subsets[name]
        if subset.form == "predictions":
            return [path for run in self.runs for path in self.results.parts(f"{subset.table}/{run}", 1)]
        count = {"actions": self.parts["recipes"], "scores": 2}.get(subset.form, 1)
        return self.results.parts(subset.table, count) if subset.table else []

    def texts(self, *names: str) -> list[str]:
        """The parts of the corpora that the rows of the named subsets, or of all, point at."""
        return [path for corpus in self._corpora(names) for path in self._ingested(corpus)]

    def sources(self, *names: str) -> list[Cutoff]:
        """The cutoffs of the files that the named subsets, or all, draw on."""
        drawn = dict.fromkeys(source for each in self._chosen(names) for source in each.sources)
        return [cutoff for source in drawn for cutoff in self.files.get(source, ())]

    def counted(self) -> list[str]:
        """The parts of the tables of the subsets, and of all between them and the sources whose rows are counted."""
        paths = [
            *self.texts(),
            *(path for corpus in self._corpora(()) for path in self._ingested(corpus, "rejects")),
        ]
        for name, subset in self.subsets.items():
            paths += self.rows(name)
            for table, kind in BESIDE.get(subset.form, {}).items():
                for corpus in subset.texts:
                    paths += self.results.parts(f"{table}/{corpus}", self.parts.get(kind, 1))
        return list(dict.fromkeys(paths))

    def _chosen(self, names: Iterable[str]) -> list[Subset]:
        return [self.subsets[name] for name in names or self.subsets]

    def _corpora(self, names: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(corpus for subset in self._chosen(names) for corpus in subset.texts))

    def _ingested(self, corpus: str, table: str = "") -> list[str]:
        kind = "sentences" if corpus in self.sentences else "recipes"
        return self.results.parts(f"ingest/{table or kind}/{corpus}", self.parts[kind])

"""Helpers for rules: paths of results, inputs behind cutoffs, params."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.cutoffs import Cutoff, CutoffGroup, digests_before
from wokflow.frame.keys import rule_key
from wokflow.frame.runs import Run


class Wildcards(Protocol):
    """Snakemake's wildcards of a job."""

    def items(self) -> Iterable[tuple[str, str]]: ...


Input = Callable[[Wildcards], Any]
# One cutoff, those of a group that concern a job, or those that a function of its wildcards gives.
Chosen = Cutoff | CutoffGroup | Callable[[Wildcards], Sequence[Cutoff | CutoffGroup]]


@dataclass(frozen=True)
class Results:
    """Paths below the folder of results."""

    folder: str

    def parts(self, table: str, count: int) -> list[str]:
        """The parts of a table."""
        return [f"{self.folder}/{table}/part-{number:05}.parquet" for number in range(count)]

    def shards(self, table: str, ending: str, count: int) -> list[str]:
        """The shards of a step that runs as several jobs; their number is in their names."""
        return [f"{self.folder}/{table}/{number:05}-of-{count:05}.{ending}" for number in range(count)]

    def log(self, rule: str, *wildcards: str) -> str:
        return f"{self.folder}/logs/{rule}/{self._by(wildcards)}.log"

    def benchmark(self, rule: str, *wildcards: str) -> str:
        return f"{self.folder}/benchmarks/{rule}/{self._by(wildcards)}.tsv"

    @staticmethod
    def _by(wildcards: Iterable[str]) -> str:
        return ".".join(f"{{{wildcard}}}" for wildcard in wildcards) or "all"


@dataclass(frozen=True)
class Steps:
    """Inputs and params of the rules of steps.

    `config` has all its defaults; `directions` has the source and the target corpus of each; `checkpoints` is
    Snakemake's object of that name.
    """

    config: Mapping[str, Any]
    schema: Mapping[str, Any]
    runs: Mapping[str, Run]
    directions: Mapping[str, tuple[str, str]]
    checkpoints: Any
    _read: list[Chosen] = field(default_factory=list)  # by the rule that is being written

    def after(self, *waited: Chosen, **read: Chosen | list[Chosen]) -> dict[str, Input]:
        """Inputs of a job after cutoffs: by name, the data that it reads; as `after`, the digests of all before it.

        Both are ancient: only the key makes the job run again, to which `params` adds the digests of the data read.
        Raises ValueError if `params` did not follow the last call that reads data.
        """
        from snakemake.io import ancient

        if self._read:
            raise ValueError(
                "the rule before this one reads data behind cutoffs, and has no params: **step(...)"
            )
        lists = {name: chosen if isinstance(chosen, list) else [chosen] for name, chosen in read.items()}
        self._read.extend(itertools.chain(*lists.values()))
        every = (*waited, *self._read)
        inputs: dict[str, Input] = {
            "after": ancient(lambda wildcards: digests_before(self._all(every, wildcards)))
        }
        for name, chosen in read.items():
            inputs[name] = ancient(self.all_data(*chosen) if isinstance(chosen, list) else self.data(chosen))
        return inputs

    def data(self, chosen: Chosen) -> Input:
        """The data of one cutoff, once it has run."""

        def path(wildcards: Wildcards) -> str:
            (cutoff,) = self._all([chosen], wildcards)
            return cutoff.await_it(self.checkpoints).data

        return path

    def all_data(self, *chosen: Chosen) -> Input:
        """The data of any number of cutoffs, once all have run."""
        return lambda wildcards: [
            cutoff.await_it(self.checkpoints).data for cutoff in self._all(chosen, wildcards)
        ]

    def of_source(self, group: CutoffGroup) -> Chosen:
        """The cutoff of the corpus that a job's direction pairs from."""
        return lambda wildcards: (group[self.directions[dict(wildcards.items())["direction"]][0]],)

    def of_target(self, group: CutoffGroup) -> Chosen:
        """The cutoff of the corpus that a job's direction pairs to."""
        return lambda wildcards: (group[self.directions[dict(wildcards.items())["direction"]][1]],)

    def of_model(self, group: CutoffGroup) -> Chosen:
        """The cutoff of the data that the model of a job's run was trained on; none for models from elsewhere."""

        def trained_on(wildcards: Wildcards) -> tuple[Cutoff, ...]:
            return self.of_models(group, [self.runs[dict(wildcards.items())["run"]]])

        return trained_on

    def of_models(self, group: CutoffGroup, runs: Iterable[Run]) -> tuple[Cutoff, ...]:
        """The cutoffs of the data that the models of some runs were trained on."""
        data = sorted({(run.lender or run).data for run in runs if run.model_run})
        return tuple(cutoff for name in data for cutoff in group.only(name))

    def of_data(self, group: CutoffGroup, runs: Iterable[Run]) -> tuple[Cutoff, ...]:
        """The cutoffs of the data on which some runs make predictions."""
        return tuple(cutoff for name in sorted({run.data for run in runs}) for cutoff in group.only(name))

    def of_predictions(self, examples: CutoffGroup, instances: CutoffGroup, *data: str) -> tuple[Cutoff, ...]:
        """The cutoffs before the predictions of all runs on these data: training examples and instances."""
        runs = [run for run in self.runs.values() if run.data in data]
        names = dict.fromkeys((*data, *(run.instances for run in runs)))
        return (
            *self.of_models(examples, runs),
            *(cutoff for name in names for cutoff in instances.only(name)),
        )

    def params(
        self,
        step: str,
        over: Callable[[Wildcards], Mapping[str, Any]] | None = None,
        given: Callable[[Wildcards], Mapping[str, Any]] | None = None,
        config: Callable[[Wildcards], Mapping[str, Any]] | None = None,
        **known: Callable[[Wildcards], str],
    ) -> dict[str, Callable[..., Any]]:
        """The params of the rule of a step ("match.embed"): `key` triggers reruns, `unkeyed` never does.

        Both are made from the step's arguments (see wokflow.frame.arguments): keys of its config block, overridden by
        `over` for this job, borrowed keys, and the settings that the rule has `given`. `config` gives a job another
        config than this one. The key also has the digests of the cutoffs that the rule reads (see `after`), and
        `known`, digests of resources that the step does not get.
        """
        read = tuple(self._read)
        self._read.clear()

        def find(wildcards: Wildcards) -> Arguments:
            more = {"over": over and over(wildcards), "given": given and given(wildcards)}
            of_job = config(wildcards) if config else self.config
            return block_arguments(of_job, self.schema, step, **more)

        def key(wildcards: Wildcards) -> str:
            waited = [cutoff.await_it(self.checkpoints) for cutoff in self._all(read, wildcards)]
            digests = {role: of(wildcards) for role, of in known.items()}
            return rule_key(step, find(wildcards), waited, **digests)

        # Snakemake ignores changes of params whose function takes `input`; the argument is unused on purpose.
        def unkeyed(wildcards: Wildcards, input: Any) -> dict[str, Any]:
            arguments = find(wildcards)
            return {**arguments.resources, **arguments.options}

        return {"key": key, "unkeyed": unkeyed}

    def _all(self, chosen: Iterable[Chosen], wildcards: Wildcards) -> Iterator[Cutoff]:
        for each in chosen:
            if isinstance(each, Cutoff):
                yield each
            elif isinstance(each, CutoffGroup):
                read_by = {name: run.instances for name, run in self.runs.items()}
                yield from each.of(dict(wildcards.items()), read_by)
            else:
                yield from self._all(each(wildcards), wildcards)

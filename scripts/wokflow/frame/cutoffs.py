"""Early cutoffs: points at which equal output stops a rerun.

Within one run, Snakemake runs everything behind a job that ran, even when its output has the same bytes. So a cheap
checkpoint stands before each expensive step. It writes only the data that the step needs (`data`) and their digest;
the step takes the data as ancient input, which never makes it run, and has the digest in its key.

Whether a job behind a cutoff will run is known only once the cutoff has run. Everything that reads that job's output
must therefore wait for the cutoff, by taking its digest as ancient input: `digests_before` computes which these are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

NARROWING = ("corpus", "direction", "run")  # wildcards that say which members of a group concern a job
WITHIN = ("shard", "shards", "part", "lang", "server", "subset")  # wildcards that do not


@dataclass(frozen=True)
class Cutoff:
    """One job of a checkpoint: the values of its wildcards, its outputs, and the cutoffs before it."""

    checkpoint: str
    data: str
    digest: str
    wildcards: Mapping[str, str] = field(default_factory=dict)
    before: tuple["Cutoff", ...] = ()

    @property
    def name(self) -> str:
        """The name in keys: that of the data's folder, and the wildcards' values."""
        return "/".join(self.digest.rsplit("/", 3)[-3:]).partition(".")[0]

    def await_it(self, checkpoints: Any) -> "Cutoff":
        """This cutoff, once its checkpoint has run.

        Until then, IncompleteCheckpointException of `checkpoints`, Snakemake's object, makes Snakemake ask again. If
        the data were deleted to save space, the digest suffices. While the checkpoint runs again, the digest is
        missing although Snakemake still counts the earlier outputs as present.
        """
        if Path(self.digest).exists() and not Path(self.data).exists():
            return self
        done = getattr(checkpoints, self.checkpoint).get(**self.wildcards)
        if not Path(self.digest).exists():
            from snakemake.exceptions import IncompleteCheckpointException
            from snakemake.io import checkpoint_target

            raise IncompleteCheckpointException(done.rule, checkpoint_target(done.output[0]))
        return self


@dataclass(frozen=True)
class CutoffGroup:
    """The cutoffs of one checkpoint by corpus, or by the data that runs read (a direction, counterfactual,
    sentences).
    """

    by: Literal["corpus", "data"]
    members: Mapping[str, Cutoff]

    def __getitem__(self, name: str) -> Cutoff:
        return self.members[name]

    def only(self, name: str) -> tuple[Cutoff, ...]:
        """The member of that name, if there is one."""
        return (self.members[name],) if name in self.members else ()

    def of(self, wildcards: Mapping[str, str], read_by: Mapping[str, str]) -> tuple[Cutoff, ...]:
        """The members that concern a job with these wildcards: those of its corpus, direction or run; else all.

        `read_by` maps runs to the data that they read. Raises ValueError for a wildcard that is neither NARROWING nor
        WITHIN.
        """
        if unknown := wildcards.keys() - {*NARROWING, *WITHIN}:
            raise ValueError(
                f"wildcard {', '.join(sorted(unknown))} is unknown, so which cutoffs must its jobs wait for? Add it "
                "to NARROWING or WITHIN in wokflow/frame/cutoffs.py."
            )
        name = wildcards.get("corpus")
        if self.by == "data":
            name = wildcards.get("direction") or read_by.get(wildcards.get("run", ""))
        if name is None:
            return tuple(self.members.values())
        return self.only(name)


def plain(name: str) -> str:
    """The name of the cutoff before runs that read the sentences of a source without their items."""
    return f"{name}/plain"


def digests_before(cutoffs: Iterable[Cutoff]) -> list[str]:
    """Digests of some cutoffs and of all that lie before them, each once."""
    digests: dict[str, None] = {}
    for cutoff in cutoffs:
        digests |= dict.fromkeys([*digests_before(cutoff.before), cutoff.digest])
    return list(digests)


def part_cutoff(
    results: str, checkpoint: str, table: str, wildcards: Mapping[str, str], before: Iterable[Cutoff]
) -> Cutoff:
    """A job of a checkpoint that writes the one part of `table` ("match/texts/recipenlg"), and a digest beside it."""
    path = f"{results}/{table}"
    return Cutoff(checkpoint, f"{path}/part-00000.parquet", f"{path}.sha256", wildcards, tuple(before))


def by_corpus(
    results: str, checkpoint: str, folder: str, corpora: Iterable[str], before: CutoffGroup
) -> CutoffGroup:
    """The group of a checkpoint that runs for each corpus, behind the cutoffs of the same corpora."""
    return CutoffGroup(
        "corpus",
        {
            name: part_cutoff(results, checkpoint, f"{folder}/{name}", {"corpus": name}, before.only(name))
            for name in corpora
        },
    )

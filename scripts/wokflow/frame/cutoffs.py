"""Early cutoffs: where equal output stops a rerun.

Within one run, Snakemake runs everything behind a job that ran, even when its output has the same bytes. So a cheap
checkpoint stands before each expensive step. It writes just what the step needs (`data`) and a digest of it; the step
takes the data as ancient input, which never makes it run, and has the digest in its key.

Whether a job behind a cutoff will run is known only once the cutoff has run. Everything that reads that job's output
must therefore wait for the cutoff, by taking its digest as ancient input: `digests_before` computes which these are.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

NARROWING = ("corpus", "direction", "run")  # wildcards that say which members of a group concern a job
WITHIN = ("shard", "shards", "part", "lang", "server", "subset")  # those that say nothing of it


@dataclass(frozen=True)
class Cutoff:
    """One job of a checkpoint: the wildcards' values, what it writes, and the cutoffs that lie before it."""

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
        """Have Snakemake look again once the checkpoint has run.

        `checkpoints` is Snakemake's object of that name, whose IncompleteCheckpointException goes through. Data that
        somebody deleted to make room leave the digest behind; it is what counts until they are needed again. The
        digest itself is missing while the checkpoint runs again: Snakemake counts what an earlier run left as there.
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
    """The cutoffs of one checkpoint by corpus, or by what runs read (a direction, counterfactual, or sentences)."""

    by: Literal["corpus", "data"]
    members: Mapping[str, Cutoff]

    def __getitem__(self, name: str) -> Cutoff:
        return self.members[name]

    def only(self, name: str) -> tuple[Cutoff, ...]:
        """The member of that name, if there is one."""
        return (self.members[name],) if name in self.members else ()

    def of(self, wildcards: Mapping[str, str], read_by: Mapping[str, str]) -> tuple[Cutoff, ...]:
        """The members that concern a job with these wildcards: those of its corpus, direction or run; else all.

        `read_by` has what each run reads. Raises ValueError for a wildcard that stands in no list here.
        """
        if unknown := wildcards.keys() - {*NARROWING, *WITHIN}:
            raise ValueError(
                f"wildcard {', '.join(sorted(unknown))}: nobody knows which cutoffs concern its jobs. Say so in "
                "wokflow.frame.cutoffs."
            )
        name = wildcards.get("corpus")
        if self.by == "data":
            name = wildcards.get("direction") or read_by.get(wildcards.get("run", ""))
        if name is None:
            return tuple(self.members.values())
        return self.only(name)


def plain(name: str) -> str:
    """The name of the cutoff before runs that read sentences of a source, and nothing of their items."""
    return f"{name}/plain"


def digests_before(cutoffs: Iterable[Cutoff]) -> list[str]:
    """Digests of some cutoffs and of all that lie before them, each once."""
    found: dict[str, None] = {}
    for cutoff in cutoffs:
        found |= dict.fromkeys([*digests_before(cutoff.before), cutoff.digest])
    return list(found)


@dataclass(frozen=True)
class Cutoffs:
    """All cutoffs of the workflow."""

    source: CutoffGroup
    sentences: CutoffGroup
    entities: CutoffGroup
    pages: CutoffGroup
    names: CutoffGroup
    titles: CutoffGroup
    texts: CutoffGroup
    translations: CutoffGroup
    vectors: CutoffGroup
    clauses: CutoffGroup
    examples: CutoffGroup
    instances: CutoffGroup

    def all(self) -> list[Cutoff]:
        return [cutoff for group in vars(self).values() for cutoff in group.members.values()]


def declare(
    results: str,
    *,
    corpora: Collection[str],
    matched: Collection[str],
    parsed: Collection[str],
    dish_corpus: str,
    directions: Collection[str],
    trained: Collection[str],
    predicted: Collection[str],
    sentences: Mapping[str, str],
    entities: str,
    pages: Collection[str],
) -> Cutoffs:
    """The cutoffs of a run.

    `corpora` are all of recipes, `matched` those with pairs, `parsed` those whose clauses go to a parser,
    `dish_corpus` that of the dish pairs; `trained` and `predicted` are the data that runs learn from and predict:
    directions, counterfactual, and of the latter also sources of sentences;
    `sentences` are the sources of sentences with the language of their source side, and `entities` is the name under
    which the table of entities is described like a source, as are `pages`, the dumps of Wikipedia.
    """

    def by_corpus(
        checkpoint: str, folder: str, names: Collection[str], before: CutoffGroup | None
    ) -> CutoffGroup:
        stage = f"{results}/{folder}"
        return CutoffGroup(
            "corpus",
            {
                name: Cutoff(
                    checkpoint,
                    f"{stage}/{name}/part-00000.parquet",
                    f"{stage}/{name}.sha256",
                    {"corpus": name},
                    (before[name],) if before else (),
                )
                for name in names
            },
        )

    def by_data(checkpoint: str, rewriting: str, folder: str, names: Collection[str]) -> CutoffGroup:
        def paths_of(folder: str, name: str) -> tuple[str, str]:
            stage = f"{results}/{folder}"
            return f"{stage}/{name}/part-00000.parquet", f"{stage}/{name}.sha256"

        members = {}
        for name in names:
            paths = paths_of(folder, name)
            if name in directions:
                before = tuple(vectors.members.values())
                members[name] = Cutoff(checkpoint, *paths, {"direction": name}, before)
            elif name in sentences:
                both = {name: paths, plain(name): paths_of("generate/plain", name)}
                for member, of_items in both.items():
                    members[member] = Cutoff("generate_items", *of_items, {"corpus": name}, linking)
            else:
                members[name] = Cutoff(rewriting, *paths, before=(source[dish_corpus],))
        return CutoffGroup("data", members)

    def described(names: Iterable[str]) -> CutoffGroup:
        paths = {name: f"{results}/ingest/source/{name}.json" for name in names}
        members = {
            name: Cutoff("ingest_source", path, path, {"corpus": name}) for name, path in paths.items()
        }
        return CutoffGroup("corpus", members)

    source = described(corpora)
    table, parallel, dumps = described([entities]), described(sentences), described(pages)
    names = {
        lang: Cutoff(
            "enrich_names",
            f"{results}/enrich/names/{lang}",
            f"{results}/enrich/names/{lang}.sha256",
            {"lang": lang},
            (table[entities],),
        )
        for lang in sentences.values()
    }
    # The dictionary of items is that of all sources of sentences.
    linking = (*parallel.members.values(), table[entities], *names.values(), *dumps.members.values())
    titles = by_corpus("match_titles", "match/titles", matched, source)
    texts = by_corpus("match_texts", "match/texts", matched, titles)
    vectors = CutoffGroup(
        "corpus",
        {
            name: Cutoff(
                "match_vectors",
                f"{results}/match/vectors/{name}",
                f"{results}/match/vectors/{name}.sha256",
                {"corpus": name},
                (texts[name],),
            )
            for name in matched
        },
    )
    return Cutoffs(
        source=source,
        sentences=parallel,
        entities=table,
        pages=dumps,
        names=CutoffGroup("corpus", {name: names[lang] for name, lang in sentences.items()}),
        titles=titles,
        texts=texts,
        translations=by_corpus("match_texts", "match/translations", matched, titles),
        vectors=vectors,
        clauses=by_corpus("parse_clauses", "parse/clauses", parsed, source),
        examples=by_data("train_pairs", "train_recipes", "train/examples", trained),
        instances=by_data("generate_instances", "generate_rewrites", "generate/instances", predicted),
    )

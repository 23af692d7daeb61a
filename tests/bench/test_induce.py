"""How near a first glossary, made from raw recipes alone, comes to one that people adjusted."""

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from tests.bench import measure
from tests.bench.measure import Call, Clock

PASSES = {"tiny": [1, 2], "small": [5, 20], "full": [5, 20]}  # over the recipes, to train vectors
RECIPES = {"tiny": 300, "small": 2_500, "full": 2_500}
KINDS = ("verbs", "ingredients", "tools")
SHUFFLES = 20
LEAST = 5  # occurrences of a word that could be found


def test_first_glossary(shared: Path, data: Path) -> None:
    folder = shared / "real" / "counterfactual"
    few, many = PASSES[measure.scale()]
    given = {"folder": str(folder), "count": RECIPES[measure.scale()]}
    calls = {
        name: Call(induced, given | {"out": str(data / f"{number}"), "epochs": epochs, "known": known})
        for number, (name, epochs, known) in enumerate(
            [
                (f"dictionary, {few} passes", few, False),
                (f"dictionary, {many} passes", many, False),
                (f"glossary, {many} passes", many, True),
            ]
        )
    }
    found = {name: results[0].outcome for name, results in measure.in_turn(calls, 1).items()}
    measure.publish(
        "induce",
        "A first glossary",
        f"""parse_vectors and parse_induce on {given["count"]:,} recipes of the testbed, whose texts have no lists of
        ingredients, against the glossary of the paper's authors. Steps are cut into words by jieba's dictionary alone
        (`parse.vectors.words: dictionary`), or with the words of that very glossary, to show what it would add.
        Listed: candidates that the authors list as of this kind. Found: of their words that occur {LEAST} times,
        those that are candidates. V-measure and purity compare the classes of words that both have; k-means was
        asked for as many classes as the authors have among words that occur. Where classes are small both are high
        by chance, so the same classes with their members shuffled stand beside them (the mean of {SHUFFLES} times);
        adjusted mutual information (AMI) is 0 by chance. People are to adjust such a glossary: it is a start.
        {measure.repeat("test_induce.py")}""",
        measure.machine("jieba", "gensim", "scikit-learn"),
        measure.table(
            [
                "words by",
                *("listed, %", "found, %", "classes", "V", "by chance", "purity", "by chance", "AMI"),
            ],
            [
                [f"{kind}: {name}", *_cells(of_kind[kind])]
                for kind in KINDS
                for name, of_kind in found.items()
            ],
        ),
    )
    scores = [score for of_kind in found.values() for score in of_kind.values()]
    assert all(score["found"] for score in scores)
    assert measure.scale() == "tiny" or all(score["V"] > score["V, shuffled"] for score in scores)


def _cells(score: dict[str, float]) -> list[str]:
    shares = [f"{100 * score[name]:.0f}" for name in ("listed", "found")]
    compared = ("V", "V, shuffled", "purity", "purity, shuffled", "AMI")
    return [*shares, f"{score['classes']:.0f}", *(f"{score[name]:.2f}" for name in compared)]


def induced(
    clock: Clock, folder: str, count: int, out: str, epochs: int, known: bool
) -> dict[str, dict[str, float]]:
    """Scores by kind of a glossary made from `count` recipes, cut with the authors' words if `known`."""
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.ingest.schemas import RECIPES as SCHEMA
    from wokflow.parse.clauses import clauses
    from wokflow.parse.glossary import read_glossary
    from wokflow.parse.induce import parse_induce
    from wokflow.parse.settings import InduceSettings, VectorsSettings
    from wokflow.parse.vectors import parse_vectors, segmenter

    authors = str(Path(folder) / "glossary.json")
    lines = (Path(folder) / "base_recipes.tsv").read_text(encoding="utf-8").splitlines()[:count]
    texts = [line.split("\t")[-1] for line in lines]
    rows = {"recipe_id": map(str, range(len(texts))), "source_row": range(len(texts))}
    table = pl.DataFrame(
        {name: list(values) for name, values in rows.items()}
        | {
            "steps": [[text] for text in texts],
            "ingredients": pl.Series([[]] * len(texts), dtype=pl.List(pl.String)),
        }
    ).with_columns(corpus=pl.lit("base"), lang=pl.lit("zh"), title=pl.lit("菜"), dish=pl.lit(None, pl.String))
    recipes = f"{out}/recipes.parquet"
    tables.write(recipes, SCHEMA, table.with_columns(url=pl.lit(None, pl.String)), {})
    cut = segmenter(authors)
    words = Counter(word for text in texts for start, end in clauses(text) for word in cut(text[start:end]))
    listed = read_glossary(authors)
    occur = {
        kind: {word: name for word, name in getattr(listed, kind).items() if words[word] >= LEAST}
        for kind in KINDS
    }
    files: dict[str, Any] = {"recipe_parts": [recipes], "vectors": f"{out}/vectors", "job": Job()}
    shared: dict[str, Any] = {"glossary": authors if known else None, "recipes": None}
    classes = {kind: len(set(occur[kind].values())) for kind in KINDS}
    with clock:
        trained = VectorsSettings(epochs=epochs, **shared)
        parse_vectors(**files, digest=f"{out}/vectors.sha256", settings=trained)
        induced = InduceSettings(least_count=LEAST, **classes, **shared)
        parse_induce(**files, induced=f"{out}/induced", settings=induced)
    made = read_glossary(f"{out}/induced")
    return {kind: compared(getattr(made, kind), getattr(listed, kind), occur[kind]) for kind in KINDS}


def compared(made: dict[str, str], listed: dict[str, str], occur: dict[str, str]) -> dict[str, float]:
    """Scores of words and their classes against those of another glossary, of which `occur` is in the texts."""
    import numpy as np
    from sklearn.metrics import adjusted_mutual_info_score, v_measure_score

    both = sorted(made.keys() & listed.keys())
    theirs, ours = [listed[word] for word in both], [made[word] for word in both]
    generator = np.random.default_rng(13)
    shuffled = [list(generator.permutation(ours)) for _ in range(SHUFFLES)]
    return {
        "listed": len(both) / len(made),
        "found": len(made.keys() & occur.keys()) / len(occur),
        "classes": len(set(made.values())),
        "V": float(v_measure_score(theirs, ours)),
        "V, shuffled": float(np.mean([v_measure_score(theirs, other) for other in shuffled])),
        "purity": purity(theirs, ours),
        "purity, shuffled": float(np.mean([purity(theirs, other) for other in shuffled])),
        "AMI": float(adjusted_mutual_info_score(theirs, ours)),
    }


def purity(theirs: list[str], ours: list[str]) -> float:
    """The share of words that have, in the other glossary, the class that is commonest in their class here."""
    from sklearn.metrics.cluster import contingency_matrix

    return float(contingency_matrix(theirs, ours).max(axis=0).sum() / len(ours))

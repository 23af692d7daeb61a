"""A run as the testbed of its authors (Liu et al. 2022): `wokflow papers testbed`.

FOLDER gets the files that their L1_eval.py and L2_eval.py read: dish_pairs.txt, changing_ingres.txt,
base_recipes.txt, glossary_dict.pkl, pivot_actions.pkl, and RUN.txt for each run on the testbed, a line for each base
recipe. `parsing_data.pkl` is not among them: it holds their parser's reading of recipes.
"""

import pickle
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.usage import UsageError, left_over, refuse_overwriting
from wokflow.parse.glossary import KINDS, PICKLED, read_glossary
from wokflow.pivot.dishes import FILES
from wokflow.pivot.given_files import KINDS as CHANGES
from wokflow.pivot.given_files import order_records, pivot_records
from wokflow.pivot.instances import in_lines
from wokflow.pivot.occurrences import Proto

BASE_RECIPES, GLOSSARY, PIVOTS = "base_recipes.txt", "glossary_dict.pkl", "pivot_actions.pkl"
FIXED = {*FILES, BASE_RECIPES, GLOSSARY, PIVOTS}  # all but predictions
SCORED = "evaluate/scores/part-00000.parquet"  # of runs on the testbed
PROTOCOL = 4  # read by Python 3.4 and later
PAIR = ["base_dish", "target_dish", "ingredient_removed", "ingredient_added"]


def write_testbed(results: str, glossary: str, folder: str, say: Callable[[str], None]) -> list[str]:
    """Write the files; what was written. Pairs are in the order of the run, lines in that of `in_lines`.

    Raises UserError if the name of a dish or an ingredient holds a blank, which parts the names in these files.
    Raises UsageError if the results have no instances, if a run is called as a file is, or if the folder has one of
    the files, or the glossary.
    """
    instances = tables.read(_part(results, "pivot/instances"))
    if instances.is_empty():
        raise UsageError(f"{results}: pivot/instances is empty, so there are no base recipes to write.")
    pairs = instances.select(PAIR).unique(maintain_order=True)
    if parted := [name for row in pairs.rows() for name in row if name and len(name.split()) > 1]:
        raise UserError(
            f"{results}: {parted[0]!r} of pivot/instances holds a blank, and {' and '.join(FILES)} have blanks "
            "between names. Write it without one in the table at pivot.pairs."
        )
    ids = in_lines(instances["instance_id"])
    instances = pl.DataFrame({"instance_id": ids}).join(instances, on="instance_id", maintain_order="left")
    lines = {
        FILES[0]: [f"{base} {target}" for base, target in pairs.select(PAIR[:2]).iter_rows()],
        FILES[1]: [f"{old or ''} {new}" for old, new in pairs.select(PAIR[2:]).iter_rows()],
        BASE_RECIPES: ["\t".join(map(_line, row)) for row in instances.select(*PAIR[:2], "text").iter_rows()],
    }
    for path in sorted(Path(results, "generate/predictions").glob("*/part-00000.parquet")):
        predictions = dict(tables.read(str(path), ["instance_id", "prediction"]).iter_rows())
        if not predictions.keys().isdisjoint(ids):
            if (name := f"{path.parent.name}.txt") in lines:
                raise UsageError(
                    f"The run {path.parent.name} has the name of a file of the testbed: rename it."
                )
            lines[name] = [_line(predictions.get(one) or "") for one in ids]
            if lacking := sum(one not in predictions for one in ids):
                say(f"{name}: {lacking} of {len(ids)} base recipes have no prediction, and empty lines")
    for sentence in left_over(
        results, SCORED, "run", (Path(name).stem for name in lines if name not in FIXED)
    ):
        say(sentence)
    refuse_overwriting(folder, (*lines, GLOSSARY, PIVOTS))
    given = Path(glossary)
    if Path(folder).resolve() in (given.resolve(), given.resolve().parent, given.parent.resolve()):
        raise UsageError(
            f"--to {folder} has the glossary that is read: the files go elsewhere. Name another folder."
        )
    words = read_glossary(glossary)
    of_kind: dict[str, Mapping[str, str]] = {kind: getattr(words, kind) for kind in KINDS}
    actions = _actions(results, pairs["target_dish"].to_list())
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, some in lines.items():
        tables.write_text(Path(folder, name), "".join(f"{line}\n" for line in some))
    _pickle(Path(folder, GLOSSARY), tuple(dict(of_kind[kind]) for kind in PICKLED))
    _pickle(Path(folder, PIVOTS), actions)
    return [*lines, GLOSSARY, PIVOTS]


def _actions(results: str, targets: Iterable[str]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Pivot actions and orders of each target dish, in the form that given_files._from_pickle describes.

    Pairs without a base recipe may have some, too.
    """
    pivots: dict[str, list[Any]] = {target: [] for target in targets}
    for one in pivot_records(_part(results, "pivot/pivots")):
        pivots.setdefault(one.target, []).append([_proto(one.actions[0]), CHANGES.index(one.kind)])
    orders: dict[str, dict[Proto, list[Any]]] = {target: {} for target in pivots}
    for one in order_records(_part(results, "pivot/orders")):
        insert, *both = one.actions
        orders.setdefault(one.target, {}).setdefault(insert, []).append(tuple(map(_proto, both)))
    listed = {
        target: [(_proto(insert), both) for insert, both in some.items()] for target, some in orders.items()
    }
    return pivots, listed


def _proto(action: Proto) -> tuple[str, tuple["_Set", "_Set"]]:
    return action.verb, (_Set(action.ingredients), _Set(action.tools))


class _Set:
    """A frozenset that is pickled in the order of its members, so that equal runs give equal bytes."""

    def __init__(self, members: tuple[str, ...]) -> None:
        self.members = members

    def __reduce__(self) -> tuple[Any, ...]:
        return frozenset, (self.members,)


def _part(results: str, table: str) -> str:
    return str(Path(results, table, "part-00000.parquet"))


def _line(text: str) -> str:
    """A text without tabs and line breaks."""
    return " ".join(text.split("\n")).replace("\t", " ").replace("\r", " ").strip()


def _pickle(path: Path, value: Any) -> None:
    with tables.atomic(path) as temporary:
        temporary.write_bytes(pickle.dumps(value, PROTOCOL))

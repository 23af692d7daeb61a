"""Files of given pivot actions and orders, record by record.

A file is one of four, by its ending: .pkl as the paper's authors published their experts' (pivot_actions.pkl), .json
with the same (an object of target dishes, each with its `pivots` and its `orders`), .parquet in the form of the
workflow's own table, or else a TSV.
Their words are those of corpora (`copied` of misread_text.refuse_misread).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.pickles import read_pickle
from wokflow.frame.text_files import read_table
from wokflow.pivot.dishes import read_json
from wokflow.pivot.occurrences import Proto

PIVOT_COLUMNS = ("base_dish", "target_dish", "verb", "ingredients", "tools", "kind")  # of a TSV
PIVOT_TABLE = ("base_dish", "target_dish", "verb_class", "ingredient_classes", "tool_classes", "kind")
ORDER_COLUMNS = ("base_dish", "target_dish", "pivot", "before", "after")
NEW = "new_ingredient_classes"  # of a replacement, in a table
KINDS = ("remove", "insert")  # a pickle has 0 and 1
PUBLISHED = (".pkl", ".json")


@dataclass(frozen=True)
class Record:
    """One pivot action (`kind` and one action), or one order (the actions pivot, before and after), of a file.

    `where` is its place in the file, for messages. `base` is None where the file names the target dish alone.
    """

    where: str
    raw: str
    base: str | None
    target: str
    actions: tuple[Proto, ...]
    kind: str = ""


def pivot_records(path: str) -> Iterator[Record]:
    """The pivot actions of a file, in its order; a table's replacements as a removal and an insertion.

    Raises UserError, with the place, if the file is malformed.
    """
    if path.endswith(PUBLISHED):
        yield from _published(path, "pivots", _published_pivots)
        return
    columns = PIVOT_TABLE if path.endswith(".parquet") else PIVOT_COLUMNS
    for where, row in _rows(path, columns):
        base, target, verb, foods, tools, kind = (row[name] for name in columns)
        if kind == "replace" and row.get(NEW):
            yield Record(where, _raw(row), base, target, (_proto(verb, foods, tools),), "remove")
            yield Record(where, _raw(row), base, target, (_proto(verb, row[NEW], tools),), "insert")
            continue
        if kind not in KINDS or not verb:
            raise UserError(
                f"{path}, {where}: a pivot action needs a verb and a kind, remove or insert: {_raw(row)}"
            )
        yield Record(where, _raw(row), base, target, (_proto(verb, foods, tools),), kind)


def order_records(path: str) -> Iterator[Record]:
    """The orders of a file, in its order. Raises UserError, with the place, if the file is malformed."""
    if path.endswith(PUBLISHED):
        yield from _published(path, "orders", _published_orders)
        return
    for where, row in _rows(path, ORDER_COLUMNS):
        parts = [str(row[name]).split("/") for name in ORDER_COLUMNS[2:]]
        if not all(len(part) == 3 and part[0] for part in parts):
            raise UserError(
                f"{path}, {where}: pivot, before and after are written as verb/ingredient,ingredient/tool,tool: "
                f"{_raw(row)}"
            )
        actions = tuple(_proto(*part) for part in parts)
        yield Record(where, _raw(row), row["base_dish"], row["target_dish"], actions)


def _rows(path: str, columns: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    if path.endswith(".parquet"):
        frame = tables.read(path)
        _check_columns(path, columns, frame.columns)
        chosen = [*columns, *(name for name in (NEW,) if name in frame.columns)]
        yield from ((f"row {number}", row) for number, row in enumerate(frame.select(chosen).to_dicts(), 1))
        return
    for line, cells in read_table(path, columns, whole=False, copied=True):
        yield f"row {line}", {name: cells[name].strip() for name in columns}


def _check_columns(path: str, wanted: tuple[str, ...], given: Any) -> None:
    if missing := [name for name in wanted if name not in given]:
        raise UserError(f"{path}: missing column {', '.join(missing)}; the columns are {', '.join(wanted)}.")


def _proto(verb: str, foods: Any, tools: Any) -> Proto:
    return Proto(verb, _classes(foods), _classes(tools))


def _classes(listed: Any) -> tuple[str, ...]:
    """Sorted classes, from a list or from a text with commas."""
    names = listed.split(",") if isinstance(listed, str) else listed
    return tuple(sorted({name.strip() for name in names} - {""}))


def _raw(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# -- the form in which the paper's authors published them


def _published(path: str, part: str, read: Callable[[Any], Iterator[Record]]) -> Iterator[Record]:
    """The records of one part, `pivots` or `orders`, of all target dishes; their target and place are filled in."""
    dishes = _from_pickle(path) if path.endswith(".pkl") else read_json(path, copied=True)
    if not isinstance(dishes, dict):
        raise UserError(f"{path}: not an object of target dishes, each with pivots and orders.")
    for target, parts in dishes.items():
        try:
            for record in read(parts[part]):
                where = f"{target}, {record.where}"
                yield Record(where, record.raw, None, target, record.actions, record.kind)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UserError(
                f"{path}, {target}: {part} are not as published ({type(error).__name__}: {error}). A pivot has "
                "verb, ingredients, tools and kind; an order has insert and constraints, each with before and after."
            ) from error


def _from_pickle(path: str) -> dict[str, Any]:
    """The content of pivot_actions.pkl in the form of the JSON file.

    The pickle has two dictionaries by target dish. A pivot action is ((verb, (ingredients, tools)), 0 or 1), where 0
    is to remove; an order is (inserted action, list of (action before, action after)); an action is (verb,
    (ingredients, tools)), both sets of classes. Raises UserError if the pickle has another form.
    """
    content = read_pickle(path)
    try:
        pivots, orders = content
        return {
            target: {
                "pivots": [_action(one) | {"kind": _kind(number)} for one, number in pivots.get(target, ())],
                "orders": [
                    {
                        "insert": _action(insert),
                        "constraints": [{"before": _action(a), "after": _action(b)} for a, b in both],
                    }
                    for insert, both in orders.get(target, ())
                ],
            }
            for target in {**pivots, **orders}
        }
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        raise UserError(
            f"{path}: not as pivot_actions.pkl of the paper's authors ({type(error).__name__}: {error})."
        ) from error


def _kind(number: Any) -> str:
    if number not in range(len(KINDS)):
        raise ValueError(f"kind {number!r} is not 0 or 1")
    return KINDS[number]


def _action(action: Any) -> dict[str, Any]:
    verb, (foods, tools) = action
    if not all(isinstance(classes, (set, frozenset)) for classes in (foods, tools)):
        raise TypeError(f"ingredients or tools of {verb!r} are no set of classes")
    return {"verb": verb, "ingredients": sorted(foods), "tools": sorted(tools)}


def _published_pivots(listed: Any) -> Iterator[Record]:
    for number, pivot in enumerate(listed, start=1):
        if pivot["kind"] not in KINDS:
            raise ValueError(f"kind {pivot['kind']!r} of pivot {number} is not remove or insert")
        yield Record(f"pivot {number}", _raw(pivot), None, "", (_published_action(pivot),), pivot["kind"])


def _published_orders(listed: Any) -> Iterator[Record]:
    """One record for each constraint: the inserted action is the pivot."""
    for number, order in enumerate(listed, start=1):
        pivot = _published_action(order["insert"])
        for place, constraint in enumerate(order["constraints"], start=1):
            both = (_published_action(constraint[side]) for side in ("before", "after"))
            raw = _raw({"insert": order["insert"], **constraint})
            yield Record(f"order {number}, constraint {place}", raw, None, "", (pivot, *both))


def _published_action(action: Mapping[str, Any]) -> Proto:
    verb, foods, tools = action["verb"], action["ingredients"], action["tools"]
    if not (verb and isinstance(verb, str) and isinstance(foods, list) and isinstance(tools, list)):
        raise TypeError(f"not an action: {_raw(action)}")
    return _proto(verb, foods, tools)

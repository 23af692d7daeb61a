"""Label Studio's own formats: labelling configurations and tasks for it, and the answers in what it exports."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wokflow.annotate.fields import COMMENT, ID, PART, RATER, SOURCE, TARGET
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread_json
from wokflow.frame.text_files import Row, read_text

TEXT = "text_"  # begins the names of texts in a task, as Label Studio itself uses some, such as source
ADAPTED = "adapted "  # begins the name of the field of a part of a recipe
WHOLE = "white-space: pre-wrap"  # line breaks of recipes and dialogues stay
BESIDE = "display: flex; gap: 2em"
EXPORT = 'Export the project as JSON ("JSON", neither JSON-MIN nor CSV).'


def labels(row: Mapping[str, Any]) -> str:
    """The labelling configuration (XML) of tasks like this row of annotate/assigned.

    Texts stand under their names; a field is a choice of one of its values, which must be made. Of a recipe to adapt,
    each part has a field beside it. Names of tags are those of columns in a sheet.
    """
    view = ElementTree.Element("View")
    names = [each["name"] for each in row["shown"]]
    if row["fields"]:
        for name in names:
            _text(view, name)
        for each in row["fields"]:
            ElementTree.SubElement(view, "Header", value=each["column"], size="5")
            given = {
                "name": each["column"],
                "toName": names[0],
                "choice": "single-radio",
                "showInline": "true",
            }
            choices = ElementTree.SubElement(view, "Choices", given, required="true")
            for value in each["values"]:
                ElementTree.SubElement(choices, "Choice", value=value)
    else:
        for name in names:
            both = ElementTree.SubElement(view, "View", style=BESIDE)
            _text(ElementTree.SubElement(both, "View", style="flex: 1"), name)
            _area(ElementTree.SubElement(both, "View", style="flex: 1"), ADAPTED + name, name, 12)
    _area(view, COMMENT, names[0], 2)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _text(parent: ElementTree.Element, name: str) -> None:
    ElementTree.SubElement(parent, "Header", value=name, size="5")
    whole = ElementTree.SubElement(parent, "View", style=WHOLE)
    ElementTree.SubElement(whole, "Text", name=name, value=f"${TEXT}{name}")


def _area(parent: ElementTree.Element, name: str, of: str, rows: int) -> None:
    ElementTree.SubElement(parent, "Header", value=name, size="5")
    given = {"name": name, "toName": of, "rows": str(rows), "editable": "true", "maxSubmissions": "1"}
    ElementTree.SubElement(parent, "TextArea", given, showSubmitButton="false")


def task(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of annotate/assigned as a task to import: its id, its rater and what it shows, and nothing else."""
    texts = {TEXT + each["name"]: each["text"] for each in row["shown"]}
    return {"data": {ID: row["id"], RATER: row["rater"], **texts}}


def of_raters(assigned: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The tasks of each of these raters, in the order of the sheets."""
    rows = sorted(assigned, key=lambda row: (row["rater"], row["position"]))
    return {name: [task(row) for row in rows if row["rater"] == name] for name in names}


def write_files(
    folder: Path, configuration: str, tasks: Mapping[str, Sequence[Mapping[str, Any]]], instructions: str
) -> None:
    """What a project is made from by hand: labels.xml, instructions.md, and a file of tasks for each rater."""
    with tables.atomic_folder(str(folder)) as made:
        tables.write_text(made / "labels.xml", configuration)
        tables.write_text(made / "instructions.md", instructions)
        for rater, some in tasks.items():
            tables.write_text(made / f"{rater}.json", json.dumps(some, ensure_ascii=False, indent=1) + "\n")


def read_export(path: Path, *, parts: bool) -> Iterator[Row]:
    """The answers of an export as rows of a sheet: the place of a task in the file, from 1, and cells by column.

    A task has a row for each annotation that was not skipped, and one without answers if there is none; with `parts`,
    one for each part of a recipe instead, with columns part, source and target. Who annotated is not read: a task
    names its rater. Raises UserError for what is no export of tasks with their annotations.
    """
    try:
        exported = json.loads(read_text(str(path)))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}, line {error.lineno}: this is not JSON ({error.msg}). {EXPORT}") from error
    if not isinstance(exported, list):
        raise UserError(f"{path} is not a list of tasks. {EXPORT}")
    refuse_misread_json(path, exported, copied=True)
    for place, one in enumerate(exported, 1):
        if not (isinstance(one, dict) and isinstance(one.get("data"), dict)):
            raise UserError(f"{path}, task {place}: there are no data. {EXPORT}")
        texts = {name: text for name, text in one["data"].items() if isinstance(text, str)}
        given = {ID: "", RATER: ""} | {name.removeprefix(TEXT): text for name, text in texts.items()}
        annotations = one.get("annotations", one.get("completions"))
        if not isinstance(annotations, list):
            raise UserError(f"{path}, task {place}: there are no annotations. {EXPORT}")
        kept = [each for each in annotations if isinstance(each, dict) and not each.get("was_cancelled")]
        for annotation in kept or [{}]:
            answers = _answers(annotation.get("result") or [], f"{path}, task {place}")
            if parts:
                yield from ((place, row) for row in _parts(given, answers))
            else:
                yield place, answers | given


def _answers(results: Any, where: str) -> dict[str, str]:
    """The text of each field that was filled in."""
    filled: dict[str, list[str]] = {}
    for result in results if isinstance(results, list) else [results]:
        if not isinstance(result, dict):
            raise UserError(f"{where}: a result is not an object. {EXPORT}")
        name, value = result.get("from_name"), result.get("value")
        if isinstance(name, str) and isinstance(value, dict):
            filled.setdefault(name, []).extend(_texts(value))
    return {name: "\n".join(texts) for name, texts in filled.items()}


def _texts(value: Mapping[str, Any]) -> Iterator[str]:
    """What a result holds: choices, texts, stars or a number."""
    for kind in ("choices", "text", "rating", "number"):
        held = value.get(kind)
        for one in held if isinstance(held, list) else [held]:
            if isinstance(one, str | int | float) and not isinstance(one, bool):
                yield str(one).strip()


def _parts(given: Mapping[str, str], answers: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """A row for each part of a recipe, as in its sheet."""
    common = {name: given[name] for name in (ID, RATER)} | {COMMENT: answers.get(COMMENT, "")}
    texts = {name: text for name, text in given.items() if name not in common} or {"": ""}
    for name, source in texts.items():
        yield common | {PART: name, SOURCE: source, TARGET: answers.get(ADAPTED + name, "")}

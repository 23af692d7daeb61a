"""Label Studio's own formats: labelling configurations and tasks for it, and the answers in what it exports."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from wokflow.annotate.fields import (
    CATEGORY,
    COMMENT,
    FOREIGNNESS,
    ID,
    ITEM,
    LETTERS,
    OPEN,
    PART,
    PLACE,
    RATER,
    SKIPPED,
    SOURCE,
    SPEAKER,
    START,
    STATE,
    TARGET,
    utterances,
)
from wokflow.annotate.fields import (
    TEXT as WORDS,
)
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.misread_text import refuse_misread_json
from wokflow.frame.text_files import Row, read_text
from wokflow.frame.usage import refuse_overwriting

TEXT = "text_"  # begins the names of texts in a task, as Label Studio itself uses some, such as source
ADAPTED = "adapted "  # begins the name of the field of a part of a recipe
ABOVE = "position: sticky; top: 0; background: white; z-index: 1"  # what marks are made with stays in sight
WHOLE = "white-space: pre-wrap"  # line breaks of recipes and dialogues stay
BESIDE = "display: flex; gap: 2em"
WRAPPED = "display: flex; flex-wrap: wrap; column-gap: 3em"
TITLE = "title"  # the part of a recipe that is a line
# Times of a recording and the choice of a speaker, which Label Studio shows above every dialogue.
NOT_SHOWN = '[class^="time--"], [class^="authorFilter--"] { display: none }'
LINE = "line"  # of a mark: the number of its utterance in the dialogue, from 0
DIALOGUE = "dialogue"  # the name of a dialogue whose items are marked
# Colours of categories, in their order: those of Okabe and Ito without black, and two more.
COLOURS = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999", "#8C564B"]
EXPORT = 'Export the project as JSON ("JSON", neither JSON-MIN nor CSV).'


def labels(row: Mapping[str, Any]) -> str:
    """The labelling configuration (XML) of tasks like this row of annotate/assigned.

    Texts stand under their names, those that are compared beside each other; a field is a choice of one of its
    values, under its question, and must be made unless the task is skipped. Of a recipe to adapt, each part has a
    field beside it. In a dialogue, words are marked with a category, and each mark has a degree of foreignness. Names
    of tags are those of columns in a sheet.
    """
    view = ElementTree.Element("View")
    if utterances(row["shown"]):
        _marking(view, {each["column"]: each["values"] for each in row["fields"]})
        return _xml(view)
    names = [each["name"] for each in row["shown"]]
    if any(each["values"] for each in row["fields"]):  # a check of a recipe to adapt has a field without
        letters = [name for name in names if name in LETTERS]
        for name in [name for name in names if name not in LETTERS]:
            _text(view, name)
        if letters:
            together = ElementTree.SubElement(view, "View", style=BESIDE)
        for name in letters:
            _text(ElementTree.SubElement(together, "View", style="flex: 1"), name)
        asked = ElementTree.SubElement(view, "View", style=WRAPPED)
        for each in row["fields"]:
            one = ElementTree.SubElement(asked, "View")
            ElementTree.SubElement(one, "Header", value=each["column"], size="5")
            if each["question"]:
                ElementTree.SubElement(one, "Header", value=each["question"], size="6")
            given = {
                "name": each["column"],
                "toName": names[0],
                "choice": "single-radio",
                "showInline": "true",
            }
            choices = ElementTree.SubElement(one, "Choices", given, required="true")
            for value in each["values"]:
                ElementTree.SubElement(choices, "Choice", value=value)
    else:
        for name in names:
            both = ElementTree.SubElement(view, "View", style=BESIDE)
            _text(ElementTree.SubElement(both, "View", style="flex: 1"), name)
            _area(
                ElementTree.SubElement(both, "View", style="flex: 1"),
                ADAPTED + name,
                name,
                2 if name == TITLE else 12,
            )
    _area(view, COMMENT, names[0], 2)
    return _xml(view)


def _xml(view: ElementTree.Element) -> str:
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


def _marking(view: ElementTree.Element, values: Mapping[str, Sequence[str]]) -> None:
    """A dialogue in which words are marked."""
    ElementTree.SubElement(view, "Style").text = NOT_SHOWN
    above = ElementTree.SubElement(view, "View", style=ABOVE)
    marks = ElementTree.SubElement(above, "ParagraphLabels", name=CATEGORY, toName=DIALOGUE)
    for number, value in enumerate(values[CATEGORY]):
        ElementTree.SubElement(marks, "Label", value=value, background=COLOURS[number % len(COLOURS)])
    ElementTree.SubElement(above, "Header", value=FOREIGNNESS, size="5")
    given = {"name": FOREIGNNESS, "toName": DIALOGUE, "choice": "single-radio", "showInline": "true"}
    degrees = ElementTree.SubElement(above, "Choices", given, perRegion="true", required="true")
    for value in values[FOREIGNNESS]:
        ElementTree.SubElement(degrees, "Choice", value=value)
    names = {"name": DIALOGUE, "value": f"${TEXT}{DIALOGUE}", "nameKey": SPEAKER, "textKey": WORDS}
    ElementTree.SubElement(view, "Paragraphs", names, layout="dialogue")
    _area(view, COMMENT, DIALOGUE, 2)


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
    texts: dict[str, Any] = {TEXT + each["name"]: each["text"] for each in row["shown"]}
    if spoken := utterances(row["shown"]):
        texts = {TEXT + DIALOGUE: spoken}
    return {"data": {ID: row["id"], RATER: row["rater"], **texts}}


def of_raters(assigned: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The tasks of each of these raters, in the order of the sheets."""
    rows = sorted(assigned, key=lambda row: (row["rater"], row["position"]))
    return {name: [task(row) for row in rows if row["rater"] == name] for name in names}


def write_files(
    folder: Path, configuration: str, tasks: Mapping[str, Sequence[Mapping[str, Any]]], instructions: str
) -> None:
    """What a project is made from by hand: labels.xml, instructions.md, and a file of tasks for each rater.

    Raises UsageError if one of them is in the folder already: it may hold somebody's answers.
    """
    texts = {"labels.xml": configuration, "instructions.md": instructions}
    texts |= {
        f"{rater}.json": json.dumps(some, ensure_ascii=False, indent=1) + "\n"
        for rater, some in tasks.items()
    }
    refuse_overwriting(str(folder), texts)
    for name, text in texts.items():
        tables.write_text(folder / name, text)


def read_export(path: Path, columns: Collection[str] = ()) -> Iterator[Row]:
    """The answers of an export as rows of a sheet: the place of a task in the file, from 1, and cells by column.

    A task has a row for each annotation that was not skipped, and one without answers if there is none. If the rows
    need a column part, it has one for each part of a recipe instead; if they need an item, one for each mark, and one
    for each utterance without marks. Who annotated is not read: a task names its rater. Raises UserError for what is
    no export of tasks with their annotations.
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
            held = annotation.get("result") or []
            results = held if isinstance(held, list) else [held]
            answers = _answers(results, f"{path}, task {place}")
            if ITEM in columns:
                state = {} if kept else {STATE: SKIPPED if annotations else OPEN}
                yield from (
                    (place, row) for row in _marks(given | state, one["data"].get(TEXT + DIALOGUE), results)
                )
            elif PART in columns:
                yield from ((place, row) for row in _parts(given, answers))
            else:
                yield place, answers | given


def _answers(results: Sequence[Any], where: str) -> dict[str, str]:
    """The text of each field that was filled in."""
    filled: dict[str, list[str]] = {}
    for result in results:
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


def _marks(
    given: Mapping[str, str], spoken: Any, results: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, str]]:
    """A row for each mark, and one for each utterance without, as in the sheet of a dialogue.

    A mark has several results with one id: its words with the category, and its degree of foreignness. One that goes
    beyond an utterance is given to the first, with all its words.
    """
    marks: dict[str, dict[str, str]] = {}
    for result in results:
        value, name = result.get("value"), result.get("from_name")
        if isinstance(value, dict) and name in (CATEGORY, FOREIGNNESS) and "start" in value:
            mark = marks.setdefault(str(result.get("id")), {ITEM: ""})
            mark |= {LINE: str(value["start"]), START: str(value.get("startOffset", ""))}
            mark[ITEM] = mark[ITEM] or str(value.get("text", "")).strip()
            chosen = value.get("paragraphlabels") or value.get("choices")
            mark[str(name)] = " | ".join(map(str, chosen)) if isinstance(chosen, list) else ""
    lines = [line for line in spoken if isinstance(line, dict)] if isinstance(spoken, list) else []
    empty = dict.fromkeys((PLACE, SPEAKER, WORDS, ITEM, CATEGORY, FOREIGNNESS, START), "")
    for number, line in enumerate(lines):
        about = {**given, **empty, **{name: str(line.get(name, "")) for name in (PLACE, SPEAKER, WORDS)}}
        own = [mark for mark in marks.values() if mark[LINE] == str(number)]
        yield from (about | mark for mark in own or [{}])
    for mark in marks.values():  # of utterances that are not there any more
        if mark[LINE] not in map(str, range(len(lines))):
            yield {**given, **empty, **mark}

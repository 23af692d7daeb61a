"""The tasks of people: to rate or compare texts, adapt recipes, mark items, or tell how dishes are cooked."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import polars as pl

from wokflow.annotate.design import sampled, tuples
from wokflow.annotate.fields import (
    ASKING,
    BEST,
    CATEGORY,
    FOREIGNNESS,
    HUMAN,
    MARKING,
    PTA,
    SYSTEM,
    WORST,
    utterance,
)
from wokflow.annotate.settings import TasksSettings
from wokflow.evaluate.given_rows import read_rows
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.text_files import read_table
from wokflow.frame.workbooks import clean
from wokflow.judge.pta import ORDER
from wokflow.judge.schemas import TASKS
from wokflow.judge.tasks import read_dimensions
from wokflow.models.recipe_texts import without_headings
from wokflow.pivot.people_answers import ANSWERS, SCALE

STRATA = {
    "ash": ("cuisine", "dish"),
    "counterfactual": ("base_dish", "dish"),
    "pivot": ("base_dish", "target_dish"),
}
EMPTY = "[no text]"
SIDES = {"a": "A", "b": "B"}  # both translations, in prompts and in sheets
LEAST = 3  # systems that a comparison of best and worst needs
COLUMNS = ("instance_id", "run", "prediction")
SOURCE = ("title", "ingredients", "steps")
DEGREES = {  # of foreignness: Singh et al. 2024, section 4
    "1": "it came from elsewhere, but is common in your culture (pizza, cricket)",
    "2": "it is known there, but foreign (sushi, Christmas)",
    "3": "it is largely unknown there (rodeo, Thanksgiving)",
}
Row = dict[str, Any]


def annotate_tasks(
    *,
    instances: list[str],
    predictions: list[str],
    rated: list[str],
    sources: list[str],
    tasks: str,
    settings: TasksSettings,
    job: Job,
) -> None:
    """Write the tasks of a study (schema judge/tasks), for a sample of items.

    `rated` are tasks of stage judge, which are taken over unchanged. Of the tasks of PTA, only the first order of
    each pair is taken, since its sides are drawn already; the sample is one of items, each with all its runs. With
    `instances` and `predictions`, a task shows a system's text for an item or, in a study of kind best_worst, the
    texts of several systems. `sources` are what studies of three other kinds show: in one of kind writing, recipes
    to adapt (ingest/recipes, those of `instances`); marking, dialogues (ingest/utterances); asking, actions that a
    dish may need (pivot/questions). A text that is empty is shown as EMPTY, since the system did generate it. Raises
    UserError if there are no tasks, for an item without a text of a system, for translations into several languages,
    and for answers that pivot cannot read.
    """
    random = Random(f"{settings.seed} {settings.study}")
    if rated:
        all_rated = tables.read(rated).sort("task_id").to_dicts()
        wanted = [row for row in all_rated if not settings.systems or row["system"] in settings.systems]
        if settings.data == PTA:
            made = _sample(list(_choices(wanted, settings)), "item", settings, random)
        else:
            made = _sample(wanted, "task_id", settings, random)
    elif settings.kind == MARKING:
        made = _sample(list(_dialogues(sources, settings)), "item", settings, random)
    elif settings.kind == ASKING:
        made = _sample(list(_asked(sources, settings)), "item", settings, random)
    elif settings.kind == "writing":
        made = _sample(_sources(tables.read(instances), sources, settings), "item", settings, random)
    else:
        items = _sample(_items(tables.read(instances), settings), "item", settings, random)
        made = _made(items, _texts(instances, predictions, settings), settings)
        if settings.kind == "best_worst":
            made = list(_compared(made, settings, random))
    if not made:
        raise UserError(f"Study {settings.study} has no tasks: there is no text of {settings.data} for it.")
    job.progress.say(f"{len(made)} tasks of {len({row['item'] for row in made})} items")
    tables.write(tasks, TASKS, made, job.metadata)


def _sample(rows: list[Row], unit: str, settings: TasksSettings, random: Random) -> list[Row]:
    """The rows of the units that are drawn. Raises UserError for a stratum whose text the tasks do not show."""
    names = tuple(settings.strata) or STRATA.get(settings.data, ())
    units = {}
    for row in rows:
        shown = {each["name"]: each["text"] for each in row["shown"]}
        if missing := [name for name in names if name not in shown]:
            raise UserError(
                f"Study {settings.study}: tasks.strata names {', '.join(missing)}, but shown are {', '.join(shown)}."
            )
        units[row[unit]] = tuple(shown[name] for name in names)
    chosen = sampled(units, settings.sample, settings.each, random)
    return [row for row in rows if row[unit] in chosen]


def _choices(rows: Sequence[Row], settings: TasksSettings) -> Iterator[Row]:
    """The choices that people make between translations: each pair once, its sides under letters, as in the sheet."""
    languages = {each["text"] for row in rows for each in row["shown"] if each["name"] == "language"}
    if len(languages) > 1:
        raise UserError(
            f"Study {settings.study}: its runs translate into {' and '.join(sorted(languages))}, but raters are "
            "native speakers of one language. Name the runs into that one in the column systems; those into another "
            "are another study."
        )
    for row in rows:
        if row["task_id"].endswith(ORDER.format(1)):
            shown = [each | {"name": SIDES.get(each["name"], each["name"])} for each in row["shown"]]
            yield {**row, "study": settings.study, "shown": shown}


def _dataset(instances: pl.DataFrame, settings: TasksSettings) -> pl.DataFrame:
    """The instances of the study's test set, by id."""
    if settings.data == "counterfactual":
        return instances.sort("instance_id")
    name = settings.dataset or ("silver" if settings.kind == "writing" else "gold")
    chosen = instances.filter(pl.col("dataset") == name).sort("instance_id")
    if not chosen.height:
        raise UserError(
            f"Study {settings.study}: {settings.data} has no {name} set (train.gold.{settings.data}, "
            "match.silver.accepted). Give one, or name another in the settings of the study: tasks.dataset=silver"
        )
    return chosen


def _items(instances: pl.DataFrame, settings: TasksSettings) -> list[Row]:
    """Tasks with the source of each item, still without a system's text."""
    made = []
    for row in _dataset(instances, settings).iter_rows(named=True):
        if settings.data == "counterfactual":
            shown = {"base_dish": row["base"], "dish": row["title"], "source": clean(row["source"])}
        else:
            shown = {"source": _plain(row["source"])}
        made.append(_task(row["instance_id"], row["instance_id"], None, shown, settings))
    return made


def _task(task: str, item: str, system: str | None, shown: Mapping[str, str], settings: TasksSettings) -> Row:
    """A task without dimensions."""
    return {
        "task_id": task,
        "study": settings.study,
        "item": item,
        "system": system,
        "shown": [{"name": name, "text": text} for name, text in shown.items()],
        "dimensions": [],
    }


def _texts(
    instances: Sequence[str], predictions: Sequence[str], settings: TasksSettings
) -> dict[str, dict[str, str]]:
    """The texts of each system by item: runs, references, and the texts of the study's own file."""
    texts: dict[str, dict[str, str]] = {}
    for part in predictions:
        for run, item, text in tables.read(part).select("run", "instance_id", "prediction").iter_rows():
            texts.setdefault(run, {})[item] = text
    references = tables.read(instances, ["instance_id", "reference"]).drop_nulls()
    if references.height:
        texts[HUMAN] = dict(references.iter_rows())
    for number, (item, run, text) in (
        read_rows(settings.texts, COLUMNS, "texts", copied=True) if settings.texts else ()
    ):
        if not item or not run or item in texts.setdefault(run, {}):
            raise UserError(
                f"{settings.texts}, row {number}: instance or run is empty, or both are as in an earlier row: "
                f"{item} {run}."
            )
        texts[run][item] = text or ""
    if unknown := [name for name in settings.systems if name not in texts]:
        raise UserError(
            f"Study {settings.study}: there are no texts of {', '.join(unknown)}, only of {', '.join(texts)}."
        )
    return {name: texts[name] for name in settings.systems or texts}


def _made(items: Sequence[Row], texts: Mapping[str, Mapping[str, str]], settings: TasksSettings) -> list[Row]:
    """A task for each item and system, which shows the system's text."""
    dimensions = [] if settings.kind == "best_worst" else read_dimensions(settings.dimensions or "")
    made = []
    for item in items:
        name = item["item"]
        if missing := [system for system, own in texts.items() if name not in own]:
            raise UserError(
                f"Study {settings.study}: there is no text of {', '.join(missing)} for {name}. Give it in the "
                "file of the column texts, or name other systems in the column systems."
            )
        for system, own in texts.items():
            text = clean(own[name]) if settings.data == "counterfactual" else _plain(own[name])
            shown = [*item["shown"], {"name": "recipe", "text": text or EMPTY}]
            task = {"task_id": f"{name}:{system}", "system": system, "shown": shown, "dimensions": dimensions}
            made.append({**item, **task})
    return made


def _plain(text: str) -> str:
    """A recipe without its headings, which could tell a rater who wrote it."""
    return clean(without_headings(text)) if text.strip() else ""


def _compared(rows: list[Row], settings: TasksSettings, random: Random) -> Iterator[Row]:
    """Tasks that compare several systems, made of tasks with one system each."""
    of_item: dict[str, dict[str, Row]] = {}
    for row in rows:
        of_item.setdefault(row["item"], {})[row["system"]] = row
    asked = list(read_table(settings.dimensions or "", ("name", "question"), comments=True))
    if any(len(made) < LEAST for made in of_item.values()):
        raise UserError(f"Study {settings.study}: a comparison needs {LEAST} systems or more for each item.")
    systems = {item: list(made) for item, made in of_item.items()}
    values = {"scale": "nominal", "values": sorted({name for made in of_item.values() for name in made})}
    for item, chosen in tuples(systems, settings.size, random):
        made = of_item[item]
        context = [each for each in made[chosen[0]]["shown"] if each["name"] != "recipe"]
        shown = {each["name"]: each["text"] for each in context}
        shown |= {SYSTEM + name: made[name]["shown"][-1]["text"] for name in chosen}
        dimensions = [
            {"name": each["name"] + end, "question": each["question"], **values}
            for _, each in asked
            for end in (BEST, WORST)
        ]
        task = _task(f"{item}:{'+'.join(chosen)}", item, None, shown, settings)
        yield {**task, "dimensions": dimensions}


def _sources(instances: pl.DataFrame, recipes: Sequence[str], settings: TasksSettings) -> list[Row]:
    """The source recipes of the test set, each as title, ingredients and steps."""
    wanted = _dataset(instances, settings)["source_id"]
    rows = tables.scan(recipes, ["recipe_id", *SOURCE]).filter(pl.col("recipe_id").is_in(wanted.implode()))
    made = []
    for row in rows.collect(engine="streaming").sort("recipe_id").iter_rows(named=True):
        texts = {
            name: clean(row[name] if name == "title" else "\n".join(row[name])) or EMPTY for name in SOURCE
        }
        made.append(_task(row["recipe_id"], row["recipe_id"], None, texts, settings))
    return made


def _dialogues(utterances: Sequence[str], settings: TasksSettings) -> Iterator[Row]:
    """The dialogues of ingest/utterances, with the category and the foreignness of an item as dimensions."""
    asked = read_table(settings.dimensions or "", ("name", "what"), optional=("also",), comments=True)
    categories = {row["name"]: row["what"] for _, row in asked}
    dimensions = [
        {"name": name, "scale": scale, "values": [*values], "question": question.format(_listed(values))}
        for name, scale, values, question in (
            (CATEGORY, "nominal", categories, "Of which kind is the item? {}."),
            (FOREIGNNESS, "ordinal", DEGREES, "How foreign is it? {}."),
        )
    ]
    spoken = tables.read(utterances, ["dialogue_id", "position", "speaker", "text"])
    for (name,), rows in spoken.sort("dialogue_id", "position").group_by("dialogue_id", maintain_order=True):
        made = _task(str(name), str(name), None, {}, settings)
        shown = [utterance(*row) for row in rows.select("position", "speaker", "text").iter_rows()]
        yield {**made, "shown": shown, "dimensions": dimensions}


def _asked(questions: Sequence[str], settings: TasksSettings) -> Iterator[Row]:
    """The questions of stage pivot, each about an action; their dimension has the answers that pivot reads."""
    path = settings.dimensions or ""
    dimensions = read_dimensions(path)
    if [sorted(ANSWERS.get(value, "") for value in each["values"]) for each in dimensions] != [sorted(SCALE)]:
        raise UserError(
            f"{path} must have one dimension, whose values say {', '.join(SCALE)}: {', '.join(ANSWERS)}."
        )
    for row in tables.read(questions).sort("question_id").iter_rows(named=True):
        foods, tools = ("、".join(row[name]) for name in ("ingredient_classes", "tool_classes"))
        shown = {
            "base_dish": row["base_dish"],
            "target_dish": row["target_dish"],
            "action": row["verb_class"] + (f"：{foods}" if foods else "") + (f"（{tools}）" if tools else ""),
            "phrases": clean("\n".join(row["phrases"])) or EMPTY,
        }
        task = _task(row["question_id"], row["question_id"], None, shown, settings)
        yield {**task, "dimensions": dimensions}


def _listed(values: Mapping[str, str]) -> str:
    return "; ".join(f"{value}: {what}" if what else value for value, what in values.items())

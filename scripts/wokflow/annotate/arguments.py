"""The table of studies, in which people rate or write texts, and what it gives a job."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wokflow.annotate.fields import ASKING, HUMAN, MARKING, PTA
from wokflow.annotate.raters import read_raters
from wokflow.frame.job import UserError
from wokflow.frame.paper_settings import Rows, paper_of
from wokflow.frame.paths import expanded
from wokflow.frame.runs import ADAPTED, DIALOGUES, NAME, REWRITTEN, located, read_overrides
from wokflow.frame.text_files import read_table

KINDS = ("rating", "best_worst", "writing", MARKING, ASKING)
ASH, PIVOT = "ash", "pivot"
JUDGED = (ASH, DIALOGUES, PTA)  # whose tasks are those of stage judge
DATA = (*ADAPTED, REWRITTEN, *JUDGED, PIVOT)
UNSEEN = ("writing", MARKING, ASKING)  # kinds of which no system has made what people see
WITHOUT_TEXT = (("rating", REWRITTEN), ("best_worst", "en-zh"))  # of which our instructions say nothing
STEPS = {name: f"annotate.{name}" for name in ("tasks", "sheets", "ratings", "marked", "written")}
FOLDER = "resources/annotate"
CATEGORIES = "resources/dialogues/categories.tsv"
RATERS = "raters.tsv"  # in config/studies.tsv, and to be brought
NONE = "none"  # in the column checks
COLUMNS = {
    "name": "Letters, digits, _ and -; sheets and ratings go by it.",
    "kind": "`rating`: texts are rated one by one. `best_worst`: the best and the worst of several are named. "
    "`writing`: recipes are adapted. `marking`: culture-specific items are marked. `asking`: how often actions occur "
    "in a dish is asked.",
    "data": "`zh-en`, `en-zh`: adaptations of a test set. `counterfactual`: rewritten recipes. `ash`: recipes of "
    "stage judge, which are rated. `dialogues`: adapted ones, which are rated, or original ones, whose items are "
    "marked. `pta`: translations of items, between which people choose. `pivot`: actions of dishes.",
    "systems": "Whose texts are rated, with blanks between: runs, and `human` for the references. Empty: all.",
    "texts": "A file of more texts, of people or of systems that are no runs: columns instance_id, run and "
    "prediction, Parquet or .tsv. Empty: none.",
    "dimensions": "The file of what is rated, or of the categories of items; empty: that in resources/annotate or "
    "resources/dialogues, or of stage judge.",
    "instructions": "The file of what raters are told; empty: that in resources/annotate.",
    "consent": "The file of what raters consent to; empty: that in resources/annotate.",
    "checks": "The file of tasks with known answers; empty: that in resources/annotate for its kind and data, if "
    "there is one (none for `marking`, `writing` and `asking`); `none`: no checks.",
    "raters": "The table of raters.",
    "answers": "A sheet that came back, or the folder of such sheets; empty: none has.",
    "settings": "What differs from the config for this study: `tasks.sample=200; sheets.per_task=5`.",
}


@dataclass(frozen=True)
class Study:
    """A row. `settings` holds the overrides by step and key: {"tasks": {"sample": 200}}."""

    name: str
    kind: str
    data: str
    systems: tuple[str, ...]
    texts: str | None
    dimensions: str | None
    instructions: str
    consent: str
    checks: str | None
    raters: str
    answers: str | None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    known: tuple[str, ...] = ()  # runs on its data

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs whose texts are rated."""
        return tuple(name for name in self.known if not self.systems or name in self.systems)


def read_studies(
    config: Mapping[str, Any],
    schema: Mapping[str, Any],
    runs: Mapping[str, Collection[str]],
    generators: Collection[str],
) -> Rows[Study]:
    """The rows of the table at annotate.studies by name, in its order; none without a table.

    `runs` has the names of the runs by data; for pta, of those that translate sentences whose items are known.
    `generators` are the models that write recipes for stage judge. Lines that begin with # are passed over. Under the
    settings of a paper, so are studies of other papers' data; those that have nothing to do yet are left out. Raises
    UserError with all problems, each with its line.
    """
    path = config["annotate"]["studies"]
    studies: Rows[Study] = Rows()
    problems, paper = [], paper_of(config)
    for number, row in read_table(path, COLUMNS, "studies", comments=True) if path else ():
        row = {name: row[name].strip() for name in COLUMNS}
        if paper and row["data"] in {*DATA} - {*paper.studied}:
            continue
        settings, wrong = read_overrides(row["settings"], schema, STEPS)
        faults = [*_problems(row, studies), *_of_kind(row), *_unread(row["kind"], settings), *wrong]
        systems = generators if row["data"] == ASH else runs.get(row["data"], ())
        if not faults:
            known = () if row["data"] in JUDGED or row["kind"] == "writing" else runs.get(row["data"], ())
            made = _study(row, settings, tuple(known))
            if paper and (reason := _idle(made, systems, config)):
                studies.left_out[made.name] = reason
                continue
            faults = [*_missing(made, systems, config), *_two_of_a_name(made, studies)]
            studies[made.name] = made
        problems += [f"  - line {number}: {text}" for text in faults]
    if problems:
        raise UserError(f"The studies in {path} cannot be used:\n" + "\n".join(problems))
    return studies


def _study(row: Mapping[str, str], settings: Mapping[str, Any], known: tuple[str, ...]) -> Study:
    kind, data = row["kind"], row["data"]
    lang = {ASH: "en", DIALOGUES: "en", PTA: "en", REWRITTEN: "zh", PIVOT: "zh"}.get(data, data[-2:])
    of = data if data in JUDGED and kind != MARKING else kind
    dimensions = f"{FOLDER}/{kind}.{lang}.tsv"
    own = {
        name: _own(row[name], default)
        for name, default in {
            "dimensions": None if of in (*JUDGED, "writing") else CATEGORIES if of == MARKING else dimensions,
            "instructions": f"{FOLDER}/{of}.{lang}.md",
            "consent": f"{FOLDER}/consent.{lang}.md",
            "checks": f"{FOLDER}/{of}.{data}.tsv",
        }.items()
    }
    checks = own["checks"] if row["checks"] or Path(own["checks"] or "").is_file() else None
    return Study(
        row["name"],
        kind,
        data,
        tuple(row["systems"].split()),
        located(expanded(row["texts"])) or None,
        own["dimensions"],
        own["instructions"] or "",
        own["consent"] or "",
        None if row["checks"] == NONE else checks,
        located(expanded(row["raters"])),
        located(expanded(row["answers"])) or None,
        settings,
        known,
    )


def _own(given: str, default: str | None) -> str | None:
    """The path that a row gives, or that of a file in the workflow's own resources."""
    if given:
        return located(expanded(given))
    return located(default) if default else None


def _problems(row: Mapping[str, str], studies: Mapping[str, Study]) -> Iterator[str]:
    """Cells that hold what their column does not allow."""
    if not NAME.fullmatch(row["name"]):
        yield f"{row['name']!r} is not a valid name: use letters, digits, _ and -, and begin with a letter or digit."
    if row["name"] in studies:
        yield f"the name {row['name']} is taken."
    if row["kind"] not in KINDS:
        yield f"kind {row['kind']!r} is not one of {', '.join(KINDS)}."
    if row["data"] not in DATA:
        yield f"data {row['data']!r} is not one of {', '.join(DATA)}."
    if row["data"] in JUDGED and row["kind"] in ("best_worst", "writing"):
        yield f"texts of data {row['data']} can only be rated: set kind to rating."
    if row["kind"] == "writing" and row["data"] not in (*ADAPTED, *JUDGED):
        yield f"people can adapt recipes of data {' and '.join(ADAPTED)} alone."
    if row["systems"] + row["texts"] and row["kind"] in UNSEEN:
        yield "people see no text of a system: leave the columns systems and texts empty."
    if row["texts"] and row["data"] in JUDGED:
        yield f"texts of data {row['data']} are those of stage judge: leave the column texts empty."
    if not row["raters"]:
        yield "raters is empty: name the table of raters."
    for column in ("texts", "dimensions", "instructions", "consent", "checks", "raters", "answers"):
        try:
            expanded(row[column])
        except UserError as error:
            yield f"{column} {error}"


def _of_kind(row: Mapping[str, str]) -> Iterator[str]:
    """A study that marks items in other data; one that needs instructions, and has none."""
    if row["kind"] == MARKING and row["data"] != DIALOGUES:
        yield f"items are marked in dialogues alone: set data to {DIALOGUES}."
    if (row["kind"] == ASKING) != (row["data"] == PIVOT):
        yield f"people are asked about actions of dishes alone: kind {ASKING} and data {PIVOT} go together."
    if (row["kind"], row["data"]) in WITHOUT_TEXT and not row["instructions"]:
        yield f"instructions is empty: for kind {row['kind']} of data {row['data']}, bring a file of your own."


def _unread(kind: str, settings: Mapping[str, Any]) -> Iterator[str]:
    """Settings of a step that takes the answers of other kinds."""
    takes = {"writing": "written", MARKING: "marked"}.get(kind, "ratings")
    for step in sorted({"ratings", "written", "marked"} & settings.keys() - {takes}):
        yield f"settings of {step} have no effect on kind {kind}, whose answers {takes} takes: {takes}.KEY=VALUE."


def _idle(study: Study, systems: Collection[str], config: Mapping[str, Any]) -> str:
    """Why a study has nothing to do: no raters are named yet, or no text is there to be rated. Empty: it has.

    A study with answers is never left out, nor one that names a system that is unknown among others, or a table of
    raters of its own that is not there: what is wrong with these is said by _missing.
    """
    if study.answers:
        return ""
    if study.kind == MARKING and not config["ingest"]["dialogues"]["path"]:
        return "there are no dialogues (ingest.dialogues.path)"
    dataset = study.settings.get("tasks", {}).get("dataset") or config["annotate"]["tasks"]["dataset"]
    default = "silver" if study.kind == "writing" else "gold"
    if study.data in ADAPTED and (dataset or default) == "gold" and not config["train"]["gold"][study.data]:
        return f"there is no gold set {study.data} (train.gold.{study.data})"
    human = HUMAN in study.systems or study.data in ADAPTED  # references
    written = study.texts or study.kind in UNSEEN or (human and study.data not in JUDGED)
    if not systems and not written:
        return f"no text of {study.data} is made that people could rate"
    absent = study.raters == RATERS and not Path(study.raters).is_file()
    return f"there is no table of raters ({study.raters})" if absent else ""


def _missing(study: Study, systems: Collection[str], config: Mapping[str, Any]) -> Iterator[str]:
    """Files and systems that are not there; `systems` are generators, or runs on the study's data.

    Whether a file of texts has a system is seen when the file is read.
    """
    files = (study.texts, study.dimensions, study.instructions, study.consent, study.checks, study.raters)
    yield from (f"there is no file {path}." for path in files if path and not Path(path).is_file())
    if study.answers and not Path(study.answers).exists():
        yield f"there is no sheet or folder {study.answers}."
    known = [*systems] if study.data in JUDGED else [*study.known, HUMAN]
    unknown = [name for name in study.systems if name not in known]
    if unknown and not study.texts:
        yield f"{', '.join(unknown)} is not a system of {study.data}: {', '.join(known)}."
    if study.data == ASH and not systems:
        yield "data ash are recipes of generators, and judge.models names no generator."
    if study.kind == MARKING and not config["ingest"]["dialogues"]["path"]:
        yield "there are no dialogues in which items could be marked: name their file, ingest.dialogues.path."
    if study.kind == ASKING and config["pivot"]["pivots"]["given"]:
        yield "pivot actions are given (pivot.pivots.given), so that there are no questions about them."
    if study.data == DIALOGUES and study.kind != MARKING and not systems:
        yield "no run adapts dialogues: name one in the table of runs."
    if study.data == PTA and not systems:
        yield (
            "data pta are translations by runs on sentences whose items are known: either the table of runs has no "
            "such run, or enrich.entities.path names no table of entities."
        )
    if Path(study.raters).is_file():
        try:
            read_raters(study.raters)
        except UserError as error:
            yield str(error)


def _two_of_a_name(study: Study, earlier: Mapping[str, Study]) -> Iterator[str]:
    """Pseudonyms that studies whose ratings are analysed together have from other tables of raters."""

    def raters(one: Study) -> set[str]:
        with suppress(UserError, FileNotFoundError):
            return {rater.name for rater in read_raters(one.raters)}
        return set()

    def analysed(one: Study) -> bool:
        return bool(one.kind == "rating" and one.data in JUDGED and one.answers)

    for other in earlier.values() if analysed(study) else ():
        if other.data != study.data or not analysed(other) or other.raters == study.raters:
            continue
        if both := sorted(raters(study) & raters(other)):
            yield (
                f"its ratings are analysed with those of study {other.name}, and the raters of both have the names "
                f"{', '.join(both)}. If they are the same people, give both studies the same table of raters; else, "
                "other names."
            )


def tasks_given(study: Study) -> dict[str, Any]:
    """What annotate.tasks is given of a study."""
    return {
        "study": study.name,
        "kind": study.kind,
        "data": study.data,
        "systems": list(study.systems),
        "texts": study.texts,
        "dimensions": study.dimensions,
    }


def sheets_given(study: Study) -> dict[str, Any]:
    """What annotate.sheets is given of a study."""
    files = {"instructions": study.instructions, "consent": study.consent, "checks": study.checks}
    return {"study": study.name, "kind": study.kind, "raters": study.raters, **files}


def answers_given(study: Study) -> dict[str, Any]:
    """What annotate.ratings, annotate.written and annotate.marked are given of a study."""
    return {"answers": study.answers, "raters": study.raters}

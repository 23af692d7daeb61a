"""Edits, strategies and scores of adapted dialogues: what is asked, and what is read of answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate.adaptations import evaluate_adaptations
from wokflow.evaluate.settings import AdaptationsSettings
from wokflow.evaluate.stage import ADAPTATION_FIGURES
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.schemas import ADAPTATIONS
from wokflow.ingest.schemas import ANNOTATIONS
from wokflow.judge.dialogues import judge_dialogues, task
from wokflow.judge.edit_tasks import judge_edit_tasks
from wokflow.judge.edits import judge_edits, read_edits, touches
from wokflow.judge.prompt import judge_prompt
from wokflow.judge.ratings import judge_ratings
from wokflow.judge.reading import Reader
from wokflow.judge.schemas import RATINGS, TASKS
from wokflow.judge.settings import DialoguesSettings, EditTasksSettings
from wokflow.judge.strategies import read_name

from tests.conftest import ROOT
from tests.generate.servers import endpoint, of_text
from tests.judge.models import settings

pytestmark = pytest.mark.usefixtures("keyed")
FOLDER = ROOT / "resources" / "dialogues"
SAID = "Beer, ice cream and a nude beach at Thanksgiving."
NEW = "Lassi, kulfi and a beach at Diwali, with rangoli."
EDITS: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "as asked": ("Beer → Lassi\nice cream → kulfi", [("Beer", "Lassi"), ("ice cream", "kulfi")]),
    "numbers, quotes, bold": (
        '1. "beer" -> **"lassi"**\n- Ice  Cream => kulfi.',
        [("Beer", "Lassi"), ("ice cream", "kulfi")],
    ),
    "deletion and addition": (
        "nude → # deletion\n→ with rangoli # addition",
        [("nude", ""), ("", "with rangoli")],
    ),
    "told in other words": (
        "nude -> (removed)\nnone -> with rangoli (added)",
        [("nude", ""), ("", "with rangoli")],
    ),
    "labels and remarks": (
        "Edits: Beer → Lassi (a local drink)\nEdit 2: ice cream → kulfi",
        [("Beer", "Lassi"), ("ice cream", "kulfi")],
    ),
    "words around": ("Edits:\n\nBeer → Lassi\n\nThat is all.", [("Beer", "Lassi")]),
    "a replacement that says so": ("Beer ➡️ Lassi # replacement", [("Beer", "Lassi")]),
    "twice the same": ("Beer → Lassi\nbeer → lassi", [("Beer", "Lassi")]),
    "none": ("Edits: No edit found.", []),
    "none, in other words": ("No significant changes.", []),
}
NO_EDITS = {
    "words that are not there": ("Wine → Lassi", "not_in_text"),
    "another adaptation": ("Beer → Chai", "not_in_text"),
    "the same on both sides": ("beach → beach", "no_change"),
    "nothing on both sides": ("→", "no_change"),
    "a chain": ("Beer → Wine → Lassi", "several"),
    "a refusal": ("I'm sorry, I cannot help with that.", "refused"),
    "chatter": ("The dialogue is about food.", "missing"),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_are_read_as_models_write_them(name: str) -> None:
    answer, expected = EDITS[name]
    assert [(one.original, one.adapted, one.reason) for one in read_edits(answer, SAID, NEW, "ok")] == [
        (*one, "") for one in expected
    ]


@pytest.mark.parametrize("name", NO_EDITS)
def test_lines_that_are_no_edits_have_their_reason(name: str) -> None:
    answer, reason = NO_EDITS[name]
    assert [one.reason for one in read_edits(answer, SAID, NEW, "ok")] == [reason]


def test_the_last_line_of_a_cut_answer_may_have_gone_on() -> None:
    found = list(read_edits("Beer → Lassi\nice cream → k", SAID, NEW, "cut"))
    assert [(one.original, one.reason) for one in found] == [("Beer", ""), ("", "cut")]
    assert [one.reason for one in read_edits("", SAID, NEW, "ok")] == ["empty"]
    assert [one.reason for one in read_edits("", SAID, NEW, "failed")] == ["failed"]


@pytest.mark.parametrize(
    ("words", "touching"),
    [("thanksgiving", True), ("at  Thanksgiving", True), ("a", False), ("i", True), ("", False)],
)
def test_an_edit_touches_an_item_where_its_words_are_whole_if_they_are_anywhere(
    words: str, touching: bool
) -> None:
    start = SAID.index("Thanksgiving")
    assert touches(words, SAID, [(start, start + len("Thanksgiving"))]) is touching


STRATEGIES = ("addition", "omission", "globalisation", "localisation", "transformation")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("localisation", "localisation"),
        ("**Localization**", "localisation"),
        ("4. Localization", "localisation"),
        ("The strategy used is: Globalization, as a kimono is a garment.", "globalisation"),
        ("Localization. It is neither globalization nor omission.", "localisation"),
        ("The strategy is Transformation, not localization.", "transformation"),
        ("Localisation (rather than globalisation)", "localisation"),
        ("It could be localization or transformation.", "several"),
        ("Strategy: localisation or a globalisation", "several"),
        ("Localization / globalization", "several"),
        ("Localization (globalization would lose the joke)", "localisation"),
        ("Options: addition, omission, localisation. Strategy: omission", "omission"),
        ("Substitution", "missing"),
        ("I'm sorry, I cannot help.", "refused"),
    ],
)
def test_a_strategy_is_read_where_there_is_no_doubt(answer: str, expected: str) -> None:
    found = read_name(answer, STRATEGIES)
    assert (found.value or found.reason) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("{'correctness': 1, 'localisation': 2, 'offensiveness': 0}", ("1", "2", "0")),
        (
            "'correctness (0 or 1)': 1, 'localization (0, 1, 2)': 2, 'offensiveness (0 or 1)': 0",
            ("1", "2", "0"),
        ),
        ("correctness: 1\nlocalisation: 3\noffensiveness: 0", ("1", "off_scale", "0")),
    ],
)
def test_scores_of_edits_are_read_from_dictionaries(answer: str, expected: tuple[str, ...]) -> None:
    scales = (("correctness", ("0", "1")), ("localisation", ("0", "1", "2")), ("offensiveness", ("0", "1")))
    assert tuple(one.value or one.reason for one in Reader.of(*scales).read(answer).values()) == expected


def frame(schema: Any, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return tables.frame(schema, rows)


class Judged:
    """Two dialogues as a run adapted them, and the steps of the stage in a folder, run as jobs do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        turns = [("d:1", 0, SAID, NEW), ("d:1", 1, "Fine.", "Fine."), ("e", 0, "Pie?", "Kheer?")]
        rows = [
            {"dialogue_id": name, "run": "a", "position": place, "text": text, "adapted": new, "repairs": []}
            | {"speaker": "Ann", "adapted_speaker": "Ann"}
            for name, place, text, new in turns
        ]
        tables.write(self.path("adaptations"), ADAPTATIONS, frame(ADAPTATIONS, rows), {})
        mark = {"dialogue_id": "d:1", "position": 0, "start": 0, "end": 4, "text": "Beer", "foreignness": 2}
        mark |= {"category": "Material Culture", "annotator": "r", "source_row": 0}
        tables.write(self.path("annotations"), ANNOTATIONS, frame(ANNOTATIONS, [mark]), {})
        judge_dialogues(
            adaptations=[self.path("adaptations")],
            dialogues=self.path("dialogues"),
            utterances=self.path("utterances"),
            settings=DialoguesSettings(
                dimensions=str(FOLDER / "dialogue_dimensions.tsv"), culture="India", people="Indian"
            ),
            job=Job({"key": "k"}),
        )

    def path(self, name: str) -> str:
        return str(self.folder / f"{name}.parquet")

    def ask(self, name: str, tasks: str, prompt: str, url: str, **own: Any) -> None:
        kept = {
            "cache": str(self.folder / "cache"),
            "ledger": str(self.folder / f"{name}.jsonl"),
            "run": name,
        }
        given = {"endpoint": url, "prompt": str(FOLDER / f"{prompt}.txt"), "timeout_s": 5, "tries": 2}
        judge_prompt(
            tasks=self.path(tasks),
            server=[],
            answers=self.path(name),
            settings=settings(**kept | given | own),
            job=Job({"key": "k"}),
        )

    def edits(self, name: str) -> None:
        paths = {each: self.path(each) for each in ("edits", "rejects")}
        judge_edits(
            adaptations=[self.path("adaptations")],
            annotations=[self.path("annotations")],
            tasks=self.path("utterances"),
            answers=self.path(name),
            job=Job({"key": "k"}),
            **paths,
        )
        self.edit_tasks(edits=[paths["edits"]])

    def edit_tasks(self, edits: Sequence[str] = (), changes: Sequence[str] = ()) -> None:
        judge_edit_tasks(
            adaptations=[self.path("adaptations")],
            edits=edits,
            changes=changes,
            scored=self.path("scored"),
            strategies=self.path("strategies"),
            settings=EditTasksSettings(
                dimensions=str(FOLDER / "edit_dimensions.tsv"),
                strategies=str(FOLDER / "strategy_dimensions.tsv"),
                show="Friends",
                culture="India",
                people="Indian",
            ),
            job=Job({"key": "k"}),
        )

    def read(self, name: str, tasks: str) -> str:
        """The path of the ratings that a model's answers have, all of them."""
        paths = {each: self.path(f"{name}_{each}") for each in ("ratings", "rejects")}
        judge_ratings(tasks=self.path(tasks), answers=self.path(name), job=Job({"key": "k"}), **paths)
        assert tables.read(paths["rejects"]).height == 0
        return paths["ratings"]

    def measure(self, ratings: list[str]) -> dict[str, pl.DataFrame]:
        paths = {name: self.path(f"of_{name}") for name in ADAPTATION_FIGURES}
        evaluate_adaptations(
            tasks=[self.path(name) for name in ("dialogues", "scored", "strategies")],
            ratings=ratings,
            figures=list(paths.values()),
            settings=AdaptationsSettings(judges=(), systems=()),
            job=Job({"key": "k"}),
        )
        return {name: tables.read(path) for name, path in paths.items()}


def scores(natural: int, local: int) -> str:
    values = {"naturalness": natural, "localisation": local, "offensiveness": 1, "stereotypical": 2}
    values["content preservation"] = 4
    return (
        "{"
        + ", ".join(f'"{name}": {{"score": {value}, "explanation": "x"}}' for name, value in values.items())
        + "}"
    )


def answer(text: str) -> str:
    """A judge by rules."""
    if text.startswith("Identify"):
        return (
            "Beer → Lassi\nnude → # deletion"
            if "nude" in text.rpartition("following :")[2]
            else "Pie -> Kheer"
        )
    if text.startswith("You are a translator"):
        return "4. Localization"
    if "rate the given edit" in text:
        return (
            f"{{'correctness': 1, 'localisation': {2 if 'Lassi' in text[-40:] else 1}, 'offensiveness': 0}}"
        )
    return scores(3, 5) if "Beer" in text else scores(5, 3)


def test_a_judge_finds_edits_rates_them_and_dialogues_and_figures_are_those_of_hand(tmp_path: Path) -> None:
    judged = Judged(tmp_path)
    assert tables.read(judged.path("utterances"))["task_id"].to_list() == [
        "utterance:d:1:0:a",
        "utterance:e:0:a",
    ]
    with endpoint(of_text(answer)) as server:
        judged.ask("ed", "utterances", "edits", server.url)
        judged.edits("ed")
        judged.ask("er", "scored", "edit_scores", server.url)
        judged.ask("st", "strategies", "strategy", server.url)
        judged.ask("dr", "dialogues", "dialogue_scores", server.url)
        said = [asked.text for asked in server.asked]
    assert not any(place in text for text in said for place in ("{people}", "{show}", "{edit}", "{original}"))
    assert any("from a show called 'Friends'" in text and "Ann: Lassi, kulfi" in text for text in said)
    edits = tables.read(judged.path("edits"))
    assert edits.select("dialogue_id", "position", "number", "kind", "original", "item").rows() == [
        ("d:1", 0, 1, "replacement", "Beer", True),
        ("d:1", 0, 2, "deletion", "nude", False),
        ("e", 0, 1, "replacement", "Pie", False),
    ]
    assert tables.read(judged.path("strategies"))["task_id"].to_list() == ["strategy:d:1:0:1:ed:a"]
    people = frame(
        RATINGS,
        [
            {"task_id": f"dialogue:{name}:a", "rater": who, "repetition": 1, "dimension": "naturalness"}
            | {"kind": "person", "value": value, "rationale": "", "status": "exact"}
            for name, value in (("d:1", "2"), ("e", "4"))
            for who in ("p", "q")
        ],
    )
    tables.write(tmp_path / "people.parquet", RATINGS, people, {})
    ratings = [
        judged.read(name, tasks)
        for name, tasks in (("er", "scored"), ("st", "strategies"), ("dr", "dialogues"))
    ]
    found = judged.measure([*ratings, str(tmp_path / "people.parquet")])
    means = {(row[0], row[3], row[4]): row[7] for row in found["means"].rows()}
    assert means["edits", "er", "localisation"] == pytest.approx(4 / 3)
    assert (means["dialogues", "dr", "localisation"], means["dialogues", "p", "naturalness"]) == (4, 3)
    shares = found["shares"].filter(dimension="localisation", study="edits")
    assert dict(shares.select("value", "ratings").rows()) == {"1": 2, "2": 1}
    assert found["shares"].filter(study="strategies").select("value", "share").rows() == [
        ("localisation", 100.0)
    ]
    aspects = found["aspects"].filter(rater="dr", dimension="naturalness", other="localisation")
    assert aspects.select("run", "tau").rows() == [("a", -1.0)]
    beside = found["calibration"].filter(pl.col("value").is_null(), rater="dr", against="people")
    assert set(beside["study"]) == {"dialogues"}
    assert beside.select("dimension", "tasks", "difference", "tau").rows() == [("naturalness", 2, 1.0, 1.0)]


def test_raters_of_edits_and_strategists_agree_or_not_as_raters_of_dialogues_do(tmp_path: Path) -> None:
    """Two raters of edits differ in one of two; a strategist names the same twice, and another once."""
    scale = {"name": "localisation", "scale": "ordinal", "question": "", "values": [*"012"]}
    names = {"name": "strategy", "scale": "nominal", "question": "", "values": ["localisation", "omission"]}
    tasks = [
        task(study, f"{kind}:d:{number}:1:aligner", "a", {"edit": "x", "found_by": "aligner"}, [dimension])
        for study, kind, dimension in (("edits", "edit", scale), ("strategies", "strategy", names))
        for number in (0, 1)
    ]
    said = [("er", "edits", 1, "12"), ("er2", "edits", 1, "11")]
    said += [("st", "strategies", time, ("localisation", "omission")) for time in (1, 2)]  # type: ignore[list-item]
    ratings = [
        {"task_id": one["task_id"], "rater": rater, "repetition": time, "value": value, "kind": "model"}
        | {"dimension": one["dimensions"][0]["name"], "rationale": "", "status": "exact"}
        for rater, study, time, values in said
        for one, value in zip([each for each in tasks if each["study"] == study], values, strict=True)
    ]
    for name, schema, rows in (("tasks", TASKS, tasks), ("ratings", RATINGS, ratings)):
        tables.write(tmp_path / f"{name}.parquet", schema, rows, {})
    paths = {name: str(tmp_path / f"of_{name}.parquet") for name in ADAPTATION_FIGURES}
    evaluate_adaptations(
        tasks=[str(tmp_path / "tasks.parquet")],
        ratings=[str(tmp_path / "ratings.parquet")],
        figures=list(paths.values()),
        settings=AdaptationsSettings(judges=(), systems=()),
        job=Job({"key": "k"}),
    )
    agreement = tables.read(paths["agreement"]).filter(pl.col("units") > 0)
    assert agreement.select("study", "rater", "units", "ratings", "alpha").rows() == [
        ("edits", None, 2, 4, 0.0),
        ("strategies", "st", 2, 4, 1.0),
    ]
    calibration = tables.read(paths["calibration"]).filter(pl.col("value").is_null())
    assert calibration.select("study", "rater", "against", "difference").rows() == [
        ("edits", "er", "others", 0.5),
        ("edits", "er2", "others", -0.5),
    ]


def test_without_an_editor_edits_are_those_of_the_aligner(tmp_path: Path) -> None:
    judged = Judged(tmp_path)
    changes = pl.DataFrame(
        {
            "run": ["a"],
            "dialogue_id": ["e"],
            "position": [0],
            "number": [1],
            "original": ["Pie"],
            "adapted": ["Kheer"],
        }
    ).with_columns(item=pl.lit(value=True))
    changes.write_parquet(judged.path("changes"))
    judged.edit_tasks(changes=[judged.path("changes")])
    shown = {each["name"]: each["text"] for each in tables.read(judged.path("scored"))["shown"][0]}
    assert (shown["edit"], shown["found_by"]) == ("Pie → Kheer", "aligner")

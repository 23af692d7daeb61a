"""Section of the page: dialogues that runs adapted, their edits, and what judges say of both."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.evaluate.dialogue_schemas import ADAPTATION_FIGURES
from wokflow.evaluate.edit_finding import places
from wokflow.evaluate.summary import read_published
from wokflow.report import inputs
from wokflow.report.inputs import Tables
from wokflow.report.judged_recipes import BIASES, marked
from wokflow.report.render import Cell, Table, share

SHOWN = 3  # dialogues
FOUND = ("edited", "changes", "items")  # what is found without judges
OTHERS = "published"  # the kind of a row from a paper
ASPECTS = ("naturalness", "localisation", "content preservation", "stereotypical", "offensiveness")
EDIT = "edits"
Published = Mapping[str, Mapping[tuple[str, str], Cell]]  # by data set, and there by run and metric
LOCALISATION = ("localisation", *(f"localisation={value}" for value in "012"))
PRINTED = ("number", "correctness", *LOCALISATION, "offensiveness")  # of edits, in the order of the columns


def section(parts: Tables, ruled: Sequence[str], published: str) -> dict[str, Any] | None:
    """The section's tables; None if no run adapts dialogues.

    `ruled` are the runs and models that are rules.
    """
    adapted = inputs.rows(parts, "generate/adaptations")
    if adapted.is_empty():
        return None
    edited, changes, items = (inputs.rows(parts, f"evaluate/dialogues/{name}") for name in FOUND)
    means, shares, aspects, agreement, calibration, biases = (
        inputs.rows(parts, f"evaluate/dialogues/{name}") for name in ADAPTATION_FIGURES
    )
    papers = _published(published)
    return {
        "ruled": ruled,
        "runs": _runs(adapted, items),
        "scenes": [*_scenes(adapted, changes, items)],
        "edited": _edited(edited, papers),
        "edits": _edits(means, shares, papers),
        "strategies": _strategies(shares),
        "scores": _scores(means, papers),
        "aspects": _aspects(aspects),
        "people": _people(_of(calibration, "dialogues"), papers),
        "agreement": _agreement(agreement),
        "biases": _biases(biases),
    }


def _published(path: str) -> Published:
    """Published values, a metric with as many decimals as the most that one of its values is written with."""
    rows = read_published(path).filter(data="dialogues")
    rows = rows.with_columns(pl.col("digits").max().over("dataset", "metric"))
    published: dict[str, dict[tuple[str, str], Cell]] = {}
    for row in rows.iter_rows(named=True):
        of_set = published.setdefault(row["dataset"].partition("/")[2], {})
        of_set[row["run"], row["metric"]] = Cell(row["value"], digits=row["digits"])
    return published


def _names(papers: Published, dataset: str) -> list[str]:
    return list(dict.fromkeys(run for run, _ in papers.get(dataset, {})))


def _runs(adapted: pl.DataFrame, items: pl.DataFrame) -> Table:
    """A row for each run: adapted dialogues, those that were set right, items in them."""
    rows = []
    for (run,), some in adapted.sort("run").group_by("run", maintain_order=True):
        whole = some.unique("dialogue_id", maintain_order=True)
        repairs = whole.explode("repairs").drop_nulls("repairs").group_by("repairs").len().sort("repairs")
        repaired = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in repairs.iter_rows())
        marked = 0 if items.is_empty() else items.filter(run=run).height
        rows.append([run, whole.height, some.height, marked, repaired or "nothing"])
    return Table(["Run", "Dialogues", "Utterances", "Items in them", "Set right, in dialogues"], rows)


def _edited(edited: pl.DataFrame, papers: Published) -> Table:
    """Shares of edited items: a row for each group, a column for each run, and for those of the paper."""
    if edited.is_empty():
        return Table([], [])
    first = edited["threshold"][0]
    own = edited.filter(threshold=first)
    cells = {(row["run"], row["by"], row["name"]): row for row in own.iter_rows(named=True)}
    runs, groups = _first(own["run"]), dict.fromkeys((by, name) for _, by, name in cells)
    others = _names(papers, "edited")
    of_paper = papers.get("edited", {})

    def cell(run: str, by: str, name: str | None) -> Cell:
        row = cells.get((run, by, name))
        if row is None:
            return Cell("")
        return share(row["share"] / 100, f"{row['edited']:,} of {row['items']:,}")

    body = [
        [
            {"all": "All", "foreignness": f"Foreignness {name}"}.get(by, name),
            *(cell(run, by, name) for run in runs),
            *(
                Cell(f"{of_paper[run, 'all'].text} %", number=True)
                if by == "all" and (run, "all") in of_paper
                else Cell("")
                for run in others
            ),
        ]
        for by, name in groups
    ]
    return Table(["Items", *runs, *(f"{run} (published)" for run in others)], body)


def _edits(means: pl.DataFrame, shares: pl.DataFrame, papers: Published) -> Table:
    """Table 3 of the paper: a row for each run, finder and rater of edits."""
    own = _of(means, EDIT)
    if own.is_empty():
        return Table([], [])
    keys = ["run", "found_by", "rater"]
    values = {
        row[:4]: row[4:] for row in own.select(*keys, "dimension", "mean", "low", "high", "tasks").iter_rows()
    }
    given = {
        row[:4]: row[4]
        for row in _of(shares, EDIT)
        .filter(dimension="localisation")
        .select(*keys, "value", "share")
        .iter_rows()
    }
    rows = []
    for key in dict.fromkeys(name[:3] for name in values):
        known = {name[3]: value for name, value in values.items() if name[:3] == key}
        none = 0.0 if "localisation" in known else ""  # of a value that nobody gave
        rows.append(
            [
                Cell(key[0], f"found by {key[1]}, rated by {key[2]}"),
                max(value[3] for value in known.values()),
                _spread(known.get("correctness"), 100),
                _spread(known.get("localisation")),
                *(Cell(given.get((*key, value), none), digits=1) for value in "012"),
                _spread(known.get("offensiveness"), 100),
            ]
        )
    of_paper = papers.get(EDIT, {})
    for run in _names(papers, EDIT):
        rows.append([Cell(run, kind=OTHERS), *(of_paper.get((run, name), Cell("")) for name in PRINTED)])
    heads = ["Run", "Edits", "Correct, %", "Localisation", "0, %", "1, %", "2, %", "Offensive, %"]
    return Table(heads, rows)


def _spread(estimate: Sequence[Any] | None, times: float = 1) -> Cell:
    if estimate is None or estimate[0] is None:
        return Cell(None)
    mean, low, high, *_ = estimate
    ends = "" if low is None or high is None else _ends(times * low, times * high)
    return Cell(times * mean, ends, digits=2)


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _of(frame: pl.DataFrame, study: str) -> pl.DataFrame:
    return frame if frame.is_empty() else frame.filter(study=study)


def _strategies(shares: pl.DataFrame) -> Table:
    """A row for each strategy, a column for each run and rater (Figure 6)."""
    own = _of(shares, "strategies")
    if own.is_empty():
        return Table([], [])
    cells = {(row["value"], row["run"], row["rater"]): row for row in own.iter_rows(named=True)}
    columns = list(dict.fromkeys((run, rater) for _, run, rater in cells))
    ordered = (
        own.group_by("value").agg(pl.col("ratings").sum()).sort("ratings", "value", descending=[True, False])
    )

    def cell(value: str, run: str, rater: str) -> Cell:
        row = cells.get((value, run, rater))
        return share(row["share"] / 100, f"{row['ratings']:,}") if row else Cell("")

    several = len({rater for _, rater in columns}) > 1
    heads = [f"{run}, {rater}" if several else run for run, rater in columns]
    return Table(
        ["Strategy", *heads], [[value, *(cell(value, *one) for one in columns)] for value in ordered["value"]]
    )


def _scores(means: pl.DataFrame, papers: Published) -> Table:
    """Table 5 of the paper: a row for each run and rater."""
    own = _of(means, "dialogues")
    if own.is_empty():
        return Table([], [])
    cells = {
        (row[0], row[1], row[2]): row[3:]
        for row in own.select("run", "rater", "dimension", "mean", "low", "high").iter_rows()
    }
    names = [name for name in ASPECTS if any(key[2] == name for key in cells)]
    rows: list[list[object]] = [
        [Cell(run, f"rated by {rater}"), *(_spread(cells.get((run, rater, name))) for name in names)]
        for run, rater in dict.fromkeys(key[:2] for key in cells)
    ]
    of_paper = papers.get("dialogues", {})
    for run in _names(papers, "dialogues"):
        rows.append([Cell(run, kind=OTHERS), *(of_paper.get((run, name), Cell("")) for name in names)])
    return Table(["Run", *(name.capitalize() for name in names)], rows)


def _aspects(aspects: pl.DataFrame) -> Table:
    """Kendall's tau of two aspects: a row for each two, a column for each run, of all raters together."""
    if aspects.is_empty():
        return Table([], [])
    whole = aspects.filter(pl.col("rater").is_null())
    cells = {(row["dimension"], row["other"], row["run"]): row for row in whole.iter_rows(named=True)}
    runs = _first(whole["run"])

    def cell(one: str, other: str, run: str) -> Cell:
        row = cells.get((one, other, run))
        return (
            Cell(None)
            if row is None or row["tau"] is None
            else Cell(row["tau"], _ends(row["low"], row["high"]), digits=2)
        )

    pairs = dict.fromkeys(key[:2] for key in cells)
    return Table(
        ["Aspects", *runs],
        [[f"{one}, {other}", *(cell(one, other, run) for run in runs)] for one, other in pairs],
    )


def _people(calibration: pl.DataFrame, papers: Published) -> Table:
    """Table 6 of the paper: Kendall's tau of each judge with people, if some rated."""
    if calibration.is_empty():
        return Table([], [])
    whole = calibration.filter(pl.col("value").is_null(), against="people")
    rows: list[list[object]] = []
    for (rater,), some in whole.sort("rater").group_by("rater", maintain_order=True):
        known = {row["dimension"]: row for row in some.iter_rows(named=True)}
        rows.append([rater, *(_tau(known.get(name)) for name in ASPECTS)])
    if not rows:
        return Table([], [])
    of_paper = papers.get("people", {})
    for run in _names(papers, "people"):
        rows.append([Cell(run, kind=OTHERS), *(of_paper.get((run, name), Cell("")) for name in ASPECTS)])
    return Table(["Rater", *(name.capitalize() for name in ASPECTS)], rows)


def _agreement(agreement: pl.DataFrame) -> Table:
    """A row for what is rated, each aspect, and all raters or one with its repetitions."""
    rows = [
        [
            f"{row['rater']}, repeated" if row["rater"] else "all",
            row["study"],
            row["dimension"],
            Cell(row["alpha"], _ends(row["low"], row["high"]), digits=2),
            row["units"],
        ]
        for row in agreement.iter_rows(named=True)
        if row["units"]
    ]
    return Table(["Raters", "Of", "Aspect", "α", "Tasks or repetitions"], rows) if rows else Table([], [])


def _biases(biases: pl.DataFrame) -> Table:
    """A row for each rater, bias and aspect."""
    if biases.is_empty():
        return Table([], [])
    return Table(
        ["Rater", "Bias", "Of", "Aspect", "Points"],
        [
            [row["rater"], BIASES[row["bias"]], row["study"], row["dimension"], marked(row)]
            for row in biases.iter_rows(named=True)
        ],
    )


def _tau(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["tau"] is None:
        return Cell(None)
    return Cell(row["tau"], f"{_ends(row['tau_low'], row['tau_high'])}, {row['tasks']} dialogues", digits=2)


def _first(names: pl.Series) -> list[str]:
    return list(names.unique(maintain_order=True))


def _scenes(adapted: pl.DataFrame, changes: pl.DataFrame, items: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """The dialogues with the most edits: the utterances with their items, and what each run made of them."""
    counts = changes.group_by("dialogue_id").len() if not changes.is_empty() else pl.DataFrame()
    if counts.is_empty():
        return
    chosen = counts.sort("len", "dialogue_id", descending=[True, False]).head(SHOWN)["dialogue_id"]
    marks: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for dialogue, position, start, end in items.select("dialogue_id", "position", "start", "end").iter_rows():
        marks.setdefault((dialogue, position), set()).add((start, end))
    for dialogue in chosen:
        some = adapted.filter(dialogue_id=dialogue)
        lines = some.unique("position").sort("position").select("position", "speaker", "text").rows()
        yield {
            "name": dialogue,
            "lines": [
                (who, _marked(text, sorted(marks.get((dialogue, at), ())), "tool")) for at, who, text in lines
            ],
            "runs": [
                (run, [*_made(own.sort("position"))])
                for (run,), own in some.sort("run").group_by("run", maintain_order=True)
            ],
        }


def _made(rows: pl.DataFrame) -> Iterator[tuple[str, list[tuple[str, str, int]]]]:
    """The utterances of a run, with the words that came marked."""
    for speaker, text, adapted in rows.select("adapted_speaker", "text", "adapted").iter_rows():
        came = [(begin, stop) for _, (begin, stop) in places(text, adapted) if begin < stop]
        yield speaker, _marked(adapted, came, "food")


def _marked(text: str, spans: Sequence[tuple[int, int]], kind: str) -> list[tuple[str, str, int]]:
    """A text in pieces, for the macro of that name; spans that overlap an earlier one are left out."""
    pieces, done = list[tuple[str, str, int]](), 0
    for start, end in spans:
        if start >= done:
            pieces += [("", text[done:start], 0), (kind, text[start:end], 0)]
            done = end
    return [piece for piece in (*pieces, ("", text[done:], 0)) if piece[1]]

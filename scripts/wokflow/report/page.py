"""One self-contained HTML page of a run, and the same charts to explore."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.frame import tables
from wokflow.parse.glossary import read_glossary
from wokflow.report import (
    actions,
    adaptation,
    analysis,
    evaluation,
    inputs,
    items,
    matching,
    pivots,
    provenance,
    releases,
    results,
    runs,
    training,
)
from wokflow.report.charts import Charts, library
from wokflow.report.left_out import left_out
from wokflow.report.matching import DIRECTIONS
from wokflow.report.render import Templates

PARSED = {"xiachufang": "XiaChuFang", "counterfactual": "Counterfactual base recipes"}
DATA = DIRECTIONS | {"counterfactual": "Counterfactual recipes"}


def report_page(
    *,
    statistics: str,
    histogram: str,
    leaks: str,
    parser: Sequence[str],
    models: Sequence[str],
    rejects: Sequence[str],
    release: str,
    page: str,
    interactive: str,
    examples: int,
    threshold: float,
    annotators: int,
    orders: Mapping[str, Any],
    counterfactual_level: float,
    adaptation_level: float,
    item_pairs: Sequence[tuple[str, str]],
    glossary: str,
    dish_pairs: str,
    prompts: Sequence[str],
    templates: str,
    benchmarks: str,
    **parts: str | Sequence[str],
) -> None:
    """Write the page, which needs no other file and no script, and `interactive`, where its charts can be explored.

    Both have the same bytes for the same results, but for run times, the times of sources and the commit of the code.

    `parts` are those of tables, each under the name that inputs.input_name gives it: those of generate of all runs of
    some data, the others as they are called; what the config leaves out may be missing. `parser` has the scores of
    the parser that the workflow trained, if it did, `models` are the folders of trained models, `rejects` are tables
    of what was left out, and of what that is a share of; `release` is the folder of the release; run times are read
    from the folder `benchmarks`. `annotators` is pivot.pivots.annotators, `orders` are those of the settings
    pivot.orders that it shows, and both levels are those of the intervals of scores; `item_pairs` are the sources of
    sentences with their languages, `prompts` the prompts of runs, `templates` the folder of this page's own.
    """
    words, draw = read_glossary(glossary), Charts()
    files = {"statistics": statistics, "histogram": histogram, "leaks": leaks}
    paths = [path for each in parts.values() for path in ([each] if isinstance(each, str) else each)]
    paths += [*files.values(), *parser, *models, *rejects, release]
    results_folder = str(Path(benchmarks).parent)
    jobs = provenance.history(paths, results_folder)
    lost = [*left_out(paths, results_folder)]
    rows, pairs, languages = matching.read_counts(parts), matching.read_pairs(parts), dict(item_pairs)
    best = [*results.best(parts, DATA | {name: name for name in languages}, draw)]
    parsed = actions.section(parts, PARSED, words) | {"parsers": [*map(actions.parser, parser)]}
    dishes: dict[str, Any] = {
        "pairs": dish_pairs,
        "annotators": annotators,
        "orders": orders,
    }
    compared = matching.compared(parts, pairs, files, threshold, examples, draw)
    # By template: the heading, what the template shows, and how the names of the tables behind it begin.
    sections: dict[str, tuple[str, Mapping[str, Any] | None, tuple[str, ...]]] = {
        "ingest": ("Recipes and rejects", matching.counts(parts, rows), ("ingest/", "match/rejects")),
        "match": ("Pairs", compared, ("match/",)),
        "parse": ("Actions", parsed, ("parse/",)),
        "pivot": ("Dish pairs", pivots.section(parts, words=words, **dishes), ("pivot/",)),
        "enrich": (
            "Culture-specific items",
            items.section(parts, languages, examples),
            ("enrich/", "evaluate/csi_match"),
        ),
        "train": ("Training", training.section(models, DATA, draw), ("train/",)),
        "generate": ("Runs and predictions", runs.section(parts, DATA, jobs, prompts), ("generate/",)),
        "scores": (
            "Scores of adaptation",
            adaptation.section(parts, DIRECTIONS, adaptation_level, draw),
            ("evaluate/scores", "evaluate/comparisons", "evaluate/summary"),
        ),
        "literal": ("Literal translation", analysis.literal(parts, DIRECTIONS), ("evaluate/literal",)),
        "correlations": (
            "Agreement with people",
            analysis.correlations(parts, DIRECTIONS),
            ("evaluate/correlations",),
        ),
        "counterfactual": ("Rewritten recipes", evaluation.section(parts, counterfactual_level), ()),
        "export": ("Release", releases.section(release), ("export/",)),
        "provenance": (
            "How this was made",
            provenance.section(jobs, *inputs.run_times(Path(benchmarks))),
            ("",),
        ),
    }
    render, links, filled = Templates(templates).render, inputs.links(page, paths), []
    for name, (heading, shown, tables_of) in sections.items():
        if shown is not None:
            own = [link for link in links if link["name"].startswith(tables_of)]
            links = [link for link in links if link not in own]
            body = render(f"{name}.html", **shown)
            filled.append({"name": name, "heading": heading, "body": body, "links": own})
    top = {
        "counts": [*results.counts(pairs, rows)],
        "first": matching.first(compared["examples"]),
        "left_out": lost,
        "warnings": [
            *matching.warnings(rows, pairs, threshold),
            *(one.explained() for one in lost if one.loud),
        ],
        "best": best,
        "interactive": Path(interactive).name,
    }
    tables.write_text(page, render("page.html", sections=filled, **top))
    tables.write_text(interactive, render("interactive.html", charts=draw.drawn, library=library()))

"""One self-contained HTML page of a run, and the same charts to explore."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.frame import tables
from wokflow.parse.glossary import read_glossary
from wokflow.report import (
    adaptation,
    analysis,
    dishes,
    evaluation,
    inputs,
    items,
    lexicon,
    matching,
    parsing,
    provenance,
    pta,
    ratings,
    releases,
    results,
    runs,
    spoken,
    training,
)
from wokflow.report.charts import Charts, library
from wokflow.report.left_out import left_out
from wokflow.report.matching import DIRECTIONS
from wokflow.report.render import Templates
from wokflow.report.settings import PageSettings

PARSED = {"xiachufang": "XiaChuFang", "counterfactual": "Counterfactual base recipes"}
DATA = DIRECTIONS | {"counterfactual": "Counterfactual recipes"}
HEADINGS = {  # of sections, by template
    "ingest": "Recipes and rejects",
    "match": "Pairs",
    "parse": "Actions",
    "pivot": "Dish pairs",
    "enrich": "Culture-specific items",
    "lexicon": "Words across kitchens",
    "train": "Training",
    "generate": "Runs and predictions",
    "scores": "Scores of adaptation",
    "literal": "Literal translation",
    "correlations": "Agreement with people",
    "counterfactual": "Rewritten recipes",
    "pta": "Translations of items, compared",
    "judge": "Recipes by models, rated",
    "spoken": "Adapted dialogues",
    "export": "Release",
    "provenance": "How this was made",
}


def report_page(
    *,
    parser: Sequence[str],
    models: Sequence[str],
    rejects: Sequence[str],
    release: str,
    page: str,
    interactive: str,
    settings: PageSettings,
    **parts: str | Sequence[str],
) -> None:
    """Write the page, which needs no other file and no script, and `interactive`, where its charts can be explored.

    Both have the same bytes for the same results, but for run times, the times of sources and the commit of the code.

    `parts` are those of tables, each under the name that inputs.input_name gives it: tables of stage generate for all
    runs of some data, the others as they are called; what the config leaves out may be missing. `match_statistics`
    among them is the table of match.statistics, `match_scores` its histogram, and `match_leaks` what match.split says
    of leaks. `parser` has the scores of the parser, if the workflow trained one, `models` are the folders of trained
    models, `rejects` are tables of what was left out, and the tables that it was left out of, `release` is the
    folder of the release. `lexicon_aligned` among the parts is the folder of aligned word vectors.
    """
    words, draw, examples = read_glossary(settings.glossary), Charts(), settings.examples
    paths = [path for each in parts.values() for path in ([each] if isinstance(each, str) else each)]
    paths += [*parser, *models, *rejects, release]
    results_folder = str(Path(settings.benchmarks).parent)
    jobs = provenance.history(paths, results_folder)
    lost = [*left_out(paths, results_folder)]
    rows, pairs = matching.read_counts(parts), matching.read_pairs(parts)
    languages = dict(settings.item_pairs)
    best = [*results.best(parts, DATA | {name: name for name in languages}, draw)]
    parsed = parsing.section(parts, PARSED, words) | {"parsers": [*map(parsing.parser, parser)]}
    compared = matching.compared(parts, pairs, settings.threshold, examples, settings.published, draw)
    # By template: what it shows, and how the names of the tables behind it begin.
    sections: dict[str, tuple[Mapping[str, Any] | None, tuple[str, ...]]] = {
        "ingest": (matching.counts(parts, rows), ("ingest/", "match/rejects")),
        "match": (compared, ("match/",)),
        "parse": (parsed, ("parse/",)),
        "pivot": (dishes.section(parts, settings, words), ("pivot/",)),
        "enrich": (
            items.section(parts, languages, examples, settings.published),
            ("enrich/", "evaluate/csi_match"),
        ),
        "lexicon": (
            lexicon.section(
                parts, lexicon.doubts(inputs.of(parts, "lexicon/aligned")), settings.published, draw
            ),
            ("lexicon/",),
        ),
        "train": (training.section(models, DATA, draw), ("train/",)),
        "generate": (
            runs.section(parts, DATA, jobs, settings.prompts, dict(settings.predicting)),
            ("generate/",),
        ),
        "scores": (
            adaptation.section(parts, DIRECTIONS, settings.level, draw),
            ("evaluate/scores", "evaluate/comparisons", "evaluate/summary"),
        ),
        "literal": (analysis.literal(parts, DIRECTIONS), ("evaluate/literal",)),
        "correlations": (
            analysis.correlations(parts, DIRECTIONS, settings.published),
            ("evaluate/correlations",),
        ),
        "counterfactual": (evaluation.section(parts, settings.level, settings.published), ()),
        "pta": (pta.section(parts, dict(settings.choosing)), ("judge/pta", "evaluate/pta")),
        "judge": (
            ratings.section(parts, dict(settings.judges)),
            ("judge/", "evaluate/ratings", "evaluate/words"),
        ),
        "spoken": (
            spoken.section(parts, dict(settings.speaking), settings.published),
            ("evaluate/dialogues", "generate/adaptations", "ingest/utterances", "ingest/annotations"),
        ),
        "export": (releases.section(release), ("export/",)),
        "provenance": (provenance.section(jobs, *inputs.run_times(Path(settings.benchmarks))), ("",)),
    }
    render, links, filled = Templates(settings.templates).render, inputs.links(page, paths), []
    for name, (shown, tables_of) in sections.items():
        if shown is not None:
            own = [link for link in links if link["name"].startswith(tables_of)]
            links = [link for link in links if link not in own]
            body = render(f"{name}.html", **shown)
            filled.append({"name": name, "heading": HEADINGS[name], "body": body, "links": own})
    top = {
        "counts": [*results.counts(pairs, rows)],
        "first": matching.first(compared["examples"]),
        "left_out": lost,
        "warnings": [
            *matching.warnings(rows, pairs, settings.threshold),
            *(one.explained() for one in lost if one.loud),
        ],
        "best": best,
        "interactive": Path(interactive).name,
    }
    tables.write_text(page, render("page.html", sections=filled, **top))
    tables.write_text(interactive, render("interactive.html", charts=draw.drawn, library=library()))

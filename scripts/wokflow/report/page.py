"""One self-contained HTML page of a run, and the same charts to explore."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.columns import Reason, Rejected
from wokflow.frame.paper_settings import PAPERS
from wokflow.parse.glossary import read_glossary
from wokflow.report import (
    adaptation,
    aligned_words,
    analysis,
    compared_translations,
    culture_items,
    dish_pairs,
    evaluation,
    inputs,
    judged_recipes,
    paper_exhibits,
    parsing,
    provenance,
    rated_by_people,
    recipe_pairs,
    releases,
    results,
    run_predictions,
    spoken,
    training,
)
from wokflow.report.charts import Charts, library
from wokflow.report.left_out import Declared, left_out
from wokflow.report.recipe_pairs import DIRECTIONS
from wokflow.report.render import Templates
from wokflow.report.settings import PageSettings
from wokflow.report.shortfalls import SERVED, of_served

PARSED = {"xiachufang": "XiaChuFang", "counterfactual": "Counterfactual base recipes"}
DATA = DIRECTIONS | {"counterfactual": "Counterfactual recipes"}
HOW = "provenance"  # the section that is of every paper


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

    The same results give the same bytes, apart from run times, the times of sources and the commit of the code.

    `parts` has the parts of tables under the names of inputs.input_name: for tables of stage generate, those of all
    runs on the same data. Tables that the config leaves out may be missing. `match_statistics` among them is the
    table of match.statistics, `match_scores` its histogram, and `match_leaks` what match.split says of leaks.
    `parser` has the scores of the parser, if the workflow trained one, `models` are the folders of trained models,
    `rejects` are tables of rejects and the tables that they were left out of, `release` is the folder of the release.
    `lexicon_aligned` among the parts is the folder of aligned word vectors.

    Under the settings of a paper, its tables and figures come first, then the sections that show them; all others are
    folded behind these, and the top is about the paper's data alone.
    """
    words, draw, examples = read_glossary(settings.glossary), Charts(), settings.examples
    paths = [path for each in parts.values() for path in ([each] if isinstance(each, str) else each)]
    paths += [*parser, *models, *rejects, release]
    results_folder = str(Path(settings.benchmarks).parent)
    jobs = provenance.history(paths, results_folder)
    declared = Declared(
        {
            stage: {reason: Reason(*meaning) for reason, meaning in reasons.items()}
            for stage, reasons in settings.reasons
        },
        {begin: Rejected(*held) for begin, held in settings.rejected},
    )
    lost = [*left_out(paths, results_folder, declared)]
    rows, pairs = recipe_pairs.read_counts(parts), recipe_pairs.read_pairs(parts)
    languages, ruled = dict(settings.item_pairs), settings.ruled
    own, data = _own(settings)
    best = [*results.best(parts, data | {name: name for name in languages if "enrich" in own}, draw)]
    parsed = parsing.section(parts, PARSED, words) | {"parsers": [*map(parsing.parser, parser)]}
    compared = recipe_pairs.compared(parts, pairs, settings.threshold, examples, settings.published, draw)
    correlations = analysis.correlations(parts, DIRECTIONS, settings.published)
    aligned = aligned_words.doubts(inputs.of(parts, "lexicon/aligned"))
    contents: dict[str, Mapping[str, Any] | None] = {  # of sections, by template; None: left out
        "ingest": recipe_pairs.counts(parts, rows),
        "match": compared,
        "parse": parsed,
        "pivot": dish_pairs.section(parts, settings, words),
        "enrich": culture_items.section(parts, languages, examples, settings.published, draw),
        "lexicon": aligned_words.section(parts, aligned, settings.published, draw),
        "train": training.section(models, DATA, draw),
        "generate": run_predictions.section(parts, data | DATA, jobs, settings.prompts, ruled["generate"]),
        "scores": adaptation.section(parts, DIRECTIONS, settings.level, draw),
        "literal": analysis.literal(parts, DIRECTIONS),
        "correlations": correlations,
        "counterfactual": evaluation.section(parts, settings.level, settings.published),
        "people": rated_by_people.section(parts, dict(settings.studies), settings.published),
        "pta": compared_translations.section(parts, ruled["pta"], languages, settings.published),
        "judge": judged_recipes.section(parts, ruled["judge"], settings.published),
        "spoken": spoken.section(parts, ruled["spoken"], settings.published),
        "export": releases.section(release, settings.accepted),
        "provenance": provenance.section(jobs, *inputs.run_times(Path(settings.benchmarks))),
    }
    render, links = Templates(settings.templates).render, inputs.links(page, paths)
    sections: list[dict[str, Any]] = []
    for template, heading, begins in settings.sections:
        content = contents[template]
        if content is not None:
            behind = [link for link in links if link["name"].startswith(begins)]
            links = [link for link in links if link not in behind]
            body = render(f"{template}.html", **content)
            sections.append({"name": template, "heading": heading, "body": body, "links": behind})
    shown, others = ([one for one in sections if (one["name"] in own) == ours] for ours in (True, False))
    of_pairs, of_recipes = "match" in own, bool({"match", "pivot"} & own)
    precision = (compared["cooked"] or {}).get("precision")
    doubted = [*recipe_pairs.warnings(rows, pairs, settings.threshold, precision)]
    top = {
        "paper": _paper(settings, {one["name"]: one["heading"] for one in shown}),
        "other_settings": settings.other_settings,
        "stand_ins": settings.stand_ins,
        "demo_pairs": settings.demo_pairs,
        "counts": [*results.counts(pairs, rows)] if of_pairs else [],
        "first": recipe_pairs.first(compared["examples"]) if of_pairs else None,
        "left_out": lost,
        "warnings": [
            *(doubted if of_recipes else ()),
            *(one.explained() for one in lost if one.loud),
            *_served(parts),
        ],
        "doubted": [] if of_recipes else doubted,
        "best": best,
        "interactive": Path(interactive).name,
    }
    tables.write_text(page, render("page.html", sections=shown, others=others, **top))
    tables.write_text(interactive, render("interactive.html", charts=draw.drawn, library=library()))


def _served(parts: inputs.Tables) -> Iterator[str]:
    """About runs and judges whose answers came from several models."""
    for table, name in SERVED.items():
        answers = inputs.rows(parts, table)
        if not answers.is_empty():
            yield from of_served(answers.select("served_model", name=pl.col(name)))


def _own(settings: PageSettings) -> tuple[set[str], dict[str, str]]:
    """The sections and the data that the page is about: without a paper, all."""
    if not settings.paper:
        return {template for template, _, _ in settings.sections}, DATA
    studied = PAPERS[settings.paper].studied
    own = paper_exhibits.templates(settings.papers, settings.paper) | {HOW}
    return own, {name: title for name, title in DATA.items() if name in studied}


def _paper(settings: PageSettings, headings: Mapping[str, str]) -> Mapping[str, Any] | None:
    """What the top says of the paper, and its tables and figures; None without a paper."""
    if not settings.paper:
        return None
    found = paper_exhibits.section(settings.papers, settings.paper, settings.published, headings)
    return {"name": PAPERS[settings.paper].name, **found}

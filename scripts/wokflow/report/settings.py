"""The settings of stage report: config block report.page, and what the page shows of the config elsewhere."""

from wokflow.frame.settings import Block, Content, Field, Folder, Never, Settings, Text, borrowed, from_rule


class OrderLimits(Block):
    """The fields of wokflow.pivot.order_limits.Limits that the page shows."""

    estimate: Text
    effect: float
    correct: bool
    units: int


class PageSettings(Settings):
    examples: int = Field(12, ge=0, le=500)
    """Number of example pairs of each direction shown side by side."""
    threshold: float = borrowed("match.pair.threshold")
    annotators: int = borrowed("pivot.pivots.annotators")
    glossary: Text = borrowed("parse.glossary.path")
    dish_pairs: Text = borrowed("pivot.pairs.path")
    orders: OrderLimits = from_rule()
    """The limits of pivot.orders, with those of its preset."""
    level: float = from_rule()
    """The level of the intervals of scores."""
    item_pairs: tuple[tuple[str, str], ...] = from_rule()
    """Sources of sentences whose items are known, with their languages."""
    prompts: Content[tuple[Text, ...]] = from_rule()
    """The prompts of all runs."""
    ruled: dict[Text, tuple[str, ...]] = from_rule()
    """Runs and models of each section (by its template) whose answers were made by rules."""
    paper: str = from_rule()
    """The short name of the paper whose settings the config has; empty: none."""
    papers: Folder[Text] = from_rule()
    """The tables of the papers' tables and figures (resources/papers)."""
    other_settings: tuple[Text, ...] = from_rule()
    """Settings that are not the paper's, with their values and the paper's."""
    stand_ins: tuple[Text, ...] = from_rule()
    """What of the paper's the demo stands in for."""
    demo_pairs: tuple[Text, ...] = from_rule()
    """The demo's corpora whose pairs are shown, but which the paper is not about."""
    sections: tuple[tuple[Text, Text, tuple[str, ...]], ...] = from_rule()
    """The sections: template, heading, and how the names of the tables behind each begin."""
    reasons: tuple[tuple[Text, dict[Text, tuple[Text, bool]]], ...] = from_rule()
    """The reasons of rejects by stage: the meaning, and whether it is by design."""
    rejected: tuple[tuple[Text, tuple[Text, str, tuple[Text, ...], tuple[Text, ...]]], ...] = from_rule()
    """What tables of rejects hold, by how their names begin: the fields of wokflow.frame.columns.Rejected."""
    studies: tuple[tuple[Text, Text], ...] = from_rule()
    """The studies with their data."""
    accepted: frozenset[Text] = borrowed("export.release.accept")
    published: Text = borrowed("evaluate.summary.published")
    templates: Folder[Text] = from_rule()
    """The page's own templates."""
    benchmarks: Never[Text] = from_rule()
    """The folder that has the run times."""

"""Whose keys settings of stages lexicon and annotate change, which hand sheets to people."""

from tests.workflow.changes import Settings, setting

WORDS = setting("lexicon.included", True)
STUDIED = setting("annotate.studies", "data/studies.tsv")
MARKED = Settings({"annotate.studies": "data/marking.tsv", "ingest.dialogues.path": "data/spoken.jsonl"})
OF_SHEETS: dict[str, tuple[Settings, Settings, set[str]]] = {
    **{
        f"lexicon.{name}, where the stage is included": (WORDS, setting(f"lexicon.{name}", value), rules)
        for name, value, rules in (
            *(
                (f"vectors.{name}", value, {"lexicon_vectors"})
                for name, value in {
                    "dimensions": 8,
                    "epochs": 1,
                    "least_count": 1,
                    "window": 3,
                    "negative": 5,
                    "recipes": 3,
                    "seed": 14,
                }.items()
            ),
            *(
                (f"align.{name}", value, {"lexicon_align"})
                for name, value in {
                    "cutoff": 9,
                    "keep": 0.5,
                    "growth": 3,
                    "patience": 2,
                    "threshold": 0.1,
                    "reweight": 0,
                    "seed": 14,
                }.items()
            ),
            ("align.seed_dictionary", "data/seed.tsv", {"lexicon_align", "lexicon_neighbours"}),
            ("align.neighbourhood", 3, {"lexicon_align", "lexicon_neighbours"}),
            ("neighbours.words", 3, {"lexicon_neighbours"}),
            ("neighbours.light", "data/light.txt", {"lexicon_neighbours"}),
            ("neighbours.shown", 3, {"lexicon_neighbours"}),
            ("neighbours.count", 3, {"lexicon_neighbours", "lexicon_precision"}),
            ("neighbours.dictionary", "data/seed.tsv", {"lexicon_neighbours", "lexicon_precision"}),
            ("precision.marks", ["data/seed.tsv"], {"lexicon_precision"}),
        )
    },
    "lexicon.included, a stage more": (
        setting("contact", "me@example.org"),
        WORDS,
        set(),
    ),
    **{
        f"{name}, with studies": (STUDIED, setting(name, value), {rule})
        for name, value, rule in (
            ("annotate.studies", "data/other_studies.tsv", "annotate_tasks"),
            ("annotate.tasks.dataset", "silver", "annotate_tasks"),
            ("annotate.tasks.sample", 1, "annotate_tasks"),
            ("annotate.tasks.each", 1, "annotate_tasks"),
            ("annotate.tasks.strata", ["source"], "annotate_tasks"),
            ("annotate.tasks.size", 3, "annotate_tasks"),
            ("annotate.tasks.seed", 14, "annotate_tasks"),
            ("annotate.sheets.per_task", 2, "annotate_sheets"),
            ("annotate.sheets.per_rater", 3, "annotate_sheets"),
            ("annotate.sheets.seed", 14, "annotate_sheets"),
            ("annotate.ratings.comprehension", 0.5, "annotate_ratings"),
            ("annotate.ratings.attention", 1, "annotate_ratings"),
            ("annotate.ratings.answered", 0.5, "annotate_ratings"),
            ("annotate.ratings.alike", 9, "annotate_ratings"),
            ("annotate.written.comprehension", 0.5, "annotate_written"),
            ("annotate.written.attention", 1, "annotate_written"),
            ("annotate.written.answered", 0.5, "annotate_written"),
            ("evaluate.people.bootstrap.samples", 100, "evaluate_people"),
            ("evaluate.people.bootstrap.seed", 14, "evaluate_people"),
            ("evaluate.best_worst.bootstrap.samples", 100, "evaluate_best_worst"),
            ("evaluate.best_worst.bootstrap.seed", 14, "evaluate_best_worst"),
        )
    },
    "annotate.studies, limits of one study's own": (
        STUDIED,
        setting("annotate.studies", "data/lenient_studies.tsv"),
        {"annotate_written"},
    ),
    **{
        f"{name}, with marked items": (MARKED, setting(name, value), {rule})
        for name, value, rule in (
            ("annotate.marked.comprehension", 0.5, "annotate_marked"),
            ("annotate.marked.attention", 1, "annotate_marked"),
            ("annotate.marked.answered", 0.5, "annotate_marked"),
            ("annotate.marked.f1", 0.5, "annotate_marked"),
            ("annotate.marked.overlap", 0.9, "annotate_marked"),
            ("evaluate.marks.bootstrap.samples", 100, "evaluate_marks"),
            ("evaluate.marks.bootstrap.seed", 14, "evaluate_marks"),
        )
    },
}

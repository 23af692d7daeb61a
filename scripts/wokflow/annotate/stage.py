"""Stage annotate: its targets."""

from wokflow.annotate.fields import ASKING, MARKING
from wokflow.frame.columns import Rejected
from wokflow.frame.scope import Scope

ABOUT = (
    "hands texts and questions to people, to rate, compare, adapt, mark or answer, as sheets, and takes the answers "
    "back: `docs/annotate.md`"
)
ARROWS = (
    "generate_instances & generate_predictions & judge_tasks --> annotate_tasks --> annotate_sheets",
    "ingest_dialogues & pivot_questions --> annotate_tasks",
    "annotate_sheets -. filled in by people .-> annotate_written & annotate_ratings & annotate_marked",
)
RATED = ("rating", "best_worst", ASKING)  # kinds whose answers are ratings
REJECTED = {
    "annotate/rejects/": Rejected("ratings by people", kept=("annotate/ratings/",)),
}
NEEDED_BY_NAME = {"openpyxl": "reads and writes workbooks"}


def targets(scope: Scope) -> list[str] | None:
    """None if there are no studies."""
    if not scope.studies:
        return None
    folder = f"{scope.results.folder}/annotate"
    sheets = [f"{folder}/sheets/{name}" for name in scope.studies]
    rated = [f"{folder}/ratings/{name}/part-00000.parquet" for name in scope.answered(*RATED)]
    written = [f"{folder}/written/{name}.tsv" for name in scope.answered("writing")]
    return [*sheets, *rated, *written, *(f"{folder}/marked/{name}.jsonl" for name in scope.answered(MARKING))]


def rejects(scope: Scope) -> list[str]:
    tables = [f"rejects/{name}" for name in scope.answered(*RATED, "writing", MARKING)]
    tables += [f"ratings/{name}" for name in scope.answered(*RATED)]
    return [path for table in tables for path in scope.results.parts(f"annotate/{table}", 1)]

"""Stage annotate: its targets."""

from wokflow.frame.scope import Scope

ABOUT = (
    "hands texts to people, to rate, compare or adapt, as sheets, and takes their answers back: "
    "`docs/annotate.md`"
)
ARROWS = (
    "generate_instances & generate_predictions & judge_tasks --> annotate_tasks --> annotate_sheets",
    "annotate_sheets -. filled in by people .-> annotate_written & annotate_ratings",
)


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/annotate"
    sheets = [f"{folder}/sheets/{name}" for name in scope.studies]
    rated = [f"{folder}/ratings/{name}/part-00000.parquet" for name in scope.answered("rating", "best_worst")]
    return [*sheets, *rated, *(f"{folder}/written/{name}.tsv" for name in scope.answered("writing"))]

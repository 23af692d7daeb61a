"""What stage annotate is of the workflow."""

from wokflow.frame.scope import Scope


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/annotate"
    sheets = [f"{folder}/sheets/{name}" for name in scope.studies]
    rated = [f"{folder}/ratings/{name}/part-00000.parquet" for name in scope.answered("rating", "best_worst")]
    return [*sheets, *rated, *(f"{folder}/written/{name}.tsv" for name in scope.answered("writing"))]

"""What stage report is of the workflow."""

from wokflow.frame.scope import Scope


def targets(scope: Scope) -> list[str]:
    return [f"{scope.results.folder}/report/page/index.html"]

"""Stage report: what it is run for."""

from wokflow.frame.scope import Scope


def targets(scope: Scope) -> list[str]:
    return [f"{scope.results.folder}/report/page/index.html"]

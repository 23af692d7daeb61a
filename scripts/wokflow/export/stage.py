"""Stage export: what it is run for."""

from wokflow.frame.scope import Scope


def targets(scope: Scope) -> list[str]:
    release = scope.config["export"]["release"]
    return [f"{scope.results.folder}/export/release/{release['name']}-{release['version']}"]

"""Stage export: its target, the release."""

from wokflow.frame.scope import Scope

ABOUT = (
    "makes a release of any finished table: Parquet files, card, licences, provenance; gates stop what should "
    "not be published"
)
ARROWS = ("match_statistics --> export_dataset --> export_gates --> export_release",)
SECTIONS = {"export": ("Release", "export/")}
NEEDED_BY_NAME = {
    "opencc": "reads traditional characters in gold sets",
    "scipy": "finds the pairs that are connected",
}


def targets(scope: Scope) -> list[str]:
    release = scope.config["export"]["release"]
    return [f"{scope.results.folder}/export/release/{release['name']}-{release['version']}"]

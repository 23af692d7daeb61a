"""Stage report: its target, the page."""

from wokflow.frame.scope import Scope

ABOUT = "shows the results on one HTML page"
ARROWS = (
    "export_gates & enrich_statistics & evaluate_counterfactual & evaluate_summary & evaluate_correlations & "
    "evaluate_csi_match & evaluate_people & evaluate_best_worst & evaluate_marks & evaluate_ratings & "
    "evaluate_biases & evaluate_words & evaluate_dialogues & evaluate_adaptations & "
    "evaluate_pta & lexicon_precision --> report_page",
)
SECTIONS = {"provenance": ("How this was made", "")}  # and all tables that no other section names


def targets(scope: Scope) -> list[str]:
    return [f"{scope.results.folder}/report/page/index.html"]

"""What stage evaluate is of the workflow: its cutoffs and targets, and what it asks of a config."""

from wokflow.frame.scope import Scope

WITHOUT_GPU = {
    "evaluate_bertscore": "evaluate.bertscore.device: cpu",
    "evaluate_smatch": "evaluate.smatch switched off",
    "evaluate_comet": "evaluate.comet switched off",
    "evaluate_counterfactual": "evaluate.counterfactual.bertscore.device: cpu",
}


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/evaluate"
    tables = ("scores/part-00000", "scores/part-00001", "comparisons/part-00000", "correlations/part-00000")
    scores = [f"{folder}/{table}.parquet" for table in (*tables, "literal/part-00000")]
    return scores + [f"{folder}/csi_match/{corpus}/part-00000.parquet" for corpus in scope.linked]

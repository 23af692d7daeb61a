"""What stage evaluate asks of a config."""

WITHOUT_GPU = {
    "evaluate_bertscore": "evaluate.bertscore.device: cpu",
    "evaluate_smatch": "evaluate.smatch switched off",
    "evaluate_comet": "evaluate.comet switched off",
    "evaluate_counterfactual": "evaluate.counterfactual.bertscore.device: cpu",
}

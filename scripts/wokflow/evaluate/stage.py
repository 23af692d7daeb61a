"""Stage evaluate: its targets, its sections of the page, and which of its steps measure a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wokflow.annotate.fields import MARKING
from wokflow.evaluate.dialogue_schemas import ADAPTATION_FIGURES, ADAPTATION_TABLES
from wokflow.evaluate.rating_schemas import PTA_TABLES
from wokflow.frame.languages import target_lang
from wokflow.frame.runs import Run
from wokflow.frame.scope import Scope

ABOUT = (
    "scores adaptations and translations (BLEU, chrF, ROUGE-L, BERTScore, Smatch, COMET, BLEURT) and "
    "rewritten recipes (ingredients, actions, order)"
)
_MEASURES = "evaluate_metrics & evaluate_bertscore & evaluate_smatch & evaluate_comet & evaluate_bleurt"
ARROWS = (
    "generate_predictions & generate_retrieval & generate_prompt --> "
    f"{_MEASURES} & evaluate_outputs & evaluate_literal",
    f"{_MEASURES} & evaluate_outputs --> evaluate_summary & evaluate_correlations",
    "pivot_orders & generate_baselines & generate_predictions & parse_vectors --> evaluate_counterfactual",
    "enrich_assemble --> evaluate_csi_match --> evaluate_correlations; judge_tasks --> evaluate_words",
    "judge_ratings --> evaluate_ratings & evaluate_biases & evaluate_pta",
    "annotate_marked --> evaluate_marks",
    "generate_adaptations --> evaluate_dialogues; judge_ratings & judge_edits --> evaluate_adaptations",
    "annotate_ratings --> evaluate_people & evaluate_best_worst & evaluate_pta & evaluate_ratings & evaluate_biases",
    "lexicon_precision --> evaluate_literal",
)
SECTIONS = {  # those of stages judge and annotate among them, whose ratings it counts
    "scores": ("Scores of adaptation", "evaluate/scores", "evaluate/comparisons", "evaluate/summary"),
    "literal": ("Literal translation", "evaluate/literal"),
    "correlations": ("Agreement with people", "evaluate/correlations"),
    "people": ("Ratings by people", "annotate/", "evaluate/people", "evaluate/best_worst", "evaluate/marks"),
    "counterfactual": ("Rewritten recipes",),  # the tables are those of `scores`
    "pta": ("Translations of items, compared", "judge/pta", "evaluate/pta"),
    "judge": ("Recipes by models, rated", "judge/", "evaluate/ratings", "evaluate/words"),
    "spoken": ("Adapted dialogues", "evaluate/dialogues"),
}
NEEDED_BY_NAME = {  # generated texts are read as parse reads recipes
    "jieba": "cuts texts into words",
    "opencc": "reads traditional characters",
    "spacy": "parses, where parse.actions.method asks for a parser",
}

WITHOUT_GPU = {
    "evaluate_bertscore": "evaluate.bertscore.device: cpu",
    "evaluate_smatch": "evaluate.smatch.device: cpu",
    "evaluate_comet": "evaluate.comet.device: cpu",
    "evaluate_bleurt": "evaluate.bleurt.device: cpu",
    "evaluate_counterfactual": "evaluate.counterfactual.bertscore.device: cpu",
}

METRICS_IN = ("zh", "en")  # languages that BERTScore and Smatch have models of
RATING_TABLES = ("means", "agreement", "differences", "dimensions", "calibration")  # tables evaluate/ratings


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    """What trains the word vectors of both corpora, if words without a match among them are counted, and what the
    metrics that the config asks for load.
    """
    evaluate = config["evaluate"]
    needed = {"gensim": "evaluate.literal.induced is true"} if evaluate["literal"]["induced"] else {}
    steps = {step for run in runs.values() if run.languages for step in measures(config, run)}
    if "bertscore" in steps or evaluate["counterfactual"]["bertscore"]["model"]:
        needed["bert_score"] = "evaluate names a model of BERTScore"
    if "smatch" in steps:
        needed["smatchpp"] = "evaluate.smatch.parsers names a parser"
    return needed


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/evaluate"
    own = ("scores/part-00000", "scores/part-00001", "comparisons/part-00000", "correlations/part-00000")
    scores = [f"{folder}/{table}.parquet" for table in (*own, "literal/part-00000")]
    scores += [f"{folder}/csi_match/{corpus}/part-00000.parquet" for corpus in scope.linked]
    rated = (*RATING_TABLES, "biases") if "evaluator" in scope.roles.values() else ()
    scores += [f"{folder}/ratings/{table}/part-00000.parquet" for table in rated]
    if "generator" in scope.roles.values():
        scores.append(f"{folder}/words/part-00000.parquet")
    chosen = "comparer" in scope.roles.values() or scope.choosing
    compared = PTA_TABLES if chosen else ()
    tables = [f"pta/{table}" for table in compared]
    tables += [f"dialogues/{table}" for table in ADAPTATION_TABLES if scope.adapting]
    if {*scope.roles.values()} & {"dialogue_rater", "edit_rater", "strategist"}:
        tables += [f"dialogues/{table}" for table in ADAPTATION_FIGURES]
    tables += [f"people/means/{name}" for name in scope.answered("rating", "best_worst")]
    tables += [f"best_worst/{name}" for name in scope.answered("best_worst")]
    tables += [f"marks/{name}" for name in scope.answered(MARKING)]
    return scores + [f"{folder}/{table}/part-00000.parquet" for table in tables]


def measures(config: Mapping[str, Any], run: Run) -> list[str]:
    """The steps that measure a run: metrics, and those for which the config names a model or a program.

    BERTScore and Smatch have models of METRICS_IN alone.
    """
    evaluate = config["evaluate"]
    steps = ["metrics"]
    known = target_lang(run.direction) in METRICS_IN
    if known and any(evaluate["bertscore"][lang]["model"] for lang in METRICS_IN):
        steps.append("bertscore")
    if known and any(evaluate["smatch"]["parsers"].values()):
        steps.append("smatch")
    return steps + [name for name in ("comet", "bleurt") if evaluate[name]["command"]]


def run_names(paths: Sequence[str]) -> str:
    """The runs whose names are those of their files, RUN.txt of evaluate.counterfactual.predictions."""
    return " ".join(Path(path).stem for path in paths if path.endswith(".txt"))

"""Stage judge: its targets, and the rule that can do without a GPU."""

from wokflow.frame.columns import Rejected
from wokflow.frame.scope import Scope
from wokflow.frame.stages import SOCKS

ABOUT = (
    "has models write recipes by dish and cuisine, and rate them (ASH, Lee et al.), and choose between "
    "translations of items (PTA, Yao et al.), and judge adapted dialogues: `docs/judge.md`"
)
ARROWS = (
    "generate_predictions & generate_retrieval & generate_prompt --> judge_pta",
    "judge_instructions & judge_pta --> judge_server --> judge_prompt --> judge_tasks --> judge_prompt",
    "judge_prompt --> judge_ratings; generate_adaptations --> judge_dialogues --> judge_prompt",
    "judge_prompt --> judge_edits --> judge_edit_tasks --> judge_prompt",
)
REJECTED = {
    "judge/rejects/tasks": Rejected("recipes", "all generators", kept=("judge/tasks",)),
    "judge/rejects/pta": Rejected("translations of items", "all runs", kept=("judge/pta/pairs",)),
    "judge/rejects/": Rejected("ratings, or edits,", kept=("judge/ratings/", "judge/edits/")),
}
NEEDED_BY_NAME = SOCKS

WITHOUT_GPU = {"judge_server": "generate.server.gpus: 0"}


def targets(scope: Scope) -> list[str] | None:
    """None if no models are asked."""
    folder = f"{scope.results.folder}/judge"
    raters = [name for name, role in scope.roles.items() if role not in ("generator", "editor")]
    ratings = [
        f"{folder}/{table}/{name}/part-00000.parquet" for name in raters for table in ("ratings", "rejects")
    ]
    editors = [name for name, role in scope.roles.items() if role == "editor"]
    ratings += [
        f"{folder}/{table}/{name}/part-00000.parquet" for name in editors for table in ("edits", "rejects")
    ]
    roles = {*scope.roles.values()}
    tasks = [f"{folder}/tasks/part-00000.parquet"] if roles & {"generator", "evaluator"} else []
    pairs = [f"{folder}/pta/pairs/part-00000.parquet"] if "comparer" in roles else []
    return tasks + pairs + ratings or None


def rejects(scope: Scope) -> list[str]:
    roles, tables = scope.roles, list[str]()
    tables += ["tasks", "rejects/tasks"] if "generator" in roles.values() else []
    tables += ["pta/pairs", "rejects/pta"] if "comparer" in roles.values() else []
    for name, role in roles.items():
        if role != "generator":
            tables += [f"edits/{name}" if role == "editor" else f"ratings/{name}", f"rejects/{name}"]
    return [path for table in tables for path in scope.results.parts(f"judge/{table}", 1)]

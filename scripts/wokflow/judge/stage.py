"""What stage judge is of the workflow."""

from wokflow.frame.scope import Scope

WITHOUT_GPU = {"judge_server": "generate.server.gpus: 0"}


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/judge"
    evaluators = [name for name, role in scope.roles.items() if role == "evaluator"]
    ratings = [
        f"{folder}/{table}/{name}/part-00000.parquet"
        for name in evaluators
        for table in ("ratings", "rejects")
    ]
    tasks = [f"{folder}/tasks/part-00000.parquet"] if scope.roles else []
    return tasks + ratings

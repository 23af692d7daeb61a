"""Whose keys settings of dialogues change."""

from tests.workflow.changes import Settings, setting

SPOKEN = Settings(
    {"ingest.dialogues.path": "data/spoken.jsonl", "ingest.annotations.path": "data/marked.jsonl"}
)
ADAPTED = Settings(
    SPOKEN.values | {"runs": "data/adapting_runs.tsv", "generate.prompt.endpoint": "http://127.0.0.1:9/v1"}
)
RATED_DIALOGUES = Settings(ADAPTED.values | {"judge.models": "data/dialogue_models.tsv"})
OF_DIALOGUES: dict[str, tuple[Settings, Settings, set[str]]] = {
    **{
        f"ingest.{name}, with dialogues": (
            SPOKEN,
            setting(f"ingest.{name}", value),
            {f"ingest_{name.split('.')[0]}"},
        )
        for name, value in (
            ("dialogues.path", "data/spoken_too.jsonl"),
            ("dialogues.shortest", 2),
            ("dialogues.longest", 3),
            ("annotations.path", "data/marked_too.jsonl"),
            ("annotations.categories", "data/categories.tsv"),
        )
    },
    **{
        f"generate.{name}, with a run on dialogues": (
            ADAPTED,
            setting(f"generate.{name}", value),
            {f"generate_{name.split('.')[0]}"},
        )
        for name, value in (
            ("dialogues.people", "Keralan"),
            ("dialogues.exemplars", "data/exemplars.txt"),
            ("adaptations.renamed", False),
            ("adaptations.certain", 0.5),
        )
    },
    **{
        f"evaluate.dialogues.{name}, with a run on dialogues": (
            ADAPTED,
            setting(f"evaluate.dialogues.{name}", value),
            {"evaluate_dialogues"},
        )
        for name, value in (
            ("threshold", 85),
            ("beside", [70]),
            ("bootstrap.samples", 100),
            ("bootstrap.seed", 14),
        )
    },
    **{
        f"{name}, with models that rate dialogues": (RATED_DIALOGUES, setting(name, value), rules)
        for name, value, rules in (
            ("judge.dialogues.dimensions", "data/graded.tsv", {"judge_dialogues"}),
            ("judge.dialogues.show", "Frasier", {"judge_dialogues", "judge_edit_tasks"}),
            ("judge.edit_tasks.dimensions", "data/graded.tsv", {"judge_edit_tasks"}),
            ("judge.edit_tasks.strategies", "data/graded.tsv", {"judge_edit_tasks"}),
            ("evaluate.adaptations.bootstrap.samples", 100, {"evaluate_adaptations"}),
            ("evaluate.adaptations.bootstrap.seed", 14, {"evaluate_adaptations"}),
            (
                "generate.dialogues.people",
                "Keralan",
                {"generate_dialogues", "judge_dialogues", "judge_edit_tasks"},
            ),
        )
    },
    "generate.dialogues.culture, with a run on dialogues": (
        Settings(ADAPTED.values | {"generate.dialogues.exemplars": "data/exemplars.txt"}),
        setting("generate.dialogues.culture", "Nepal"),
        {"generate_dialogues"},
    ),
}

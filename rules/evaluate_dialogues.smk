from wokflow.evaluate.stage import ADAPTATION_FIGURES, ADAPTATION_TABLES
from wokflow.judge.arguments import adaptations_given, rated_of_dialogues

SPOKEN_STUDIES = [name for name in SCOPE.answered("rating") if STUDIES[name].data == "dialogues"]


rule evaluate_dialogues:
    input:
        **after(*SPOKEN),
        adaptations=ADAPTATIONS,
        annotations=MARKED,
    output:
        marked=f"{RESULTS}/evaluate/dialogues/items/part-00000.parquet",
        edited=f"{RESULTS}/evaluate/dialogues/edited/part-00000.parquet",
        changes=f"{RESULTS}/evaluate/dialogues/changes/part-00000.parquet",
    log:
        log_of("evaluate_dialogues"),
    benchmark:
        benchmark_of("evaluate_dialogues")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("evaluate.dialogues"),
    script:
        "../scripts/step.py"


rule evaluate_adaptations:
    input:
        **after(*SPOKEN),
        tasks=[TASKS_OF[role] for role in rated_of_dialogues(SCOPE.roles.values(), bool(SPOKEN_STUDIES))],
        ratings=[
            *(
                f"{RESULTS}/judge/ratings/{name}/part-00000.parquet"
                for name in (*DIALOGUE_RATERS, *EDIT_RATERS, *STRATEGISTS)
            ),
            *(f"{RESULTS}/annotate/ratings/{name}/part-00000.parquet" for name in SPOKEN_STUDIES),
        ],
    output:
        figures=[f"{RESULTS}/evaluate/dialogues/{table}/part-00000.parquet" for table in ADAPTATION_FIGURES],
    log:
        log_of("evaluate_adaptations"),
    benchmark:
        benchmark_of("evaluate_adaptations")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step(
            "evaluate.adaptations",
            given=lambda wildcards: adaptations_given(ASKED, RUNS.values()),
        ),
    script:
        "../scripts/step.py"

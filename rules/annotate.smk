from wokflow.annotate.arguments import answers_given, sheets_given, tasks_given
from wokflow.annotate.stage import RATED

RATED_BY_JUDGES = {
    data: [f"{RESULTS}/judge/{table}/part-00000.parquet"]
    for data, table in (("ash", "tasks"), ("dialogues", "dialogues/tasks"), ("pta", "pta/tasks"))
}
# The cutoff of what texts of a study are of, none for recipes of stage judge; those before the predictions of its runs.
# Items are marked in dialogues as they were read: no stage but ingest has anything of these.
study_data = lambda wildcards: (
    "" if STUDIES[wildcards.study].kind == "marking" else STUDIES[wildcards.study].data
)
study_instances = lambda wildcards: INSTANCES.only(study_data(wildcards))
study_before = lambda wildcards: (
    COMPARING
    if study_data(wildcards) == "pta"
    else (
        (PARSING[DISH_CORPUS],)
        if study_data(wildcards) == "pivot"
        else STEPS.of_predictions(EXAMPLES, INSTANCES, study_data(wildcards))
    )
)


# What studies of these kinds show that is no system's text, and is not from stage judge.
STUDY_SOURCES = {
    "marking": lambda study: [UTTERANCES],
    "writing": lambda study: parts(f"ingest/recipes/{DIRECTIONS[study.data][0]}", INGEST_PARTS),
    "asking": lambda study: [f"{RESULTS}/pivot/questions/part-00000.parquet"],
}


rule annotate_tasks:
    input:
        **after(study_before, study_instances),
        instances=STEPS.all_data(study_instances),  # with columns that no cutoff has: references
        predictions=lambda wildcards: [
            f"{RESULTS}/generate/predictions/{run}/part-00000.parquet"
            for run in STUDIES[wildcards.study].runs
        ],
        rated=lambda wildcards: RATED_BY_JUDGES.get(study_data(wildcards), []),
        sources=lambda wildcards: (
            STUDY_SOURCES.get(STUDIES[wildcards.study].kind, lambda study: [])(STUDIES[wildcards.study])
        ),
    output:
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
    log:
        log_of("annotate_tasks", "study"),
    benchmark:
        benchmark_of("annotate_tasks", "study")
    conda:
        "../envs/annotate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step(
            "annotate.tasks",
            over=lambda wildcards: STUDIES[wildcards.study].settings.get("tasks", {}),
            given=lambda wildcards: tasks_given(STUDIES[wildcards.study]),
        ),
    script:
        "../scripts/step.py"


rule annotate_sheets:
    input:
        **after(study_before, study_instances),
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
    output:
        assigned=f"{RESULTS}/annotate/assigned/{{study}}/part-00000.parquet",
        sheets=directory(f"{RESULTS}/annotate/sheets/{{study}}"),
    log:
        log_of("annotate_sheets", "study"),
    benchmark:
        benchmark_of("annotate_sheets", "study")
    conda:
        "../envs/annotate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step(
            "annotate.sheets",
            over=lambda wildcards: STUDIES[wildcards.study].settings.get("sheets", {}),
            given=lambda wildcards: sheets_given(STUDIES[wildcards.study]),
        ),
    script:
        "../scripts/step.py"


rule annotate_ratings:
    input:
        **after(study_before, study_instances),
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
        assigned=f"{RESULTS}/annotate/assigned/{{study}}/part-00000.parquet",
    output:
        ratings=f"{RESULTS}/annotate/ratings/{{study}}/part-00000.parquet",
        raters=f"{RESULTS}/annotate/raters/{{study}}/part-00000.parquet",
        rejects=f"{RESULTS}/annotate/rejects/{{study}}/part-00000.parquet",
        criteria=f"{RESULTS}/annotate/criteria/{{study}}.tsv",
    log:
        log_of("annotate_ratings", "study"),
    benchmark:
        benchmark_of("annotate_ratings", "study")
    wildcard_constraints:
        study="|".join(SCOPE.answered(*RATED)) or "(?!)",
    conda:
        "../envs/annotate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step(
            "annotate.ratings",
            over=lambda wildcards: STUDIES[wildcards.study].settings.get("ratings", {}),
            given=lambda wildcards: answers_given(STUDIES[wildcards.study]),
        ),
    script:
        "../scripts/step.py"


rule annotate_written:
    input:
        **after(study_before, study_instances),
        assigned=f"{RESULTS}/annotate/assigned/{{study}}/part-00000.parquet",
    output:
        written=f"{RESULTS}/annotate/written/{{study}}.tsv",
        raters=f"{RESULTS}/annotate/raters/{{study}}/part-00000.parquet",
        rejects=f"{RESULTS}/annotate/rejects/{{study}}/part-00000.parquet",
    log:
        log_of("annotate_written", "study"),
    benchmark:
        benchmark_of("annotate_written", "study")
    wildcard_constraints:
        study="|".join(SCOPE.answered("writing")) or "(?!)",
    conda:
        "../envs/annotate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step(
            "annotate.written",
            over=lambda wildcards: STUDIES[wildcards.study].settings.get("written", {}),
            given=lambda wildcards: answers_given(STUDIES[wildcards.study]),
        ),
    script:
        "../scripts/step.py"


rule annotate_marked:
    input:
        **after(study_before, study_instances),
        assigned=f"{RESULTS}/annotate/assigned/{{study}}/part-00000.parquet",
    output:
        marked=f"{RESULTS}/annotate/marked/{{study}}.jsonl",
        dialogues=f"{RESULTS}/annotate/dialogues/{{study}}/part-00000.parquet",
        raters=f"{RESULTS}/annotate/raters/{{study}}/part-00000.parquet",
        rejects=f"{RESULTS}/annotate/rejects/{{study}}/part-00000.parquet",
    log:
        log_of("annotate_marked", "study"),
    benchmark:
        benchmark_of("annotate_marked", "study")
    wildcard_constraints:
        study="|".join(SCOPE.answered("marking")) or "(?!)",
    conda:
        "../envs/annotate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step(
            "annotate.marked",
            over=lambda wildcards: STUDIES[wildcards.study].settings.get("marked", {}),
            given=lambda wildcards: answers_given(STUDIES[wildcards.study]),
        ),
    script:
        "../scripts/step.py"

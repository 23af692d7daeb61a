from wokflow.evaluate.stage import PTA_TABLES, RATING_TABLES
from wokflow.judge.arguments import biases_given, pta_given

# Of recipes by models: by models, and in studies by people.
RECIPE_RATINGS = [
    *(f"{RESULTS}/judge/ratings/{name}/part-00000.parquet" for name in EVALUATORS),
    *(
        f"{RESULTS}/annotate/ratings/{name}/part-00000.parquet"
        for name in SCOPE.answered("rating")
        if STUDIES[name].data == "ash"
    ),
]


rule evaluate_ratings:
    input:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
        ratings=RECIPE_RATINGS,
    output:
        figures=[f"{RESULTS}/evaluate/ratings/{table}/part-00000.parquet" for table in RATING_TABLES],
    log:
        log_of("evaluate_ratings"),
    benchmark:
        benchmark_of("evaluate_ratings")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("evaluate.ratings"),
    script:
        "../scripts/step.py"


rule evaluate_pta:
    input:
        **after(*COMPARING),
        pairs=f"{RESULTS}/judge/pta/pairs/part-00000.parquet",
        ratings=[
            *(f"{RESULTS}/judge/ratings/{name}/part-00000.parquet" for name in COMPARERS),
            *(f"{RESULTS}/annotate/ratings/{name}/part-00000.parquet" for name in SCOPE.choosing),
        ],
    output:
        pta=f"{RESULTS}/evaluate/pta/scores/part-00000.parquet",
        biases=f"{RESULTS}/evaluate/pta/biases/part-00000.parquet",
        agreement=f"{RESULTS}/evaluate/pta/agreement/part-00000.parquet",
        alpha=f"{RESULTS}/evaluate/pta/alpha/part-00000.parquet",
    log:
        log_of("evaluate_pta"),
    benchmark:
        benchmark_of("evaluate_pta")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("evaluate.pta", given=lambda wildcards: pta_given(ASKED, RUNS.values())),
    script:
        "../scripts/step.py"


rule evaluate_people:
    input:
        **after(study_before, study_instances),
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
        ratings=f"{RESULTS}/annotate/ratings/{{study}}/part-00000.parquet",
    output:
        figures=[f"{RESULTS}/evaluate/people/{table}/{{study}}/part-00000.parquet" for table in RATING_TABLES],
    log:
        log_of("evaluate_people", "study"),
    benchmark:
        benchmark_of("evaluate_people", "study")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("evaluate.people"),
    script:
        "../scripts/step.py"


rule evaluate_best_worst:
    input:
        **after(study_before, study_instances),
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
        ratings=f"{RESULTS}/annotate/ratings/{{study}}/part-00000.parquet",
    output:
        scores=f"{RESULTS}/evaluate/best_worst/{{study}}/part-00000.parquet",
    log:
        log_of("evaluate_best_worst", "study"),
    benchmark:
        benchmark_of("evaluate_best_worst", "study")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("evaluate.best_worst"),
    script:
        "../scripts/step.py"


rule evaluate_marks:
    input:
        **after(study_before, study_instances),
        tasks=f"{RESULTS}/annotate/tasks/{{study}}/part-00000.parquet",
        dialogues=f"{RESULTS}/annotate/dialogues/{{study}}/part-00000.parquet",
        marked=f"{RESULTS}/annotate/marked/{{study}}.jsonl",
    output:
        agreement=f"{RESULTS}/evaluate/marks/{{study}}/part-00000.parquet",
    log:
        log_of("evaluate_marks", "study"),
    benchmark:
        benchmark_of("evaluate_marks", "study")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("evaluate.marks"),
    script:
        "../scripts/step.py"


rule evaluate_biases:
    input:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
        ratings=RECIPE_RATINGS,
    output:
        biases=f"{RESULTS}/evaluate/ratings/biases/part-00000.parquet",
    log:
        log_of("evaluate_biases"),
    benchmark:
        benchmark_of("evaluate_biases")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("evaluate.biases", given=lambda wildcards: biases_given(ASKED)),
    script:
        "../scripts/step.py"


rule evaluate_words:
    input:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
    output:
        words=f"{RESULTS}/evaluate/words/part-00000.parquet",
    log:
        log_of("evaluate_words"),
    benchmark:
        benchmark_of("evaluate_words")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("evaluate.words"),
    script:
        "../scripts/step.py"

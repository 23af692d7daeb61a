from wokflow.generate.arguments import prompt_overrides
from wokflow.judge.arguments import asked_given

GENERATORS, EVALUATORS = (
    [name for name, model in ASKED.items() if model.role == role] for role in ("generator", "evaluator")
)


rule judge_instructions:
    output:
        instructions=f"{RESULTS}/judge/instructions/part-00000.parquet",
    log:
        log_of("judge_instructions"),
    benchmark:
        benchmark_of("judge_instructions")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=minutes(20),
    params:
        **step("judge.instructions"),
    script:
        "../scripts/step.py"


rule judge_prompt:
    input:
        tasks=lambda wildcards: (
            f"{RESULTS}/judge/{'instructions' if wildcards.asked in GENERATORS else 'tasks'}/part-00000.parquet"
        ),
    output:
        answers=f"{RESULTS}/judge/answers/{{asked}}/part-00000.parquet",
    log:
        log_of("judge_prompt", "asked"),
    benchmark:
        benchmark_of("judge_prompt", "asked")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step(
            "judge.prompt",
            over=lambda wildcards: prompt_overrides(config, ASKED[wildcards.asked]),
            given=lambda wildcards: asked_given(config, ASKED[wildcards.asked]),
        ),
    script:
        "../scripts/step.py"


rule judge_tasks:
    input:
        instructions=f"{RESULTS}/judge/instructions/part-00000.parquet",
        answers=[f"{RESULTS}/judge/answers/{name}/part-00000.parquet" for name in GENERATORS],
    output:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
        rejects=f"{RESULTS}/judge/rejects/tasks/part-00000.parquet",
    log:
        log_of("judge_tasks"),
    benchmark:
        benchmark_of("judge_tasks")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("judge.tasks"),
    script:
        "../scripts/step.py"


rule judge_ratings:
    input:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
        answers=f"{RESULTS}/judge/answers/{{asked}}/part-00000.parquet",
    output:
        ratings=f"{RESULTS}/judge/ratings/{{asked}}/part-00000.parquet",
        rejects=f"{RESULTS}/judge/rejects/{{asked}}/part-00000.parquet",
    log:
        log_of("judge_ratings", "asked"),
    benchmark:
        benchmark_of("judge_ratings", "asked")
    wildcard_constraints:
        asked="|".join(EVALUATORS) or "(?!)",
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("judge.ratings"),
    script:
        "../scripts/step.py"

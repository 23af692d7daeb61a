from wokflow.generate.arguments import decode_gpus, rewriting_given


rule generate_delorean:
    input:
        **after(of_model(EXAMPLES), INSTANCES, instances=INSTANCES),
        trained=lambda wildcards: TRAINED[wildcards.run],
    output:
        predictions=f"{RESULTS}/generate/decode/{{run}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("generate_delorean", "run", "shard", "shards"),
    benchmark:
        benchmark_of("generate_delorean", "run", "shard", "shards")
    wildcard_constraints:
        run=names_of(RUNS, "delorean"),
    conda:
        "../envs/generate.yaml"
    threads: lambda wildcards: 1 if RUNS[wildcards.run].small else 4
    resources:
        mem_mb=lambda wildcards, attempt: memory(RUNS[wildcards.run].memory_mb)(wildcards, attempt),
        runtime=minutes(480),
        gpu=lambda wildcards: decode_gpus(config, RUNS[wildcards.run]),
    params:
        **step(
            "generate.delorean",
            over=lambda wildcards: RUNS[wildcards.run].settings.get("delorean", {}),
            given=lambda wildcards: rewriting_given(config, RUNS[wildcards.run]),
        ),
    script:
        "../scripts/step.py"


rule generate_educat:
    input:
        **after(of_model(EXAMPLES), INSTANCES, instances=INSTANCES),
        trained=lambda wildcards: TRAINED[wildcards.run],
    output:
        predictions=f"{RESULTS}/generate/decode/{{run}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("generate_educat", "run", "shard", "shards"),
    benchmark:
        benchmark_of("generate_educat", "run", "shard", "shards")
    wildcard_constraints:
        run=names_of(RUNS, "educat"),
    conda:
        "../envs/generate.yaml"
    threads: lambda wildcards: 1 if RUNS[wildcards.run].small else 4
    resources:
        mem_mb=lambda wildcards, attempt: memory(RUNS[wildcards.run].memory_mb)(wildcards, attempt),
        runtime=minutes(480),
        gpu=lambda wildcards: decode_gpus(config, RUNS[wildcards.run]),
    params:
        **step(
            "generate.educat",
            over=lambda wildcards: RUNS[wildcards.run].settings.get("educat", {}),
            given=lambda wildcards: rewriting_given(config, RUNS[wildcards.run]),
        ),
    script:
        "../scripts/step.py"


rule generate_mined:
    input:
        **after(of_model(EXAMPLES), INSTANCES, PARSING[DISH_CORPUS], instances=INSTANCES),
        mined=f"{RESULTS}/pivot/mined/part-00000.parquet",
        trained=lambda wildcards: TRAINED[wildcards.run],
    output:
        predictions=f"{RESULTS}/generate/decode/{{run}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("generate_mined", "run", "shard", "shards"),
    benchmark:
        benchmark_of("generate_mined", "run", "shard", "shards")
    wildcard_constraints:
        run=names_of(RUNS, "mined"),
    conda:
        "../envs/generate.yaml"
    threads: lambda wildcards: 1 if RUNS[wildcards.run].small else 4
    resources:
        mem_mb=lambda wildcards, attempt: memory(RUNS[wildcards.run].memory_mb)(wildcards, attempt),
        runtime=minutes(240),
        gpu=lambda wildcards: decode_gpus(config, RUNS[wildcards.run]),
    params:
        **step(
            "generate.mined",
            over=lambda wildcards: RUNS[wildcards.run].settings.get("mined", {}),
            given=lambda wildcards: rewriting_given(config, RUNS[wildcards.run]),
        ),
    script:
        "../scripts/step.py"

from wokflow.train.arguments import model_given, model_gpus, model_memory, model_nodes, model_overrides


checkpoint train_pairs:
    input:
        **after(VECTORS),
        pairs=f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet",
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
    output:
        data=f"{RESULTS}/train/examples/{{direction}}/part-00000.parquet",
        digest=f"{RESULTS}/train/examples/{{direction}}.sha256",
    log:
        log_of("train_pairs", "direction"),
    benchmark:
        benchmark_of("train_pairs", "direction")
    conda:
        "../envs/train.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=minutes(60),
    params:
        **step(
            "train.pairs",
            given=lambda wildcards: {"published": config["train"]["published"][wildcards.direction]},
        ),
    script:
        "../scripts/step.py"


checkpoint train_recipes:
    input:
        **after(SOURCE[DISH_CORPUS]),
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
        untested=f"{RESULTS}/pivot/corpus/part-00000.parquet",
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        data=f"{RESULTS}/train/examples/counterfactual/part-00000.parquet",
        digest=f"{RESULTS}/train/examples/counterfactual.sha256",
    log:
        log_of("train_recipes"),
    benchmark:
        benchmark_of("train_recipes")
    conda:
        "../envs/train.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=minutes(60),
    params:
        **step("train.recipes"),
    script:
        "../scripts/step.py"


rule train_model:
    input:
        **after(examples=EXAMPLES),
    output:
        model=directory(f"{RESULTS}/train/model/{{run}}"),
    log:
        log_of("train_model", "run"),
    benchmark:
        benchmark_of("train_model", "run")
    conda:
        "../envs/train.yaml"
    threads: lambda wildcards: 1 if RUNS[wildcards.run].small else 8
    resources:
        mem_mb=lambda wildcards, attempt: memory(model_memory(config, RUNS[wildcards.run]))(
            wildcards, attempt
        ),
        runtime=minutes(600),
        gpu=lambda wildcards: model_gpus(config, RUNS[wildcards.run]),
        nodes=lambda wildcards: model_nodes(config, RUNS[wildcards.run]),
        tasks=lambda wildcards: model_nodes(config, RUNS[wildcards.run]),
        tasks_per_gpu=0,
    params:
        **step(
            "train.model",
            over=lambda wildcards: model_overrides(RUNS[wildcards.run]),
            given=lambda wildcards: model_given(config, RUNS[wildcards.run]),
        ),
    script:
        "../scripts/step.py"

checkpoint train_pairs:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        pairs=f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet",
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
        gold=gold,
    output:
        examples=f"{RESULTS}/train/examples/{{direction}}/part-00000.parquet",
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
        key=key("train.pairs"),
    script:
        "../scripts/train_pairs.py"


checkpoint train_recipes:
    input:
        after=ancient(after("ingest_source", of=[DISH_CORPUS])),
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
        corpus=f"{RESULTS}/pivot/corpus/part-00000.parquet",
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        examples=f"{RESULTS}/train/examples/counterfactual/part-00000.parquet",
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
        key=key("train.recipes"),
    script:
        "../scripts/train_recipes.py"


rule train_model:
    input:
        after=ancient(after_run),
        examples=ancient(train_examples_table),
    output:
        model=directory(f"{RESULTS}/train/model/{{run}}"),
    log:
        log_of("train_model", "run"),
    benchmark:
        benchmark_of("train_model", "run")
    conda:
        "../envs/train.yaml"
    threads: lambda wildcards: 1 if is_small(wildcards) else 8
    resources:
        mem_mb=model_memory,
        runtime=minutes(600),
        gpu=train_gpus,
        nodes=lambda wildcards: train_settings(wildcards)["nodes"],
        tasks=lambda wildcards: train_settings(wildcards)["nodes"],
        tasks_per_gpu=0,
    params:
        key=train_key,
        run=given(train_arguments),
    script:
        "../scripts/train_model.py"

rule generate_baselines:
    input:
        after=ancient(after("ingest_source", of=[DISH_CORPUS])),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        predictions=expand(f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet", run=BASELINES),
    log:
        log_of("generate_baselines"),
    benchmark:
        benchmark_of("generate_baselines")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("generate.baselines", reads=[GLOSSARY]),
    script:
        "../scripts/generate_baselines.py"


checkpoint generate_instances:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        pairs=f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet",
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
        gold=gold,
    output:
        instances=f"{RESULTS}/generate/instances/{{direction}}/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/{{direction}}.sha256",
    log:
        log_of("generate_instances", "direction"),
    benchmark:
        benchmark_of("generate_instances", "direction")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("generate.instances"),
    script:
        "../scripts/generate_instances.py"


checkpoint generate_rewrites:
    input:
        after=ancient(after("ingest_source", of=[DISH_CORPUS])),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
    output:
        instances=f"{RESULTS}/generate/instances/counterfactual/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/counterfactual.sha256",
    log:
        log_of("generate_rewrites"),
    benchmark:
        benchmark_of("generate_rewrites")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key("generate.rewrites"),
    script:
        "../scripts/generate_rewrites.py"


rule generate_decode:
    input:
        after=ancient(after_run),
        instances=ancient(instances_table),
        model=run_model,
    output:
        predictions=f"{RESULTS}/generate/decode/{{run}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("generate_decode", "run", "shard", "shards"),
    benchmark:
        benchmark_of("generate_decode", "run", "shard", "shards")
    conda:
        "../envs/generate.yaml"
    threads: lambda wildcards: 1 if is_small(wildcards) else 4
    resources:
        mem_mb=model_memory,
        runtime=minutes(240),
        gpu=decode_gpus,
    params:
        key=decode_key,
        run=given(decode_arguments),
    script:
        "../scripts/generate_decode.py"


rule generate_predictions:
    input:
        after=ancient(after_run),
        instances=instances_table,
        shards=decoded,
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    log:
        log_of("generate_predictions", "run"),
    benchmark:
        benchmark_of("generate_predictions", "run")
    wildcard_constraints:
        run=runs_of("seq2seq", "causal"),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key("generate.predictions"),
    script:
        "../scripts/generate_predictions.py"


rule generate_retrieval:
    input:
        after=ancient(after_run),
        instances=instances_table,
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    log:
        log_of("generate_retrieval", "run"),
    benchmark:
        benchmark_of("generate_retrieval", "run")
    wildcard_constraints:
        run=runs_of("retrieval"),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key("generate.retrieval"),
    script:
        "../scripts/generate_retrieval.py"


# It waits for what its users wait for: where a checkpoint makes Snakemake renew a job of a group, and not all of the
# group, the group keeps the old job beside the new one.
rule generate_server:
    input:
        after=ancient(after_run),
    output:
        endpoint=service(f"{RESULTS}/generate/server/{{run}}.json"),
    log:
        log_of("generate_server", "run"),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(config["generate"]["server"]["memory_mb"]),
        runtime=minutes(480),
        gpu=config["generate"]["server"]["gpus"],
    params:
        run=given(prompt_arguments),
    script:
        "../scripts/generate_server.py"


rule generate_prompt:
    input:
        after=ancient(after_run),
        instances=ancient(instances_table),
        server=prompt_server,
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
        calls=f"{RESULTS}/generate/calls/{{run}}/part-00000.parquet",
    log:
        log_of("generate_prompt", "run"),
    benchmark:
        benchmark_of("generate_prompt", "run")
    wildcard_constraints:
        run=runs_of("prompt"),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        key=prompt_key,
        run=given(prompt_arguments),
    script:
        "../scripts/generate_prompt.py"

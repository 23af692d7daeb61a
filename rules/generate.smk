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

checkpoint ingest_source:
    input:
        raw=source_file,
    output:
        source=f"{RESULTS}/ingest/source/{{corpus}}.json",
    log:
        log_of("ingest_source", "corpus"),
    benchmark:
        benchmark_of("ingest_source", "corpus")
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=minutes(30),
    params:
        key=key("ingest.source"),
    script:
        "../scripts/ingest_source.py"


rule ingest_recipes:
    input:
        raw=lambda wildcards: ancient(source_file(wildcards)),
        source=ancient(ingest_source),
    output:
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
        rejects=parts("ingest/rejects/{corpus}", INGEST_PARTS),
    log:
        log_of("ingest_recipes", "corpus"),
    benchmark:
        benchmark_of("ingest_recipes", "corpus")
    conda:
        "../envs/ingest.yaml"
    threads: 4
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        key=key("ingest.recipes", ingest_source),
    script:
        "../scripts/ingest_recipes.py"

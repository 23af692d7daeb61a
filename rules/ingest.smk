INGEST_PARTS = config["ingest"]["recipes"]["parts"]


def source_file(wildcards):
    return config["sources"][wildcards.corpus]["path"]


def ingest_source(wildcards):
    return checkpoints.ingest_source.get(**wildcards).output.source


checkpoint ingest_source:
    input:
        raw=source_file,
    output:
        source=f"{RESULTS}/ingest/source/{{corpus}}.json",
    log:
        log_of("ingest_source", "corpus"),
    benchmark:
        benchmark_of("ingest_source", "corpus")
    params:
        key=key("ingest.source"),
    resources:
        mem_mb=1000,
        runtime=30,
    conda:
        "../envs/ingest.yaml"
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
    params:
        key=key("ingest.recipes", ingest_source),
    threads: 4
    resources:
        mem_mb=2000,
        runtime=60,
    conda:
        "../envs/ingest.yaml"
    script:
        "../scripts/ingest_recipes.py"

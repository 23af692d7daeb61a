checkpoint ingest_source:
    input:
        raw=lambda wildcards: ancient(config["sources"][wildcards.corpus]["path"]),
    output:
        data=f"{RESULTS}/ingest/source/{{corpus}}.json",
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
        **step("ingest.source", raw=lambda wildcards: identity(config["sources"][wildcards.corpus]["path"])),
    script:
        "../scripts/step.py"


rule ingest_recipes:
    input:
        source=ancient(data(SOURCE)),
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
        **step(
            "ingest.recipes",
            SOURCE,
            options={"raw": lambda wildcards: config["sources"][wildcards.corpus]["path"]},
        ),
    script:
        "../scripts/step.py"

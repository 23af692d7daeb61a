# A file that the workflow fetched, and that was deleted since, is fetched again for whoever reads it.
fetched = lambda wildcards: ancient(RAW[wildcards.corpus]) if wildcards.corpus in FETCHED else []


checkpoint ingest_source:
    input:
        # Where a file was fetched again, keys behind it are compared only if this job runs.
        raw=lambda wildcards: (
            RAW[wildcards.corpus] if wildcards.corpus in FETCHED else ancient(RAW[wildcards.corpus])
        ),
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
        **step(
            "ingest.source",
            raw=lambda wildcards: " ".join(
                fetched_from(wildcards.corpus) if wildcards.corpus in FETCHED else identity(path)
                for path in RAW[wildcards.corpus]
            ),
        ),
    script:
        "../scripts/step.py"


rule ingest_recipes:
    input:
        fetched,
        **after(source=SOURCE),
    output:
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
        rejects=parts("ingest/rejects/{corpus}", INGEST_PARTS),
    log:
        log_of("ingest_recipes", "corpus"),
    benchmark:
        benchmark_of("ingest_recipes", "corpus")
    wildcard_constraints:
        corpus="|".join(CORPORA),
    conda:
        "../envs/ingest.yaml"
    threads: 4
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step(
            "ingest.recipes",
            given=lambda wildcards: {"raw": config["sources"][wildcards.corpus]["path"]},
        ),
    script:
        "../scripts/step.py"


rule ingest_sentences:
    input:
        fetched,
        **after(source=CUTOFFS.sentences),
    output:
        sentences=parts("ingest/sentences/{corpus}", SENTENCE_PARTS),
        rejects=parts("ingest/rejects/{corpus}", SENTENCE_PARTS),
    log:
        log_of("ingest_sentences", "corpus"),
    benchmark:
        benchmark_of("ingest_sentences", "corpus")
    wildcard_constraints:
        corpus="|".join(SENTENCES) or "(?!)",
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step(
            "ingest.sentences",
            given=lambda wildcards: {
                "raw": RAW[wildcards.corpus],
                "kind": config["sources"][wildcards.corpus]["kind"],
                "pair": SENTENCES[wildcards.corpus],
            },
        ),
    script:
        "../scripts/step.py"


rule ingest_download:
    output:
        path=update(f"{RESULTS}/ingest/download/{{corpus}}/{{file}}"),  # one with this checksum stays
    log:
        log_of("ingest_download", "corpus", "file"),
    benchmark:
        benchmark_of("ingest_download", "corpus", "file")
    wildcard_constraints:
        corpus="|".join(FETCHED) or "(?!)",
        file="[A-Za-z0-9_-][A-Za-z0-9._-]*",
    localrule: True  # nodes of a cluster often have no way to the web
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=minutes(1440),
        download=1,
    params:
        **step(
            "ingest.download",
            given=lambda wildcards: {
                "url": config["sources"][wildcards.corpus]["url"],
                "sha256": config["sources"][wildcards.corpus].get("sha256"),
            },
        ),
    script:
        "../scripts/step.py"


rule ingest_pages:
    input:
        **after(source=lambda wildcards: CUTOFFS.pages.only(f"pages_{wildcards.lang}")),
    output:
        pages=parts("ingest/pages/{lang}", 1),
        rejects=parts("ingest/rejects/pages_{lang}", 1),
    log:
        log_of("ingest_pages", "lang"),
    benchmark:
        benchmark_of("ingest_pages", "lang")
    wildcard_constraints:
        lang="|".join(DUMPS) or "(?!)",
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(480),
    params:
        **step(
            "ingest.pages",
            given=lambda wildcards: {"raw": DUMPS[wildcards.lang]},
        ),
    script:
        "../scripts/step.py"


rule ingest_dialogues:
    output:
        utterances=UTTERANCES,
        rejects=f"{RESULTS}/ingest/rejects/dialogues/part-00000.parquet",
    log:
        log_of("ingest_dialogues"),
    benchmark:
        benchmark_of("ingest_dialogues")
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("ingest.dialogues"),
    script:
        "../scripts/step.py"


rule ingest_annotations:
    input:
        utterances=UTTERANCES,
    output:
        annotations=f"{RESULTS}/ingest/annotations/part-00000.parquet",
        rejects=f"{RESULTS}/ingest/rejects/annotations/part-00000.parquet",
        published=f"{RESULTS}/ingest/marked_dialogues.csv",
    log:
        log_of("ingest_annotations"),
    benchmark:
        benchmark_of("ingest_annotations")
    conda:
        "../envs/ingest.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("ingest.annotations"),
    script:
        "../scripts/step.py"

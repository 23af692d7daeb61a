from wokflow.enrich.stage import english_first, linking, refuse_nothing

ENTITY_PART = f"{RESULTS}/enrich/entities/part-00000.parquet"
CATEGORY_PART = f"{RESULTS}/enrich/categories/part-00000.parquet"
ITEM_PART = f"{RESULTS}/enrich/items/part-00000.parquet"
LOOKUP_PART = f"{RESULTS}/enrich/lookups/part-00000.parquet"
PAGE_PARTS = [path for lang in DUMPS for path in parts(f"ingest/pages/{lang}", 1)]
LINKING = linking(vars(CUTOFFS))
# A topic service is asked for pages in English if it can be, since Table 9 has its topics; no other backend is.
TOPIC_LANGUAGES = (
    english_first(ITEM_LANGUAGES) if config["enrich"]["categorise"]["backend"] == "service" else []
)
RELEASED = config["enrich"]["link"]["backend"] == "released"
MENTIONS = [path for corpus in SENTENCES for path in parts(f"enrich/mentions/{corpus}", SENTENCE_PARTS)]


rule enrich_entities:
    input:
        **after(source=CUTOFFS.entities[ENTITIES]),
    output:
        entities=ENTITY_PART,
        rejects=f"{RESULTS}/enrich/rejects/{ENTITIES}/part-00000.parquet",
    log:
        log_of("enrich_entities"),
    benchmark:
        benchmark_of("enrich_entities")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step(
            "enrich.entities",
            given=lambda wildcards: {"raw": RAW[ENTITIES][0], "languages": ITEM_LANGUAGES},
        ),
    script:
        "../scripts/step.py"


checkpoint enrich_names:
    input:
        **after(CUTOFFS.entities[ENTITIES]),
        entities=ENTITY_PART,
    output:
        names=directory(f"{RESULTS}/enrich/names/{{lang}}"),
        digest=f"{RESULTS}/enrich/names/{{lang}}.sha256",
    log:
        log_of("enrich_names", "lang"),
    benchmark:
        benchmark_of("enrich_names", "lang")
    wildcard_constraints:
        lang="[a-z0-9-]+",
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
    params:
        **step("enrich.names"),
    script:
        "../scripts/step.py"


rule enrich_link:
    input:
        **after(CUTOFFS.sentences, CUTOFFS.entities[ENTITIES], names=CUTOFFS.names),
        sentences=f"{RESULTS}/ingest/sentences/{{corpus}}/part-{{part}}.parquet",
        corpus_sentences=parts("ingest/sentences/{corpus}", SENTENCE_PARTS),
    output:
        mentions=f"{RESULTS}/enrich/mentions/{{corpus}}/part-{{part}}.parquet",
        rejects=f"{RESULTS}/enrich/rejects/mentions/{{corpus}}/part-{{part}}.parquet",
    log:
        log_of("enrich_link", "corpus", "part"),
    benchmark:
        benchmark_of("enrich_link", "corpus", "part")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
        gpu=int(config["enrich"]["link"]["backend"] == "command"),
    params:
        **step(
            "enrich.link",
            given=lambda wildcards: {
                "pair": SENTENCES[wildcards.corpus],
                "annotated": RAW[wildcards.corpus][0] if RELEASED else None,
            },
            files=lambda wildcards: command_digest(config["enrich"]["link"]["command"]),
        ),
    script:
        "../scripts/step.py"


rule enrich_categorise:
    input:
        **after(*LINKING),
        mentions=MENTIONS,
        entities=ENTITY_PART,
    output:
        categories=CATEGORY_PART,
    log:
        log_of("enrich_categorise"),
    benchmark:
        benchmark_of("enrich_categorise")
    localrule: config["enrich"]["categorise"]["backend"] == "service"  # which nodes often cannot reach
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step(
            "enrich.categorise",
            over=lambda wildcards: {
                "cache": config["enrich"]["categorise"]["cache"] or f"{RESULTS}/enrich/topics"
            },
            given=lambda wildcards: {"languages": TOPIC_LANGUAGES},
        ),
    script:
        "../scripts/step.py"


rule enrich_lookup:
    input:
        **after(*LINKING),
        categories=CATEGORY_PART,
        entities=ENTITY_PART,
    output:
        lookups=LOOKUP_PART,
    log:
        log_of("enrich_lookup"),
    benchmark:
        benchmark_of("enrich_lookup")
    localrule: config["enrich"]["lookup"]["backend"] == "endpoint"  # which nodes often cannot reach
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step(
            "enrich.lookup",
            over=lambda wildcards: {
                "cache": config["enrich"]["lookup"]["cache"] or f"{RESULTS}/enrich/answers"
            },
            given=lambda wildcards: {"languages": ITEM_LANGUAGES},
        ),
    script:
        "../scripts/step.py"


rule enrich_pages:
    input:
        **after(*LINKING),
        lookups=LOOKUP_PART,
        given=PAGE_PARTS,
    output:
        pages=f"{RESULTS}/enrich/pages/part-00000.parquet",
    log:
        log_of("enrich_pages"),
    benchmark:
        benchmark_of("enrich_pages")
    localrule: True  # nodes of a cluster often have no way to the web
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(480),
        download=1,
    params:
        **step(
            "enrich.pages",
            over=lambda wildcards: {
                "cache": config["enrich"]["pages"]["cache"] or f"{RESULTS}/enrich/articles"
            },
        ),
    script:
        "../scripts/step.py"


rule enrich_items:
    input:
        **after(*LINKING),
        categories=CATEGORY_PART,
        lookups=LOOKUP_PART,
        pages=PAGE_PARTS
        + (
            [f"{RESULTS}/enrich/pages/part-00000.parquet"]
            if config["enrich"]["pages"]["backend"] == "api"
            else []
        ),
    output:
        dictionary=ITEM_PART,
    log:
        log_of("enrich_items"),
    benchmark:
        benchmark_of("enrich_items")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("enrich.items", given=lambda wildcards: {"languages": ITEM_LANGUAGES}),
    script:
        "../scripts/step.py"


rule enrich_assemble:
    input:
        **after(*LINKING),
        sentences=parts("ingest/sentences/{corpus}", SENTENCE_PARTS),
        mentions=parts("enrich/mentions/{corpus}", SENTENCE_PARTS),
        about=[CATEGORY_PART, ITEM_PART],
    output:
        assembled=f"{RESULTS}/enrich/sentences/{{corpus}}/part-00000.parquet",
        rejects=f"{RESULTS}/enrich/rejects/{{corpus}}/part-00000.parquet",
        camt=f"{RESULTS}/enrich/camt/{{corpus}}.json",
    log:
        log_of("enrich_assemble", "corpus"),
    benchmark:
        benchmark_of("enrich_assemble", "corpus")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step("enrich.assemble", given=lambda wildcards: {"pair": SENTENCES[wildcards.corpus]}),
    script:
        "../scripts/step.py"


rule enrich_statistics:
    input:
        **after(*LINKING),
        sentences=[f"{RESULTS}/enrich/sentences/{corpus}/part-00000.parquet" for corpus in SENTENCES],
        dictionary=ITEM_PART,
    output:
        statistics=f"{RESULTS}/enrich/statistics/part-00000.parquet",
        shares=f"{RESULTS}/enrich/shares/part-00000.parquet",
        table=f"{RESULTS}/enrich/statistics/table2.tsv",
    log:
        log_of("enrich_statistics"),
    benchmark:
        benchmark_of("enrich_statistics")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("enrich.statistics", given=lambda wildcards: {"pairs": list(SENTENCES.items())}),
    script:
        "../scripts/step.py"


rule enrich_link_quality:
    input:
        **after(*LINKING),
        sentences=parts("ingest/sentences/{corpus}", SENTENCE_PARTS),
        mentions=parts("enrich/mentions/{corpus}", SENTENCE_PARTS),
        entities=ENTITY_PART,
        dictionary=ITEM_PART,
    output:
        quality=f"{RESULTS}/enrich/link_quality/{{corpus}}/part-00000.parquet",
    log:
        log_of("enrich_link_quality", "corpus"),
    benchmark:
        benchmark_of("enrich_link_quality", "corpus")
    conda:
        "../envs/enrich.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("enrich.link_quality", given=lambda wildcards: {"annotated": RAW[wildcards.corpus][0]}),
    script:
        "../scripts/step.py"


if "enrich" not in TARGETS:

    rule enrich:
        input:
            refuse_nothing(SENTENCES),

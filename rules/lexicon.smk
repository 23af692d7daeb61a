LEXICON = {  # tables that the page and other stages read
    "neighbours": f"{RESULTS}/lexicon/neighbours/part-00000.parquet",
    "picture": f"{RESULTS}/lexicon/picture/part-00000.parquet",
    "words": f"{RESULTS}/lexicon/words/part-00000.parquet",
    "precision": f"{RESULTS}/lexicon/precision/part-00000.parquet",
}
LEXICON_CONCEPTS = f"{RESULTS}/lexicon/concepts/concepts.tsv"


rule lexicon_vectors:
    input:
        **after(SOURCE),
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
    output:
        vectors=directory(f"{RESULTS}/lexicon/vectors/{{corpus}}"),
    log:
        log_of("lexicon_vectors", "corpus"),
    benchmark:
        benchmark_of("lexicon_vectors", "corpus")
    wildcard_constraints:
        corpus="|".join(MATCHED),
    conda:
        "../envs/lexicon.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step("lexicon.vectors"),
    script:
        "../scripts/step.py"


rule lexicon_align:
    input:
        **after(*(SOURCE[corpus] for corpus in MATCHED)),
        source=f"{RESULTS}/lexicon/vectors/xiachufang",
        target=f"{RESULTS}/lexicon/vectors/recipenlg",
    output:
        aligned=directory(f"{RESULTS}/lexicon/aligned"),
    log:
        log_of("lexicon_align"),
    benchmark:
        benchmark_of("lexicon_align")
    conda:
        "../envs/lexicon.yaml"
    threads: 8
    resources:
        mem_mb=memory(8000),
        runtime=minutes(480),
    params:
        **step("lexicon.align"),
    script:
        "../scripts/step.py"


rule lexicon_neighbours:
    input:
        **after(*(SOURCE[corpus] for corpus in MATCHED)),
        aligned=f"{RESULTS}/lexicon/aligned",
    output:
        neighbours=LEXICON["neighbours"],
        picture=LEXICON["picture"],
        sheet=f"{RESULTS}/lexicon/sheet/sheet.tsv",
    log:
        log_of("lexicon_neighbours"),
    benchmark:
        benchmark_of("lexicon_neighbours")
    conda:
        "../envs/lexicon.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("lexicon.neighbours"),
    script:
        "../scripts/step.py"


rule lexicon_precision:
    input:
        **after(*(SOURCE[corpus] for corpus in MATCHED)),
        neighbours=LEXICON["neighbours"],
        aligned=f"{RESULTS}/lexicon/aligned",
    output:
        marks=f"{RESULTS}/lexicon/marks/part-00000.parquet",
        words=LEXICON["words"],
        precision=LEXICON["precision"],
        concepts=LEXICON_CONCEPTS,
    log:
        log_of("lexicon_precision"),
    benchmark:
        benchmark_of("lexicon_precision")
    conda:
        "../envs/lexicon.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("lexicon.precision"),
    script:
        "../scripts/step.py"

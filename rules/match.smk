rule match_eligible:
    input:
        after=ancient(after("ingest_source")),
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
    output:
        eligible=f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet",
        rejects=f"{RESULTS}/match/rejects/{{corpus}}/part-00000.parquet",
    log:
        log_of("match_eligible", "corpus"),
    benchmark:
        benchmark_of("match_eligible", "corpus")
    conda:
        "../envs/match.yaml"
    threads: 2
    resources:
        mem_mb=memory(2000),
        runtime=minutes(120),
    params:
        key=key("match.eligible"),
    script:
        "../scripts/match_eligible.py"


checkpoint match_titles:
    input:
        after=ancient(after("ingest_source")),
        eligible=f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet",
    output:
        titles=f"{RESULTS}/match/titles/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/match/titles/{{corpus}}.sha256",
    log:
        log_of("match_titles", "corpus"),
    benchmark:
        benchmark_of("match_titles", "corpus")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key("match.titles"),
    script:
        "../scripts/match_titles.py"


rule match_translate:
    input:
        after=ancient(after("ingest_source", "match_titles")),
        titles=ancient(match_titles_table),
    output:
        translated=f"{RESULTS}/match/translate/{{corpus}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("match_translate", "corpus", "shard", "shards"),
    benchmark:
        benchmark_of("match_translate", "corpus", "shard", "shards")
    conda:
        "../envs/match.yaml"
    threads: 2
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
        gpu=lambda wildcards: int(translate_backend(wildcards) == "hub"),
    params:
        key=translate_key,
        backend=translate_backend,
    script:
        "../scripts/match_translate.py"


checkpoint match_texts:
    input:
        after=ancient(after("ingest_source", "match_titles")),
        translated=translated,
    output:
        texts=f"{RESULTS}/match/texts/{{corpus}}/part-00000.parquet",
        translations=f"{RESULTS}/match/translations/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/match/texts/{{corpus}}.sha256",
        translations_digest=f"{RESULTS}/match/translations/{{corpus}}.sha256",
    log:
        log_of("match_texts", "corpus"),
    benchmark:
        benchmark_of("match_texts", "corpus")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(3000),
        runtime=minutes(20),
    params:
        key=key("match.texts"),
    script:
        "../scripts/match_texts.py"


rule match_embed:
    input:
        after=ancient(after("ingest_source", "match_titles", "match_texts")),
        texts=ancient(match_texts_table),
    output:
        vectors=f"{RESULTS}/match/embed/{{corpus}}/{{shard}}-of-{{shards}}.npy",
    log:
        log_of("match_embed", "corpus", "shard", "shards"),
    benchmark:
        benchmark_of("match_embed", "corpus", "shard", "shards")
    conda:
        "../envs/match.yaml"
    threads: 8
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
        gpu=0 if MATCH["embed"]["model"] == "all-MiniLM-L6-v2" else 1,
    params:
        key=key("match.embed", match_texts, without=("shards",)),
    script:
        "../scripts/match_embed.py"


checkpoint match_vectors:
    input:
        after=ancient(after("ingest_source", "match_titles", "match_texts")),
        vectors=lambda wildcards: shards(f"match/embed/{wildcards.corpus}", "npy", MATCH["embed"]["shards"]),
    output:
        vectors=directory(f"{RESULTS}/match/vectors/{{corpus}}"),
        digest=f"{RESULTS}/match/vectors/{{corpus}}.sha256",
    log:
        log_of("match_vectors", "corpus"),
    benchmark:
        benchmark_of("match_vectors", "corpus")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        key=key("match.vectors"),
    script:
        "../scripts/match_vectors.py"


rule match_search:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        sources=ancient(vectors_of(source_corpus)),
        targets=ancient(vectors_of(target_corpus)),
    output:
        neighbours=f"{RESULTS}/match/search/{{direction}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("match_search", "direction", "shard", "shards"),
    benchmark:
        benchmark_of("match_search", "direction", "shard", "shards")
    conda:
        "../envs/match.yaml"
    threads: 8
    resources:
        mem_mb=MATCH["search"]["memory_mb"],
        runtime=minutes(480),
        gpu=1 if MATCH["search"]["device"] == "cuda" else 0,
    params:
        key=key("match.search", source_vectors, target_vectors, without=("shards", "memory_mb")),
    script:
        "../scripts/match_search.py"


rule match_pair:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        neighbours=lambda wildcards: shards(
            f"match/search/{wildcards.direction}", "parquet", MATCH["search"]["shards"]
        ),
        source=lambda wildcards: f"{RESULTS}/match/eligible/{source_corpus(wildcards)}/part-00000.parquet",
        source_translations=ancient(translations_of(source_corpus)),
        target=lambda wildcards: f"{RESULTS}/match/eligible/{target_corpus(wildcards)}/part-00000.parquet",
        target_translations=ancient(translations_of(target_corpus)),
    output:
        accepted=f"{RESULTS}/match/accepted/{{direction}}/part-00000.parquet",
        audit=f"{RESULTS}/match/audit/{{direction}}/part-00000.parquet",
        neighbours=f"{RESULTS}/match/neighbours/{{direction}}/part-00000.parquet",
    log:
        log_of("match_pair", "direction"),
    benchmark:
        benchmark_of("match_pair", "direction")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=minutes(120),
    params:
        key=key(
            "match.pair",
            source_translations,
            target_translations,
            settings=("match.search.k", "match.translate.backend"),
        ),
    script:
        "../scripts/match_pair.py"


rule match_split:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        accepted=expand(f"{RESULTS}/match/accepted/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
    output:
        pairs=expand(f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        leaks=f"{RESULTS}/match/split/leaks.json",
    log:
        log_of("match_split"),
    benchmark:
        benchmark_of("match_split")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=minutes(60),
    params:
        key=key("match.split"),
    script:
        "../scripts/match_split.py"


rule match_statistics:
    input:
        after=ancient(after(*MATCHING, of=MATCHED)),
        pairs=expand(f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        neighbours=expand(
            f"{RESULTS}/match/neighbours/{{direction}}/part-00000.parquet", direction=DIRECTIONS
        ),
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
    output:
        statistics=f"{RESULTS}/match/statistics/table1.tsv",
        histogram=f"{RESULTS}/match/statistics/scores.json",
    log:
        log_of("match_statistics"),
    benchmark:
        benchmark_of("match_statistics")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        key=key("match.statistics"),
    script:
        "../scripts/match_statistics.py"

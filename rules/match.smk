from wokflow.match.arguments import (
    embed_gpus,
    pair_given,
    search_overrides,
    translate_gpus,
    translate_overrides,
)

ELIGIBLE = {corpus: f"{RESULTS}/match/eligible/{corpus}/part-00000.parquet" for corpus in MATCHED}
COMPARED = shards("match/compare", "parquet", MATCH["compare"]["shards"])
# What makes pairs: titles, or whole recipes.
ACCEPTED = "reranked" if MATCH["rerank"]["by"] == "recipes" else "accepted"
SILVER = {  # the silver set, by direction, where people have accepted candidates
    direction: f"{RESULTS}/match/silver/{direction}/part-00000.parquet"
    for direction in (DIRECTIONS if MATCH["silver"]["accepted"] else ())
}


rule match_eligible:
    input:
        **after(SOURCE),
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
        **step("match.eligible"),
    script:
        "../scripts/step.py"


checkpoint match_titles:
    input:
        **after(SOURCE),
        eligible=f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet",
    output:
        data=f"{RESULTS}/match/titles/{{corpus}}/part-00000.parquet",
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
        **step("match.titles"),
    script:
        "../scripts/step.py"


rule match_translate:
    input:
        **after(titles=TITLES),
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
        gpu=lambda wildcards: translate_gpus(config, CORPORA[wildcards.corpus]),
    params:
        **step(
            "match.translate",
            over=lambda wildcards: translate_overrides(config, CORPORA[wildcards.corpus]),
        ),
    script:
        "../scripts/step.py"


checkpoint match_texts:
    input:
        **after(TITLES),
        translated=lambda wildcards: shards(
            f"match/translate/{wildcards.corpus}", "parquet", MATCH["translate"]["shards"]
        ),
    output:
        data=f"{RESULTS}/match/texts/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/match/texts/{{corpus}}.sha256",
        translations=f"{RESULTS}/match/translations/{{corpus}}/part-00000.parquet",
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
        **step("match.texts"),
    script:
        "../scripts/step.py"


rule match_embed:
    input:
        **after(texts=TEXTS),
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
        gpu=embed_gpus(config),
    params:
        **step("match.embed"),
    script:
        "../scripts/step.py"


checkpoint match_vectors:
    input:
        **after(TEXTS),
        vectors=lambda wildcards: shards(f"match/embed/{wildcards.corpus}", "npy", MATCH["embed"]["shards"]),
    output:
        data=directory(f"{RESULTS}/match/vectors/{{corpus}}"),
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
        **step("match.vectors"),
    script:
        "../scripts/step.py"


rule match_search:
    input:
        **after(zh=VECTORS["xiachufang"], en=VECTORS["recipenlg"]),
    output:
        neighbours_zh_en=f"{RESULTS}/match/search/zh-en/{{shard}}-of-{{shards}}.parquet",
        neighbours_en_zh=f"{RESULTS}/match/search/en-zh/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("match_search", "shard", "shards"),
    benchmark:
        benchmark_of("match_search", "shard", "shards")
    conda:
        "../envs/match.yaml"
    threads: 8
    resources:
        mem_mb=memory(MATCH["search"]["memory_mb"] + 768),  # for libraries, whose pages some sites count
        runtime=minutes(480),
        gpu=1 if MATCH["search"]["device"] == "cuda" else 0,
    params:
        **step("match.search", over=lambda wildcards: search_overrides(config)),
    script:
        "../scripts/step.py"


rule match_pair:
    input:
        **after(VECTORS, translations=[of_source(TRANSLATIONS), of_target(TRANSLATIONS)]),
        searched=lambda wildcards: shards(
            f"match/search/{wildcards.direction}", "parquet", MATCH["search"]["shards"]
        ),
        eligible=lambda wildcards: [ELIGIBLE[corpus] for corpus in DIRECTIONS[wildcards.direction]],
    output:
        neighbours=f"{RESULTS}/match/neighbours/{{direction}}/part-00000.parquet",
        pairs=[f"{RESULTS}/match/{table}/{{direction}}/part-00000.parquet" for table in ("accepted", "audit")],
        near=f"{RESULTS}/match/near/{{direction}}.tsv",
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
        **step(
            "match.pair",
            given=lambda wildcards: pair_given(config, wildcards.direction),
        ),
    script:
        "../scripts/step.py"


rule match_contents:
    input:
        **after(SOURCE),
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
        eligible=f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet",
    output:
        contents=f"{RESULTS}/match/contents/{{corpus}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("match_contents", "corpus", "shard", "shards"),
    benchmark:
        benchmark_of("match_contents", "corpus", "shard", "shards")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
    params:
        **step("match.contents"),
    script:
        "../scripts/step.py"


rule match_compare:
    input:
        **after(
            SOURCE,
            translations=[TRANSLATIONS["xiachufang"], TRANSLATIONS["recipenlg"]],
            vectors=[VECTORS["xiachufang"], VECTORS["recipenlg"]],
        ),
        searched_zh_en=shards("match/search/zh-en", "parquet", MATCH["search"]["shards"]),
        searched_en_zh=shards("match/search/en-zh", "parquet", MATCH["search"]["shards"]),
        contents_zh=shards("match/contents/xiachufang", "parquet", MATCH["contents"]["shards"]),
        contents_en=shards("match/contents/recipenlg", "parquet", MATCH["contents"]["shards"]),
        eligible=[ELIGIBLE["xiachufang"], ELIGIBLE["recipenlg"]],
    output:
        compared=f"{RESULTS}/match/compare/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("match_compare", "shard", "shards"),
    benchmark:
        benchmark_of("match_compare", "shard", "shards")
    conda:
        "../envs/match.yaml"
    threads: 2
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step("match.compare"),
    script:
        "../scripts/step.py"


rule match_rerank:
    input:
        **after(SOURCE, translations=[TRANSLATIONS["xiachufang"], TRANSLATIONS["recipenlg"]]),
        compared=COMPARED,
        eligible=[ELIGIBLE["xiachufang"], ELIGIBLE["recipenlg"]],
    output:
        reranked=[f"{RESULTS}/match/reranked/{direction}/part-00000.parquet" for direction in DIRECTIONS],
        rejects=f"{RESULTS}/match/rejects/labels/part-00000.parquet",
        model=report(f"{RESULTS}/match/rerank/model.json", caption="captions/rerank.rst", category="Matching"),
        unsure=f"{RESULTS}/match/rerank/unsure.tsv",
    log:
        log_of("match_rerank"),
    benchmark:
        benchmark_of("match_rerank")
    conda:
        "../envs/match.yaml"
    threads: 2
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step("match.rerank", given=lambda wildcards: pair_given(config, "zh-en")),
    script:
        "../scripts/step.py"


rule match_candidates:
    input:
        **ELIGIBLE,
        **after(SOURCE),
    output:
        candidates=f"{RESULTS}/match/candidates/part-00000.parquet",
        rejects=f"{RESULTS}/match/rejects/dish-names/part-00000.parquet",
        sheet=f"{RESULTS}/match/candidates/candidates.tsv",
    log:
        log_of("match_candidates"),
    benchmark:
        benchmark_of("match_candidates")
    conda:
        "../envs/match.yaml"
    threads: 2
    resources:
        mem_mb=memory(4000),
        runtime=minutes(30),
    params:
        **step("match.candidates"),
    script:
        "../scripts/step.py"


rule match_silver:
    input:
        **ELIGIBLE,
        **after(SOURCE),
    output:
        silver=f"{RESULTS}/match/silver/{{direction}}/part-00000.parquet",
        rejects=f"{RESULTS}/match/rejects/silver-{{direction}}/part-00000.parquet",
    log:
        log_of("match_silver", "direction"),
    benchmark:
        benchmark_of("match_silver", "direction")
    conda:
        "../envs/match.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("match.silver"),
    script:
        "../scripts/step.py"


rule match_split:
    input:
        **after(VECTORS),
        silver=list(SILVER.values()),
        eligible=list(ELIGIBLE.values()),
        accepted=[f"{RESULTS}/match/{ACCEPTED}/{direction}/part-00000.parquet" for direction in DIRECTIONS],
    output:
        pairs=[f"{RESULTS}/match/pairs/{direction}/part-00000.parquet" for direction in DIRECTIONS],
        leaks=report(f"{RESULTS}/match/split/leaks.json", caption="captions/leaks.rst", category="Matching"),
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
        **step("match.split"),
    script:
        "../scripts/step.py"


rule match_statistics:
    input:
        **after(VECTORS),
        silver=list(SILVER.values()),
        pairs=[f"{RESULTS}/match/pairs/{direction}/part-00000.parquet" for direction in DIRECTIONS],
        neighbours=[f"{RESULTS}/match/neighbours/{direction}/part-00000.parquet" for direction in DIRECTIONS],
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
    output:
        statistics=report(
            f"{RESULTS}/match/statistics/table1.tsv", caption="captions/table1.rst", category="Matching"
        ),
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
        **step("match.statistics"),
    script:
        "../scripts/step.py"

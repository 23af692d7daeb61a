rule pivot_dishes:
    input:
        after=ancient(after("ingest_source", of=[DISH_CORPUS])),
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
    output:
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    log:
        log_of("pivot_dishes"),
    benchmark:
        benchmark_of("pivot_dishes")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("pivot.dishes", reads=[PAIRS]),
    script:
        "../scripts/pivot_dishes.py"


rule pivot_candidates:
    input:
        after=ancient(after(*PARSING, of=[DISH_CORPUS])),
        proto=parts(f"parse/proto/{DISH_CORPUS}", INGEST_PARTS),
        actions=parts(f"parse/actions/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
    log:
        log_of("pivot_candidates"),
    benchmark:
        benchmark_of("pivot_candidates")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=minutes(120),
    params:
        key=key("pivot.candidates", reads=[PAIRS]),
    script:
        "../scripts/pivot_candidates.py"


rule pivot_questions:
    input:
        after=ancient(after(*PARSING, of=[DISH_CORPUS])),
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
    output:
        questions=f"{RESULTS}/pivot/questions/part-00000.parquet",
        sheet=f"{RESULTS}/pivot/questions/questions.tsv",
    log:
        log_of("pivot_questions"),
    benchmark:
        benchmark_of("pivot_questions")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("pivot.questions"),
    script:
        "../scripts/pivot_questions.py"


rule pivot_pivots:
    input:
        after=ancient(after(*PARSING, of=[DISH_CORPUS])),
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
        answers=config["pivot"]["pivots"]["answers"],
    output:
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
    log:
        log_of("pivot_pivots"),
    benchmark:
        benchmark_of("pivot_pivots")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("pivot.pivots", without=("answers",)),
    script:
        "../scripts/pivot_pivots.py"


rule pivot_orders:
    input:
        after=ancient(after(*PARSING, of=[DISH_CORPUS])),
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
        proto=parts(f"parse/proto/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        effects=f"{RESULTS}/pivot/effects/part-00000.parquet",
        orders=f"{RESULTS}/pivot/orders/part-00000.parquet",
    log:
        log_of("pivot_orders"),
    benchmark:
        benchmark_of("pivot_orders")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        key=key("pivot.orders"),
    script:
        "../scripts/pivot_orders.py"


rule pivot_instances:
    input:
        after=ancient(after("ingest_source", of=[DISH_CORPUS])),
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        corpus=f"{RESULTS}/pivot/corpus/part-00000.parquet",
    log:
        log_of("pivot_instances"),
    benchmark:
        benchmark_of("pivot_instances")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("pivot.instances", reads=[PAIRS]),
    script:
        "../scripts/pivot_instances.py"

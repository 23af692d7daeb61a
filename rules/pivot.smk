PIVOTS_GIVEN, ORDERS_GIVEN = (bool(config["pivot"][block]["given"]) for block in ("pivots", "orders"))


rule pivot_dishes:
    input:
        **after(SOURCE[DISH_CORPUS]),
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
        **step("pivot.dishes"),
    script:
        "../scripts/step.py"


rule pivot_candidates:
    input:
        **after(PARSING[DISH_CORPUS]),
        proto=parts(f"parse/proto/{DISH_CORPUS}", INGEST_PARTS),
        actions=parts(f"parse/actions/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
        rejects=f"{RESULTS}/pivot/rejects/candidates/part-00000.parquet",
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
        **step("pivot.candidates"),
    script:
        "../scripts/step.py"


rule pivot_questions:
    input:
        **after(PARSING[DISH_CORPUS]),
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
        **step("pivot.questions"),
    script:
        "../scripts/step.py"


rule pivot_pivots:
    input:
        **after(PARSING[DISH_CORPUS]),
        candidates=[] if PIVOTS_GIVEN else [f"{RESULTS}/pivot/candidates/part-00000.parquet"],
    output:
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
        votes=f"{RESULTS}/pivot/votes/part-00000.parquet",
        agreement=f"{RESULTS}/pivot/agreement/part-00000.parquet",
        rejects=f"{RESULTS}/pivot/rejects/pivots/part-00000.parquet",
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
        **step("pivot.pivots"),
    script:
        "../scripts/step.py"


rule pivot_orders:
    input:
        **after(PARSING[DISH_CORPUS]),
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
        proto=[] if ORDERS_GIVEN else parts(f"parse/proto/{DISH_CORPUS}", INGEST_PARTS),
        dishes=[] if ORDERS_GIVEN else [f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet"],
    output:
        effects=f"{RESULTS}/pivot/effects/part-00000.parquet",
        orders=f"{RESULTS}/pivot/orders/part-00000.parquet",
        rejects=f"{RESULTS}/pivot/rejects/orders/part-00000.parquet",
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
        **step("pivot.orders"),
    script:
        "../scripts/step.py"


rule pivot_instances:
    input:
        **after(SOURCE[DISH_CORPUS]),
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
        **step("pivot.instances"),
    script:
        "../scripts/step.py"


rule pivot_mined:
    input:
        **after(PARSING[DISH_CORPUS]),
        actions=parts(f"parse/actions/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
        corpus=f"{RESULTS}/pivot/corpus/part-00000.parquet",
    output:
        mined=f"{RESULTS}/pivot/mined/part-00000.parquet",
    log:
        log_of("pivot_mined"),
    benchmark:
        benchmark_of("pivot_mined")
    conda:
        "../envs/pivot.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
    params:
        **step("pivot.mined"),
    script:
        "../scripts/step.py"

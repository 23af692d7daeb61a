BERTSCORE = config["evaluate"]["counterfactual"]["bertscore"]


rule evaluate_counterfactual:
    input:
        after=ancient(after_rewrites),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
        orders=f"{RESULTS}/pivot/orders/part-00000.parquet",
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
        predictions=expand(f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet", run=BASELINES)
        + predictions_of("counterfactual")
        + config["evaluate"]["counterfactual"]["predictions"],
        vectors=config["evaluate"]["counterfactual"]["vectors"] or f"{RESULTS}/parse/vectors",
        model=dependencies_model if PARSER_USED else [],
    output:
        scores=f"{RESULTS}/evaluate/scores/part-00000.parquet",
    log:
        log_of("evaluate_counterfactual"),
    benchmark:
        benchmark_of("evaluate_counterfactual")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=minutes(120),
        gpu=int(bool(BERTSCORE["model"]) and BERTSCORE["device"] != "cpu"),
    params:
        key=counterfactual_key,
    script:
        "../scripts/evaluate_counterfactual.py"


rule evaluate_metrics:
    input:
        after=ancient(after_run),
        instances=instances_table,
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    output:
        parts=f"{RESULTS}/evaluate/parts/{{run}}/metrics.parquet",
    log:
        log_of("evaluate_metrics", "run"),
    benchmark:
        benchmark_of("evaluate_metrics", "run")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("evaluate.metrics"),
        data=data_of_run,
    script:
        "../scripts/evaluate_metrics.py"


rule evaluate_bertscore:
    input:
        after=ancient(after_run),
        instances=instances_table,
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    output:
        parts=f"{RESULTS}/evaluate/parts/{{run}}/bertscore.parquet",
    log:
        log_of("evaluate_bertscore", "run"),
    benchmark:
        benchmark_of("evaluate_bertscore", "run")
    conda:
        "../envs/evaluate.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
        gpu=int(config["evaluate"]["bertscore"]["device"] != "cpu"),
    params:
        key=bertscore_key,
        data=data_of_run,
    script:
        "../scripts/evaluate_bertscore.py"


rule evaluate_smatch:
    input:
        after=ancient(after_run),
        instances=instances_table,
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    output:
        parts=f"{RESULTS}/evaluate/parts/{{run}}/smatch.parquet",
    log:
        log_of("evaluate_smatch", "run"),
    benchmark:
        benchmark_of("evaluate_smatch", "run")
    conda:
        "../envs/evaluate.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=minutes(240),
        gpu=1,
    params:
        key=key("evaluate.smatch", without=("seconds",)),
        data=data_of_run,
    script:
        "../scripts/evaluate_smatch.py"


rule evaluate_comet:
    input:
        after=ancient(after_run),
        instances=instances_table,
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    output:
        parts=f"{RESULTS}/evaluate/parts/{{run}}/comet.parquet",
    log:
        log_of("evaluate_comet", "run"),
    benchmark:
        benchmark_of("evaluate_comet", "run")
    conda:
        "../envs/evaluate.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
        gpu=1,
    params:
        key=key("evaluate.comet", without=("seconds",)),
        data=data_of_run,
    script:
        "../scripts/evaluate_comet.py"


rule evaluate_summary:
    input:
        after=ancient(after_runs),
        parts=measured,
        published="resources/published.tsv",
    output:
        scores=f"{RESULTS}/evaluate/scores/part-00001.parquet",
        comparisons=f"{RESULTS}/evaluate/comparisons/part-00000.parquet",
        summary=f"{RESULTS}/evaluate/summary/part-00000.parquet",
        table=f"{RESULTS}/evaluate/summary/summary.tsv",
    log:
        log_of("evaluate_summary"),
    benchmark:
        benchmark_of("evaluate_summary")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("evaluate.summary"),
    script:
        "../scripts/evaluate_summary.py"


rule evaluate_correlations:
    input:
        after=ancient(after_runs),
        parts=measured,
        ratings=config["evaluate"]["correlations"]["ratings"],
    output:
        correlations=f"{RESULTS}/evaluate/correlations/part-00000.parquet",
    log:
        log_of("evaluate_correlations"),
    benchmark:
        benchmark_of("evaluate_correlations")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key("evaluate.correlations", without=("ratings",)),
    script:
        "../scripts/evaluate_correlations.py"


rule evaluate_literal:
    input:
        after=ancient(after_runs),
        concepts=config["evaluate"]["literal"]["concepts"],
        instances=expand(
            f"{RESULTS}/generate/instances/{{direction}}/part-00000.parquet",
            direction=[data for data in DIRECTIONS if OF_DATA[data]],
        ),
        predictions=[path for data in DIRECTIONS for path in predictions_of(data)],
    output:
        literal=f"{RESULTS}/evaluate/literal/part-00000.parquet",
    log:
        log_of("evaluate_literal"),
    benchmark:
        benchmark_of("evaluate_literal")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        key=key("evaluate.literal", without=("concepts",)),
        data_of=given(lambda wildcards: {path: data for data in DIRECTIONS for path in predictions_of(data)}),
    script:
        "../scripts/evaluate_literal.py"

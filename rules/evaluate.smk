rule evaluate_counterfactual:
    input:
        after=ancient(after(*PARSING, of=[DISH_CORPUS])),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        pivots=f"{RESULTS}/pivot/pivots/part-00000.parquet",
        orders=f"{RESULTS}/pivot/orders/part-00000.parquet",
        candidates=f"{RESULTS}/pivot/candidates/part-00000.parquet",
        predictions=expand(f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet", run=BASELINES)
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
        gpu=int(bool(config["evaluate"]["counterfactual"]["bertscore"]["model"])),
    params:
        key=counterfactual_key,
    script:
        "../scripts/evaluate_counterfactual.py"

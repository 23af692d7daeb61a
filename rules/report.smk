rule report_page:
    input:
        after=ancient(after(*CHECKPOINTS)),
        statistics=f"{RESULTS}/match/statistics/table1.tsv",
        histogram=f"{RESULTS}/match/statistics/scores.json",
        leaks=f"{RESULTS}/match/split/leaks.json",
        recipes=[path for corpus in CORPORA for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
        rejects=[path for corpus in MATCHED for path in parts(f"ingest/rejects/{corpus}", INGEST_PARTS)]
        + expand(f"{RESULTS}/match/rejects/{{corpus}}/part-00000.parquet", corpus=MATCHED)
        + [path for corpus in PARSED for path in parts(f"parse/rejects/{corpus}", INGEST_PARTS)],
        eligible=expand(f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet", corpus=MATCHED),
        titles=titles_of_all,
        texts=texts_of_all,
        pairs=expand(f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        audit=expand(f"{RESULTS}/match/audit/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        actions=[path for corpus in PARSED for path in parts(f"parse/actions/{corpus}", INGEST_PARTS)],
        proto=[path for corpus in PARSED for path in parts(f"parse/proto/{corpus}", INGEST_PARTS)],
        parser=f"{RESULTS}/parse/parser/scores.json",
        dishes=[f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet"],
        candidates=[f"{RESULTS}/pivot/candidates/part-00000.parquet"],
        answers=config["pivot"]["pivots"]["answers"],
        pivots=[f"{RESULTS}/pivot/pivots/part-00000.parquet"],
        orders=[f"{RESULTS}/pivot/orders/part-00000.parquet"],
        effects=[f"{RESULTS}/pivot/effects/part-00000.parquet"],
        scores=[f"{RESULTS}/evaluate/scores/part-{part:05}.parquet" for part in (0, 1)],
        evaluated=expand(
            f"{RESULTS}/evaluate/{{table}}/part-00000.parquet",
            table=["summary", "comparisons", "correlations", "literal"],
        ),
        instances=expand(
            f"{RESULTS}/generate/instances/{{data}}/part-00000.parquet",
            data=[data for data in DIRECTIONS if OF_DATA[data]],
        ),
        predictions=[path for data in DIRECTIONS for path in predictions_of(data)],
        models=TARGETS["train"],
        releases=expand(f"{RESULTS}/export/pairs/{{direction}}", direction=DIRECTIONS),
    output:
        page=f"{RESULTS}/report/page/index.html",
    log:
        log_of("report_page"),
    benchmark:
        benchmark_of("report_page")
    conda:
        "../envs/report.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        key=key(
            "report.page",
            settings=(
                "match.pair.threshold",
                "parse.actions.method",
                "pivot.orders",
                "pivot.pivots.annotators",
                "evaluate.counterfactual.bootstrap.level",
                "evaluate.summary.bootstrap.level",
            ),
            reads=[GLOSSARY, PAIRS],
        ),
    script:
        "../scripts/report_page.py"

def titles_of_all(wildcards):
    return [checkpoints.match_titles.get(corpus=corpus).output.titles for corpus in CORPORA]


def texts_of_all(wildcards):
    return [checkpoints.match_texts.get(corpus=corpus).output.texts for corpus in CORPORA]


rule report_page:
    input:
        statistics=f"{RESULTS}/match/statistics/table1.tsv",
        histogram=f"{RESULTS}/match/statistics/scores.json",
        leaks=f"{RESULTS}/match/split/leaks.json",
        recipes=[path for corpus in CORPORA for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
        rejects=[path for corpus in CORPORA for path in parts(f"ingest/rejects/{corpus}", INGEST_PARTS)]
        + expand(f"{RESULTS}/match/rejects/{{corpus}}/part-00000.parquet", corpus=CORPORA),
        eligible=expand(f"{RESULTS}/match/eligible/{{corpus}}/part-00000.parquet", corpus=CORPORA),
        titles=titles_of_all,
        texts=texts_of_all,
        pairs=expand(f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        audit=expand(f"{RESULTS}/match/audit/{{direction}}/part-00000.parquet", direction=DIRECTIONS),
        releases=expand(f"{RESULTS}/export/pairs/{{direction}}", direction=DIRECTIONS),
    output:
        page=f"{RESULTS}/report/page/index.html",
    log:
        log_of("report_page"),
    benchmark:
        benchmark_of("report_page")
    params:
        key=key("report.page", settings=("match.pair.threshold",)),
    resources:
        mem_mb=2000,
        runtime=20,
    conda:
        "../envs/report.yaml"
    script:
        "../scripts/report_page.py"

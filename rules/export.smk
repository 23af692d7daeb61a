rule export_pairs:
    input:
        after=waits(VECTORS),
        pairs=f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet",
        source_recipes=lambda wildcards: parts(
            f"ingest/recipes/{DIRECTIONS[wildcards.direction][0]}", INGEST_PARTS
        ),
        target_recipes=lambda wildcards: parts(
            f"ingest/recipes/{DIRECTIONS[wildcards.direction][1]}", INGEST_PARTS
        ),
        statistics=f"{RESULTS}/match/statistics/table1.tsv",
    output:
        release=directory(f"{RESULTS}/export/pairs/{{direction}}"),
    log:
        log_of("export_pairs", "direction"),
    benchmark:
        benchmark_of("export_pairs", "direction")
    conda:
        "../envs/export.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("export.pairs"),
    script:
        "../scripts/step.py"

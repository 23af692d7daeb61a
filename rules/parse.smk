checkpoint parse_clauses:
    input:
        **after(SOURCE),
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
    output:
        data=f"{RESULTS}/parse/clauses/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/parse/clauses/{{corpus}}.sha256",
    log:
        log_of("parse_clauses", "corpus"),
    benchmark:
        benchmark_of("parse_clauses", "corpus")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step("parse.clauses"),
    script:
        "../scripts/step.py"


rule parse_parser:
    output:
        model=directory(f"{RESULTS}/parse/parser/model"),
        scores=f"{RESULTS}/parse/parser/scores.json",
    log:
        log_of("parse_parser"),
    benchmark:
        benchmark_of("parse_parser")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
    params:
        **step("parse.parser"),
    script:
        "../scripts/step.py"


rule parse_dependencies:
    input:
        **after(clauses=CLAUSES),
        trained=[f"{RESULTS}/parse/parser/model"] if PARSER_TRAINED else [],
    output:
        dependencies=f"{RESULTS}/parse/dependencies/{{corpus}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("parse_dependencies", "corpus", "shard", "shards"),
    benchmark:
        benchmark_of("parse_dependencies", "corpus", "shard", "shards")
    conda:
        "../envs/parse.yaml"
    threads: 2
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
        gpu=int(not PARSER_TRAINED and PARSE["dependencies"]["device"] != "cpu"),
    params:
        **step("parse.dependencies", package=lambda wildcards: model_package(PARSE["dependencies"])),
    script:
        "../scripts/step.py"


rule parse_actions:
    input:
        **after(PARSING),
        recipes=f"{RESULTS}/ingest/recipes/{{corpus}}/part-{{part}}.parquet",
        dependencies=(
            shards("parse/dependencies/{corpus}", "parquet", PARSE["dependencies"]["shards"])
            if PARSER_USED
            else []
        ),
    output:
        actions=f"{RESULTS}/parse/actions/{{corpus}}/part-{{part}}.parquet",
        rejects=f"{RESULTS}/parse/rejects/{{corpus}}/part-{{part}}.parquet",
    log:
        log_of("parse_actions", "corpus", "part"),
    benchmark:
        benchmark_of("parse_actions", "corpus", "part")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step("parse.actions"),
    script:
        "../scripts/step.py"


rule parse_proto:
    input:
        **after(PARSING),
        actions=parts("parse/actions/{corpus}", INGEST_PARTS),
    output:
        proto=parts("parse/proto/{corpus}", INGEST_PARTS),
    log:
        log_of("parse_proto", "corpus"),
    benchmark:
        benchmark_of("parse_proto", "corpus")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("parse.proto"),
    script:
        "../scripts/step.py"


rule parse_vectors:
    input:
        **after(SOURCE[PARSE["vectors"]["corpus"]]),
        recipe_parts=parts(f"ingest/recipes/{PARSE['vectors']['corpus']}", INGEST_PARTS),
    output:
        vectors=directory(f"{RESULTS}/parse/vectors"),
        digest=f"{RESULTS}/parse/vectors.sha256",
    log:
        log_of("parse_vectors"),
    benchmark:
        benchmark_of("parse_vectors")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step("parse.vectors"),
    script:
        "../scripts/step.py"


rule parse_induce:
    input:
        **after(SOURCE[PARSE["vectors"]["corpus"]]),
        recipe_parts=parts(f"ingest/recipes/{PARSE['vectors']['corpus']}", INGEST_PARTS),
        vectors=f"{RESULTS}/parse/vectors",
    output:
        induced=directory(f"{RESULTS}/parse/induce"),
    log:
        log_of("parse_induce"),
    benchmark:
        benchmark_of("parse_induce")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(240),
    params:
        **step("parse.induce"),
    script:
        "../scripts/step.py"

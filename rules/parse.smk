checkpoint parse_clauses:
    input:
        after=ancient(after("ingest_source")),
        recipes=parts("ingest/recipes/{corpus}", INGEST_PARTS),
    output:
        clauses=f"{RESULTS}/parse/clauses/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/parse/clauses/{{corpus}}.sha256",
    log:
        log_of("parse_clauses", "corpus"),
    benchmark:
        benchmark_of("parse_clauses", "corpus")
    conda:
        "../envs/parse.yaml"
    resources:
        mem_mb=memory(6000),
        runtime=minutes(120),
    params:
        key=key("parse.clauses"),
    script:
        "../scripts/parse_clauses.py"


rule parse_parser:
    input:
        treebanks=PARSE["parser"]["treebanks"],
        test=PARSE["parser"]["test"],
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
        key=key("parse.parser", reads=[GLOSSARY]),
    script:
        "../scripts/parse_parser.py"


rule parse_dependencies:
    input:
        after=ancient(after(*PARSING)),
        clauses=ancient(parse_clauses_table),
        model=dependencies_model,
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
        gpu=int(PARSE["dependencies"]["device"] == "cuda"),
    params:
        key=dependencies_key,
    script:
        "../scripts/parse_dependencies.py"


rule parse_actions:
    input:
        after=ancient(after(*PARSING)),
        recipes=f"{RESULTS}/ingest/recipes/{{corpus}}/part-{{part}}.parquet",
        dependencies=dependencies,
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
        key=key("parse.actions", reads=[GLOSSARY]),
    script:
        "../scripts/parse_actions.py"


rule parse_proto:
    input:
        after=ancient(after(*PARSING)),
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
        key=key("parse.proto"),
    script:
        "../scripts/parse_proto.py"


rule parse_vectors:
    input:
        after=ancient(after("ingest_source", of=[PARSE["vectors"]["corpus"]])),
        recipes=parts(f"ingest/recipes/{PARSE['vectors']['corpus']}", INGEST_PARTS),
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
        key=key("parse.vectors", reads=[GLOSSARY]),
    script:
        "../scripts/parse_vectors.py"


rule parse_induce:
    input:
        after=ancient(after("ingest_source", of=[PARSE["vectors"]["corpus"]])),
        recipes=parts(f"ingest/recipes/{PARSE['vectors']['corpus']}", INGEST_PARTS),
        vectors=f"{RESULTS}/parse/vectors",
    output:
        glossary=directory(f"{RESULTS}/parse/induce"),
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
        key=key("parse.induce", reads=[GLOSSARY]),
    script:
        "../scripts/parse_induce.py"

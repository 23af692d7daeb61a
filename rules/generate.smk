from wokflow.frame.runs import REWRITING, names_of
from wokflow.generate.arguments import (
    beside,
    decode_given,
    decode_gpus,
    decode_overrides,
    key_variables,
    prompt_given,
    prompt_overrides,
    served,
    server_files,
    servers,
    with_server,
)

SHOWN = {  # exemplars of runs on sentences
    name: f"{RESULTS}/generate/exemplars/{run.data}/part-00000.parquet" if run.pair else []
    for name, run in RUNS.items()
}
TRAINED = {  # the model of each run that another rule trains
    name: f"{RESULTS}/train/model/{run.model_run}" if run.model_run else [] for name, run in RUNS.items()
}
SERVERS = servers(config, RUNS)  # of runs without an endpoint
of_server = config_of(RUNS, SERVERS)
KEY_VARIABLES = key_variables(config, {**RUNS, **ASKED})  # of the environment, for rules/cluster.smk


rule generate_baselines:
    input:
        **after(SOURCE[DISH_CORPUS]),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        recipes=parts(f"ingest/recipes/{DISH_CORPUS}", INGEST_PARTS),
        dishes=f"{RESULTS}/pivot/dishes/{DISH_CORPUS}/part-00000.parquet",
    output:
        copy_run=f"{RESULTS}/generate/predictions/copy/part-00000.parquet",
        substitute_run=f"{RESULTS}/generate/predictions/substitute/part-00000.parquet",
        retrieve_run=f"{RESULTS}/generate/predictions/retrieve/part-00000.parquet",
    log:
        log_of("generate_baselines"),
    benchmark:
        benchmark_of("generate_baselines")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step("generate.baselines"),
    script:
        "../scripts/step.py"


checkpoint generate_instances:
    input:
        **after(VECTORS),
        pairs=f"{RESULTS}/match/pairs/{{direction}}/part-00000.parquet",
        silver=lambda wildcards: [SILVER[wildcards.direction]] if SILVER else [],
        recipes=[path for corpus in MATCHED for path in parts(f"ingest/recipes/{corpus}", INGEST_PARTS)],
    output:
        data=f"{RESULTS}/generate/instances/{{direction}}/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/{{direction}}.sha256",
    log:
        log_of("generate_instances", "direction"),
    benchmark:
        benchmark_of("generate_instances", "direction")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step(
            "generate.instances",
            given=lambda wildcards: {
                name: config["train"][name][wildcards.direction] for name in ("gold", "published")
            },
        ),
    script:
        "../scripts/step.py"


checkpoint generate_rewrites:
    input:
        **after(SOURCE[DISH_CORPUS]),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
    output:
        data=f"{RESULTS}/generate/instances/counterfactual/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/counterfactual.sha256",
    log:
        log_of("generate_rewrites"),
    benchmark:
        benchmark_of("generate_rewrites")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("generate.rewrites"),
    script:
        "../scripts/step.py"


checkpoint generate_dialogues:
    input:
        utterances=UTTERANCES,
    output:
        data=f"{RESULTS}/generate/instances/dialogues/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/dialogues.sha256",
    log:
        log_of("generate_dialogues"),
    benchmark:
        benchmark_of("generate_dialogues")
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("generate.dialogues"),
    script:
        "../scripts/step.py"


checkpoint generate_items:
    input:
        **after(lambda wildcards: INSTANCES[wildcards.corpus].before),
        sentences=f"{RESULTS}/enrich/sentences/{{corpus}}/part-00000.parquet",
        dictionary=f"{RESULTS}/enrich/items/part-00000.parquet",
    output:
        data=f"{RESULTS}/generate/instances/{{corpus}}/part-00000.parquet",
        held_out=f"{RESULTS}/generate/exemplars/{{corpus}}/part-00000.parquet",
        digest=f"{RESULTS}/generate/instances/{{corpus}}.sha256",
        plain=[
            f"{RESULTS}/generate/plain/{{corpus}}/part-00000.parquet",
            f"{RESULTS}/generate/plain/{{corpus}}.sha256",
        ],
    log:
        log_of("generate_items", "corpus"),
    benchmark:
        benchmark_of("generate_items", "corpus")
    wildcard_constraints:
        corpus="|".join(sorted(INSTANCES.members.keys() & SENTENCES)) or "(?!)",
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step(
            "generate.items",
            given=lambda wildcards: {"corpus": wildcards.corpus, "pair": SENTENCES[wildcards.corpus]},
        ),
    script:
        "../scripts/step.py"


rule generate_decode:
    input:
        **after(of_model(EXAMPLES), INSTANCES, instances=INSTANCES),
        exemplars=ancient(lambda wildcards: SHOWN[wildcards.run]),
        trained=lambda wildcards: TRAINED[wildcards.run],
    output:
        predictions=f"{RESULTS}/generate/decode/{{run}}/{{shard}}-of-{{shards}}.parquet",
    log:
        log_of("generate_decode", "run", "shard", "shards"),
    benchmark:
        benchmark_of("generate_decode", "run", "shard", "shards")
    wildcard_constraints:
        run=names_of(RUNS, "seq2seq", "causal"),
    conda:
        "../envs/generate.yaml"
    threads: lambda wildcards: 1 if RUNS[wildcards.run].small else 4
    resources:
        mem_mb=lambda wildcards, attempt: memory(RUNS[wildcards.run].memory_mb)(wildcards, attempt),
        runtime=minutes(240),
        gpu=lambda wildcards: decode_gpus(config, RUNS[wildcards.run]),
    params:
        **step(
            "generate.decode",
            over=lambda wildcards: decode_overrides(RUNS[wildcards.run]),
            given=lambda wildcards: decode_given(RUNS[wildcards.run]),
        ),
    script:
        "../scripts/step.py"


rule generate_predictions:
    input:
        **after(
            of_model(EXAMPLES),
            INSTANCES,
            lambda wildcards: [PARSING[DISH_CORPUS]] if RUNS[wildcards.run].family == "mined" else [],
        ),
        instances=data(INSTANCES),
        decoded=lambda wildcards: shards(
            f"generate/decode/{wildcards.run}",
            "parquet",
            config["generate"][RUNS[wildcards.run].step]["shards"],
        ),
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    log:
        log_of("generate_predictions", "run"),
    benchmark:
        benchmark_of("generate_predictions", "run")
    wildcard_constraints:
        run=names_of(RUNS, "seq2seq", "causal", *REWRITING),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("generate.predictions"),
    script:
        "../scripts/step.py"


rule generate_retrieval:
    input:
        **after(INSTANCES),
        instances=data(INSTANCES),
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    log:
        log_of("generate_retrieval", "run"),
    benchmark:
        benchmark_of("generate_retrieval", "run")
    wildcard_constraints:
        run=names_of(RUNS, "retrieval"),
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("generate.retrieval"),
    script:
        "../scripts/step.py"


# A server and its users are one group, and all wait for the same cutoffs. Where a checkpoint makes Snakemake replace
# one job of a group and not the whole group, the group keeps the old job beside the new one.
rule generate_server:
    input:
        **after(lambda wildcards: of_data(INSTANCES, served(RUNS, SERVERS, wildcards.server))),
    output:
        endpoint=service(f"{RESULTS}/generate/server/{{server}}.json"),
    log:
        log_of("generate_server", "server"),
    wildcard_constraints:
        server="|".join(SERVERS.values()) or "(?!)",
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: memory(of_server(wildcards)["generate"]["server"]["memory_mb"])(
            wildcards, attempt
        ),
        runtime=minutes(480),
        gpu=lambda wildcards: of_server(wildcards)["generate"]["server"]["gpus"],
    params:
        **step(
            "generate.server",
            config=of_server,
            given=lambda wildcards: {"model": served(RUNS, SERVERS, wildcards.server)[0].model},
        ),
    script:
        "../scripts/step.py"


rule generate_prompt:
    input:
        **after(
            lambda wildcards: of_data(INSTANCES, beside(RUNS, SERVERS, wildcards.run)), instances=INSTANCES
        ),
        exemplars=ancient(lambda wildcards: SHOWN[wildcards.run]),
        server=lambda wildcards: (
            f"{RESULTS}/generate/server/{SERVERS[wildcards.run]}.json" if wildcards.run in SERVERS else []
        ),
    output:
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
        calls=f"{RESULTS}/generate/calls/{{run}}/part-00000.parquet",
        rejects=f"{RESULTS}/generate/rejects/{{run}}/part-00000.parquet",
    log:
        log_of("generate_prompt", "run"),
    benchmark:
        benchmark_of("generate_prompt", "run")
    wildcard_constraints:
        run=names_of(RUNS, "prompt"),
    conda:
        "../envs/generate.yaml"
    # Of the runs that share a server, and so run at once, one counts as a core: they wait for answers.
    threads: lambda wildcards: int(beside(RUNS, SERVERS, wildcards.run)[0].name == wildcards.run)
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step(
            "generate.prompt",
            over=lambda wildcards: prompt_overrides(config, RUNS[wildcards.run]),
            given=lambda wildcards: prompt_given(config, RUNS[wildcards.run]),
            config=lambda wildcards: with_server(config, RUNS[wildcards.run]),
            files=lambda wildcards: (
                server_files(with_server(config, RUNS[wildcards.run])["generate"]["server"])
                if wildcards.run in SERVERS
                else ""
            ),
        ),
    script:
        "../scripts/step.py"


rule generate_adaptations:
    input:
        **after(INSTANCES),
        utterances=UTTERANCES,
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
        calls=f"{RESULTS}/generate/calls/{{run}}/part-00000.parquet",
    output:
        adaptations=f"{RESULTS}/generate/adaptations/{{run}}/part-00000.parquet",
        rejects=f"{RESULTS}/generate/rejects/adaptations/{{run}}/part-00000.parquet",
    log:
        log_of("generate_adaptations", "run"),
    benchmark:
        benchmark_of("generate_adaptations", "run")
    wildcard_constraints:
        run="|".join(ADAPTING_RUNS) or "(?!)",
    conda:
        "../envs/generate.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("generate.adaptations"),
    script:
        "../scripts/step.py"

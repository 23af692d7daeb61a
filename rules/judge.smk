from wokflow.generate.arguments import prompt_overrides, served, server_files, with_server
from wokflow.judge.arguments import OF_DIALOGUES, asked_given, first_of_server, own_servers

GENERATORS, EVALUATORS, COMPARERS, EDITORS, DIALOGUE_RATERS, EDIT_RATERS, STRATEGISTS = (
    [name for name, model in ASKED.items() if model.role == role]
    for role in (
        "generator",
        "evaluator",
        "comparer",
        "editor",
        "dialogue_rater",
        "edit_rater",
        "strategist",
    )
)
TASKS_OF = {
    role: f"{RESULTS}/judge/{table}/part-00000.parquet"
    for role, table in (
        ("generator", "instructions"),
        ("evaluator", "tasks"),
        ("comparer", "pta/tasks"),
        ("dialogue_rater", "dialogues/tasks"),
        ("editor", "dialogues/utterances"),
        ("edit_rater", "dialogues/edits"),
        ("strategist", "dialogues/strategies"),
    )
}
OWN_SERVERS = own_servers(config, ASKED)  # of models without an endpoint
of_own_server = config_of(ASKED, OWN_SERVERS)
COMPARING = (*LINKING, *STEPS.of_predictions(EXAMPLES, INSTANCES, *LINKED)) if LINKED else ()
SPOKEN = INSTANCES.only("dialogues")  # the cutoff before adapted dialogues
BEFORE_TASKS = {role: SPOKEN for role in OF_DIALOGUES}  # cutoffs
BEFORE_TASKS |= {"generator": (), "evaluator": (), "comparer": COMPARING}
ADAPTATIONS = [f"{RESULTS}/generate/adaptations/{run}/part-00000.parquet" for run in ADAPTING_RUNS]
MARKED = (
    [f"{RESULTS}/ingest/annotations/part-00000.parquet"] if config["ingest"]["annotations"]["path"] else []
)


rule judge_instructions:
    output:
        instructions=f"{RESULTS}/judge/instructions/part-00000.parquet",
    log:
        log_of("judge_instructions"),
    benchmark:
        benchmark_of("judge_instructions")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(1000),
        runtime=minutes(20),
    params:
        **step("judge.instructions"),
    script:
        "../scripts/step.py"


rule judge_server:
    input:
        **after(lambda wildcards: BEFORE_TASKS[wildcards.server.partition("-")[0]]),
        tasks=lambda wildcards: TASKS_OF[wildcards.server.partition("-")[0]],
    output:
        endpoint=service(f"{RESULTS}/judge/server/{{server}}.json"),
    log:
        log_of("judge_server", "server"),
    wildcard_constraints:
        server="|".join(OWN_SERVERS.values()) or "(?!)",
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: memory(
            of_own_server(wildcards)["generate"]["server"]["memory_mb"]
        )(wildcards, attempt),
        runtime=minutes(480),
        gpu=lambda wildcards: of_own_server(wildcards)["generate"]["server"]["gpus"],
    params:
        **step(
            "judge.server",
            config=of_own_server,
            given=lambda wildcards: {"model": served(ASKED, OWN_SERVERS, wildcards.server)[0].model},
        ),
    script:
        "../scripts/step.py"


rule judge_prompt:
    input:
        **after(lambda wildcards: BEFORE_TASKS[ASKED[wildcards.asked].role]),
        tasks=lambda wildcards: TASKS_OF[ASKED[wildcards.asked].role],
        server=lambda wildcards: (
            f"{RESULTS}/judge/server/{OWN_SERVERS[wildcards.asked]}.json"
            if wildcards.asked in OWN_SERVERS
            else []
        ),
    output:
        answers=f"{RESULTS}/judge/answers/{{asked}}/part-00000.parquet",
    log:
        log_of("judge_prompt", "asked"),
    benchmark:
        benchmark_of("judge_prompt", "asked")
    conda:
        "../envs/judge.yaml"
    # Of the models that share a server, and so are asked at once, one counts as a core: they wait for answers.
    threads: lambda wildcards: int(first_of_server(OWN_SERVERS, wildcards.asked) == wildcards.asked)
    resources:
        mem_mb=memory(4000),
        runtime=minutes(480),
    params:
        **step(
            "judge.prompt",
            over=lambda wildcards: prompt_overrides(config, ASKED[wildcards.asked]),
            given=lambda wildcards: asked_given(config, ASKED[wildcards.asked], ASKED),
            config=lambda wildcards: with_server(config, ASKED[wildcards.asked]),
            files=lambda wildcards: (
                server_files(with_server(config, ASKED[wildcards.asked])["generate"]["server"])
                if wildcards.asked in OWN_SERVERS
                else ""
            ),
        ),
    script:
        "../scripts/step.py"


rule judge_tasks:
    input:
        instructions=f"{RESULTS}/judge/instructions/part-00000.parquet",
        answers=[f"{RESULTS}/judge/answers/{name}/part-00000.parquet" for name in GENERATORS],
    output:
        tasks=f"{RESULTS}/judge/tasks/part-00000.parquet",
        rejects=f"{RESULTS}/judge/rejects/tasks/part-00000.parquet",
    log:
        log_of("judge_tasks"),
    benchmark:
        benchmark_of("judge_tasks")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("judge.tasks"),
    script:
        "../scripts/step.py"


rule judge_pta:
    input:
        **after(*COMPARING),
        sentences=[f"{RESULTS}/enrich/sentences/{corpus}/part-00000.parquet" for corpus in LINKED],
        dictionary=ITEM_PART,
        predictions=[path for corpus in LINKED for path in PREDICTIONS[corpus]],
        held_out=[
            f"{RESULTS}/generate/exemplars/{corpus}/part-00000.parquet"
            for corpus in LINKED
            if corpus in INSTANCES.members
        ],
    output:
        pta=[f"{RESULTS}/judge/pta/{table}/part-00000.parquet" for table in ("pairs", "tasks")],
        rejects=f"{RESULTS}/judge/rejects/pta/part-00000.parquet",
    log:
        log_of("judge_pta"),
    benchmark:
        benchmark_of("judge_pta")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("judge.pta", given=lambda wildcards: {"pairs": dict(LINKED)}),
    script:
        "../scripts/step.py"


rule judge_ratings:
    input:
        **after(lambda wildcards: BEFORE_TASKS[ASKED[wildcards.asked].role]),
        tasks=lambda wildcards: TASKS_OF[ASKED[wildcards.asked].role],
        answers=f"{RESULTS}/judge/answers/{{asked}}/part-00000.parquet",
    output:
        ratings=f"{RESULTS}/judge/ratings/{{asked}}/part-00000.parquet",
        rejects=f"{RESULTS}/judge/rejects/{{asked}}/part-00000.parquet",
    log:
        log_of("judge_ratings", "asked"),
    benchmark:
        benchmark_of("judge_ratings", "asked")
    wildcard_constraints:
        asked="|".join(EVALUATORS + COMPARERS + DIALOGUE_RATERS + EDIT_RATERS + STRATEGISTS) or "(?!)",
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("judge.ratings"),
    script:
        "../scripts/step.py"


rule judge_dialogues:
    input:
        **after(*SPOKEN),
        adaptations=ADAPTATIONS,
    output:
        dialogues=f"{RESULTS}/judge/dialogues/tasks/part-00000.parquet",
        utterances=f"{RESULTS}/judge/dialogues/utterances/part-00000.parquet",
    log:
        log_of("judge_dialogues"),
    benchmark:
        benchmark_of("judge_dialogues")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("judge.dialogues"),
    script:
        "../scripts/step.py"


rule judge_edits:
    input:
        **after(*SPOKEN),
        adaptations=ADAPTATIONS,
        annotations=MARKED,
        tasks=f"{RESULTS}/judge/dialogues/utterances/part-00000.parquet",
        answers=f"{RESULTS}/judge/answers/{{asked}}/part-00000.parquet",
    output:
        edits=f"{RESULTS}/judge/edits/{{asked}}/part-00000.parquet",
        rejects=f"{RESULTS}/judge/rejects/{{asked}}/part-00000.parquet",
    log:
        log_of("judge_edits", "asked"),
    benchmark:
        benchmark_of("judge_edits", "asked")
    wildcard_constraints:
        asked="|".join(EDITORS) or "(?!)",
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("judge.edits"),
    script:
        "../scripts/step.py"


rule judge_edit_tasks:
    input:
        **after(*SPOKEN),
        adaptations=ADAPTATIONS,
        edits=[f"{RESULTS}/judge/edits/{name}/part-00000.parquet" for name in EDITORS],
        changes=[] if EDITORS else [f"{RESULTS}/evaluate/dialogues/changes/part-00000.parquet"],
    output:
        scored=f"{RESULTS}/judge/dialogues/edits/part-00000.parquet",
        strategies=f"{RESULTS}/judge/dialogues/strategies/part-00000.parquet",
    log:
        log_of("judge_edit_tasks"),
    benchmark:
        benchmark_of("judge_edit_tasks")
    conda:
        "../envs/judge.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(20),
    params:
        **step("judge.edit_tasks"),
    script:
        "../scripts/step.py"

from wokflow.evaluate.stage import measures, run_names
from wokflow.frame.languages import target_lang

BERTSCORE = EVALUATE["counterfactual"]["bertscore"]
DIRECTION = {name: run.direction for name, run in RUNS.items()}  # source and target language, as zh-en
TARGET = {name: target_lang(direction) for name, direction in DIRECTION.items()}

# The cutoffs before the predictions of all runs that adapt recipes, and of those that translate sentences.
ADAPTING = STEPS.of_predictions(EXAMPLES, INSTANCES, *DIRECTIONS)
TRANSLATING = STEPS.of_predictions(EXAMPLES, INSTANCES, *SENTENCES)
MEASURED = [  # tables evaluate/parts of all runs that adapt recipes or translate sentences
    f"{RESULTS}/evaluate/parts/{run}/{name}.parquet"
    for run, data in DATA_OF_RUN.items()
    if data in (*DIRECTIONS, *SENTENCES)
    for name in measures(config, RUNS[run])
]


rule evaluate_counterfactual:
    input:
        **after(
            PARSING[DISH_CORPUS],
            *STEPS.of_predictions(EXAMPLES, INSTANCES, "counterfactual"),
        ),
        instances=f"{RESULTS}/pivot/instances/part-00000.parquet",
        pivots=[f"{RESULTS}/pivot/{table}/part-00000.parquet" for table in ("pivots", "orders", "candidates")],
        predictions=[
            *(f"{RESULTS}/generate/predictions/{name}/part-00000.parquet" for name in BASELINES),
            *PREDICTIONS["counterfactual"],
        ],
        trained_vectors=(
            [] if config["evaluate"]["counterfactual"]["vectors"] else [f"{RESULTS}/parse/vectors"]
        ),
        trained_parser=[f"{RESULTS}/parse/parser/model"] if PARSER_TRAINED else [],
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
        gpu=int(
            (bool(BERTSCORE["model"]) and BERTSCORE["device"] != "cpu")
            or (PARSER_USED and not PARSER_TRAINED and PARSE["dependencies"]["device"] != "cpu")
        ),
    params:
        **step(
            "evaluate.counterfactual",
            names=lambda wildcards: run_names(EVALUATE["counterfactual"]["predictions"]),
            package=lambda wildcards: model_package(PARSE["dependencies"]),
        ),
    script:
        "../scripts/step.py"


rule evaluate_outputs:
    input:
        **after(INSTANCES, examples=[of_model(EXAMPLES)]),
        instances=data(INSTANCES),
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
        calls=lambda wildcards: (
            f"{RESULTS}/generate/calls/{wildcards.run}/part-00000.parquet"
            if RUNS[wildcards.run].family == "prompt"
            else []
        ),
    output:
        outputs=f"{RESULTS}/evaluate/outputs/{{run}}/part-00000.parquet",
    log:
        log_of("evaluate_outputs", "run"),
    benchmark:
        benchmark_of("evaluate_outputs", "run")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(60),
    params:
        **step(
            "evaluate.outputs",
            given=lambda wildcards: {
                "data": DIRECTION[wildcards.run],
                "lang": RUNS[wildcards.run].target_language,
                "smoke_test": RUNS[wildcards.run].small,  # such a model only shows that everything works
            },
        ),
    script:
        "../scripts/step.py"


rule evaluate_metrics:
    input:
        **after(of_model(EXAMPLES), INSTANCES),
        instances=data(INSTANCES),
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
        **step("evaluate.metrics", given=lambda wildcards: {"data": DIRECTION[wildcards.run]}),
    script:
        "../scripts/step.py"


rule evaluate_bertscore:
    input:
        **after(of_model(EXAMPLES), INSTANCES),
        instances=data(INSTANCES),
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
        **step(
            "evaluate.bertscore",
            given=lambda wildcards: {
                "data": DIRECTION[wildcards.run],
                **EVALUATE["bertscore"][TARGET[wildcards.run]],
            },
        ),
    script:
        "../scripts/step.py"


rule evaluate_smatch:
    input:
        **after(of_model(EXAMPLES), INSTANCES),
        instances=data(INSTANCES),
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
        gpu=int(config["evaluate"]["smatch"]["device"] != "cpu"),
    params:
        **step(
            "evaluate.smatch",
            given=lambda wildcards: {
                "data": DIRECTION[wildcards.run],
                "command": EVALUATE["smatch"]["parsers"][TARGET[wildcards.run]],
            },
            files=lambda wildcards: command_digest(EVALUATE["smatch"]["parsers"][TARGET[wildcards.run]]),
        ),
    script:
        "../scripts/step.py"


rule evaluate_comet:
    input:
        **after(of_model(EXAMPLES), INSTANCES),
        instances=data(INSTANCES),
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
        gpu=int(config["evaluate"]["comet"]["device"] != "cpu"),
    params:
        **step(
            "evaluate.comet",
            given=lambda wildcards: {"data": DIRECTION[wildcards.run]},
            files=lambda wildcards: command_digest(EVALUATE["comet"]["command"]),
        ),
    script:
        "../scripts/step.py"


rule evaluate_bleurt:
    input:
        **after(of_model(EXAMPLES), INSTANCES),
        instances=data(INSTANCES),
        predictions=f"{RESULTS}/generate/predictions/{{run}}/part-00000.parquet",
    output:
        parts=f"{RESULTS}/evaluate/parts/{{run}}/bleurt.parquet",
    log:
        log_of("evaluate_bleurt", "run"),
    benchmark:
        benchmark_of("evaluate_bleurt", "run")
    conda:
        "../envs/evaluate.yaml"
    threads: 2
    resources:
        mem_mb=memory(8000),
        runtime=minutes(120),
        gpu=int(config["evaluate"]["bleurt"]["device"] != "cpu"),
    params:
        **step(
            "evaluate.bleurt",
            given=lambda wildcards: {"data": DIRECTION[wildcards.run]},
            files=lambda wildcards: command_digest(EVALUATE["bleurt"]["command"]),
        ),
    script:
        "../scripts/step.py"


rule evaluate_summary:
    input:
        **after(*ADAPTING, *TRANSLATING),
        parts=MEASURED,
        outputs=[
            f"{RESULTS}/evaluate/outputs/{run}/part-00000.parquet"
            for run, data in DATA_OF_RUN.items()
            if data in (*DIRECTIONS, *SENTENCES)
        ],
    output:
        scores=f"{RESULTS}/evaluate/scores/part-00001.parquet",
        comparisons=f"{RESULTS}/evaluate/comparisons/part-00000.parquet",
        summary=f"{RESULTS}/evaluate/summary/part-00000.parquet",
        table=report(
            f"{RESULTS}/evaluate/summary/summary.tsv",
            caption="captions/summary.rst",
            category="Scores",
            labels={"table": "Scores of all runs"},
        ),
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
        **step("evaluate.summary"),
    script:
        "../scripts/step.py"


rule evaluate_correlations:
    input:
        **after(*LINKING if LINKED else (), *ADAPTING, *TRANSLATING),
        parts=MEASURED + [f"{RESULTS}/evaluate/csi_parts/{corpus}/part-00000.parquet" for corpus in LINKED],
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
        **step("evaluate.correlations"),
    script:
        "../scripts/step.py"


rule evaluate_literal:
    input:
        **after(*ADAPTING, *(SOURCE[corpus] for corpus in MATCHED if EVALUATE["literal"]["induced"])),
        instances_en_zh=[cutoff.data for cutoff in INSTANCES.only("en-zh")],
        instances_zh_en=[cutoff.data for cutoff in INSTANCES.only("zh-en")],
        predictions_en_zh=PREDICTIONS["en-zh"],
        predictions_zh_en=PREDICTIONS["zh-en"],
        induced=[LEXICON_CONCEPTS] if EVALUATE["literal"]["induced"] else [],
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
        **step("evaluate.literal"),
    script:
        "../scripts/step.py"


rule evaluate_csi_match:
    input:
        **after(*LINKING, lambda wildcards: STEPS.of_predictions(EXAMPLES, INSTANCES, wildcards.corpus)),
        sentences=[f"{RESULTS}/enrich/sentences/{{corpus}}/part-00000.parquet"],
        dictionary=ITEM_PART,
        predictions=lambda wildcards: PREDICTIONS[wildcards.corpus],
        held_out=lambda wildcards: (
            f"{RESULTS}/generate/exemplars/{wildcards.corpus}/part-00000.parquet"
            if wildcards.corpus in INSTANCES.members
            else []
        ),
    output:
        scores=f"{RESULTS}/evaluate/csi_match/{{corpus}}/part-00000.parquet",
        parts=f"{RESULTS}/evaluate/csi_parts/{{corpus}}/part-00000.parquet",
    log:
        log_of("evaluate_csi_match", "corpus"),
    benchmark:
        benchmark_of("evaluate_csi_match", "corpus")
    conda:
        "../envs/evaluate.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step(
            "evaluate.csi_match",
            given=lambda wildcards: {"corpus": wildcards.corpus, "pair": SENTENCES[wildcards.corpus]},
        ),
    script:
        "../scripts/step.py"

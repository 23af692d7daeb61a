from wokflow.export.arguments import available, dataset_given, gates_given
from wokflow.export.release_inputs import Inputs
from wokflow.export.subsets import WIKIDATA, WIKIPEDIA, subsets

RELEASE = config["export"]["release"]
SUBSETS = subsets(
    RELEASE["datasets"],
    available(
        config,
        directions=DIRECTIONS,
        langs=CORPORA,
        parsed=PARSED,
        linked=LINKED,
        item_languages=ITEM_LANGUAGES,
        dumps=DUMPS,
        runs=[run for name, run in RUNS.items() if name not in ADAPTING_RUNS],
    ),
)
EXPORTED = {  # the cutoffs that lie before the tables of each form
    "pairs": [VECTORS],
    "gold": [SOURCE],
    "actions": [PARSING],
    "pivots": [PARSING[DISH_CORPUS]],
    "orders": [PARSING[DISH_CORPUS]],
    "instances": [SOURCE[DISH_CORPUS]],
    "items": LINKING,
    "sentences": LINKING,
    "predictions": [
        SOURCE,
        CUTOFFS.sentences,
        *STEPS.of_predictions(EXAMPLES, INSTANCES, *DIRECTIONS, "counterfactual", *SENTENCES),
    ],
    "scores": [
        PARSING[DISH_CORPUS],
        *STEPS.of_predictions(EXAMPLES, INSTANCES, *DIRECTIONS, "counterfactual", *SENTENCES),
    ],
}
TABLES = Inputs(
    SUBSETS,
    Results(RESULTS),
    {"recipes": INGEST_PARTS, "sentences": SENTENCE_PARTS},
    list(SENTENCES),
    [*BASELINES, *(run for run in RUNS if run not in ADAPTING_RUNS)],
    {
        **{name: [cutoff] for name, cutoff in {**SOURCE.members, **CUTOFFS.sentences.members}.items()},
        **dict.fromkeys((WIKIDATA, ENTITIES), [CUTOFFS.entities[ENTITIES]]),
        WIKIPEDIA: [*CUTOFFS.pages.members.values()],
    },
)
LEARNT_AND_TESTED = (
    [
        *EXAMPLES.members.values(),
        *(cutoff for data, cutoff in INSTANCES.members.items() if data != "dialogues"),
    ]
    if "predictions" in RELEASE["datasets"]
    else []
)


rule export_dataset:
    input:
        **after(
            lambda wildcards: EXPORTED[SUBSETS[wildcards.subset].form],
            sources=[lambda wildcards: TABLES.sources(wildcards.subset)],
        ),
        rows=allowed_rows,
        texts=lambda wildcards: TABLES.texts(wildcards.subset),
    output:
        dataset=directory(f"{RESULTS}/export/dataset/{{subset}}"),
    log:
        log_of("export_dataset", "subset"),
    benchmark:
        benchmark_of("export_dataset", "subset")
    wildcard_constraints:
        subset="|".join(SUBSETS),
    conda:
        "../envs/export.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step(
            "export.dataset",
            given=lambda wildcards: dataset_given(config, SUBSETS[wildcards.subset]),
        ),
    script:
        "../scripts/step.py"


rule export_gates:
    input:
        **after(
            *(cutoff for subset in SUBSETS.values() for cutoff in EXPORTED[subset.form]),
            sources=[*TABLES.sources()],
        ),
        datasets=[f"{RESULTS}/export/dataset/{name}" for name in SUBSETS],
        texts=TABLES.texts(),
        counted=TABLES.counted(),
        models=[cutoff.data for cutoff in LEARNT_AND_TESTED],
    output:
        gates=directory(f"{RESULTS}/export/gates"),
    log:
        log_of("export_gates"),
    benchmark:
        benchmark_of("export_gates")
    conda:
        "../envs/export.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=minutes(120),
    params:
        **step(
            "export.gates",
            given=lambda wildcards: gates_given(config, SCHEMA, SUBSETS.values()),
        ),
    script:
        "../scripts/step.py"


rule export_release:
    input:
        **after(*(cutoff for subset in SUBSETS.values() for cutoff in EXPORTED[subset.form])),
        datasets=[f"{RESULTS}/export/dataset/{name}" for name in SUBSETS],
        gates=f"{RESULTS}/export/gates",
    output:
        release=directory(TARGETS["export"][0]),
    log:
        log_of("export_release"),
    benchmark:
        benchmark_of("export_release")
    conda:
        "../envs/export.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=minutes(60),
    params:
        **step("export.release"),
    script:
        "../scripts/step.py"

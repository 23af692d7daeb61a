from wokflow.cluster.requests import doubled
from wokflow.cluster.site import read_site
from wokflow.frame.alone import take_folder, writes_results
from wokflow.frame.config import prepare, read_schema
from wokflow.frame.cutoffs import declare
from wokflow.frame.digests import identity
from wokflow.frame.job import UserError
from wokflow.frame.records import restore
from wokflow.frame.rules import Results, Steps

BASELINES = ("copy", "substitute", "retrieve")
try:
    SCHEMA = read_schema(ROOT)
    config, RUNS = prepare(
        config,
        SCHEMA,
        ROOT,
        packages=not workflow.deployment_settings.deployment_method,
        reserved=BASELINES,
    )
    SITE = read_site(ROOT / "slurm" / "site.yaml")
    if workflow.exec_mode == ExecMode.DEFAULT:
        if not workflow.output_settings.dryrun and writes_results(sys.argv):
            take_folder(config["results"])
        restore(config["results"])
except UserError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
MATCHED = {"recipenlg": "en", "xiachufang": "zh"}
CORPORA = MATCHED | ({"counterfactual": "zh"} if "counterfactual" in config["sources"] else {})
PARSED = [corpus for corpus, lang in CORPORA.items() if lang == "zh"]
INGEST_PARTS = config["ingest"]["recipes"]["parts"]
MATCH, PARSE, EVALUATE = config["match"], config["parse"], config["evaluate"]
DISH_CORPUS = config["pivot"]["dishes"]["corpus"]
PARSER_USED = PARSE["actions"]["method"] != "rules"
DIRECTIONS = {"zh-en": ("xiachufang", "recipenlg"), "en-zh": ("recipenlg", "xiachufang")}
DATA_OF_RUN = {name: run.data for name, run in RUNS.items()}
PREDICTIONS = {  # of all runs, by their data
    data: [
        f"{RESULTS}/generate/predictions/{run}/part-00000.parquet" for run in RUNS if DATA_OF_RUN[run] == data
    ]
    for data in (*DIRECTIONS, "counterfactual")
}
CUTOFFS = declare(
    RESULTS,
    corpora=CORPORA,
    matched=MATCHED,
    parsed=PARSED if PARSER_USED else (),
    dish_corpus=DISH_CORPUS,
    directions=DIRECTIONS,
    trained={run.data for run in RUNS.values() if run.trained},
    predicted=set(DATA_OF_RUN.values()),
)
SOURCE, TITLES, TEXTS, TRANSLATIONS = CUTOFFS.source, CUTOFFS.titles, CUTOFFS.texts, CUTOFFS.translations
VECTORS, CLAUSES, EXAMPLES, INSTANCES = CUTOFFS.vectors, CUTOFFS.clauses, CUTOFFS.examples, CUTOFFS.instances
PARSING = CLAUSES if PARSER_USED else SOURCE  # the last cutoff before actions

STEPS = Steps(config, SCHEMA, RUNS, DIRECTIONS, checkpoints)
step, waits, data = STEPS.params, STEPS.waits, STEPS.data
of_source, of_target, of_model = STEPS.of_source, STEPS.of_target, STEPS.of_model
parts, shards = Results(RESULTS).parts, Results(RESULTS).shards
log_of, benchmark_of = Results(RESULTS).log, Results(RESULTS).benchmark
memory = minutes = doubled


wildcard_constraints:
    corpus="|".join(CORPORA),
    direction="|".join(DIRECTIONS),
    run="|".join(RUNS) or "(?!)",
    shard=r"\d{5}",
    shards=r"\d{5}",
    part=r"\d{5}",


TARGETS = {  # what the stages are run for
    "ingest": [
        path
        for corpus in CORPORA
        for table in ("recipes", "rejects")
        for path in parts(f"ingest/{table}/{corpus}", INGEST_PARTS)
    ],
    "match": [f"{RESULTS}/match/pairs/{direction}/part-00000.parquet" for direction in DIRECTIONS]
    + [f"{RESULTS}/match/statistics/table1.tsv"],
    "parse": [path for corpus in PARSED for path in parts(f"parse/proto/{corpus}", INGEST_PARTS)]
    + [f"{RESULTS}/parse/parser/scores.json"],
    "pivot": [
        f"{RESULTS}/pivot/{table}"
        for table in ("orders/part-00000.parquet", "questions/questions.tsv", "instances/part-00000.parquet")
    ],
    "train": [f"{RESULTS}/train/model/{name}" for name, run in RUNS.items() if run.trained],
    "generate": [f"{RESULTS}/generate/predictions/{name}/part-00000.parquet" for name in (*RUNS, *BASELINES)],
    "evaluate": [
        f"{RESULTS}/evaluate/{part}.parquet"
        for part in (
            "scores/part-00000",
            "scores/part-00001",
            "comparisons/part-00000",
            "correlations/part-00000",
            "literal/part-00000",
        )
    ],
    "export": [f"{RESULTS}/export/pairs/{direction}" for direction in DIRECTIONS],
    "report": [f"{RESULTS}/report/page/index.html"],
}

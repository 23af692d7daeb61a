from wokflow.cluster.site import read_site
from wokflow.config import prepare
from wokflow.job import UserError
from wokflow.keys import rule_key
from wokflow.runs import DATA, FROM_SCRATCH, prompt_file

BASELINES = ("copy", "substitute", "retrieve")
try:
    RUNS = prepare(
        config,
        Path(workflow.basedir) / "config" / "config.schema.yaml",
        packages=not workflow.deployment_settings.deployment_method,
        reserved=BASELINES,
    )
    SITE = read_site(Path(workflow.basedir) / "slurm" / "site.yaml")
except UserError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
MATCHED = {"recipenlg": "en", "xiachufang": "zh"}
CORPORA = MATCHED | ({"counterfactual": "zh"} if "counterfactual" in config["sources"] else {})
PARSED = [corpus for corpus, lang in CORPORA.items() if lang == "zh"]
INGEST_PARTS = config["ingest"]["recipes"]["parts"]
MATCH, PARSE = config["match"], config["parse"]
GLOSSARY = PARSE["glossary"]["path"]
PAIRS = config["pivot"]["pairs"]["path"]
DISH_CORPUS = config["pivot"]["dishes"]["corpus"]
PARSER_USED = PARSE["actions"]["method"] != "rules"
PIVOT_LANG = "en"  # titles are compared in this language
OF_DATA = {data: [run for run in RUNS.values() if run.data == data] for data in DATA}
TRAINED = {run.data for run in RUNS.values() if run.trained}  # the data that runs are trained on
PREDICTED = {run.data for run in RUNS.values()}  # and those that they predict
DIRECTIONS = {"zh-en": ("xiachufang", "recipenlg"), "en-zh": ("recipenlg", "xiachufang")}


wildcard_constraints:
    corpus="|".join(CORPORA),
    direction="|".join(DIRECTIONS),
    run="|".join(RUNS) or "(?!)",
    shard=r"\d{5}",
    shards=r"\d{5}",
    part=r"\d{5}",


def key(step, *frontiers, settings=(), without=(), reads=()):
    """The rule's key: its config block, its code, the resources it `reads`, and what lies behind each frontier.

    `step` is "<stage>.<step>"; a frontier is a function of wildcards that names a small file. `settings` names keys
    of other blocks that the step is given, `without` keys of its own that do not change its result. The function
    returned takes wildcards alone: Snakemake ignores changes of params that are derived from input or output.
    """
    stage, name = step.split(".")
    own = config.get(stage, {}).get(name, {})
    block = {k: v for k, v in own.items() if k not in without} | {k: setting(k) for k in settings}
    return key_of(step, block, frontiers, reads)


def key_of(step, block, frontiers=(), reads=()):
    """As `key`, of a block of settings that is given."""

    def of(wildcards):
        return rule_key(
            block,
            f"wokflow.{step}",
            {path: path for path in reads},
            {frontier.__name__: path for frontier in frontiers if (path := frontier(wildcards))},
        )

    return of


def setting(dotted):
    value = config
    for part in dotted.split("."):
        value = value[part]
    return value


CHECKPOINTS = {  # a small file of each, that says that it is done, and the corpora that have it
    "ingest_source": ("ingest/source/{corpus}.json", CORPORA),
    "match_titles": ("match/titles/{corpus}.sha256", MATCHED),
    "match_texts": ("match/texts/{corpus}.sha256", MATCHED),
    "match_vectors": ("match/vectors/{corpus}.sha256", MATCHED),
    "parse_clauses": ("parse/clauses/{corpus}.sha256", PARSED if PARSER_USED else ()),
    "train_pairs": ("train/examples/{corpus}.sha256", [data for data in DIRECTIONS if data in TRAINED]),
    "train_recipes": ("train/examples/{corpus}.sha256", {"counterfactual"} & TRAINED),
    "generate_instances": (
        "generate/instances/{corpus}.sha256",
        [data for data in DIRECTIONS if data in PREDICTED],
    ),
    "generate_rewrites": ("generate/instances/{corpus}.sha256", {"counterfactual"} & PREDICTED),
}
MATCHING = ("ingest_source", "match_titles", "match_texts", "match_vectors")
PREDICTING = ("train_pairs", "train_recipes", "generate_instances", "generate_rewrites")
PARSING = ("ingest_source", "parse_clauses")


def after(*names, of=None):
    """What a job must wait for, as ancient input: each checkpoint that lies before it, even far before it.

    Those of its corpus; of the corpora `of` or of all, where the job has no corpus of its own.

    A job behind a frontier is only known to run when the frontier is done. Its readers must not have run by then.
    """

    def files(wildcards):
        found = []
        for pattern, corpora in map(CHECKPOINTS.get, names):
            wanted = [wildcards.corpus] if hasattr(wildcards, "corpus") else of or corpora
            found += [f"{RESULTS}/{pattern}".format(corpus=corpus) for corpus in wanted if corpus in corpora]
        return found

    return files


def parts(folder, count):
    """The parts of a table."""
    return [f"{RESULTS}/{folder}/part-{number:05}.parquet" for number in range(count)]


def shards(folder, ending, count):
    """The shards of a step that runs as several jobs; their number is in their names."""
    return [f"{RESULTS}/{folder}/{number:05}-of-{count:05}.{ending}" for number in range(count)]


def source_corpus(wildcards):
    return DIRECTIONS[wildcards.direction][0]


def target_corpus(wildcards):
    return DIRECTIONS[wildcards.direction][1]


def memory(mb):
    """MB of memory for a job: twice as much at each try, up to what the site has."""
    return _growing(mb, SITE.most("max_mem_mb"))


def minutes(count):
    """Minutes for a job: twice as many at each try, up to what the site allows."""
    return _growing(count, SITE.most("max_runtime"))


def _growing(first, most):
    return lambda wildcards, attempt: int(min(first * 2 ** (attempt - 1), most))


def log_of(name, *by):
    return f"{RESULTS}/logs/{name}/{_by(by)}.log"


def benchmark_of(name, *by):
    return f"{RESULTS}/benchmarks/{name}/{_by(by)}.tsv"


def _by(wildcards):
    return ".".join(f"{{{wildcard}}}" for wildcard in wildcards) or "all"


TARGETS = {  # what the stages are run for
    "match": [f"{RESULTS}/export/pairs/{direction}" for direction in DIRECTIONS],
    "parse": [path for corpus in PARSED for path in parts(f"parse/proto/{corpus}", INGEST_PARTS)]
    + [f"{RESULTS}/parse/parser/scores.json"],
    "pivot": [
        f"{RESULTS}/pivot/{table}"
        for table in ("orders/part-00000.parquet", "questions/questions.tsv", "instances/part-00000.parquet")
    ],
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
    "train": [f"{RESULTS}/train/model/{name}" for name, run in RUNS.items() if run.trained],
    "report": [f"{RESULTS}/report/page/index.html"],
}

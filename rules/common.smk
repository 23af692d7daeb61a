import itertools
from functools import cache, partial
from types import SimpleNamespace

from snakemake_executor_plugin_slurm_robust.requests import doubled
from snakemake_executor_plugin_slurm_robust.site import read_site
from wokflow.annotate.arguments import read_studies
from wokflow.frame import paper_settings, stages
from wokflow.frame.alone import take_folder, writes_results
from wokflow.enrich.stage import item_languages
from wokflow.export.planning import refuse_planned
from wokflow.frame.config import prepare, read_schema
from wokflow.frame.config_files import read_yaml
from wokflow.frame.digests import command_digest, identity
from wokflow.frame.language_codes import wikipedia
from wokflow.frame.records import demand, restore
from wokflow.frame.rules import Results, Steps
from wokflow.frame.scope import Scope
from wokflow.frame.wikidata import ENTITIES
from wokflow.generate.stage import BASELINES, RESERVED
from wokflow.ingest.stage import dumps, source_files
from wokflow.judge.arguments import read_models
from wokflow.match.directions import DIRECTIONS
from wokflow.parse.stage import model_package
from wokflow.report import paper_plan

try:
    SCHEMA = read_schema(ROOT)
    config, RUNS = prepare(
        config,
        SCHEMA,
        ROOT,
        packages=not workflow.deployment_settings.deployment_method,
        reserved=RESERVED,
    )
    ASKED = read_models(config, SCHEMA, RUNS)
    STUDIES = read_studies(
        config,
        SCHEMA,
        {
            **{
                data: [name for name, run in RUNS.items() if run.data == data]
                for data in {run.data for run in RUNS.values()}
            },
            "pta": [name for name, run in RUNS.items() if run.pair and config["enrich"]["entities"]["path"]],
        },
        [name for name, model in ASKED.items() if model.role == "generator"],
    )
    NAMED = paper_plan.Tables(RUNS, ASKED, STUDIES)
    SITE = read_site(ROOT / "slurm" / "site.yaml", partial(read_yaml, empty=True))
    if workflow.exec_mode == ExecMode.DEFAULT:
        pairs_of_dishes = Path(config["pivot"]["pairs"]["path"])
        if ROOT / "resources" not in pairs_of_dishes.resolve().parents:  # a user's own
            from wokflow.pivot.dishes import pair_rows

            pair_rows(str(pairs_of_dishes))  # raises now, and not after hours of ingest
        if not workflow.output_settings.dryrun and writes_results(sys.argv):
            take_folder(config["results"], [str(path) for path in workflow.overwrite_configfiles])
except UserError as error:
    raise WorkflowError(str(error))

RESULTS = config["results"]
MATCHED = {"recipenlg": "en", "xiachufang": "zh"}
CORPORA = MATCHED | ({"counterfactual": "zh"} if "counterfactual" in config["sources"] else {})
SENTENCES = {name: source["pair"] for name, source in config["sources"].items() if "kind" in source}
RAW = {name: source_files(source) for name, source in config["sources"].items()}
FETCHED = [name for name, source in config["sources"].items() if "fetched" in source]
ITEM_LANGUAGES = item_languages(config, SENTENCES)
DUMPS = {lang: path for lang, path in dumps(config).items() if lang in map(wikipedia, ITEM_LANGUAGES)}
RAW |= {f"pages_{lang}": [path] for lang, path in DUMPS.items()}
RAW[ENTITIES] = [config["enrich"]["entities"]["path"]]


def fetched_from(corpus):
    """What says which file of the web a source is: its URL, and its checksum where the config has one."""
    source = config["sources"][corpus]
    return " ".join(filter(None, (source["url"], source.get("sha256"))))


def refuse_moved(paths):
    """A module's prefix moves inputs and outputs; what rules name by params and in tables would stay."""
    for path in paths:
        raise WorkflowError(
            f"A module's prefix or replace_prefix, also that of an outer module, would move {path} here and not "
            "everywhere. Leave it out, and set `results` and the paths of `sources` in the module's config instead."
        )


refuse_moved(
    path
    for path in (f"{RESULTS}/ingest", *itertools.chain(*RAW.values()))
    if path and workflow.modifier.path_modifier.replace_prefix(path) != path
)
INGEST_PARTS = config["ingest"]["recipes"]["parts"]
SENTENCE_PARTS = config["ingest"]["sentences"]["parts"]
MATCH, PARSE, EVALUATE = config["match"], config["parse"], config["evaluate"]
DATA_OF_RUN = {name: run.data for name, run in RUNS.items()}
PREDICTIONS = {  # of all runs, by their data
    data: [
        f"{RESULTS}/generate/predictions/{run}/part-00000.parquet" for run in RUNS if DATA_OF_RUN[run] == data
    ]
    for data in (*DIRECTIONS, "counterfactual", *SENTENCES)
}
SCOPE = Scope(
    config=config,
    runs=RUNS,
    corpora=CORPORA,
    matched=MATCHED,
    sentences=SENTENCES,
    dumps=DUMPS,
    directions=DIRECTIONS,
    roles={name: model.role for name, model in ASKED.items()},
    studies={name: (study.kind, bool(study.answers)) for name, study in STUDIES.items()},
    choosing=[name for name, study in STUDIES.items() if study.data == "pta" and study.answers],
)
DISH_CORPUS, PARSED, LINKED = SCOPE.dish_corpus, SCOPE.chinese, SCOPE.linked
ADAPTING_RUNS = SCOPE.adapting  # runs on dialogues: what is scored and released is of the others
UTTERANCES = f"{RESULTS}/ingest/utterances/part-00000.parquet"
PARSER_USED, PARSER_TRAINED = SCOPE.parser_used, SCOPE.parser_trained
CUTOFFS = SimpleNamespace(**stages.cutoffs(SCOPE))
SOURCE, TITLES, TEXTS, TRANSLATIONS = CUTOFFS.source, CUTOFFS.titles, CUTOFFS.texts, CUTOFFS.translations
VECTORS, CLAUSES, EXAMPLES, INSTANCES = CUTOFFS.vectors, CUTOFFS.clauses, CUTOFFS.examples, CUTOFFS.instances
PARSING = CLAUSES if PARSER_USED else SOURCE  # the last cutoff before actions

DIGESTS = {cutoff.digest for group in vars(CUTOFFS).values() for cutoff in group.members.values()}
STEPS = Steps(config, SCHEMA, RUNS, DIRECTIONS, checkpoints)
step, after, data = STEPS.params, STEPS.after, STEPS.data
of_source, of_target, of_model, of_data = STEPS.of_source, STEPS.of_target, STEPS.of_model, STEPS.of_data
parts, shards = Results(RESULTS).parts, Results(RESULTS).shards
log_of, benchmark_of = Results(RESULTS).log, Results(RESULTS).benchmark
memory = minutes = doubled


wildcard_constraints:
    corpus="|".join((*RAW, ENTITIES)),
    direction="|".join(DIRECTIONS),
    run="|".join(RUNS) or "(?!)",
    asked="|".join(ASKED) or "(?!)",
    study="|".join(STUDIES) or "(?!)",
    shard=r"\d{5}",
    shards=r"\d{5}",
    part=r"\d{5}",


def restore_records(results, patterns):
    """Once all rules are known, and before Snakemake looks at its records."""
    try:
        lost = restore(results, patterns)
    except UserError as error:
        raise WorkflowError(str(error))
    if lost:
        shown = ", ".join(lost[:3]) + (", ..." if lost[3:] else "")
        logger.warning(
            f"{len(lost)} outputs are damaged, or nothing tells what they were made with, so they are made anew: {shown}."
        )


TARGETS = stages.targets(SCOPE)
WHOLE = stages.included(config)  # what a run without a target is for


def demand_digests():
    """Let lost digests of cutoffs be targets, too, where the targets are behind them."""
    files = {
        paper.target: paper_plan.files_of(short, RESULTS, TARGETS)
        for short, paper in paper_settings.PAPERS.items()
    }
    files |= {"all": [path for stage in WHOLE for path in TARGETS.get(stage, ())], **TARGETS}
    demand(workflow, files, DIGESTS, default=[] if EARLIER_RULES else ["all"])


@cache
def refuse_by_licence():
    """End the run, also a dry one, when its jobs are known and none has begun, if a licence forbids the release."""
    try:
        if workflow.exec_mode == ExecMode.DEFAULT:
            refuse_planned(config, SUBSETS.values(), RAW)  # the release's, in rules/export.smk
    except UserError as error:
        # Snakemake would wrap any other error in a traceback and the wildcards of one job.
        raise SystemExit(str(error))


def allowed_rows(wildcards):
    """The tables of a subset's rows, once it is known that no licence forbids the release."""
    refuse_by_licence()
    return TABLES.rows(wildcards.subset)


def announce():
    """Say what a paper's config leaves out."""
    from snakemake.settings.enums import Quietness
    from wokflow.frame.secrets import shown

    rules = {job.rule.name for job in workflow.dag.jobs}
    said = paper_plan.opening(rules, config, NAMED, TARGETS)
    if said and Quietness.ALL not in (workflow.output_settings.quiet or ()):
        print(shown(said), file=sys.stderr)


def config_of(asking, servers):
    """A function of wildcards: the config of a server's job, in which all that ask this server agree."""
    return lambda wildcards: with_server(config, served(asking, servers, wildcards.server)[0])

"""Stage generate: its cutoffs and targets, and what it asks of a config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.enrich.stage import linking
from wokflow.frame.columns import Rejected
from wokflow.frame.cutoffs import CutoffGroup, part_cutoff, plain
from wokflow.frame.runs import DIALOGUES, REWRITING, Run
from wokflow.frame.scope import Scope
from wokflow.frame.stages import SOCKS, TOKENIZERS
from wokflow.generate.arguments import server_problems, servers
from wokflow.models.writers import vllm_problem

ABOUT = (
    "adapts and rewrites recipes, translates sentences with items, and adapts dialogues (`docs/dialogues.md`): by "
    "trained models, by models behind an endpoint, by retrieval; and simple baselines"
)
ARROWS = (
    "match_split --> generate_instances; enrich_assemble --> generate_items",
    "ingest_dialogues --> generate_dialogues; pivot_instances --> generate_rewrites & generate_baselines",
    "train_model & generate_instances & generate_rewrites & generate_items --> generate_decode",
    "train_model & generate_rewrites --> generate_delorean & generate_educat & generate_mined",
    "pivot_mined --> generate_mined",
    "generate_decode & generate_delorean & generate_educat & generate_mined --> generate_predictions",
    "generate_instances --> generate_retrieval",
    "generate_instances & generate_items & generate_dialogues & generate_server --> generate_prompt",
    "generate_prompt --> generate_adaptations",
)
SECTIONS = {"generate": ("Runs and predictions", "generate/")}
REJECTED = {
    "generate/rejects/adaptations/": Rejected("dialogues", kept=("generate/adaptations/",)),
    "generate/rejects/": Rejected("requests", kept=("generate/predictions/",)),
}
NEEDED_BY_NAME = {"opencc": "reads traditional characters in gold sets", **TOKENIZERS, **SOCKS}
SLURM_GROUPS = {"generate_baselines": "instances"}

EXEMPLARS, OF_EXEMPLARS = "resources/dialogues/exemplars.txt", "India"
BASELINES = ("copy", "substitute", "retrieve")  # runs without a model; no row of the table has these names
RESERVED = (*BASELINES, "adaptations")  # folders beside those of runs
WITHOUT_GPU = {
    "generate_decode": "generate.decode.device: cpu",
    **{f"generate_{family}": f"generate.{family}.device: cpu" for family in REWRITING},
    "generate_server": "generate.server.gpus: 0",
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    """Exemplars that adapt for another culture than the one that is asked for."""
    block = config["generate"]["dialogues"]
    if block["culture"] != OF_EXEMPLARS and block["exemplars"].endswith(EXEMPLARS):
        yield (
            f"generate.dialogues.exemplars: those of {EXEMPLARS} are for {OF_EXEMPLARS}, not for {block['culture']}. "
            "Bring a file of your own."
        )


def run_problems(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    """Runs that the rest of the config does not allow; servers, see server_problems."""
    generate = config["generate"]
    of_servers = server_problems(config, runs, servers(config, runs), config["runs"])
    yield from (f"run {problem}" for problem in of_servers)
    for run in runs.values():
        if run.data == DIALOGUES and not config["ingest"]["dialogues"]["path"]:
            yield f"run {run.name}: say where the dialogues lie that it adapts: ingest.dialogues.path."
        if run.family == "educat":
            how = run.over("educat", generate["educat"])
            if how["burn_in"] >= how["steps"] - 1:
                yield (
                    f"run {run.name}: educat.burn_in is {how['burn_in']} and educat.steps {how['steps']}: no text "
                    "could be taken for its score. Lower the one or raise the other."
                )
        if run.family in ("causal", "seq2seq") and run.settings.get("decode"):
            how = run.over("decode", generate["decode"])
            search = (how[name] for name in ("beams", "repetition_penalty", "no_repeat_ngram"))
            if how["backend"] == "vllm" and (wrong := vllm_problem(run.family, *search)):
                yield f"run {run.name}: {wrong}"
        if not run.pair:
            continue
        if not config["enrich"]["entities"]["path"]:
            yield f"run {run.name}: sentences of {run.data} need enrich.entities.path, the table of entities."
        step = "prompt" if run.family == "prompt" else "decode"
        shots, most = run.over(step, generate[step])["shots"], generate["items"]["exemplars"]
        if run.family != "seq2seq" and shots > most:
            yield (
                f"run {run.name}: {step}.shots is {shots}, but {most} sentences of each source are held out as "
                "exemplars. Raise generate.items.exemplars."
            )


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    local = ("seq2seq", "causal", *REWRITING)
    asked = [run.name for run in runs.values() if run.family in local and not run.trained]
    return {"transformers": f"run {asked[0]} in {config['runs']}"} if asked else {}


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """The instances of predictions: pairs of a direction, recipes to rewrite, dialogues, or sentences with items.

    Runs that do not read items have a cutoff of their own, made by the same checkpoint.
    """
    results, members = scope.results.folder, {}
    for name in sorted(scope.predicted):
        table = f"generate/instances/{name}"
        if name in scope.directions:
            before = known["vectors"].members.values()
            members[name] = part_cutoff(results, "generate_instances", table, {"direction": name}, before)
        elif name in scope.sentences:
            for member, of_items in {name: table, plain(name): f"generate/plain/{name}"}.items():
                members[member] = part_cutoff(
                    results, "generate_items", of_items, {"corpus": name}, linking(known)
                )
        elif name == DIALOGUES:
            members[name] = part_cutoff(results, "generate_dialogues", table, {}, ())
        else:
            source = known["source"].only(scope.dish_corpus)
            members[name] = part_cutoff(results, "generate_rewrites", table, {}, source)
    return {"instances": CutoffGroup("data", members)}


def targets(scope: Scope) -> list[str]:
    folder = f"{scope.results.folder}/generate"
    made = [("predictions", name) for name in (*scope.runs, *BASELINES)]
    made += [("adaptations", name) for name in scope.adapting]
    return [f"{folder}/{table}/{name}/part-00000.parquet" for table, name in made]


def rejects(scope: Scope) -> list[str]:
    asking = [name for name, run in scope.runs.items() if run.family == "prompt"]
    tables = [f"{table}/{name}" for name in asking for table in ("rejects", "predictions")]
    tables += [
        f"{table}/{name}" for name in scope.adapting for table in ("rejects/adaptations", "adaptations")
    ]
    return [path for table in tables for path in scope.results.parts(f"generate/{table}", 1)]

"""What rules need to know of the runs: which there are, what each reads, and its keys."""


def runs_of(*families):
    """A pattern of the names of all runs of some families; of no name at all, where there are none."""
    return "|".join(name for name, run in RUNS.items() if run.family in families) or "(?!)"


def after_run(wildcards):
    """What a run's jobs must wait for."""
    data = RUNS[wildcards.run].data
    if data in DIRECTIONS:
        before = after(*MATCHING, of=MATCHED)
    else:
        before = after("ingest_source", of=[DISH_CORPUS])
    return before(wildcards) + after(*PREDICTING, of=[data])(wildcards)


def after_runs(wildcards):
    """What jobs that read all runs must wait for."""
    return after(*MATCHING, of=MATCHED)(wildcards) + after(*PREDICTING)(wildcards)


def after_rewrites(wildcards):
    """What the evaluation of rewritten recipes must wait for."""
    before = after(*PARSING, of=[DISH_CORPUS])(wildcards)
    return before + after(*PREDICTING, of=["counterfactual"])(wildcards)


def gold(wildcards):
    return config["train"]["gold"][wildcards.direction] or []


def train_examples(wildcards):
    return _examples(wildcards).digest


def train_examples_table(wildcards):
    return _examples(wildcards).examples


def _examples(wildcards):
    data = RUNS[wildcards.run].data
    made = (
        checkpoints.train_pairs.get(direction=data) if data in DIRECTIONS else checkpoints.train_recipes.get()
    )
    return made.output


def instances(wildcards):
    return _instances(wildcards).digest


def instances_table(wildcards):
    return _instances(wildcards).instances


def _instances(wildcards):
    data = RUNS[wildcards.run].data
    if data in DIRECTIONS:
        return checkpoints.generate_instances.get(direction=data).output
    return checkpoints.generate_rewrites.get().output


def run_model(wildcards):
    """The model folder that a run trains, or takes from another run; nothing for other models."""
    name = RUNS[wildcards.run].model_run
    return [f"{RESULTS}/train/model/{name}"] if name else []


def is_small(wildcards):
    """Whether a run's model began as one from scratch, which needs little memory and no GPU."""
    run = RUNS[wildcards.run]
    return (RUNS[run.model_run] if run.model_run else run).model == FROM_SCRATCH


def model_memory(wildcards, attempt):
    return memory(4000 if is_small(wildcards) else 16000)(wildcards, attempt)


def decoded(wildcards):
    return shards(f"generate/decode/{wildcards.run}", "parquet", config["generate"]["decode"]["shards"])


def data_of_run(wildcards):
    return RUNS[wildcards.run].data


def measured(wildcards):
    """What is measured of each run that predicts adaptations."""
    evaluate = config["evaluate"]
    names = {
        "metrics": True,
        "bertscore": any(evaluate["bertscore"][lang]["model"] for lang in ("zh", "en")),
        "smatch": any(evaluate["smatch"]["parsers"].values()),
        "comet": bool(evaluate["comet"]["command"]),
    }
    return [
        f"{RESULTS}/evaluate/parts/{run.name}/{name}.parquet"
        for data in DIRECTIONS
        for run in OF_DATA[data]
        for name, wanted in names.items()
        if wanted
    ]


def bertscore_key(wildcards):
    models = [config["evaluate"]["bertscore"][lang]["model"] for lang in ("zh", "en")]
    of = key("evaluate.bertscore", without=("batch", "device"), reads=_existing(*models))
    return of(wildcards)


def predictions_of(data):
    return [f"{RESULTS}/generate/predictions/{run.name}/part-00000.parquet" for run in OF_DATA[data]]


def decode_gpus(wildcards):
    device = RUNS[wildcards.run].over("decode", config["generate"]["decode"])["device"]
    return int(not is_small(wildcards) and device != "cpu")


def train_settings(wildcards):
    return RUNS[wildcards.run].over("model", config["train"]["model"])


def train_gpus(wildcards):
    """One for each process."""
    settings = train_settings(wildcards)
    if is_small(wildcards) or settings["device"] == "cpu":
        return 0
    return settings["processes"] * settings["nodes"]


def prompt_settings(wildcards):
    return RUNS[wildcards.run].over("prompt", config["generate"]["prompt"])


def prompt_server(wildcards):
    """The workflow's own server, where a run is given no endpoint."""
    return [] if prompt_settings(wildcards)["endpoint"] else f"{RESULTS}/generate/server/{wildcards.run}.json"


def prompt_arguments(wildcards):
    """What generate_prompt is told of a run."""
    run = RUNS[wildcards.run]
    lang = run.data.split("-")[-1] if run.data in DIRECTIONS else "zh"
    named = {"run": run.name, "model": run.model, "prompt": prompt_file(run.prompt), "lang": lang}
    return named | {"settings": prompt_settings(wildcards)}


def prompt_key(wildcards):
    """The key of generate_prompt: without what changes only how it is asked, or what it may cost."""
    told = prompt_arguments(wildcards)
    how = (
        "key_variable",
        "concurrency",
        "timeout_s",
        "tries",
        "backoff_s",
        "failures",
        "budget",
        "budget_tokens",
    )
    asked = {name: value for name, value in told["settings"].items() if name not in how}
    if prompt_server(wildcards):
        asked |= {name: config["generate"]["server"][name] for name in ("backend", "command")}
    own = {"model": told["model"], "lang": told["lang"], "settings": asked}
    reads = [told["prompt"], *_existing(told["model"])]
    return key_of("generate.prompt", own, [instances], reads)(wildcards)


def given(settings):
    """A param that a job is given, but that does not make it run again: what matters of it is in the key."""
    return lambda wildcards, input: settings(wildcards)


def train_arguments(wildcards):
    """What train_model is told of a run."""
    run, settings = RUNS[wildcards.run], train_settings(wildcards)
    if run.data not in DIRECTIONS:
        settings["metric"] = "loss"  # there is nothing to compare a text with
    apart = {name: settings.pop(name) for name in ("revision", "processes", "nodes", "valid_beams")}
    named = {"run": run.name, "family": run.family, "model": run.model, "seed": run.seed}
    named["languages"] = _languages(run)
    return named | apart | {"settings": settings}


def train_key(wildcards):
    """The key of train_model: without what changes only how fast it is."""
    told = train_arguments(wildcards)
    fast = ("device", "device_batch", "save_minutes", "gradient_checkpointing")
    told |= {"settings": {name: value for name, value in told["settings"].items() if name not in fast}}
    told = {name: value for name, value in told.items() if name not in ("run", "processes", "nodes")}
    return key_of("train.model", told, [train_examples], _existing(told["model"]))(wildcards)


def decode_arguments(wildcards):
    """What generate_decode is told of a run."""
    run = RUNS[wildcards.run]
    settings = run.over("decode", config["generate"]["decode"])
    apart = {name: settings.pop(name) for name in ("revision", "precision", "device", "remote_code")}
    settings.pop("shards")
    named = {"run": run.name, "family": run.family, "seed": run.seed, "decoding": settings}
    named["model"] = run_model(wildcards)[0] if run.model_run else run.model
    named["prompt"] = prompt_file(run.prompt) if run.prompt else None
    named["languages"] = _languages(run)
    return named | apart


def decode_key(wildcards):
    told = decode_arguments(wildcards)
    own = {name: value for name, value in told.items() if name not in ("run", "device")}
    own["model"] = RUNS[wildcards.run].model  # and not the folder of results that holds it
    reads = _existing(RUNS[wildcards.run].model, told["prompt"])
    return key_of("generate.decode", own, [instances], reads)(wildcards)


def _languages(run):
    return tuple(run.data.split("-")) if run.data in DIRECTIONS else None


def _existing(*paths):
    return [path for path in paths if path and Path(path).exists()]

"""Edits of what concerns runs: their settings, and how they are scored. All of them are planned."""

from tests.workflow.changes import PUBLISHED, Edit, Settings, append, setting
from tests.workflow.touched_rules import ADAPTED, COMPARED_RUNS, LEARNT, POSED, REPORTED, SCORED, SEEN, SPLIT

DECODED = {"generate_decode", "generate_predictions"} | ADAPTED | SCORED
TRAINED_AGAIN = DECODED | LEARNT


def each(prefix: str, values: dict[str, object], expected: set[str]) -> dict[str, tuple[Settings, set[str]]]:
    """An edit for each key of a block."""
    return {
        f"{prefix}.{name}": (setting(f"{prefix}.{name}", value), expected) for name, value in values.items()
    }


RUN_SETTINGS: dict[str, tuple[Settings, set[str]]] = {
    "runs, moved": (setting("runs", "data/moved_runs.tsv"), set()),
    "train.gold.zh-en": (
        setting("train.gold.zh-en", "data/gold.tsv"),
        SPLIT,
    ),
    "train.gold.en-zh, of which there is no run, but whose recipes are held out": (
        setting("train.gold.en-zh", "data/gold.tsv"),
        SPLIT,
    ),
    "train.published.zh-en": (
        setting("train.published.zh-en", "data/cultural"),
        POSED | {"train_pairs"},  # what learns from the new examples waits for them
    ),
    "train.published.en-zh, of which there is no run": (
        setting("train.published.en-zh", "data/cultural"),
        set(),
    ),
    **each("train.recipes", {"most": 3, "valid": 0.5, "seed": 14}, {"train_recipes"}),
    **each(
        "train.model",
        {
            "batch": 2,
            "learning_rate": 0.01,
            "schedule": "constant",
            "warmup": 0.5,
            "weight_decay": 0.1,
            "clip": 2,
            "dropout": 0.2,
            "label_smoothing": 0.1,
            "max_tokens": 32,
            "epochs": 2,
            "patience": 1,
            "valid_most": 5,
            "valid_beams": 2,
            "loss_on": "target",
            "packing": True,
            "precision": "float32",
            "remote_code": True,
            "revision": "main",
            "lora.rank": 2,
            "lora.alpha": 2,
            "lora.dropout": 0.2,
            "lora.targets": ["q"],
            "lora.base": "float32",
            "small.width": 32,
            "small.layers": 2,
            "small.heads": 4,
            "small.vocabulary": 301,
        },
        TRAINED_AGAIN,
    ),
    **each("train.model", {"metric": "loss"}, TRAINED_AGAIN - {"evaluate_counterfactual"}),
    **each(
        "train.model",
        {
            "device": "cpu",
            "device_batch": 2,
            "save_minutes": 1,
            "gradient_checkpointing": True,
            "compile": True,
            "shard": True,
            "trackers": ["wandb"],
            "processes": 2,
            "nodes": 2,
        },
        set(),
    ),
    **each(
        "generate.decode",
        {
            "beams": 2,
            "repetition_penalty": 1.5,
            "no_repeat_ngram": 3,
            "max_source_tokens": 32,
            "max_tokens": 8,
            "temperature": 0.5,
            "batch": 2,
            "backend": "vllm",
            "precision": "float32",
            "remote_code": True,
            "revision": "main",
            "shards": 2,
        },
        DECODED,
    ),
    **each(
        "generate.decode",
        {"device": "cpu", "gpus": 2, "gpu_memory": 0.5, "python": "/envs/vllm/bin/python"},
        set(),
    ),
    # What is asked is learnt.
    "generate.decode.chat": (setting("generate.decode.chat", "never"), TRAINED_AGAIN),
    **{
        f"{name}, without a prompt run": (setting(name, value), set())
        for name, value in {
            "generate.prompt.endpoint": "http://127.0.0.1:9/v1",
            "generate.prompt.key_variable": "MY_KEY",
            "generate.prompt.mode": "completion",
            "generate.prompt.system": "You cook.",
            "generate.prompt.temperature": 0.7,
            "generate.prompt.seed": 1,
            "generate.prompt.max_tokens": 10,
            "generate.prompt.max_tokens_name": "max_completion_tokens",
            "generate.prompt.parameters": {"top_p": 0.5},
            "generate.prompt.concurrency": 1,
            "generate.prompt.timeout_s": 1,
            "generate.prompt.tries": 1,
            "generate.prompt.again": 1,
            "generate.prompt.failures": 1,
            "generate.prompt.budget": 1,
            "generate.prompt.budget_tokens": 1,
            "generate.prompt.price_in": 1,
            "generate.prompt.price_out": 1,
            "generate.server.backend": "ollama",
            "generate.server.command": ["serve"],
            "generate.server.precision": "float32",
            "generate.server.max_length": 4096,
            "generate.server.remote_code": True,
            "generate.server.revision": "main",
            "generate.server.gpu_memory": 0.5,
            "generate.server.minutes": 1,
            "generate.server.gpus": 0,
            "generate.server.memory_mb": 1,
        }.items()
    },
    **each("evaluate.bertscore", {"zh.model": "x", "en.model": "y"}, COMPARED_RUNS | {"evaluate_bertscore"}),
    **each(
        "evaluate.bertscore",
        {
            "zh.revision": "main",
            "en.revision": "main",
            "zh.layers": 1,
            "en.layers": 1,
            "batch": 2,
            "device": "cpu",
        },
        set(),
    ),
    **each(
        "evaluate.smatch.parsers", {"zh": ["parse"], "en": ["parse"]}, COMPARED_RUNS | {"evaluate_smatch"}
    ),
    **each("evaluate.smatch", {"seconds": 1, "solver": "hillclimber"}, set()),
    **{
        f"evaluate.{metric}.command": (
            setting(f"evaluate.{metric}.command", [metric]),
            COMPARED_RUNS | {f"evaluate_{metric}"},
        )
        for metric in ("comet", "bleurt")
    },
    **{
        f"evaluate.{metric}.seconds": (setting(f"evaluate.{metric}.seconds", 1), set[str]())
        for metric in ("comet", "bleurt")
    },
    "evaluate.metrics.spbleu": (
        setting("evaluate.metrics.spbleu", "data/moved_regions.tsv"),
        ADAPTED - {"evaluate_literal", "evaluate_outputs"},
    ),
    **each(
        "evaluate.summary",
        {
            "baselines.zh-en": "near",
            "baselines.en-zh": "near",
            "bootstrap.samples": 10,
            "trials": 10,
            "bootstrap.seed": 14,
        },
        REPORTED | {"evaluate_summary"},
    ),
    "evaluate.summary.published, moved": (
        setting("evaluate.summary.published", "data/moved_published.tsv"),
        set(),
    ),
    "evaluate.summary.published": (
        setting("evaluate.summary.published", "data/other_published.tsv"),
        REPORTED | {"evaluate_summary"},
    ),
    "evaluate.correlations.ratings": (
        setting("evaluate.correlations.ratings", ["data/ratings.tsv"]),
        REPORTED | {"evaluate_correlations"},
    ),
    "evaluate.correlations.level": (
        setting("evaluate.correlations.level", 0.01),
        REPORTED | {"evaluate_correlations"},
    ),
    "evaluate.literal.concepts, moved": (
        setting("evaluate.literal.concepts", "data/moved_concepts.tsv"),
        set(),
    ),
    "evaluate.literal.induced, which needs a stage more": (
        setting("evaluate.literal.induced", True),
        REPORTED
        | {"evaluate_literal"}
        | {f"lexicon_{name}" for name in ("vectors", "align", "neighbours", "precision")},
    ),
    "evaluate.literal.concepts": (
        setting("evaluate.literal.concepts", "data/other_concepts.tsv"),
        REPORTED | {"evaluate_literal"},
    ),
}
RUN_EDITS: dict[str, tuple[Edit, set[str]]] = {
    "a run that is added": (
        append("data/runs.tsv", "again\tnone\tretrieval\t\tzh-en\t\t\t\n"),
        ADAPTED | {"generate_retrieval"},
    ),
    "a prompt": (
        append("resources/prompts/dish.txt", "先"),
        {"train_model", "generate_decode", "generate_predictions"} | SCORED | SEEN,
    ),
    "code of training": (append("scripts/wokflow/train/trainers.py", "NEW = 1\n"), TRAINED_AGAIN),
    "code of a metric": (
        append("scripts/wokflow/evaluate/overlap.py", "NEW = 1\n"),
        ADAPTED - {"evaluate_literal", "evaluate_outputs"},
    ),
    "published scores": (
        append("resources/published.tsv", PUBLISHED),
        REPORTED | {"evaluate_summary"},
    ),
}

"""Whose key a setting changes, where that is not just the rule of the setting's own block."""

from tests.workflow.changes import Settings, setting

# A setting, or a block that holds it -> the rules whose keys change. Other shards are other jobs, with the same key.
OTHER_KEYS: dict[str, set[str]] = {
    "match.search.k": {"match_search", "match_pair"},
    "match.search.shards": set(),
    "sources.counterfactual": set(),
    "parse.dependencies.batch": {"parse_dependencies", "evaluate_counterfactual"},
    "parse.dependencies.shards": set(),
    "parse.actions.method": {"parse_actions", "evaluate_counterfactual"},
    "parse.actions.style": {"parse_actions", "evaluate_counterfactual"},
    "pivot.pairs.path": {
        *("pivot_dishes", "pivot_candidates", "pivot_instances"),
        *("pivot_pivots", "pivot_orders"),  # where they are given, they must fit the pairs
    },
    "train.gold": {"train_pairs", "generate_instances"},
    "generate.decode.shards": set(),
    "evaluate.bertscore": set(),
    "evaluate.comet": set(),
    "evaluate.smatch": set(),
}
# Edits of several settings at once: that keys of rules that run change, and no others, is enough.
SEVERAL_KEYS = {"parse.dependencies.backend", "parse.vectors.corpus, another", "pivot.dishes.corpus, another"}
SHOWS_SETTINGS = {"report_page"}  # the page tells settings of many steps, and so has them in its key

HUB = Settings({"match.translate.backend": "hub"})
PROMPTED = Settings({"runs": "data/prompt_runs.tsv", "generate.server.backend": "transformers"})
ENDPOINT = Settings({"runs": "data/prompt_runs.tsv", "generate.prompt.endpoint": "http://127.0.0.1:9/v1"})
PARSED_ELSEWHERE = Settings(
    {"parse.dependencies.backend": "pipeline", "parse.dependencies.model": "data/pipeline"}
)
# Settings that count only beside others: what is given, the edit, the rules whose keys change.
KEYED: dict[str, tuple[Settings, Settings, set[str]]] = {
    **{
        f"ingest.recipes.{name}": (
            setting("contact", "me@example.org"),
            setting(f"ingest.recipes.{name}", "keep"),
            {"ingest_recipes"},
        )
        for name in ("truncated", "mostly_rejected")
    },
    **{
        f"match.translate.{name}, with a model of the hub": (
            HUB,
            setting(f"match.translate.{name}", value),
            {"match_translate"},
        )
        for name, value in {"model": "x/y", "revision": "main", "beams": 2, "batch": 8}.items()
    },
    **{
        f"generate.prompt.{name}, with a prompt run": (
            ENDPOINT,
            setting(f"generate.prompt.{name}", value),
            {"generate_prompt"},
        )
        for name, value in {
            "endpoint": "http://127.0.0.1:8/v1",
            "mode": "completion",
            "system": "You cook.",
            "temperature": 0.7,
            "seed": 1,
            "max_tokens": 10,
            "max_tokens_name": "max_completion_tokens",
            "parameters": {"top_p": 0.5},
        }.items()
    },
    **{
        f"generate.prompt.{name}, which changes no answer": (
            ENDPOINT,
            setting(f"generate.prompt.{name}", value),
            set(),
        )
        for name, value in {
            "key_variable": "MY_KEY",
            "concurrency": 1,
            "timeout_s": 1,
            "tries": 1,
            "backoff_s": 0,
            "failures": 1,
            "budget": 1,
            "budget_tokens": 1,
        }.items()
    },
    "generate.server.backend, with a prompt run": (
        PROMPTED,
        setting("generate.server.backend", "ollama"),
        {"generate_prompt", "generate_server"},
    ),
    "generate.server.command, with a prompt run": (
        Settings(
            PROMPTED.values | {"generate.server.backend": "command", "generate.server.command": ["serve"]}
        ),
        setting("generate.server.command", ["serve", "more"]),
        {"generate_prompt", "generate_server"},
    ),
    **{
        f"generate.server.{name}, which changes no answer": (
            PROMPTED,
            setting(f"generate.server.{name}", value),
            set(),
        )
        for name, value in {"minutes": 1, "gpus": 0, "memory_mb": 1}.items()
    },
    "parse.dependencies.device, with a pipeline": (
        PARSED_ELSEWHERE,
        setting("parse.dependencies.device", "cpu"),
        {"parse_dependencies", "evaluate_counterfactual"},
    ),
}

"""Whose key a setting changes, where that is not just the rule of the setting's own block."""

from tests.workflow.changes import FREE, Settings, setting
from tests.workflow.keyed_dialogues import OF_DIALOGUES, SPOKEN
from tests.workflow.keyed_rewriting import OF_ALL_REWRITING, OF_REWRITING
from tests.workflow.keyed_sheets import OF_SHEETS, WORDS
from tests.workflow.keyed_sources import FETCHED, OF_SOURCES

# A setting, or a block that holds it -> the rules whose keys change. Other shards are other jobs, with the same key.
OTHER_KEYS: dict[str, set[str]] = {
    "match.search.k": {"match_search", "match_pair"},
    "paper": {"report_page"},
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
    "match.candidates": set(),
    "match.silver": set(),
    "match.rerank.by": set(),
    "train.gold": {"match_split", "match_statistics", "generate_instances"},
    "train.gold.en-zh": {"match_split", "match_statistics"},
    "train.published": {"train_pairs", "generate_instances"},
    "train.published.en-zh": set(),
    "generate.decode.chat": {"train_model", "generate_decode"},
    "generate.decode.shards": set(),
    "evaluate.bertscore": set(),
    "evaluate.comet": set(),
    "evaluate.bleurt": set(),
    "evaluate.smatch": set(),
    **{
        f"export.release.{name}": {"export_gates"}
        for name in ("name", "version", "contact", "home_page", "licence_of_annotations", "datasets")
    },
    **{
        f"export.release.{name}": {"export_dataset", "export_gates"} for name in ("mode", "jsonl", "registry")
    },
    "export.licences": {"export_dataset", "export_gates"},
}
# Edits of several settings at once: that keys of rules that run change, and no others, is enough.
SEVERAL_KEYS = {
    "ingest.recipes, all steps of cleaning",
    "match.eligible.tokenizer and .revision",
    "enrich.categorise.backend",
    "enrich.link.backend and .command",
    "enrich.lookup.backend and .store",
    "parse.dependencies.backend",
    "parse.vectors.corpus, another",
    "pivot.dishes.corpus, another",
    "export.release.mode, where licences allow it",
}
SHOWS_SETTINGS = {"report_page"}  # the page tells settings of many steps, and so has them in its key

NAMED = setting("match.candidates.titles", "data/dishes.tsv")
COOKED = setting("match.rerank.by", "recipes")
TAUGHT = Settings({"match.rerank.by": "recipes", "match.rerank.graded": "data/labels.tsv"})
ACCEPTED = setting("match.silver.accepted", "data/silver.tsv")
API = Settings({"enrich.pages.backend": "api", "contact": "me@example.org"})
PROGRAM = Settings({"enrich.link.backend": "command", "enrich.link.command": ["linker"]})
TOPICS = Settings({"enrich.categorise.backend": "service", "contact": "me@example.org"})
TRANSLATED = Settings(
    {"runs": "data/translating_runs.tsv", "generate.prompt.endpoint": "http://127.0.0.1:9/v1"}
)
REWRITTEN = setting("runs", "data/rewriting_runs.tsv")
RATED = setting("judge.models", "data/models.tsv")
COMPARED = Settings(TRANSLATED.values | {"judge.models": "data/comparers.tsv"})
HUB = Settings({"match.translate.backend": "hub"})
PROMPTED = Settings({"runs": "data/prompt_runs.tsv", "generate.server.backend": "transformers"})
VLLM = Settings({"runs": "data/prompt_runs.tsv", "generate.server.backend": "vllm"})
ENDPOINT = Settings({"runs": "data/prompt_runs.tsv", "generate.prompt.endpoint": "http://127.0.0.1:9/v1"})
PARSED_ELSEWHERE = Settings(
    {"parse.dependencies.backend": "spacy", "parse.dependencies.model": "data/pipeline"}
)
MEASURED = Settings(  # all runs of this house write English
    {
        "evaluate.bertscore.zh.model": "x",
        "evaluate.bertscore.en.model": "y",
        "evaluate.smatch.parsers.zh": ["a"],
        "evaluate.smatch.parsers.en": ["b"],
        "evaluate.comet.command": ["c"],
    }
)
# What is given together to the settings that count only beside one of these, in the few dry runs of the gate.
BESIDE_ONE_ANOTHER = (
    *(FETCHED, NAMED, COOKED, ACCEPTED, PROGRAM, TOPICS, HUB, PARSED_ELSEWHERE, MEASURED, RATED),
    *(SPOKEN, WORDS),
)
# Settings that count only beside others: what is given, the edit, the rules whose keys change.
KEYED: dict[str, tuple[Settings, Settings, set[str]]] = {
    **{
        f"ingest.recipes.{name}": (
            setting("contact", "me@example.org"),
            setting(f"ingest.recipes.{name}", "keep"),
            {"ingest_recipes", "export_gates"},
        )
        for name in ("truncated", "mostly_rejected")
    },
    "enrich.link.backend, the annotations of the source itself": (
        Settings({"sources.lines.path": "data/annotated.json", "sources.lines.kind": "camt"}),
        setting("enrich.link.backend", "released"),
        {"enrich_link"},  # what is taken is not measured: enrich_link_quality has no job
    ),
    **OF_SOURCES,
    **{
        f"ingest.pages.{name}, without a dump": (
            setting("contact", "me@example.org"),
            setting(f"ingest.pages.{name}", value),
            set(),
        )
        for name, value in {"longest": 100, "truncated": "keep"}.items()
    },
    "ingest.pages of languages that are not wanted": (
        setting("contact", "me@example.org"),
        Settings(
            {f"ingest.pages.{lang}": "data/pages.json" for lang in ("es", "fr", "hi", "ta", "te", "de", "ja")}
        ),
        set(),
    ),
    "ingest.pages of languages that are wanted": (
        setting("contact", "me@example.org"),
        Settings({f"ingest.pages.{lang}": "data/pages.json" for lang in ("en", "zh")}),
        set(),
    ),
    **{
        f"match.candidates.{name}, with names of dishes": (
            NAMED,
            setting(f"match.candidates.{name}", value),
            {"match_candidates"},
        )
        for name, value in {"cutoff": 70, "count": 2}.items()
    },
    **{
        f"match.{name}, where recipes make pairs": (COOKED, setting(f"match.{name}", value), keys)
        for name, value, keys in (
            ("contents.shards", 2, set[str]()),
            ("compare.titles", 3, {"match_compare"}),
            ("compare.contents", 3, {"match_compare"}),
            ("compare.postings", 9, {"match_compare"}),
            ("compare.shards", 2, set[str]()),
            ("rerank.labels", "data/labels.tsv", {"match_rerank"}),
            ("rerank.graded", "data/labels.tsv", {"match_rerank"}),
            ("rerank.precision", 0.7, {"match_rerank"}),
            ("rerank.unsure", 7, {"match_rerank"}),
        )
    },
    "match.rerank.least_by": (TAUGHT, setting("match.rerank.least_by", "probabilities"), {"match_rerank"}),
    "match.silver.accepted, with more rows": (
        ACCEPTED,
        setting("match.silver.accepted", "data/more_silver.tsv"),
        {"match_silver"},
    ),
    "enrich.pages.backend, a step more": (
        setting("contact", "me@example.org"),
        setting("enrich.pages.backend", "api"),
        set(),
    ),
    "generate.decode.shots and generate.prompt.shots, of no run": (
        setting("contact", "me@example.org"),
        Settings({"generate.decode.shots": 1, "generate.prompt.shots": 1}),
        set(),
    ),
    "enrich.pages.longest, of the API": (API, setting("enrich.pages.longest", 100), {"enrich_pages"}),
    **{
        f"enrich.pages.{name}, of the API": (API, setting(f"enrich.pages.{name}", value), set())
        for name, value in {"attempts": 2, "timeout_s": 5, "cache": "data/articles"}.items()
    },
    **{
        f"enrich.link.{name}, with a program": (PROGRAM, setting(f"enrich.link.{name}", value), keys)
        for name, value, keys in (
            ("command", ["linker", "--fast"], {"enrich_link"}),
            ("case", "ignored", set[str]()),
            ("plurals", False, set[str]()),
            ("seconds", 5, set[str]()),
        )
    },
    **{
        f"enrich.categorise.{name}, with a topic service": (
            TOPICS,
            setting(f"enrich.categorise.{name}", value),
            {"enrich_categorise"},
        )
        for name, value in {"endpoint": "http://127.0.0.1:8/predict", "threshold": 0.3}.items()
    },
    **{
        f"generate.{family}.{name}, with such a run": (
            REWRITTEN,
            setting(f"generate.{family}.{name}", value),
            {f"generate_{family}"} if counts else set[str](),
        )
        for family, own in OF_REWRITING.items()
        for name, (value, counts) in (OF_ALL_REWRITING | own).items()
    },
    **{
        f"pivot.mined.{name}, with a run that reads it": (
            REWRITTEN,
            setting(f"pivot.mined.{name}", value),
            {"pivot_mined"},
        )
        for name, value in {
            "recipes": "others",
            "most": 50,
            "least": 5,
            "alpha": 4,
            "tau_remove": 0.02,
            "tau_insert": 0.2,
            "frequent": 0.1,
            "level": 0.1,
            "order": 0.8,
        }.items()
    },
    "pivot.pivots.given, which runs that rewrite must not see": (
        REWRITTEN,
        setting("pivot.pivots.given", "data/pivots.tsv"),
        {"pivot_pivots"},
    ),
    "export.release.mode, where licences allow it": (
        FREE,
        setting("export.release.mode", "full"),
        {"export_dataset", "export_gates"},
    ),
    **{
        f"generate.items.{name}, with a run on sentences": (
            TRANSLATED,
            setting(f"generate.items.{name}", value),
            {"generate_items"},
        )
        for name, value in {"exemplars": 1, "seed": 14}.items()
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
            "again": 1,
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
    **{
        f"generate.server.{name}, with a prompt run": (
            VLLM,
            setting(f"generate.server.{name}", value),
            {"generate_prompt", "generate_server"},
        )
        for name, value in {
            "precision": "float32",
            "max_length": 4096,
            "remote_code": True,
            "revision": "main",
        }.items()
    },
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
        for name, value in {"minutes": 1, "gpus": 0, "gpu_memory": 0.5, "memory_mb": 1}.items()
    },
    **{
        f"evaluate.{name}, with models and programs that measure": (
            MEASURED,
            setting(f"evaluate.{name}", value),
            keys,
        )
        for name, value, keys in (
            ("bertscore.en.revision", "main", {"evaluate_bertscore"}),
            ("bertscore.zh.revision", "main", set[str]()),
            ("bertscore.batch", 2, set[str]()),
            ("smatch.parsers.en", ["parse"], {"evaluate_smatch"}),
            ("smatch.parsers.zh", ["parse"], set[str]()),
            ("smatch.solver", "hillclimber", {"evaluate_smatch"}),
            ("smatch.seconds", 1, set[str]()),
            *((f"{name}.device", "cpu", set[str]()) for name in ("smatch", "comet", "bleurt")),
            ("comet.command", ["comet"], {"evaluate_comet"}),
            ("comet.seconds", 1, set[str]()),
        )
    },
    **{
        f"judge.{name}, with models that rate": (RATED, setting(f"judge.{name}", f"data/{file}.tsv"), {rule})
        for name, file, rule in (
            ("models", "other_models", "judge_prompt"),
            ("instructions.dishes", "ash_dishes", "judge_instructions"),
            ("instructions.cuisines", "ash_cuisines", "judge_instructions"),
            ("tasks.dimensions", "ash_dimensions", "judge_tasks"),
        )
    },
    **OF_DIALOGUES,
    **{
        f"{name}, with models that compare": (COMPARED, setting(name, value), {rule})
        for name, value, rule in (
            ("judge.pta.seed", 7, "judge_pta"),
            ("judge.pta.orders", 1, "judge_pta"),
            ("judge.pta.dimensions", "data/pta_dimensions.tsv", "judge_pta"),
            ("evaluate.pta.bootstrap.samples", 7, "evaluate_pta"),
            ("evaluate.pta.bootstrap.seed", 7, "evaluate_pta"),
        )
    },
    **OF_SHEETS,
    **{
        f"evaluate.{name}, with models that rate": (
            RATED,
            setting(f"evaluate.{name}", value),
            {f"evaluate_{rule}"},
        )
        for name, value, rule in (
            *((f"ratings.bootstrap.{name}", 7, "ratings") for name in ("samples", "seed")),
            *((f"biases.bootstrap.{name}", 7, "biases") for name in ("samples", "seed")),
            ("words.most", 7, "words"),
            ("words.stopwords", "data/stopwords.txt", "words"),
        )
    },
    **{
        f"generate.prompt.{name}, with models that rate": (
            RATED,
            setting(f"generate.prompt.{name}", value),
            keys,
        )
        for name, value, keys in (
            ("max_tokens", 9, {"judge_prompt"}),
            ("endpoint", "http://127.0.0.1:8/v1", set[str]()),  # rows name their own
            ("concurrency", 2, set[str]()),
        )
    },
    "parse.dependencies.device, with spaCy": (
        PARSED_ELSEWHERE,
        setting("parse.dependencies.device", "cpu"),
        {"parse_dependencies", "evaluate_counterfactual"},
    ),
}

"""Edits of single settings, each with the rules that it touches; tests.workflow.edits has the others.

Those of SETTINGS are carried out, the others are planned.
"""

from tests.workflow.changes import FREE, Settings, setting
from tests.workflow.touched_rules import (
    ACTED,
    CATEGORISED,
    COMPARED,
    DECIDED,
    DRAWN,
    ELIGIBLE,
    EXPORTED,
    INGESTED,
    LEARNT,
    LINKED,
    LOOKED_UP,
    MATCHED_ITEMS,
    NAMED,
    NEW_CORPUS,
    PAIRED,
    PARSED,
    READ,
    RELEASED,
    REPORTED,
    SCORED,
    SEARCHED,
    SENTENCES,
    SPLIT,
    TITLES,
    TRAINED,
    TRANSLATED,
)

MOVED = "all sources moved, match.translate.shards, enrich.languages and enrich.entities.truncated"
SETTINGS: dict[str, tuple[Settings, set[str]]] = {
    MOVED: (
        Settings(
            {
                "sources.recipenlg.path": "data/moved.csv",
                "sources.xiachufang.path": "data/moved.json",
                "sources.lines.path": "data/moved_lines",
                "match.translate.shards": 2,
                "enrich.languages": ["fr"],
                "enrich.entities.truncated": "keep",
            }
        ),
        TRANSLATED | CATEGORISED | {"ingest_source", "enrich_entities", "enrich_names"},
    ),
    "ingest.recipes.parts, and enrich.entities.path, moved": (
        Settings({"ingest.recipes.parts": 3, "enrich.entities.path": "data/moved_entities.jsonl"}),
        INGESTED - {"match_pair", "match_split"} | READ | {"ingest_source"},
    ),
    "sources.lines.path, .kind and .pair; match.embed.model, the same in a folder, .revision and .shards": (
        Settings(
            {
                "sources.lines.path": "data/french.tsv",
                "sources.lines.kind": "tsv",
                "sources.lines.pair": "en-fr",
                "match.embed.model": "data/model",
                "match.embed.revision": "main",
                "match.embed.shards": 2,
            }
        ),
        SENTENCES | {"ingest_source", "enrich_entities", "enrich_names"} | {"match_embed", "match_vectors"},
    ),
    "match.eligible.max_tokens and match.translate.backend": (
        Settings(
            {
                "match.eligible.max_tokens": 400,
                "match.translate.backend": "none",
                "match.pair.threshold": -1,
            }
        ),
        TITLES - {"ingest_recipes"} | LEARNT,
    ),
}
# Behind their cutoffs runs what runs after an edit that is carried out; so what surely runs is planned.
CUT_SETTINGS: dict[str, tuple[Settings, set[str]]] = {
    "ingest.recipes, all steps of cleaning": (
        Settings(
            {
                "ingest.recipes.emoji": False,
                "ingest.recipes.simplified": True,
                "ingest.recipes.symbols": False,
                "ingest.recipes.entities": False,
                "ingest.recipes.duplicates": False,
                "ingest.recipes.spaces": False,
                "ingest.recipes.empty_fields": False,
            }
        ),
        INGESTED | READ,
    ),
    "match.eligible.tokenizer and .revision": (
        Settings({"match.eligible.tokenizer": "data/model", "match.eligible.revision": "main"}),
        ELIGIBLE,
    ),
    "match.embed.precision": (
        setting("match.embed.precision", "bfloat16"),
        {"match_embed", "match_vectors"},
    ),
}
PLANNED_SETTINGS: dict[str, tuple[Settings, set[str]]] = {
    "container": (setting("container", "wokflow.sif"), set()),
    "contact": (setting("contact", "me@example.org"), set()),
    "paper": (setting("paper", "ash"), {"report_page"}),
    "match.translate.lexicon, moved": (setting("match.translate.lexicon", "data/moved_lexicon"), set()),
    "match.translate.model, while another backend is in use": (
        setting("match.translate.model", "x/y"),
        set(),
    ),
    "match.translate.device and match.embed.device": (
        Settings({"match.translate.device": "cpu", "match.embed.device": "cpu"}),
        set(),
    ),
    "match.search.memory_mb": (setting("match.search.memory_mb", 2000), set()),
    "match.search.backend": (setting("match.search.backend", "torch"), SEARCHED),
    "match.search.device": (setting("match.search.device", "cpu"), SEARCHED),
    "match.search.k": (setting("match.search.k", 2), SEARCHED),
    "match.search.shards": (setting("match.search.shards", 2), SEARCHED),
    "match.search.floor": (setting("match.search.floor", 0.8), SEARCHED),
    "match.pair.threshold": (setting("match.pair.threshold", 0.8), PAIRED),
    "match.candidates.titles, which only asks": (
        setting("match.candidates.titles", "data/dishes.tsv"),
        {"match_candidates", "report_page"},  # which counts the names that are left out
    ),
    "match.candidates.cutoff and .count, without names of dishes": (
        Settings({"match.candidates.cutoff": 70, "match.candidates.count": 2}),
        set(),
    ),
    "match.silver.accepted": (setting("match.silver.accepted", "data/silver.tsv"), SPLIT | {"match_silver"}),
    "match.rerank.by": (
        setting("match.rerank.by", "recipes"),
        SPLIT | {"match_contents", "match_compare", "match_rerank"},
    ),
    "match.contents, match.compare and match.rerank, while titles make pairs": (
        Settings(
            {
                "match.contents.shards": 2,
                "match.compare.contents": 3,
                "match.compare.postings": 9,
                "match.compare.shards": 2,
                "match.rerank.labels": "data/labels.tsv",
                "match.rerank.graded": "data/labels.tsv",
                "match.rerank.precision": 0.7,
                "match.rerank.least_by": "probabilities",
                "match.rerank.unsure": 7,
            }
        ),
        set(),
    ),
    "match.split.kind": (setting("match.split.kind", "sources"), SPLIT),
    "match.split.seed": (setting("match.split.seed", 14), SPLIT),
    "match.split.valid": (setting("match.split.valid", 0.2), SPLIT),
    "match.split.test": (setting("match.split.test", 0.2), SPLIT),
    **{
        f"export.release.{name}": (setting(f"export.release.{name}", value), RELEASED)
        for name, value in {
            "name": "dishes",
            "version": "2.0",
            "contact": "me@example.org",
            "home_page": "https://example.org/dishes",
            "licence_of_annotations": "CC0-1.0",
        }.items()
    },
    **{
        f"export.release.{name}": (setting(f"export.release.{name}", value), EXPORTED)
        for name, value in {"jsonl": True, "datasets": ["pairs", "pivots"]}.items()
    },
    "export.release.mode, where licences allow it": (
        Settings(FREE.values | {"export.release.mode": "full"}),
        EXPORTED,
    ),
    "export.release.accept": (setting("export.release.accept", ["links"]), {"export_release", "report_page"}),
    "export.release.registry": (setting("export.release.registry", "data/other_sources.tsv"), EXPORTED),
    "export.release.registry, moved": (setting("export.release.registry", "data/moved_sources.tsv"), set()),
    "export.licences": (
        setting("export.licences", {"xiachufang": {"licence": "MIT", "release": "text"}}),
        EXPORTED,
    ),
    "report.page.examples": (setting("report.page.examples", 3), REPORTED),
    "sources.counterfactual.path": (setting("sources.counterfactual.path", "data/base.tsv"), NEW_CORPUS),
    **{
        f"ingest.sentences.{name}": (setting(f"ingest.sentences.{name}", value), SENTENCES)
        for name, value in {
            "parts": 2,
            "entities": False,
            "spaces": False,
            "identical": False,
            "ratio": 5.0,
            "longest": 100,
            "language": False,
            "duplicates": False,
            "truncated": "keep",
            "mostly_rejected": "keep",
        }.items()
    },
    "enrich.link.backend and .command": (
        Settings({"enrich.link.backend": "command", "enrich.link.command": ["linker"]}),
        LINKED,
    ),
    "enrich.link.command and .seconds, while another backend is in use": (
        Settings({"enrich.link.command": ["linker"], "enrich.link.seconds": 5}),
        set(),
    ),
    "enrich.link.phrases": (setting("enrich.link.phrases", "data/other_topics.tsv"), LINKED),
    "enrich.link.case": (setting("enrich.link.case", "ignored"), LINKED),
    "enrich.link.plurals": (setting("enrich.link.plurals", False), LINKED),
    **{
        f"enrich.categorise.{name}": (
            setting(f"enrich.categorise.{name}", f"data/other_{name}.tsv"),
            CATEGORISED,
        )
        for name in ("topics", "classes")
    },
    "enrich.categorise, moved": (
        Settings(
            {
                "enrich.categorise.topics": "data/moved_topics.tsv",
                "enrich.categorise.classes": "data/moved_classes.tsv",
                "evaluate.csi_match.regions": "data/moved_regions.tsv",
            }
        ),
        set(),
    ),
    "enrich.categorise.backend": (
        Settings({"enrich.categorise.backend": "service", "contact": "me@example.org"}),
        CATEGORISED,
    ),
    "enrich.categorise.endpoint and .threshold, while another backend is in use, and how it is asked": (
        Settings(
            {
                "enrich.categorise.endpoint": "http://127.0.0.1:9/predict",
                "enrich.categorise.threshold": 0.3,
                "enrich.categorise.concurrency": 2,
                "enrich.categorise.timeout_s": 5,
                "enrich.categorise.attempts": 2,
                "enrich.categorise.backoff_s": 1,
                "enrich.categorise.cache": "data/topics",
            }
        ),
        set(),
    ),
    "enrich.lookup.backend and .store": (
        Settings({"enrich.lookup.backend": "store", "enrich.lookup.store": "data/facts.nt"}),
        LOOKED_UP,
    ),
    "enrich.lookup.endpoint, while another backend is in use, and how it is asked": (
        Settings(
            {
                "enrich.lookup.endpoint": "http://127.0.0.1:9/sparql",
                "enrich.lookup.batch": 10,
                "enrich.lookup.concurrency": 2,
                "enrich.lookup.timeout_s": 5,
                "enrich.lookup.attempts": 2,
                "enrich.lookup.backoff_s": 1,
                "enrich.lookup.cache": "data/answers",
            }
        ),
        set(),
    ),
    "evaluate.csi_match.predictions": (
        setting("evaluate.csi_match.predictions", ["data/lines.tsv"]),
        MATCHED_ITEMS,
    ),
    **{
        f"evaluate.csi_match.bootstrap.{name}": (
            setting(f"evaluate.csi_match.bootstrap.{name}", value),
            MATCHED_ITEMS,
        )
        for name, value in {"samples": 10, "seed": 14}.items()
    },
    "parse.glossary.path, moved": (setting("parse.glossary.path", "data/moved_glossary"), set()),
    "parse.parser.treebanks, moved": (setting("parse.parser.treebanks", ["data/moved.conllu"]), set()),
    "parse.parser.treebanks": (
        setting("parse.parser.treebanks", ["data/trees.conllu", "data/moved.conllu"]),
        TRAINED,
    ),
    **{
        f"parse.parser.{name}": (setting(f"parse.parser.{name}", value), TRAINED)
        for name, value in {
            "test": ["data/trees.conllu"],
            "simplify": True,
            "max_sentences": 40,
            "epochs": 2,
            "width": 24,
            "depth": 2,
            "dropout": 0.1,
            "learning_rate": 0.01,
            "batch_words": 50,
            "seed": 14,
        }.items()
    },
    "parse.dependencies.backend": (
        Settings({"parse.dependencies.backend": "spacy", "parse.dependencies.model": "data/pipeline"}),
        PARSED,
    ),
    "parse.dependencies.device, while another backend is in use": (
        setting("parse.dependencies.device", "cpu"),
        set(),
    ),
    "parse.dependencies.batch": (setting("parse.dependencies.batch", 8), PARSED),
    "parse.dependencies.shards": (setting("parse.dependencies.shards", 2), PARSED),
    "parse.actions.method": (setting("parse.actions.method", "rules"), ACTED),
    "parse.actions.style": (setting("parse.actions.style", "paper"), ACTED),
    "parse.actions.max_characters": (setting("parse.actions.max_characters", 50), ACTED),
    "parse.vectors.corpus, another": (
        Settings(
            {"sources.counterfactual.path": "data/base.tsv", "parse.vectors.corpus": "counterfactual"},
        ),
        NEW_CORPUS | {"parse_vectors"} | SCORED,
    ),
    **{
        f"parse.vectors.{name}": (setting(f"parse.vectors.{name}", value), {"parse_vectors"} | SCORED)
        for name, value in {
            "words": "dictionary",
            "model": "cbow",
            "dimensions": 10,
            "window": 3,
            "epochs": 2,
            "least_count": 2,
            "recipes": 5,
            "seed": 14,
        }.items()
    },
    **{
        f"parse.induce.{name}, which no target needs": (setting(f"parse.induce.{name}", 7), set())
        for name in ("verbs", "ingredients", "tools", "least_count", "recipes", "seed")
    },
    "pivot.pairs.path, moved": (setting("pivot.pairs.path", "data/moved_pairs.tsv"), set()),
    "pivot.pairs.path": (setting("pivot.pairs.path", "data/other_pairs.tsv"), NAMED),
    "pivot.dishes.corpus, another": (
        Settings(
            {"sources.counterfactual.path": "data/base.tsv", "pivot.dishes.corpus": "counterfactual"},
        ),
        NEW_CORPUS | NAMED | LEARNT,
    ),
    "pivot.dishes.least": (setting("pivot.dishes.least", 1), NAMED),
    "pivot.candidates.alpha": (setting("pivot.candidates.alpha", 4), COMPARED),
    "pivot.candidates.tau_remove": (setting("pivot.candidates.tau_remove", 0.02), COMPARED),
    "pivot.candidates.tau_insert": (setting("pivot.candidates.tau_insert", 0.2), COMPARED),
    "pivot.candidates.least": (setting("pivot.candidates.least", 0.1), COMPARED),
    "pivot.candidates.recipes": (setting("pivot.candidates.recipes", 20), COMPARED),
    "pivot.candidates.level": (setting("pivot.candidates.level", 0.1), COMPARED),
    "pivot.questions.ask_all": (setting("pivot.questions.ask_all", True), {"pivot_questions"}),
    "judge.budget": (setting("judge.budget", 5), set()),
    "pivot.pivots.answers": (setting("pivot.pivots.answers", ["data/answers.tsv"]), DECIDED),
    "pivot.pivots.annotators": (setting("pivot.pivots.annotators", 2), DECIDED),
    "pivot.pivots.overrule": (setting("pivot.pivots.overrule", True), DECIDED),
    "pivot.pivots.given": (setting("pivot.pivots.given", "data/pivots.tsv"), DECIDED),
    "pivot.orders.given": (setting("pivot.orders.given", "data/orders.tsv"), SCORED | {"pivot_orders"}),
    **{
        f"pivot.orders.{name}": (setting(f"pivot.orders.{name}", value), SCORED | {"pivot_orders"})
        for name, value in {
            "preset": "paper",
            "effect": 0.2,
            "level": 0.1,
            "correct": False,
            "units": 1,
            "frequent": 0.1,
            "confounders": 3,
            "ridge": 2,
            "caliper": 0.3,
            "strata": 5,
            "overlap": 0.4,
            "balance": 0.3,
        }.items()
    },
    "pivot.instances.count": (setting("pivot.instances.count", 1), DRAWN),
    "pivot.instances.seed": (setting("pivot.instances.seed", 14), DRAWN),
    "generate.baselines.seed": (setting("generate.baselines.seed", 14), {"generate_baselines"} | SCORED),
    "evaluate.counterfactual.predictions": (
        setting("evaluate.counterfactual.predictions", ["data/mine.tsv"]),
        SCORED,
    ),
    "evaluate.counterfactual.vectors": (
        setting("evaluate.counterfactual.vectors", "data/vectors.txt"),
        SCORED,
    ),
    **{
        f"evaluate.counterfactual.{name}": (setting(f"evaluate.counterfactual.{name}", value), SCORED)
        for name, value in {
            "definition": "paper",
            "tau": 0.8,
            "bertscore.model": "bert-base-chinese",
            "bertscore.revision": "main",
            "bertscore.layers": 1,
            "bertscore.batch": 8,
            "bertscore.device": "cpu",
            "bootstrap.samples": 500,
            "bootstrap.seed": 14,
        }.items()
    },
}

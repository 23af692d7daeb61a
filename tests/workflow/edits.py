"""Edits of a built house, each with the rules that it touches: of single settings, and of all else."""

import os

from tests.workflow.changes import (
    Edit,
    answers,
    append,
    bundled_model,
    copy,
    predictions,
    replace,
    setting,
    then,
    trained_pipeline,
    vectors,
)
from tests.workflow.conftest import EVERY

REPORTED = {"report_page"}
COMPARED_RUNS = REPORTED | {"evaluate_summary", "evaluate_correlations"}
ADAPTED = COMPARED_RUNS | {"evaluate_metrics", "evaluate_literal"}  # what reads predictions of adaptations
POSED = ADAPTED | {"generate_instances", "generate_retrieval", "generate_predictions"}
LEARNT = {"train_model", "generate_decode"}  # what comes through frontiers, where texts are new
SCORED = REPORTED | {"evaluate_counterfactual"}
DECIDED = SCORED | {"pivot_pivots", "pivot_orders"}
COMPARED = DECIDED | {"pivot_candidates", "pivot_questions"}
GROUPED = COMPARED | {"parse_proto"}
ACTED = GROUPED | {"parse_actions"}
PARSED = ACTED | {"parse_dependencies"}
TRAINED = PARSED | {"parse_parser"}
REWRITTEN = SCORED | {"train_recipes", "generate_rewrites", "generate_predictions"}
DRAWN = REWRITTEN | {"pivot_instances", "generate_baselines"}
NAMED = COMPARED | DRAWN | {"pivot_dishes"}  # what reads which dish a recipe is of
UNCUT = (
    DRAWN
    | POSED
    | {
        "train_pairs",
        "pivot_dishes",
        "parse_clauses",
        "parse_vectors",
    }
)  # what reads recipes, with no frontier between
READ = UNCUT | ACTED  # all of what reads Chinese recipes, where their clauses stay
NEW_CORPUS = {"ingest_source", "ingest_recipes", "parse_clauses", "parse_dependencies", "parse_actions"}
NEW_CORPUS |= REPORTED | {"parse_proto"}
EXPORTED = REPORTED | {"export_pairs"}
SPLIT = EXPORTED | POSED | {"match_split", "match_statistics", "train_pairs"}
PAIRED = SPLIT | {"match_pair"}
SEARCHED = PAIRED | {"match_search"}
EMBEDDED = SEARCHED | {"match_embed", "match_vectors"}
TRANSLATED = {"match_translate", "match_texts"}  # and nothing more, where no translation changes
ELIGIBLE = PAIRED | {"match_eligible", "match_titles"}
INGESTED = ELIGIBLE | {"ingest_recipes"}
SAME_RECIPES = {
    "ingest_recipes",
    "match_eligible",
    "match_titles",
}  # nothing more, where recipes come out equal
TITLES = INGESTED | TRANSLATED | EMBEDDED


PACKAGE = "scripts/wokflow"
SETTINGS: dict[str, tuple[Edit, set[str]]] = {
    "sources.recipenlg.path": (
        then(copy("data/en.csv", "data/moved.csv"), setting("sources.recipenlg.path", "data/moved.csv")),
        SAME_RECIPES | {"ingest_source"},
    ),
    "sources.xiachufang.path": (
        then(copy("data/zh.json", "data/moved.json"), setting("sources.xiachufang.path", "data/moved.json")),
        SAME_RECIPES | {"ingest_source"} | UNCUT,
    ),
    "ingest.recipes.parts": (
        setting("ingest.recipes.parts", 3),
        INGESTED - {"match_pair", "match_split"} | READ,
    ),
    "ingest.recipes.emoji": (setting("ingest.recipes.emoji", False), TITLES | READ | LEARNT),
    "ingest.recipes.symbols": (setting("ingest.recipes.symbols", False), INGESTED | READ | LEARNT),
    "ingest.recipes.spaces": (
        setting("ingest.recipes.spaces", False),
        TITLES - {"match_search"} | READ | LEARNT,
    ),
    "ingest.recipes.simplified": (setting("ingest.recipes.simplified", True), TITLES | READ | LEARNT),
    "ingest.recipes.empty_fields": (
        setting("ingest.recipes.empty_fields", False),
        TITLES | READ | LEARNT | {"parse_dependencies"},
    ),
    "ingest.recipes.duplicates": (setting("ingest.recipes.duplicates", False), INGESTED | READ | LEARNT),
    "match.eligible.max_tokens": (
        setting("match.eligible.max_tokens", 400),
        TITLES - {"ingest_recipes"},
    ),
    "match.eligible.tokenizer": (then(bundled_model, setting("match.eligible.tokenizer", "model")), ELIGIBLE),
    "match.translate.backend": (
        then(setting("match.translate.backend", "none"), setting("match.pair.threshold", -1)),
        TRANSLATED | EMBEDDED | LEARNT,
    ),
    "match.translate.lexicon": (
        then(copy("resources/lexicon", "words"), setting("match.translate.lexicon", "words")),
        TRANSLATED,
    ),
    "match.translate.shards": (setting("match.translate.shards", 2), TRANSLATED),
    "match.embed.model, the same elsewhere": (
        then(bundled_model, setting("match.embed.model", "model")),
        {"match_embed", "match_vectors"},
    ),
    "match.embed.precision": (setting("match.embed.precision", "bfloat16"), EMBEDDED),
    "match.embed.revision": (setting("match.embed.revision", "main"), {"match_embed", "match_vectors"}),
    "match.embed.shards": (setting("match.embed.shards", 2), {"match_embed", "match_vectors"}),
}
PLANNED_SETTINGS: dict[str, tuple[Edit, set[str]]] = {  # no frontier lies behind them: a dry run says it all
    "contact": (setting("contact", "me@example.org"), set()),
    "match.translate.model, while another backend is in use": (
        setting("match.translate.model", "x/y"),
        set(),
    ),
    "match.search.memory_mb": (setting("match.search.memory_mb", 2000), set()),
    "match.search.backend": (setting("match.search.backend", "torch"), SEARCHED),
    "match.search.device": (setting("match.search.device", "cpu"), SEARCHED),
    "match.search.k": (setting("match.search.k", 2), SEARCHED),
    "match.search.shards": (setting("match.search.shards", 2), SEARCHED),
    "match.pair.threshold": (setting("match.pair.threshold", 0.8), PAIRED),
    "match.split.kind": (setting("match.split.kind", "paper"), SPLIT),
    "match.split.seed": (setting("match.split.seed", 14), SPLIT),
    "export.pairs.shards": (setting("export.pairs.shards", 2), EXPORTED),
    "report.page.examples": (setting("report.page.examples", 3), REPORTED),
    "sources.counterfactual.path": (
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
        ),
        NEW_CORPUS,
    ),
    "parse.glossary.path": (
        then(copy("resources/glossary", "words"), setting("parse.glossary.path", "words")),
        {"generate_baselines", "parse_vectors"} | TRAINED,
    ),
    "parse.parser.treebanks": (
        then(
            copy("data/trees.conllu", "data/more.conllu"),
            setting("parse.parser.treebanks", ["data/more.conllu"]),
        ),
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
        then(
            trained_pipeline,
            setting("parse.dependencies.backend", "pipeline"),
            setting("parse.dependencies.model", "pipeline"),
        ),
        PARSED,
    ),
    "parse.dependencies.model, while another backend is in use": (
        setting("parse.dependencies.model", "another"),
        set(),
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
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
            setting("parse.vectors.corpus", "counterfactual"),
        ),
        NEW_CORPUS | {"parse_vectors"} | SCORED,
    ),
    **{
        f"parse.vectors.{name}": (setting(f"parse.vectors.{name}", value), {"parse_vectors"} | SCORED)
        for name, value in {
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
    "pivot.pairs.path": (
        then(copy("data/pairs.tsv", "data/mine.tsv"), setting("pivot.pairs.path", "data/mine.tsv")),
        NAMED,
    ),
    "pivot.dishes.corpus, another": (
        then(
            append("data/base.tsv", "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"),
            setting("sources.counterfactual.path", "data/base.tsv"),
            setting("pivot.dishes.corpus", "counterfactual"),
        ),
        NEW_CORPUS | NAMED | LEARNT,
    ),
    "pivot.dishes.least": (setting("pivot.dishes.least", 1), NAMED),
    "pivot.candidates.alpha": (setting("pivot.candidates.alpha", 4), COMPARED),
    "pivot.candidates.tau_remove": (setting("pivot.candidates.tau_remove", 0.02), COMPARED),
    "pivot.candidates.tau_insert": (setting("pivot.candidates.tau_insert", 0.2), COMPARED),
    "pivot.candidates.least": (setting("pivot.candidates.least", 0.1), COMPARED),
    "pivot.questions.ask_all": (setting("pivot.questions.ask_all", True), {"pivot_questions"}),
    "pivot.pivots.answers": (then(answers, setting("pivot.pivots.answers", ["data/answers.tsv"])), DECIDED),
    "pivot.pivots.annotators": (setting("pivot.pivots.annotators", 2), DECIDED),
    "pivot.pivots.overrule": (setting("pivot.pivots.overrule", True), DECIDED),
    **{
        f"pivot.orders.{name}": (setting(f"pivot.orders.{name}", value), SCORED | {"pivot_orders"})
        for name, value in {
            "effect": 0.2,
            "level": 0.1,
            "correct": True,
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
        then(predictions, setting("evaluate.counterfactual.predictions", ["data/mine.tsv"])),
        SCORED,
    ),
    "evaluate.counterfactual.vectors": (
        then(vectors, setting("evaluate.counterfactual.vectors", "data/vectors.txt")),
        SCORED,
    ),
    **{
        f"evaluate.counterfactual.{name}": (setting(f"evaluate.counterfactual.{name}", value), SCORED)
        for name, value in {
            "tau": 0.8,
            "bertscore.model": "data/bert",
            "bertscore.layers": 1,
            "bertscore.batch": 8,
            "bertscore.device": "cpu",
            "bootstrap.samples": 500,
            "bootstrap.level": 0.9,
            "bootstrap.seed": 14,
        }.items()
    },
}
EDITS: dict[str, tuple[Edit, set[str]]] = {
    "a source row whose title stays": (
        replace("data/en.csv", "Scramble the eggs.", "Beat the eggs."),
        INGESTED | LEARNT | {"ingest_source"},
    ),
    "a source row with a new title": (
        append(
            "data/zh.json", '{"name": "豆腐汤", "recipeIngredient": ["豆腐"], "recipeInstructions": ["煮"]}\n'
        ),
        TITLES | LEARNT | {"ingest_source", "parse_dependencies"} | READ,
    ),
    "a word of the lexicon that no title has": (
        append("resources/lexicon/words.tsv", "鱼\tfish\tingredient\n"),
        TRANSLATED,
    ),
    "a word of the lexicon that a title has": (
        replace("resources/lexicon/words.tsv", "Apple Pie", "Deep Dish Apple Pie"),
        TRANSLATED | EMBEDDED | LEARNT,
    ),
    "a word, a setting before it and settings behind it, at once": (
        then(
            replace("resources/lexicon/words.tsv", "Apple Pie", "Deep Dish Apple Pie"),
            setting("match.eligible.max_tokens", 450),
            setting("match.split.seed", 14),
            setting("match.embed.revision", "main"),
        ),
        ELIGIBLE | TRANSLATED | EMBEDDED | LEARNT,
    ),
    "a source row with a new title, and settings behind it, at once": (
        then(
            append(
                "data/zh.json",
                '{"name": "豆腐汤", "recipeIngredient": ["豆腐"], "recipeInstructions": ["煮"]}\n',
            ),
            setting("match.pair.threshold", 0.8),
            setting("export.pairs.shards", 2),
        ),
        TITLES | LEARNT | {"ingest_source", "parse_dependencies"} | READ,
    ),
    "code of a module that the step imports": (
        append(f"{PACKAGE}/match/lexicon.py", "NEW = 1\n"),
        TRANSLATED,
    ),
    "code of a module that all share": (append(f"{PACKAGE}/tables.py", "NEW = 1\n"), EVERY),
}
PLANNED_EDITS: dict[str, tuple[Edit, set[str]]] = {
    "nothing": (lambda house: None, set()),
    "a source file touched": (lambda house: os.utime(house / "data/en.csv"), set()),
    "a row of the pairs of dishes": (
        append("data/pairs.tsv", "宫保鸡丁\t苹果派\t鸡丁\t苹果\tKung Pao Chicken\tApple Pie\n"),
        NAMED,
    ),
    "a word of the glossary": (
        append("resources/glossary/tools.tsv", "麻花锅\t锅\n"),
        {"generate_baselines", "parse_vectors"} | TRAINED,
    ),
    "code of the rules that find actions": (append(f"{PACKAGE}/parse/rules.py", "NEW = 1\n"), ACTED),
    "a comment": (append(f"{PACKAGE}/match/embed.py", "# a thought\n"), set()),
    "a docstring": (
        replace(f"{PACKAGE}/match/pair.py", '"""Neighbours of texts', '"""The neighbours of texts'),
        set(),
    ),
    "code of the step's own module": (
        replace(f"{PACKAGE}/match/pair.py", "SLICE = 200_000", "SLICE = 100_000"),
        PAIRED,
    ),
    "code of another stage": (append(f"{PACKAGE}/export/pairs.py", "NEW = 1\n"), EXPORTED),
    "code that no step runs": (append(f"{PACKAGE}/plan.py", "NEW = 1\n"), set()),
}


# Where a rule's input is made anew with the same bytes, Snakemake runs the rule only if it looked before that was so.
# In this house no pair is in test, so that the instances of adaptation are none before and after each edit.
BEHIND_INSTANCES = POSED - REPORTED - {"generate_instances"}
EQUAL: dict[str, set[str]] = {
    "sources.xiachufang.path": POSED | {"train_pairs"},
    "ingest.recipes.parts": POSED - REPORTED,
    "match.eligible.max_tokens": POSED - REPORTED,
    "match.eligible.tokenizer": POSED - REPORTED,
    "match.embed.precision": POSED - REPORTED,
}


def sometimes(name: str) -> set[str]:
    """The rules that may or may not run after an edit that is carried out; both are right."""
    _, expected = (EDITS | SETTINGS)[name]
    return EQUAL.get(name, set() if expected == EVERY else expected & BEHIND_INSTANCES)

"""Sets of rules that edits touch, each by what it is that changes."""

REPORTED = {"report_page"}
COMPARED_RUNS = REPORTED | {"evaluate_summary", "evaluate_correlations"}
SEEN = {"evaluate_outputs"}  # what looks at predictions of all runs
ADAPTED = (
    COMPARED_RUNS | SEEN | {"evaluate_metrics", "evaluate_literal"}
)  # what reads predictions of adaptations
POSED = ADAPTED | {"generate_instances", "generate_retrieval", "generate_predictions"}
LEARNT = {"train_model", "generate_decode"}  # what comes through cutoffs, where texts are new
SCORED = REPORTED | {"evaluate_counterfactual"}
DECIDED = SCORED | {"pivot_pivots", "pivot_orders"}
COMPARED = DECIDED | {"pivot_candidates", "pivot_questions"}
GROUPED = COMPARED | {"parse_proto"}
ACTED = GROUPED | {"parse_actions"}
PARSED = ACTED | {"parse_dependencies"}
TRAINED = PARSED | {"parse_parser"}
REWRITTEN = SCORED | SEEN | {"train_recipes", "generate_rewrites", "generate_predictions"}
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
)  # what reads recipes, with no cutoff between
READ = UNCUT | ACTED  # all of what reads Chinese recipes, where their clauses stay
NEW_CORPUS = {"ingest_source", "ingest_recipes", "parse_clauses", "parse_dependencies", "parse_actions"}
NEW_CORPUS |= REPORTED | {"parse_proto"}
RELEASED = REPORTED | {"export_gates", "export_release"}
EXPORTED = RELEASED | {"export_dataset"}
SPLIT = EXPORTED | POSED | {"match_split", "match_statistics", "train_pairs"}
PAIRED = SPLIT | {"match_pair"}
SEARCHED = PAIRED | {"match_search"}
EMBEDDED = SEARCHED | {"match_embed", "match_vectors"}
TRANSLATED = {"match_translate", "match_texts"}  # and nothing more, where no translation changes
ELIGIBLE = PAIRED | {"match_eligible", "match_titles"}
INGESTED = ELIGIBLE | {"ingest_recipes"}
TITLES = INGESTED | TRANSLATED | EMBEDDED
MATCHED_ITEMS = REPORTED | {"evaluate_csi_match", "evaluate_correlations"}
ASSEMBLED = MATCHED_ITEMS | {"enrich_assemble", "enrich_statistics"}
LOOKED_UP = ASSEMBLED | {"enrich_lookup", "enrich_items"}
CATEGORISED = LOOKED_UP | {"enrich_categorise"}
LINKED = CATEGORISED | {"enrich_link"}
SENTENCES = LINKED | {"ingest_sentences"}

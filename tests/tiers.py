"""The tier of each test, by where it stands and by the fixtures that it uses.

`make test` runs what has no marker; `make gate` also what is marked gate; the rest is for the night. With
--collect-only, pytest says how many tests each tier has, and how many lines their functions have.
"""

import inspect
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
MARKERS = ("gate", "slow", "cluster", "bench", "gpu")
FOLDERS = ("bench/", "gate/", "gpu/")  # all tests of a folder
CLUSTER_FIXTURES = {"cluster", "bare_cluster"}
SLOW_FIXTURES = {"built", "shared"}
# Beginnings of the ids of tests, below tests/. Slow are those that load large libraries, train models or run much of
# the workflow; quick are those that a fixture would make slow.
SLOW = (
    "annotate/test_label_studio.py",
    "annotate/test_stage.py::test_recipes_",
    "annotate/test_stage.py::test_without_a_table_of_studies_",
    "cluster/test_contract.py",
    "cluster/test_placement.py",
    "enrich/test_lookup_cache.py::test_a_killed_run_goes_on_from_what_it_has",  # waits
    "cluster/test_versions.py",
    "enrich/test_pages.py::test_an_api_in_trouble",
    "enrich/test_sparql.py",
    "enrich/test_topics.py::test_a_service_in_trouble",
    "evaluate/test_bertscore.py",
    "evaluate/test_biases.py::test_judges_that_like_their_own_",
    "evaluate/test_biases.py::test_a_judge_that_likes_long_texts_",
    "evaluate/test_command_lines.py",
    "evaluate/test_csi_match.py::test_the_fast_score_is_the_defined_one_in_long_outputs",
    "evaluate/test_marks.py",
    "evaluate/test_pta_biases.py::test_preferences_",
    "evaluate/test_smatch.py",
    "export/test_gates.py::test_a_gate_",
    "export/test_loads.py",
    "export/test_release.py::test_another_day_",
    "export/test_release.py::test_runs_with_other_cores_",
    "frame/test_jieba_dictionary.py::test_a_planted_cache_",
    "frame/test_misread_text.py::test_words_of_many_languages_",
    "frame/test_records.py::test_a_rule_that_has_an_output_more_",
    "frame/test_records.py::test_a_table_that_a_copy_cut_short_",
    "generate/test_client.py::test_a_server_that_takes_too_long_is_asked_again",  # waits
    "generate/test_decode.py",
    "generate/test_prompt_budget.py::test_five_starts_that_time_out_spend_one_budget",  # waits
    "generate/test_prompt_keys.py::test_what_the_environment_holds_for_the_sdk_",
    "generate/test_sentence_texts.py",
    "generate/test_server.py",
    "ingest/test_download.py",
    "ingest/test_mediawiki.py::test_a_real_mediawiki_",
    "ingest/test_raw_records.py::test_cuts_in_endless_garbage_do_not_depend_on_size",
    "ingest/test_recipes.py::test_a_file_that_ends_within_a_record_",
    "ingest/test_recipes.py::test_an_endless_line_is_one_reject",
    "ingest/test_recipes.py::test_nothing_depends_on_threads_parts_or_blocks",
    "ingest/test_wikipedia.py::test_a_request_that_fails_for_now_is_made_again",  # waits
    "ingest/test_wikipedia.py::test_a_server_whose_headers_drip_is_given_up",  # waits
    "ingest/test_wikipedia.py::test_a_silent_server_is_given_up",  # waits
    "ingest/test_wikipedia.py::test_requests_come_one_after_the_other",  # waits
    "ingest/test_wrong_files.py::test_a_large_file_without_recipes_is_not_read_to_its_end",
    "judge/test_dialogue_stage.py",
    "judge/test_prompt.py::test_killed_in_the_middle_",
    "judge/test_pta.py::test_a_planted_bias_is_measured_within_its_interval_and_an_unbiased_judge_shows_none[by_",
    "judge/test_reading.py::test_a_long_answer_",
    "judge/test_stage.py::test_models_",
    "lexicon/test_planted.py",
    "match/test_codes.py::test_the_bound_holds_for_each_count_of_equal_entries",
    "match/test_embed.py",
    "match/test_lexicon.py::test_real_word_lists",
    "match/test_rerank.py::test_a_graded_pair_counts_",
    "match/test_rerank.py::test_a_precision_that_no_probability_keeps_",
    "match/test_rerank.py::test_candidates_",
    "match/test_rerank.py::test_labels_of_one_kind_",
    "match/test_rerank.py::test_pairs_drawn_",
    "match/test_rerank.py::test_the_sheet_of_unsure_pairs_is_graded_and_read_again",
    "match/test_search.py::test_floors_that_rise_from_block_to_block_lose_nothing[gpu]",
    "match/test_search.py::test_thousands_of_rows_in_several_products_give_the_same",
    "match/test_search.py::test_two_threads_find_what_one_finds",
    "match/test_translate.py",
    "models/test_bounds.py::test_models_read_as_many",
    "models/test_decoding.py",
    "models/test_loading.py::test_a_model_of_the_hub_is_known_by_its_commit",
    "models/test_writers.py",
    "parse/test_dependencies.py",
    "parse/test_extract.py::test_very_long_texts_are_read",
    "parse/test_glossary_resource.py::test_every_food_and_tool_",
    "parse/test_induce.py",
    "parse/test_parser.py",
    "parse/test_vectors.py",
    "pivot/test_planted.py::test_by_default_nine_in_ten_orders_are_true[400]",
    "report/test_browser.py",
    "test_former_patterns.py",
    "test_near.py::test_a_change_",
    "test_near.py::test_nothing_near_",
    "test_patterns.py::test_an_expression_takes_steps_in_proportion_to_a_text",
    "test_patterns.py::test_the_matcher_that_counts_finds_what_re_finds",
    "test_quick_python.py",
    "test_tiers.py::test_in_ci_an_unlisted_skip_",
    "train/test_bases.py",
    "train/test_killed.py",
    "train/test_model.py",
    "train/test_several.py",
    "workflow/test_container.py",
    "workflow/test_contributing.py",
    "workflow/test_elsewhere.py",
    "workflow/test_errors.py::test_a_release_that_a_licence_forbids_",
    "workflow/test_items.py::test_a_source_is_fetched",
    "workflow/test_items.py::test_the_stage_alone_says_what_it_takes",
    "workflow/test_papers.py",
    "workflow/test_real.py",
    "workflow/test_screen.py",
    "workflow/test_two_runs.py",
)
QUICK = (
    "cluster/test_contract.py::test_an_executor_that_lacks_what_is_needed_is_refused",
    "cluster/test_placement.py::test_each_attempt_stays_within_the_partitions_that_take_the_job",
    "judge/test_pta.py::test_a_planted_bias_is_measured_within_its_interval_and_an_unbiased_judge_shows_none[by_merit",
    "workflow/test_plans.py::test_a_built_house_has_nothing_to_do",
    "workflow/test_plans.py::test_settings_of_different_rules_change_their_keys_exactly",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[Snakemake's records lost]",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[a source replaced by an older file with other rows",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[all code touched",
)
# Begin first, or a worker would still be at one of them when the others have nothing left to do.
LONGEST = (
    "workflow/test_papers.py",
    "workflow/test_interrupted.py",
    "cluster/test_versions.py",
    "workflow/test_real.py::test_the_testbed_as_published_",
    "workflow/test_edits.py::test_an_edited_house_holds_",
    "export/test_release.py::test_runs_with_other_cores_",
)


def tier(test: str, fixtures: set[str]) -> str | None:
    """The marker of a test, given its id below tests/ and the names of its fixtures; None for a quick one."""
    if test.startswith(FOLDERS):
        return test.partition("/")[0]
    if CLUSTER_FIXTURES & fixtures:
        return "cluster"
    if test.startswith(QUICK):
        return None
    return "slow" if test.startswith(SLOW) or SLOW_FIXTURES & fixtures else None


def name_of(item: pytest.Item) -> str:
    """The id of a test below tests/; empty for one that stands elsewhere."""
    if TESTS not in item.path.parents:
        return ""
    return item.path.relative_to(TESTS).as_posix() + item.nodeid[item.nodeid.index("::") :]


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test its marker. First come the longest, then those that share the built house."""
    for item in items:
        if (name := name_of(item)) and (marker := tier(name, set(getattr(item, "fixturenames", ())))):
            item.add_marker(marker)

    def place(item: pytest.Item) -> tuple[bool, bool, bool]:
        first = not item.get_closest_marker("gate"), not name_of(item).startswith(LONGEST)
        return *first, "built" not in getattr(item, "fixturenames", ())

    items.sort(key=place)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Tests and lines by tier, where tests are only collected. A function counts once in each tier that it is in."""
    if not config.getoption("collectonly"):
        return []
    tests, functions = Counter[str](), set()
    for item in items:
        marker = next((mark.name for mark in item.iter_markers() if mark.name in MARKERS), "quick")
        tests[marker] += 1
        if isinstance(item, pytest.Function):
            functions.add((marker, inspect.unwrap(item.function)))
    lines = Counter[str]()
    for marker, function in functions:
        lines[marker] += len(inspect.getsourcelines(function)[0])
    return [f"{name:<8}{tests[name]:>6} tests{lines[name]:>7} lines" for name in ("quick", *MARKERS)]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whole files that are not wanted are not even imported: many import large libraries."""
    if TESTS not in collection_path.parents:
        return None
    name = collection_path.relative_to(TESTS).as_posix()
    unwanted = config.getoption("markexpr")
    if "not slow" in unwanted and name in SLOW and not any(quick.startswith(name) for quick in QUICK):
        return True
    if f"{name}/" in FOLDERS and f"not {name}" in unwanted:
        return True
    return None

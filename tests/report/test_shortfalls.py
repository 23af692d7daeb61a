"""What a run did not find is said with what to do; what it found is not."""

import polars as pl
from wokflow.report.shortfalls import (
    of_calls,
    of_dishes,
    of_outputs,
    of_pairs,
    of_questions,
    of_runs,
    of_served,
    of_sources,
)

FULL = {"train": 8, "valid": 1, "test": 1}


def test_directions_without_pairs_and_empty_splits_are_named() -> None:
    none, some = of_pairs({"zh-en": {}, "en-zh": {"train": 3}}, 0.85, {"zh-en": (0, 0), "en-zh": (3, 3)})
    assert none.startswith("zh-en: no two titles reach match.pair.threshold (0.85), so there are no pairs.")
    assert some.startswith(
        "en-zh: no pair is in valid or test, so no model can be chosen by or scored on these pairs."
    )
    assert "match/near/en-zh.tsv" in some
    assert list(of_pairs({"zh-en": FULL, "en-zh": FULL}, 0.85, {"zh-en": (10, 10), "en-zh": (99, 10)})) == []


def test_where_recipes_make_pairs_the_wanted_precision_and_the_labels_are_named() -> None:
    counts = {"zh-en": {}, "en-zh": {"train": 3}}
    none, some = of_pairs(counts, 0.85, {"zh-en": (0, 0), "en-zh": (3, 3)}, 0.8)
    [few] = of_pairs({"zh-en": FULL}, 0.85, {"zh-en": (10, 3)}, 0.8)
    assert none.startswith(
        "zh-en: no pair is as probable as match.rerank.precision (0.8) on match.rerank.labels"
    )
    for note in (none, some, few):
        assert "match/rerank/unsure.tsv" in note and "match.pair.threshold" not in note


def test_pairs_of_few_recipes_lead_to_the_sheet_and_how_to_read_it() -> None:
    [note] = of_pairs({"zh-en": {"train": 20, "valid": 3, "test": 2}}, 0.85, {"zh-en": (25, 3)})
    assert note.startswith("zh-en: 25 pairs, but of 25 sources and 3 targets alone.")
    assert note.endswith("match/near/zh-en.tsv shows the titles nearest to it (docs/match.md).")


def test_a_corpus_of_the_demo_beside_one_s_own_is_named() -> None:
    mine, demo = {"path": "/data/a.csv"}, {"path": "/clone/resources/demo/xiachufang/recipe_corpus_full.json"}
    [note] = of_sources({"recipenlg": mine, "xiachufang": demo})
    assert note.startswith("sources.xiachufang.path is not set")
    assert "sources.xiachufang.path" in note
    for same in (mine, demo):
        assert list(of_sources({"recipenlg": same, "xiachufang": same})) == []


def test_dishes_without_recipes_or_with_few_are_named() -> None:
    pairs = [("粥", "饭"), ("饭", "面"), ("饼", "饭")]
    absent, few = of_dishes(pairs, {"粥": 20, "饭": 20, "饼": 9}, 5)
    assert absent.startswith("1 of 3 pairs of dishes cannot be compared: there are no recipes of 面.")
    assert few == "Too few recipes to test the order of actions (fewer than 10, pivot.orders.units): 饼."
    many = next(of_dishes([(f"{number}", "饭") for number in range(9)], {"饭": 20}, 5))
    assert "9 of 9 pairs" in many and "0, 1, 2, 3, 4 and 4 more" in many
    assert list(of_dishes(pairs[:1], {"粥": 10, "饭": 10}, 5)) == []


def test_questions_and_runs_are_named_only_where_there_are_none() -> None:
    assert next(of_questions(0, 2)).endswith("frequency decides about every action.")
    assert next(of_questions(0, 0)).endswith("no two dishes could be compared.")
    assert next(of_runs(0)).startswith("No model is trained or scored")
    assert [*of_questions(1, 1), *of_runs(1)] == []


def test_predictions_that_are_none_are_counted_for_each_run() -> None:
    row = {"run": "gpt", "dataset": "zh-en/silver", "predictions": 1000, "smoke_test": False}
    faults = {"refused": 2, "empty": None, "truncated": 1}
    assert list(of_outputs([row | faults])) == [
        "gpt on zh-en/silver: of 1,000 predictions 2 are refusals, 1 break off."
    ]
    assert list(of_outputs([row | dict.fromkeys(faults, 0), row | faults | {"smoke_test": True}])) == []
    calls = pl.DataFrame({"run": ["gpt"] * 3, "in_form": [True, False, None]})
    assert list(of_calls(calls)) == ["gpt: 1 of 2 answers are not in the form asked for."]


def test_answers_of_several_served_models_are_named_with_how_to_pin_one() -> None:
    answers = pl.DataFrame({"name": ["j", "j", "k", "k"], "served_model": ["gpt-2", "gpt-1", "gpt-1", None]})
    [note] = of_served(answers)
    assert note.startswith("j: answers come from 2 models: gpt-1 (1), gpt-2 (1).") and "with its date" in note

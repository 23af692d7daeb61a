"""Pairs of recipes on the page: what is shown of pairs that both directions found."""

import polars as pl
from wokflow.report.recipe_pairs import distinct


def test_a_pair_of_recipes_that_both_directions_found_counts_once() -> None:
    both = ("麻婆豆腐", "mapo tofu", "Mapo Tofu")
    rows = [
        ("zh:1", "en:1", 0.9, *both),
        ("zh:2", "en:1", 0.8, *both),
        ("zh:3", "en:2", 0.85, "饭", "rice", "Rice"),
    ]
    columns = ["zh_id", "en_id", "score", "zh_title", "zh_title_translated", "en_title"]
    frame = pl.DataFrame(rows, columns, orient="row")
    found = distinct([frame, frame.head(1)]).select("zh_title", "score", "pairs").rows()
    assert found == [("饭", 0.85, 1), ("麻婆豆腐", 0.9, 2)], "titles, their highest score, pairs of recipes"

"""Correlations of metrics with ratings by people: Kendall's tau over texts, Pearson's over texts and over runs."""

from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.evaluate import correlations
from wokflow.evaluate.correlations import evaluate_correlations, read_ratings
from wokflow.evaluate.settings import CorrelationsSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError

from tests.evaluate.adapted import METADATA, write_parts

HEADER = "run\tinstance_id\trater\tcriterion\trating\n"


def tsv(folder: Path, *rows: str, header: str = HEADER) -> str:
    path = folder / "ratings.tsv"
    path.write_text(header + "".join(row.replace(" ", "\t") + "\n" for row in rows), encoding="utf-8")
    return str(path)


def parts(folder: Path, metric: str = "chrf", **values: float) -> str:
    rows: list[dict[str, Any]] = [
        {
            "instance_id": name,
            "run": "r",
            "metric": metric,
            "parts": [float(value), 1.0],
        }
        for name, value in values.items()
    ]
    return write_parts(folder / metric, rows)


def found(
    folder: Path, measured: list[str], ratings: list[str], progress: Progress | None = None
) -> pl.DataFrame:
    out = folder / "out"
    evaluate_correlations(
        parts=measured,
        correlations=str(out),
        settings=CorrelationsSettings(ratings=ratings),
        job=Job(METADATA, progress or Progress()),
    )
    return tables.read(out)


def test_tau_b_by_hand(tmp_path: Path) -> None:
    ratings = tsv(tmp_path, "r a x PRE 1", "r b x PRE 2", "r c x PRE 2", "r d x PRE 4")
    rows = found(tmp_path, [parts(tmp_path, a=0.1, b=0.2, c=0.4, d=0.3)], [ratings])
    # of 6 pairs 4 agree and 1 does not; one is tied in the ratings: (4 - 1) / sqrt(6 * 5)
    assert rows["tau"].to_list() == pytest.approx([3 / 30**0.5] * 2)
    assert rows.select("data", "metric", "criterion", "ratings").rows() == [
        ("zh-en", "chrf", "PRE", 4),
        ("zh-en", "chrf", "avg.", 4),
    ]


def test_p_values_are_multiplied_by_the_number_of_tests(tmp_path: Path) -> None:
    names = "abcdefgh"
    values = {name: number / 10 for number, name in enumerate(names)}
    rows = [
        f"r {name} x {criterion} {number}"
        for number, name in enumerate(names)
        for criterion in ("GRA", "CUL")
    ]
    measured = [
        parts(tmp_path, **values),
        parts(tmp_path, "bertscore", **values),
        parts(tmp_path, "tokens", **values),
    ]
    table = found(tmp_path, measured, [tsv(tmp_path, *rows)])
    assert table.height == 6  # two metrics, since length is none, by two criteria and their mean
    assert table["tau"].to_list() == pytest.approx([1] * 6)
    exact = 2 / 40320  # of all orders of eight, two are as far from chance
    assert table["p_value"].to_list() == pytest.approx([exact] * 6)
    assert table["adjusted_p"].to_list() == pytest.approx([6 * exact] * 6)
    assert table["significant"].all()


def test_ratings_of_several_runs_are_exchanged_as_wholes() -> None:
    """By hand: of two runs and two sources there are four orders, and in half of them all values agree."""
    names = [(run, name) for run in "rs" for name in "ab"]
    values = {"chrf": dict(zip(names, (0.1, 0.2, 0.3, 0.4), strict=True))}
    ratings = {
        "GRA": dict(zip(names, (1.0, 2.0, 3.0, 4.0), strict=True)),
        "CUL": dict(zip(names[:3], (1.0, 2.0, 3.0), strict=True)),
    }
    found = correlations.by_chance(values, ratings)
    # 1234 and 4321 have tau 1 and -1, 2143 and 3412 have 1/3 and -1/3
    assert found["chrf", "GRA"] == pytest.approx(0.5, abs=0.02)
    # one cell is empty, and wanders: 12.3, 3.21 turned round, and 21.3 or 3.12 with a tau of 1/3
    assert found["chrf", "CUL"] == pytest.approx(0.5, abs=0.02)


def test_ratings_of_other_texts_change_no_p_value_and_no_mean() -> None:
    """Recipes and sentences may be of one pair of languages, by other runs, and rated by other criteria."""
    names = [(run, name) for run in "rs" for name in "ab"]
    values = {"chrf": dict(zip(names, (0.1, 0.2, 0.3, 0.4), strict=True))}
    ratings = {"GRA": dict(zip(names, (1.0, 2.0, 3.0, 4.0), strict=True))}
    alone = correlations.by_chance(values, ratings)
    others = [(run, name) for run in "tu" for name in "xyz"]
    values["chrf"] |= {text: float(number) for number, text in enumerate(others)}
    beside = correlations.by_chance(values, ratings | {"ACC": dict.fromkeys(others, 1.0)})
    assert beside["chrf", "GRA"] == pytest.approx(alone["chrf", "GRA"], abs=0.02)


def test_agreement_of_several_runs_is_found(tmp_path: Path) -> None:
    """Each text is rated by what it is worth: the agreement is neither that of runs nor that of sources alone."""
    values = {run: [((3 * at + 5 * place) % 11) / 10 for at in range(11)] for place, run in enumerate("abc")}
    ratings = {run: [round(1 + 6 * value) for value in of_run] for run, of_run in values.items()}
    rows = found(tmp_path, [of_runs(tmp_path, "chrf", values)], [rated(tmp_path, ratings)])
    assert rows["tau"].min() > 0.9 and rows["significant"].all()
    assert rows["p_value"].max() < 0.001


def test_what_does_not_vary_has_no_tau_and_is_no_test(tmp_path: Path) -> None:
    ratings = tsv(tmp_path, "r a x GRA 1", "r b x GRA 2", "r a x CUL 3", "r b x CUL 3")
    rows = found(tmp_path, [parts(tmp_path, a=0.1, b=0.2)], [ratings]).rows_by_key("criterion", named=True)
    assert rows["CUL"][0]["tau"] is None and rows["CUL"][0]["significant"] is False
    assert (rows["GRA"][0]["tau"], rows["GRA"][0]["p_value"]) == pytest.approx((1, 1))


def test_bleu_is_that_of_single_texts(tmp_path: Path) -> None:
    def bleu(instance: str, value: float, text: str) -> dict[str, Any]:
        row = {"instance_id": instance, "run": "r", "metric": "bleu", "statistic": "bleu:13a"}
        return row | {"value": value, "text": text, "reference": "soy sauce"}

    two_words = bleu("a", 100.0, "soy sauce")  # 100 with effective order, otherwise 0
    half = bleu("b", 50.0, "soy sauce and rice")
    ratings = tsv(tmp_path, "r a x GRA 2", "r b x GRA 1")
    assert found(tmp_path, [write_parts(tmp_path / "p", [two_words, half])], [ratings])["tau"][0] == 1


def test_raters_are_averaged_and_so_are_the_criteria_of_texts_that_have_all(tmp_path: Path) -> None:
    ratings = read_ratings(
        [tsv(tmp_path, "r a x GRA 1", "r a y GRA 4", "r a x CUL 5.5", "r b x GRA 7", "s a x GRA 3")]
    )
    assert ratings == {
        "CUL": {("r", "a"): 5.5},
        "GRA": {("r", "a"): 2.5, ("r", "b"): 7, ("s", "a"): 3},
        "avg.": {("r", "a"): 4.0},
    }


def test_the_mean_of_all_criteria_is_of_those_of_a_text_s_block(tmp_path: Path) -> None:
    ratings = read_ratings([tsv(tmp_path, "r a x GRA 1", "r a x CUL 3", "r b x GRA 1", "t c x ACC 5")])
    assert ratings["avg."] == {("r", "a"): 2.0, ("t", "c"): 5.0}


def test_raters_need_not_be_named_and_the_table_may_be_parquet(tmp_path: Path) -> None:
    path = str(tmp_path / "ratings.parquet")
    frame = pl.DataFrame(
        {"run": ["r", "r"], "instance_id": ["a", "a"], "criterion": ["G", "G"], "rating": [1, 2]}
    )
    frame.write_parquet(path)
    assert read_ratings([path])["G"] == {("r", "a"): 1.5}


def test_without_ratings_the_table_is_empty(tmp_path: Path) -> None:
    assert found(tmp_path, [parts(tmp_path, a=1)], []).is_empty()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["r a x GRA good"], "row 2, column rating: 'good' is not a number"),
        (["r a x GRA nan"], "row 2, column rating: 'nan' is not a number"),
        (["r a x GRA 0,85"], "column rating: '0,85' is not a number. Write a point, not a comma: 0.85"),
        (["r a x GRA 1", "r a x  1"], "row 3: criterion is empty"),
        (["r a x GRA 1", "r a x GRA 2"], "row 3: x rates GRA of a of r twice"),
        (["r a x avg. 1"], "row 2: a criterion cannot be called avg."),
        (["r a GRA 1"], "line 2: 4 cells"),
        (["r a x GRA 1", "r b X GRA 2"], "the raters X and x differ in letter case"),
        (["r a x GRA 1", "r b x gra 2"], "the criteria GRA and gra differ in letter case"),
    ],
)
def test_ratings_that_are_none_are_refused_with_file_and_row(
    tmp_path: Path, rows: list[str], said: str
) -> None:
    path = tsv(tmp_path, *rows)
    with pytest.raises(UserError, match=said) as error:
        read_ratings([path])
    assert path in str(error.value) or "differ" in said


def test_means_of_thirds_that_are_equal_are_ties(tmp_path: Path) -> None:
    """(1 + 2 + 2) / 3 and so on: sums in another order differ in their last bit, and would be no ties."""
    orders = permutations([1, 1, 2, 5])
    rows = [
        f"r i{text} x{rater} {criterion} {value / 3}"
        for text, order in enumerate(orders)
        for rater, value in enumerate(order)
        for criterion in ("A", "B", "C")
    ]
    assert {name: len({*of.values()}) for name, of in read_ratings([tsv(tmp_path, *rows)]).items()} == {
        **dict.fromkeys("ABC", 1),
        "avg.": 1,
    }


def test_missing_columns_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing column criterion"):
        read_ratings([tsv(tmp_path, header="run\tinstance_id\trating\n")])
    with pytest.raises(UserError, match=r"no file .* with ratings"):
        read_ratings([str(tmp_path / "none.tsv")])


def test_rated_texts_of_other_runs_are_left_out_and_said(tmp_path: Path) -> None:
    rows = ["r a x GRA 1", "r b x GRA 2", "Human a x GRA 7"]
    with (tmp_path / "log").open("w+") as log:
        table = found(tmp_path, [parts(tmp_path, a=0.1, b=0.2)], [tsv(tmp_path, *rows)], Progress(log))
        log.seek(0)
        assert "1 rated texts belong to no run that is scored here" in log.read()
    assert table["ratings"].to_list() == [2, 2]


def test_ratings_that_fit_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no rating belongs to a text that was scored"):
        found(tmp_path, [parts(tmp_path, a=0.1)], [tsv(tmp_path, "q a x GRA 1")])


def of_runs(folder: Path, metric: str, values: dict[str, list[float]]) -> str:
    rows = [
        {"instance_id": str(number), "run": run, "metric": metric, "statistic": "mean", "parts": [value, 1.0]}
        for run, of_run in values.items()
        for number, value in enumerate(of_run)
    ]
    return write_parts(folder / metric, rows)


VALUES = {"a": [0.1, 0.5], "b": [0.4, 0.4], "c": [0.9, 0.7]}
RATINGS = {"a": [1, 2], "b": [3, 2], "c": [5, 4]}


def rated(folder: Path, ratings: dict[str, list[int]]) -> str:
    return tsv(
        folder, *(f"{run} {at} x PTA {value}" for run in ratings for at, value in enumerate(ratings[run]))
    )


def test_pearson_over_texts_and_over_runs(tmp_path: Path) -> None:
    from scipy.stats import pearsonr

    (row, _) = found(tmp_path, [of_runs(tmp_path, "csi_match", VALUES)], [rated(tmp_path, RATINGS)]).rows(
        named=True
    )
    texts = [[value for run in side.values() for value in run] for side in (VALUES, RATINGS)]
    runs = [[sum(run) / 2 for run in side.values()] for side in (VALUES, RATINGS)]
    assert row["pearson"] == pytest.approx(pearsonr(*texts).statistic)
    assert row["pearson_runs"] == pytest.approx(pearsonr(*runs).statistic)
    assert (row["ratings"], row["runs"]) == (6, 3)


def test_only_rated_texts_count_for_the_score_of_a_run(tmp_path: Path) -> None:
    more = {run: [*values, 100.0] for run, values in VALUES.items()}
    measured = [of_runs(tmp_path, "csi_match", VALUES)], [of_runs(tmp_path, "other", more)]
    ratings = [rated(tmp_path, RATINGS)]
    one, other = (found(tmp_path, parts, ratings)["pearson_runs"][0] for parts in measured)
    assert one == pytest.approx(other)


def test_two_runs_or_runs_that_are_alike_have_no_coefficient(tmp_path: Path) -> None:
    for values in ({"a": VALUES["a"], "b": VALUES["b"]}, {run: [0.1, 0.2] for run in "abc"}):
        row = found(tmp_path, [of_runs(tmp_path, "x", values)], [rated(tmp_path, RATINGS)]).row(0, named=True)
        assert row["pearson_runs"] is None and row["pearson"] is not None

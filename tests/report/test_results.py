"""The top of the page: the best run on each data set, and what to doubt about it."""

from pathlib import Path
from typing import Any

from wokflow.evaluate import schemas
from wokflow.report import results
from wokflow.report.charts import Charts
from wokflow.report.inputs import input_name

from tests.report.parts import table
from tests.report.test_adaptation import outputs
from tests.report.test_evaluation import score

NAMES = {"zh-en": "Chinese → English", "counterfactual": "Counterfactual recipes", "lines": "lines"}


def best(
    folder: Path, rows: list[dict[str, Any]], *seen: dict[str, Any], name: str = "evaluate/scores"
) -> list[dict[str, Any]]:
    parts = {input_name(name): table(folder, name, schemas.SCORES, rows)}
    parts["evaluate_outputs"] = table(folder, "evaluate/outputs", schemas.OUTPUTS, seen)
    return list(results.best(parts, NAMES, Charts()))


def near(run: str, value: float, dataset: str = "zh-en/silver", metric: str = "chrf") -> dict[str, Any]:
    return score(run, metric, value, dataset)  # its interval is 1 to each side


def test_the_best_run_of_each_data_set_comes_by_its_main_metric(tmp_path: Path) -> None:
    rows = [near("mine", 30.0), near("other", 20.0), near("other", 90.0, metric="bleu")]
    rows += [near("mine", 5.0, "zh-en/gold"), near("copy", 7.0, "counterfactual", "hard_f1")]
    rows += [near("copy", 70.0, "counterfactual/粥/面", "hard_f1")]
    found = [(one["title"], one["first"]["run"], one["interval"]) for one in best(tmp_path, rows)]
    assert found == [
        ("Chinese → English, Silver", "mine", "29.0 to 31.0"),
        ("Chinese → English, Gold", "mine", "4.0 to 6.0"),
        ("Counterfactual recipes", "copy", "6.0 to 8.0"),
    ]


def test_of_few_instances_no_run_is_said_to_be_the_best(tmp_path: Path) -> None:
    [one] = best(tmp_path, [near("mine", 30.0), near("other", 20.0)])
    assert one["doubts"] == ["Too few instances to tell which run is better."]


def test_runs_whose_intervals_meet_are_rivals(tmp_path: Path) -> None:
    rows = [near("mine", 30.0), near("near", 28.5), near("far", 27.0)]
    assert best(tmp_path, rows)[0]["rivals"] == ["near"]


def test_a_run_that_repeats_itself_is_said_to(tmp_path: Path) -> None:
    few = "Too few instances to tell how good it is; no other run was scored."
    assert best(tmp_path / "one", [near("mine", 30.0)], outputs("mine"))[0]["doubts"] == [few]
    repeated = best(tmp_path / "two", [near("mine", 30.0)], outputs("mine", "1 distinct text"))
    assert repeated[0]["doubts"] == ["Warning: 1 distinct text.", few]


def test_smoke_tests_are_no_results(tmp_path: Path) -> None:
    assert best(tmp_path, [near("mine", 30.0)], outputs("mine", smoke=True)) == []


def test_runs_on_sentences_go_by_the_source_of_these(tmp_path: Path) -> None:
    rows = [near("mine", 40.0, "zh-en/lines", "csi_match"), near("mine", 20.0, "zh-en/lines")]
    [one] = best(tmp_path, rows)
    assert one["title"] == "lines" and one["metric"] == "CSI-Match"


def test_a_run_on_sentences_is_doubted_by_its_outputs_in_any_languages(tmp_path: Path) -> None:
    rows = [near(run, value, "lines", "csi_match") for run, value in (("mine", 60.0), ("other", 50.0))]
    seen = outputs("mine", "1 distinct text") | {"dataset": "en-fr/lines"}
    [one] = best(tmp_path / "one", rows, seen, name="evaluate/csi_match")
    assert one["first"]["run"] == "mine" and one["doubts"][0] == "Warning: 1 distinct text."
    [one] = best(tmp_path / "two", rows, seen | {"smoke_test": True}, name="evaluate/csi_match")
    assert one["first"]["run"] == "other"


def test_runs_on_other_instances_are_said_not_to_compare(tmp_path: Path) -> None:
    rows = [near("mine", 30.0) | {"instances": 40}, near("other", 20.0) | {"instances": 25}]
    [one] = best(tmp_path, rows)
    assert one["doubts"] == ["Runs were not scored on the same instances: 25 to 40."]


def test_what_people_wrote_is_no_best_run(tmp_path: Path) -> None:
    rows = [near("reference", 99.0, "lines", "csi_match"), near("mine", 50.0, "lines", "csi_match")]
    rows += [near("mine", 99.0, "lines/region=source", "csi_match")]
    [one] = best(tmp_path, rows, name="evaluate/csi_match")
    assert best(tmp_path / "alone", rows[:1], name="evaluate/csi_match") == []
    assert one["first"]["run"] == "mine" and one["title"] == "lines" and "reference" in one["chart"]


def test_what_was_not_measured_is_no_result(tmp_path: Path) -> None:
    assert best(tmp_path, [score("mine", "chrf", None, "zh-en/silver")]) == []

"""The sections on adaptation: scores, predictions, literal translation, agreement with people."""

from pathlib import Path
from typing import Any

from wokflow.evaluate import schemas as evaluate
from wokflow.generate import schemas as generate
from wokflow.report import adaptation, analysis, evaluation, predictions

from tests.report.parts import by_name, table
from tests.report.test_evaluation import score as counterfactual

NAMES = {"zh-en": "Chinese → English", "en-zh": "English → Chinese"}
EVIL = "<script>alert(1)</script>\u202e"


def score(run: str, metric: str, value: float | None, dataset: str = "zh-en/silver") -> dict[str, Any]:
    return counterfactual(run, metric, value, dataset) | {"signature": f"{metric}|v:1"}


def difference(run: str, metric: str, value: float, p_value: float) -> dict[str, Any]:
    row = {"dataset": "zh-en/silver", "metric": metric, "run": run, "baseline": "base", "instances": 7}
    return row | {"difference": value, "low": value - 1, "high": value + 1, "p_value": p_value}


def published(run: str, dataset: str, **values: float) -> dict[str, Any]:
    row = {"dataset": dataset, "run": run, "origin": "published"}
    return row | {name: values.get(name) for name in evaluate.MEASURES}


def page(
    folder: Path,
    scores: list[dict[str, Any]],
    differences: list[dict[str, Any]] | None = None,
    others: list[dict[str, Any]] | None = None,
) -> str:
    paths = [
        table(folder, "evaluate/scores", evaluate.SCORES, scores, 1),
        table(folder, "evaluate/comparisons", evaluate.COMPARISONS, differences or []),
        table(folder, "evaluate/summary", evaluate.SUMMARY, others or []),
    ]
    return adaptation.section(by_name(folder, paths), NAMES, 0.95)


def test_scores_with_intervals_and_what_is_better_than_the_baseline(tmp_path: Path) -> None:
    metrics = ("bleu", "chrf", "rouge_l", "tokens")
    rows = [score(run, metric, 20.0) for run in ("base", "mine <1>") for metric in metrics]
    compared = [
        difference("mine <1>", "bleu", 3.0, 0.01),
        difference("mine <1>", "chrf", -3.0, 0.0004),
        difference("mine <1>", "rouge_l", 3.0, 0.05),
        difference("mine <1>", "tokens", 30.0, 0.0),
    ]
    html = page(tmp_path, rows, compared)
    cells = [f"{sign}20.0<small>19.0 to 21.0</small></td>" for sign in ("▲ ", "▼ ", "", "")]
    row = "".join(f'<td class="n">{cell}' for cell in cells)
    assert f"mine &lt;1&gt;<small>7 instances</small></td>{row}" in html
    assert "base<small>7 instances, the baseline</small>" in html and "p &lt; 0.05" in html
    assert "Differences to base" in html and "-3.0<small>-4.0 to -2.0, p &lt; 0.001</small>" in html


def test_without_a_baseline_no_signs_are_explained(tmp_path: Path) -> None:
    html = page(tmp_path, [score("mine", "bleu", 20.0)])
    assert "▲" not in html and "Differences" not in html and "the baseline" not in html


def test_published_scores_stand_below_those_of_their_test_set(tmp_path: Path) -> None:
    rows = [score("mine", "bleu", 20.0), score("mine", "bleu", 30.0, "zh-en/gold")]
    others = [published("MT-ft", "zh-en/silver", bleu=68.9, smatch=33.1), published("GPT-4", "zh-en/gold")]
    html = page(tmp_path, rows, others=others)
    assert "cannot be ranked with the runs above" in html
    first = html.index("Silver:"), html.index("MT-ft"), html.index("Gold:"), html.index("GPT-4")
    assert list(first) == sorted(first)
    assert '<td class="n">68.9</td><td class="n">33.1</td></tr>' in html
    assert '21.0</small></td><td class="n">–</td></tr>' in html  # its own Smatch was not measured


def test_test_sets_stand_in_order(tmp_path: Path) -> None:
    sets = ("en-zh/gold", "en-zh/silver", "zh-en/gold", "zh-en/mine", "zh-en/silver")
    html = page(tmp_path, [score("mine", "bleu", 20.0, name) for name in sets])
    heads = [line for line in html.splitlines() if line.startswith(("<h3>", "<h4>"))]
    assert [head[4:8] for head in heads] == ["Chin", "Silv", "Gold", "mine", "Engl", "Silv", "Gold"]


def test_other_data_stay_in_their_own_section(tmp_path: Path) -> None:
    rows = [score("mine", "bleu", 12.5), counterfactual("copy", "bleu", 77.5)]
    html = page(tmp_path, rows)
    assert "12.5" in html and "77.5" not in html and "English → Chinese" not in html
    other = evaluation.section(
        {"evaluate_scores": table(tmp_path, "evaluate/scores", evaluate.SCORES, rows)}, 0.95
    )
    assert "77.5" in other and "12.5" not in other and "(dish pairs: 0)" in other


def test_reasons_come_once(tmp_path: Path) -> None:
    rows = [
        score(run, metric, None, f"{data}/{name}")
        for data in NAMES
        for run in (f"a-{data}", f"b-{data}")
        for metric in ("smatch", "comet")
        for name in ("silver", "gold")
    ]
    html = page(tmp_path / "all", rows)
    assert html.count("No model is given.") == 1 and "– Smatch; COMET: No model is given." in html
    there = {"value": 1.0, "low": 1.0, "high": 1.0, "note": None}
    some = [row | (there if row["dataset"].startswith("en-zh") else {}) for row in rows]
    assert "– Smatch; COMET (Chinese → English): No" in page(tmp_path / "data", some)
    one = [row | (there if row["run"] != "a-zh-en" else {}) for row in rows]
    assert "– Smatch; COMET (Chinese → English, a-zh-en): No" in page(tmp_path / "run", one)


def test_signatures_say_what_they_are_of(tmp_path: Path) -> None:
    rows = [
        score("mine", "bleu", 1.0),
        score("mine", "bleu", 1.0, "zh-en/gold"),
        score("mine", "comet", None),
    ]
    html = page(tmp_path, rows)
    assert (
        "BLEU<small>zh-en/gold, zh-en/silver</small></td><td>bleu|v:1</td>" in html and "comet|v" not in html
    )


def test_no_runs(tmp_path: Path) -> None:
    assert page(tmp_path, [counterfactual("copy", "bleu", 1.0)]).startswith("<p>No run was evaluated")
    for section in (analysis.literal, predictions.section):
        assert section({}, NAMES).startswith("<p>No ")
    assert analysis.correlations({}, NAMES) == ""


def instance(number: int, dataset: str, title: str, **more: Any) -> dict[str, Any]:
    row = {"instance_id": f"{dataset}:{number}", "dataset": dataset, "source_id": f"xiachufang:{number}"}
    row |= {"title": title, "base": None, "source": f"Title: {title}\nIngredients: 盐\nSteps: 煮。\n"}
    return row | {"reference": "Soup\nsalt\nCook.", "retrieved": None} | more


def prediction(folder: Path, run: str, texts: dict[str, str]) -> str:
    rows = [{"instance_id": name, "run": run, "prediction": text} for name, text in texts.items()]
    return table(folder, f"generate/predictions/{run}", generate.PREDICTIONS, rows)


def test_predictions_side_by_side(tmp_path: Path) -> None:
    rows = [instance(1, "silver", "汤"), instance(2, "gold", "汤"), instance(3, "silver", EVIL)]
    rows += [instance(number, "silver", f"面 {number}") for number in (4, 5)]
    texts = {row["instance_id"]: "Dish\nsugar" for row in rows}
    made = [
        prediction(tmp_path, "second", texts | {"gold:2": EVIL}),
        prediction(tmp_path, "first", {"gold:2": "", "silver:3": "Dish"}),
    ]
    instances = table(tmp_path, "generate/instances/zh-en", generate.INSTANCES, rows)
    parts = {"generate_instances_zh_en": instances, "generate_predictions_zh_en": made}
    html = predictions.section(parts, NAMES)
    assert html.count("<summary>") == 3 and html.count("<details open>") == 1
    assert html.index("gold, xiachufang:2") < html.index("silver, xiachufang:3")
    assert "silver, xiachufang:4" in html and "xiachufang:1" not in html  # its dish is shown already
    assert html.index("<h4>second</h4>") < html.index("<h4>first</h4>") and "Nothing came." in html
    assert '<p class="strong">汤</p>\n<p>盐</p>\n<p>煮。</p>' in html and "Title:" not in html
    assert "<script" not in html and "\u202e" not in html and r"&lt;/script&gt;\u202e" in html


def test_rewritten_dishes_name_their_base(tmp_path: Path) -> None:
    row = instance(1, "counterfactual", "宫保虾球", base="宫保鸡丁", reference=None)
    instances = table(tmp_path, "generate/instances/counterfactual", generate.INSTANCES, [row])
    made = prediction(tmp_path, "gpt", {"counterfactual:1": "炒。"})
    parts = {"generate_instances_counterfactual": instances, "generate_predictions_counterfactual": made}
    html = predictions.section(parts, {"counterfactual": "Counterfactual recipes"})
    assert "宫保鸡丁 → 宫保虾球" in html and "Reference" not in html and "<p>炒。</p>" in html


def rate(run: str, concept: str, source: int, target: int) -> dict[str, Any]:
    row = {"dataset": "zh-en/silver", "run": run, "concept": concept, "source_count": source}
    return row | {"target_count": target, "rate": target / source if source else None}


def test_literal_translation_by_concept_and_run(tmp_path: Path) -> None:
    rows = [rate("mine", "steam", 4, 3), rate("mine", "oil", 8, 12), rate("mine", "cheese", 0, 0)]
    rows += [rate("reference", "steam", 4, 0), rate("reference", "oil", 8, 8)]
    html = analysis.literal(
        {"evaluate_literal": table(tmp_path, "evaluate/literal", evaluate.LITERAL, rows)}, NAMES
    )
    assert html.index(">reference</th>") < html.index(">mine</th>") and "Chinese → English, silver" in html
    assert html.index("<td>oil") < html.index("<td>steam") and "Not in these sources: cheese." in html
    assert "75.0 %, 3 for 4" in html and "150.0 %, 12 for 8" in html and 'width="150' not in html


def test_correlations_by_criterion_and_metric(tmp_path: Path) -> None:
    both = {"data": "zh-en", "p_value": 0.01, "ratings": 25}
    rows = [
        both
        | {"metric": metric, "criterion": criterion, "tau": tau, "adjusted_p": p, "significant": p < 0.05}
        for metric, criterion, tau, p in [
            ("bleu", "avg.", 0.25, 0.02),
            ("bleu", "GRA", -0.125, 0.5),
            ("chrf", "GRA", 0.5, 0.0001),
        ]
    ]
    written = table(tmp_path, "evaluate/correlations", evaluate.CORRELATIONS, rows)
    html = analysis.correlations({"evaluate_correlations": written}, NAMES)
    assert html.index("<td>GRA<small>25 ratings") < html.index("<td>avg.")
    assert '-0.125<small>p 0.500</small></td><td class="n">0.500*<small>p &lt; 0.001' in html
    assert '0.250*<small>p 0.020</small></td><td class="n">–</td>' in html

"""The sections on adaptation: scores, predictions, literal translation, agreement with people."""

from pathlib import Path
from typing import Any

from wokflow.evaluate import schemas as evaluate
from wokflow.generate import schemas as generate
from wokflow.report import adaptation, analysis, evaluation, run_predictions
from wokflow.report.charts import Charts

from tests.report.parts import by_name, shown, table, texts
from tests.report.test_evaluation import PUBLISHED
from tests.report.test_evaluation import score as counterfactual

NAMES = {"zh-en": "Chinese → English", "en-zh": "English → Chinese"}
EVIL = "<script>alert(1)</script>\u202e"


def score(run: str, metric: str, value: float | None, dataset: str = "zh-en/silver") -> dict[str, Any]:
    return counterfactual(run, metric, value, dataset) | {"signature": f"{metric}|v:1"}


def difference(run: str, metric: str, value: float, p_value: float | None) -> dict[str, Any]:
    row = {"dataset": "zh-en/silver", "metric": metric, "run": run, "baseline": "base", "instances": 7}
    row |= {"difference": value, "differing": 7, "significant": p_value is not None and p_value < 0.05}
    return row | dict.fromkeys(("p_value", "adjusted_p", "bootstrap_p"), p_value)


def published(run: str, dataset: str, note: str | None = None, **values: float) -> dict[str, Any]:
    row = {"dataset": dataset, "run": run, "origin": "published"}
    return row | {name: values.get(name) for name in evaluate.MEASURES} | {"note": note}


def page(
    folder: Path,
    scores: list[dict[str, Any]],
    differences: list[dict[str, Any]] | None = None,
    others: list[dict[str, Any]] | None = None,
    seen: list[dict[str, Any]] | None = None,
) -> str:
    paths = [
        table(folder, "evaluate/scores", evaluate.SCORES, scores, 1),
        table(folder, "evaluate/comparisons", evaluate.COMPARISONS, differences or []),
        table(folder, "evaluate/summary", evaluate.SUMMARY, others or []),
        table(folder, "evaluate/outputs", evaluate.OUTPUTS, seen or []),
    ]
    return shown("scores", adaptation.section(by_name(folder, paths), NAMES, 0.95, Charts()))


def test_scores_with_intervals_and_what_is_better_than_the_baseline(tmp_path: Path) -> None:
    metrics = ("bleu", "chrf", "rouge_l", "tokens")
    rows = [score(run, metric, 20.0) for run in ("base", "mine <1>") for metric in metrics]
    compared = [
        difference("mine <1>", "bleu", 3.0, 0.01),
        difference("mine <1>", "chrf", -3.0, 0.0004),
        difference("mine <1>", "rouge_l", 3.0, 0.05),
        difference("mine <1>", "tokens", 30.0, None),
    ]
    html = page(tmp_path, rows, compared)
    cells = [f"{sign}20.0<small>19.0 to 21.0</small>" for sign in ("▲ ", "▼ ", "", "")]
    row = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    assert f"mine &lt;1&gt;<small>7 instances</small></th>{row}" in html.replace("\n", "")
    assert "base<small>7 instances, the baseline</small>" in html and "p &lt; 0.05" in html
    assert "Differences to base" in html and "-3.0<small>p &lt; 0.001, &lt; 0.001, &lt; 0.001</small>" in html
    assert "+30.0<small>7 differ: no test</small>" in html and "Holm" in html and "fewer than 20" in html


def outputs(run: str, *said: str, smoke: bool = False) -> dict[str, Any]:
    counts = {"distinct_sources": 7, "predictions": 7, "distinct": 1, "empty": 3, "refused": None}
    row: dict[str, Any] = {"run": run, "dataset": "zh-en/silver", "warnings": list(said), "smoke_test": smoke}
    return dict.fromkeys(evaluate.OUTPUTS.names) | row | counts


def test_degenerate_predictions_are_named_beside_their_scores(tmp_path: Path) -> None:
    seen = [outputs("mine", "1 distinct texts for 7 sources", EVIL), outputs("good")]
    html = page(tmp_path, [score(run, "bleu", 20.0) for run in ("good", "mine")], seen=seen)
    assert "mine<small>7 instances. Warning: 1 distinct texts for 7 sources; &lt;script&gt;" in html
    assert "good<small>7 instances</small>" in html and "<script>" not in html
    assert "smoke tests" not in html
    parts = {"evaluate_outputs": table(tmp_path / "seen", "evaluate/outputs", evaluate.OUTPUTS, seen)}
    rows = texts(run_predictions.section(parts, NAMES, [], [], [])["outputs"])
    assert rows[0][:4] == ["good zh-en/silver", "7", "1", "–"]


def test_smoke_tests_are_named_and_have_no_scores(tmp_path: Path) -> None:
    rows = [score(run, "bleu", value) for run, value in (("small", 77.5), ("mine", 20.0))]
    html = page(tmp_path, rows, seen=[outputs("small", "1 distinct texts", smoke=True), outputs("mine")])
    assert "small: smoke tests." in html and "77.5" not in html and "20.0" in html


def test_doubts_about_published_columns_stand_below_them(tmp_path: Path) -> None:
    others = [published(run, "zh-en/silver", "BLEU may be chrF.", bleu=6.9) for run in ("MT-zs", "BLOOM")]
    html = page(tmp_path, [score("mine", "bleu", 20.0)], others=[*others, published("GPT-4", "zh-en/silver")])
    assert "MT-zs †" in html and "BLOOM †" in html and "GPT-4 †" not in html
    assert "† MT-zs, BLOOM: BLEU may be chrF." in html


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
    flat = html.replace("\n", "")
    assert '<td class="n">68.9</td><td class="n">33.1</td></tr>' in flat
    assert '21.0</small></td><td class="n">–</td></tr>' in flat  # its own Smatch was not measured


def test_test_sets_stand_in_order(tmp_path: Path) -> None:
    sets = ("en-zh/gold", "en-zh/silver", "zh-en/gold", "zh-en/mine", "zh-en/silver")
    html = page(tmp_path, [score("mine", "bleu", 20.0, name) for name in sets])
    heads = [line for line in html.splitlines() if line.startswith(("<h3>", "<h4>"))]
    assert [head[4:8] for head in heads] == ["Chin", "Silv", "Gold", "mine", "Engl", "Silv", "Gold"]


def test_other_data_stay_in_their_own_section(tmp_path: Path) -> None:
    rows = [score("mine", "bleu", 12.5), counterfactual("copy", "bleu", 77.5)]
    html = page(tmp_path, rows)
    assert "12.5" in html and "77.5" not in html and "English → Chinese" not in html
    parts = {"evaluate_scores": table(tmp_path, "evaluate/scores", evaluate.SCORES, rows)}
    other = shown("counterfactual", evaluation.section(parts, 0.95, PUBLISHED))
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
        "BLEU<small>zh-en/gold, zh-en/silver</small></th><td>bleu|v:1</td>" in html.replace("\n", "")
        and "comet|v" not in html
    )


def test_no_runs(tmp_path: Path) -> None:
    assert "No run was evaluated" in page(tmp_path, [counterfactual("copy", "bleu", 1.0)])
    assert "No literal translation" in shown("literal", analysis.literal({}, NAMES))
    assert "No run has made predictions" in shown("generate", run_predictions.section({}, NAMES, [], [], []))
    assert analysis.correlations({}, NAMES, PUBLISHED) is None


def instance(number: int, dataset: str, title: str, **more: Any) -> dict[str, Any]:
    row = {"instance_id": f"{dataset}:{number}", "dataset": dataset, "source_id": f"xiachufang:{number}"}
    row |= {"title": title, "base": None, "source": f"Title: {title}\nIngredients: 盐\nSteps: 煮。\n"}
    return row | {"reference": "Soup\nsalt\nCook.", "reference_id": None, "retrieved": None} | more


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
    html = shown("generate", run_predictions.section(parts, NAMES, [], [], []))
    assert html.count("<article") == 0 and html.index("gold, xiachufang:2") < html.index(
        "silver, xiachufang:3"
    )
    assert "silver, xiachufang:4" in html and "xiachufang:1<" not in html  # its dish is shown already
    assert html.index("<h4>second</h4>") < html.index("<h4>first</h4>") and "Nothing came." in html
    assert '<p class="strong">汤</p>\n<p>盐</p>\n<p>煮。</p>' in html and "Title:" not in html
    assert "<script" not in html and "\u202e" not in html and r"&lt;/script&gt;\u202e" in html
    assert (
        html.index("silver, xiachufang:4")
        < html.index("More recipes (1)")
        < html.index("silver, xiachufang:5")
    )


def test_rewritten_dishes_name_their_base(tmp_path: Path) -> None:
    row = instance(1, "counterfactual", "宫保虾球", base="宫保鸡丁", reference=None)
    instances = table(tmp_path, "generate/instances/counterfactual", generate.INSTANCES, [row])
    made = prediction(tmp_path, "gpt", {"counterfactual:1": "炒。"})
    parts = {"generate_instances_counterfactual": instances, "generate_predictions_counterfactual": made}
    html = shown(
        "generate", run_predictions.section(parts, {"counterfactual": "Counterfactual recipes"}, [], [], [])
    )
    assert "宫保鸡丁 → 宫保虾球" in html and "Reference" not in html and "<p>炒。</p>" in html


def rate(run: str, concept: str, source: int, target: int) -> dict[str, Any]:
    row = {"dataset": "zh-en/silver", "run": run, "concept": concept, "source_count": source}
    return row | {"target_count": target, "rate": target / source if source else None}


def test_literal_translation_by_concept_and_run(tmp_path: Path) -> None:
    rows = [rate("mine", "steam", 4, 3), rate("mine", "oil", 8, 12), rate("mine", "cheese", 0, 0)]
    rows += [rate("reference", "steam", 4, 0), rate("reference", "oil", 8, 8)]
    found = {"evaluate_literal": table(tmp_path, "evaluate/literal", evaluate.LITERAL, rows)}
    html = shown("literal", analysis.literal(found, NAMES))
    assert html.index(">reference</th>") < html.index(">mine</th>") and "Chinese → English, silver" in html
    assert html.index(">oil<") < html.index(">steam<") and "Not in these sources: cheese." in html
    assert "75.0 %<small>3 for 4" in html and "150.0 %<small>12 for 8" in html and "width:150" not in html


def test_correlations_by_criterion_and_metric(tmp_path: Path) -> None:
    both = {"data": "zh-en", "p_value": 0.01, "ratings": 25, "runs": 3, "pearson": 0.25, "pearson_runs": None}
    rows = [
        both
        | {"metric": metric, "criterion": criterion, "tau": tau, "adjusted_p": p, "significant": p < 0.05}
        for metric, criterion, tau, p in [
            ("bleu", "avg.", 0.25, 0.02),
            ("bleu", "GRA", -0.125, 0.5),
            ("chrf", "GRA", 0.5, 0.0001),
        ]
    ]
    rows[0]["pearson_runs"] = 0.875
    written = table(tmp_path, "evaluate/correlations", evaluate.CORRELATIONS, rows)
    found = analysis.correlations({"evaluate_correlations": written}, NAMES, PUBLISHED)
    assert found is not None
    shown_rows = texts(found["data"]["Chinese → English"])
    assert [row[:3] for row in shown_rows[:3]] == [
        ["GRA 25 rated texts", "-0.125 p 0.500; r 0.25", "0.500* p < 0.001; r 0.25"],
        ["avg. 25 rated texts", "0.250* p 0.020; r 0.25, over runs 0.88", "–"],
        ["grammar published", "0.135", "0.250"],
    ]
    assert len(shown_rows) == 2 + 5 and shown_rows[-1] == [
        "avg. published",
        "0.153",
        "0.255",
        "0.202",
        "0.277",
        "0.079",
    ]

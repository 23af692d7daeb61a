"""Section of translations of items: win rates with intervals, preferences, and how far people and models agree."""

from pathlib import Path

from wokflow.evaluate import rating_schemas
from wokflow.report.compared_translations import section

from tests.conftest import ROOT
from tests.report.parts import by_name, shown, table, texts

PUBLISHED = str(ROOT / "resources" / "published.tsv")

SPREAD = {"low": 20.0, "high": 60.0}
BY = {"rater": "people", "kind": "people", "run": "mt"}


def test_the_section_shows_win_rates_preferences_and_pearson(tmp_path: Path) -> None:
    score = (
        BY | SPREAD | {"corpus": "mine", "items": "all", "pairs": 9, "unrated": 0, "choices": 9, "pta": 40.0}
    )
    score |= {"tied": 10.0, "lost": 50.0, "same_in_both_orders": None, "same_when_repeated": 75.0}
    bias = BY | {"bias": "position", "units": 9, "value": 70.0, "estimate": None, "low": 55.0, "high": 80.0}
    own = bias | {"bias": "self", "value": None, "estimate": 30.0, "low": 5.0, "high": 45.0}
    kin = own | {"bias": "family", "estimate": 1.0, "low": -5.0}
    agreed = {"rater": "judge", "kind": "model", "other": "people", "other_kind": "people", "pairs": 9}
    kappa = {"kappa": 0.6, "kappa_low": 0.2, "kappa_high": 0.9}
    of = {"pairs": {"units": 9, "pearson": 0.8, "low": 0.3, "high": 0.95} | kappa}
    of["runs"] = {"units": 1} | dict.fromkeys(("pearson", "low", "high", *kappa))
    alpha = {"kind": "model", "rater": None, "units": 9, "ratings": 18, "alpha": 0.5, "low": 0.1, "high": 0.8}
    rows = {
        "scores": (rating_schemas.PTA, [score, score | {"items": "untranslated", "pta": 30.0}]),
        "biases": (
            rating_schemas.PTA_BIASES,
            [bias, bias | {"bias": "length", "value": 50.0} | SPREAD, own, kin],
        ),
        "agreement": (
            rating_schemas.PTA_AGREEMENT,
            [agreed | {"of": name} | some for name, some in of.items()],
        ),
        "alpha": (rating_schemas.PTA_ALPHA, [alpha, alpha | {"rater": "judge"}]),
    }
    parts = by_name(tmp_path, [table(tmp_path, f"evaluate/pta/{name}", *of) for name, of in rows.items()])
    found = section(parts, ["judge"], {"mine": "en-zh"}, PUBLISHED)
    assert found is not None and found["ruled"] == ["judge"]
    assert texts(found["scores"])[:1] == [
        [
            "mt mine, by people (all persons together)",
            *("40.0 20.0 to 60.0", "–", "30.0 20.0 to 60.0", "10.0", "50.0", "–", "75.0", "9"),
        ]
    ]
    by_run = {
        row[0].removesuffix(" en-zh, by GPT-4o, published"): row[1:4] for row in texts(found["scores"])[1:]
    }
    assert by_run["GPT-3.5 CT"] == ["35.6", "–", "–"] and by_run["GPT-3.5 CE"] == ["35.8", "–", "41.3"]
    assert texts(found["biases"]) == [
        [
            "people (all persons together) mt",
            *("▲ 70.0 55.0 to 80.0", "50.0 20.0 to 60.0", "▲ 30.0 5.0 to 45.0", "1.0 -5.0 to 45.0"),
        ]
    ]
    assert texts(found["agreement"]) == [
        [
            "judge, people (all persons together)",
            "0.80 0.30 to 0.95, 9 pairs",
            "– 1 runs",
            "0.60 0.20 to 0.90",
        ]
    ]
    assert texts(found["alpha"]) == [
        ["all models", "0.50 0.10 to 0.80", "9"],
        ["judge, repeated", "0.50 0.10 to 0.80", "9"],
    ]
    assert "judge: rules in place of models." in shown("pta", found)


def test_without_choices_there_is_no_section() -> None:
    assert section({}, [], {}, PUBLISHED) is None

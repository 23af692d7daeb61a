"""Charts: what is drawn, without ids, the same bytes in each process, and text of runs stays text."""

import hashlib
import re
import subprocess
import sys
from typing import Any

import pytest
from wokflow.report.charts import LONGEST, WIDTH, Charts, bars, curves, histogram, intervals

from tests.conftest import ROOT

EVIL = "</text><script>alert(1)</script>\u202e"
DRAWN = """
import hashlib
from wokflow.report.charts import Charts, curves, histogram, intervals
rows = [{"run": "检索 retrieval", "low": 10.0, "high": 13.5, "value": 12.0}]
draw = Charts()
svg = draw.draw(intervals(rows, "chrF", "x"), "a") + draw.draw(histogram([0, 0.5, 1], [3, 1000], 0.85, 0), "b")
svg += draw.draw(curves({"valid": [(1, 3.0), (2, 2.0)]}, 2), "c")
print(hashlib.sha256(svg.encode()).hexdigest())
"""


def row(run: str, value: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"run": run, "value": value, "low": low, "high": high}


def svg(chart: Any, label: str = "chart") -> str:
    return str(Charts().draw(chart, label))


def test_every_run_has_its_score_and_its_interval() -> None:
    found = svg(intervals([row("best", 12.0, 10.0, 14.0), row("other", 5.0)], "chrF", "best"))
    assert ">12.0</text>" in found and ">5.0</text>" in found and ">chrF</text>" in found
    assert found.count('stroke="var(--accent)"') == 1, "the best run's line alone is in colour"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_and_marks_stand_out_by_day_and_by_night(mode: str) -> None:
    """As WCAG 2.2 asks (1.4.3, 1.4.11): contrast of 4.5 for text, of 3 for what a chart shows."""
    css = (ROOT / "scripts/wokflow/report/templates/style.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", block))
        for block in re.findall(r":root \{(.*?)\}", css, re.S)[:2]
    )
    colours = light | (dark if mode == "dark" else {})

    def luminance(colour: str) -> float:
        parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    least = dict.fromkeys(("ink", "soft", "accent", "warn"), 4.5) | {"grey": 3.0}
    for name, contrast in least.items():
        for behind in ("ground", "panel"):
            dim, bright = sorted((luminance(colours[name]), luminance(colours[behind])))
            assert (bright + 0.05) / (dim + 0.05) >= contrast, f"{name} on {behind}"


def test_a_name_of_a_run_stays_text_and_is_broken_and_cut() -> None:
    found = svg(intervals([row(EVIL, 1.0), row("x" * 99, 2.0)], "chrF", None), f'"{EVIL}')
    assert "<script" not in found and "\u202e" not in found and 'aria-label="&#34;&lt;/text' in found
    assert "x" * (LONGEST + 1) not in found and f">{'x' * (LONGEST - 1)}…</" in found


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\ufffe", "\uffff"])
def test_a_character_that_xml_has_not_is_written_out(character: str) -> None:
    found = svg(intervals([row(f"a{character}b", 1.0)], f"chr{character}F", None), f"c{character}d")
    written = ascii(character)[1:-1]
    assert f"a{written}b" in found and f"chr{written}F" in found and f"c{written}d" in found


def test_runs_whose_names_are_alike_where_they_are_cut_keep_a_line_each() -> None:
    found = svg(
        intervals([row("x" * 99 + end, value) for end, value in (("a", 1.0), ("b", 2.0))], "chrF", None)
    )
    assert found.count("…</") == 2, "one label a run"


def test_a_name_of_two_lines_is_whole() -> None:
    rows = [
        {"name": name, "count": 1, "text": "1", "whole": True}
        for name in ("food", "organizations, customs, ideas")
    ]
    found = svg(bars(rows, "mentions"))
    assert ">organizations,</" in found and ">customs, ideas</" in found


def test_bars_are_divided_at_the_threshold() -> None:
    found = svg(histogram([0.0, 0.5, 1.0], [0, 100], 0.75, 0.0))
    assert found.count('fill="var(--accent)"') == 1 and "threshold 0.75" in found
    assert ">100</text>" in found and ">1.0</text>" in found


def test_the_best_epoch_is_marked_and_the_lines_are_named() -> None:
    found = svg(curves({"valid": [(0, 0.0), (2, 4.0)], "train": [(0, 1.0)]}, 2))
    assert "best: epoch 2" in found and ">valid</text>" in found and ">train</text>" in found


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_not_drawn(value: float) -> None:
    assert curves({"valid": [(1, value)]}, 1) is None
    assert not re.search("nan|inf", svg(curves({"valid": [(1, value), (2, 3.0)]}, 2)), re.I)


def test_charts_fit_a_phone_and_have_no_ids() -> None:
    charts = [
        intervals([row("a", 1.0)], "chrF", None),
        histogram([0, 1], [1], 0.5, 0),
        curves({"v": [(1, 1)]}, 1),
    ]
    for found in map(svg, charts):
        assert f'width="{WIDTH}"' in found and "id=" not in found and "url(" not in found


def test_another_process_with_other_fonts_draws_the_same_bytes() -> None:
    def drawn(**fonts: str) -> str:
        command = [sys.executable, "-c", DRAWN]
        environment = {"PYTHONPATH": str(ROOT / "scripts"), **fonts}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    digests = {drawn(), drawn(FONTCONFIG_FILE="/dev/null", LANG="zh_CN.UTF-8", PYTHONHASHSEED="7")}
    assert len(digests) == 1 and len(digests.pop().strip()) == hashlib.sha256().digest_size * 2

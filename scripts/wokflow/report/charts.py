"""The page's charts: altair's descriptions, drawn as SVG without a browser, the same bytes each time.

Colours are the variables of the page's style sheet, so that charts follow dark mode. Nothing depends on the width of
a text, and so on the machine's fonts: axes have fixed room, and long names are broken and cut here.
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from wokflow.report.render import visible

Rows = Sequence[Mapping[str, Any]]
WIDTH, NAMES, END = 340, 138, 44  # of a chart; of the names of runs in it; of the text at a line's end
LONGEST, LINE = 22, 11  # characters of a line of such a name, which has two at most; height of one
LINES = "split(datum.label, '\\n')"
IN_LINES = f"length({LINES}) > 2 ? [{LINES}[0], slice({LINES}[1], 0, {LONGEST - 1}) + '…'] : {LINES}"
ACCENT, GREY, INK, SOFT = (f"var(--{name})" for name in ("accent", "grey", "ink", "soft"))
NAMED: dict[str, Any] = {  # an axis of names; the middle of two lines stands beside the bar
    "title": None,
    "labelColor": INK,
    "labelExpr": IN_LINES,
    "labelOffset": {"condition": {"test": "indexof(datum.value, '\\n') > 0", "value": -LINE / 2}, "value": 0},
}
STYLE: dict[str, Any] = {
    "autosize": "none",
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT,
        "titleColor": SOFT,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": "var(--line)",
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "labelLimit": 0,
        "labelFlush": False,
        "labelOverlap": False,
        "labelLineHeight": LINE,
        "tickCount": 5,
    },
    "text": {"color": INK, "fontSize": 11},
}


class Charts:
    """Draws charts, and keeps their descriptions for the interactive page."""

    def __init__(self) -> None:
        self.drawn: list[dict[str, Any]] = []

    def draw(self, chart: Any, label: str) -> Markup:
        """The chart as inline SVG; `label` describes it to screen readers."""
        import vl_convert

        described = _visible(chart.to_dict()) | {"config": STYLE}
        self.drawn.append({"label": label, "spec": described})
        svg = vl_convert.vegalite_to_svg(described, vl_version=_version())
        if "id=" in svg:
            raise ValueError(f"the chart {label!r} has ids, which would meet those of others on the page")
        return Markup(f'<svg role="img" aria-label="{escape(visible(label))}"{svg[svg.index(" width=") :]}')


def _visible(described: Any) -> Any:
    """A description with all texts visible: vl_convert ends the process where one has characters that XML has not."""
    if isinstance(described, dict):
        return {name: _visible(value) for name, value in described.items()}
    if isinstance(described, list):
        return [_visible(value) for value in described]
    return visible(described) if isinstance(described, str) else described


@cache
def library() -> Markup:
    """The JavaScript library that draws charts in a browser, as one script that needs no network."""
    import vl_convert

    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", _version()))


def _version() -> str:
    """The version of Vega-Lite that altair describes charts for, as vl_convert calls it."""
    import altair

    return ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])


def intervals(rows: Rows, title: str, best: str | None) -> Any:
    """A dot with its interval for each of `rows` (run, value, low, high); that of the run `best` is in colour."""
    import altair as alt

    shown = [
        {
            "run": in_lines(row["run"]),
            "best": row["run"] == best,
            "value": row["value"],
            "text": f"{row['value']:.1f}",
        }
        | {end: row["value"] if row[end] is None else row[end] for end in ("low", "high")}
        for row in rows
    ]
    ends = [row[end] for row in shown for end in ("low", "high", "value")]
    data = _chart(shown)
    y = alt.Y("run:N", sort=None, axis=alt.Axis(**NAMED))
    scale = alt.Scale(domain=[min(0.0, *ends), max(*ends, 1.0)], nice=False)
    x = alt.X("low:Q", title=title, scale=scale)
    color = alt.condition("datum.best", alt.value(ACCENT), alt.value(GREY))
    line = data.mark_rule(strokeWidth=3, opacity=0.55).encode(y=y, x=x, x2="high:Q", color=color)
    dot = data.mark_point(filled=True, opacity=1, size=70).encode(y=y, x="value:Q", color=color)
    text = data.mark_text(align="left", dx=7).encode(y=y, x="high:Q", text="text:N")
    return _sized([line, dot, text], 24 * len(rows), left=NAMES, right=END, top=4)


def bars(rows: Rows, title: str) -> Any:
    """A bar with its number for each of `rows` (name, count, text), in their order; those of `whole` are in colour.

    Names are different.
    """
    import altair as alt

    names = [in_lines(row["name"]) for row in rows]
    data = _chart([{"empty": 0, **row, "name": name} for row, name in zip(rows, names, strict=True)])
    y = alt.Y("name:N", sort=None, axis=alt.Axis(**NAMED))
    scale = alt.Scale(domain=[0, max([row["count"] for row in rows], default=1)], nice=False)
    axis = alt.Axis(format="~s", tickMinStep=1, tickCount=3)
    x = alt.X("empty:Q", title=title, scale=scale, axis=axis)
    color = alt.condition("datum.whole", alt.value(ACCENT), alt.value(GREY))
    bar = data.mark_bar(size=11).encode(y=y, x=x, x2="count:Q", color=color)
    text = data.mark_text(align="left", dx=5).encode(y=y, x="count:Q", text="text:N")
    height = 26 if any("\n" in name for name in names) else 18
    return _sized([bar, text], height * len(rows), left=NAMES, right=90, top=4)


def in_lines(name: str) -> str:
    """A name in lines of LONGEST characters at most. It stays whole: only its label on the axis is cut."""
    return "\n".join(textwrap.wrap(visible(name), LONGEST))


def histogram(bins: Sequence[float], counts: Sequence[int], threshold: float, low: float) -> Any:
    """Counts by similarity from `low` on a logarithmic scale; what reaches the threshold is in colour."""
    import altair as alt

    bars = [
        {"begin": max(start, low), "end": stop, "count": count, "empty": 0, "accepted": start >= threshold}
        for begin, end, count in zip(bins, bins[1:], counts, strict=False)
        for start, stop in ((begin, min(end, threshold)), (max(begin, threshold), end))
        if count and start < stop and stop > low
    ]
    powers = [10**power for power in range(int(math.log10(max(counts))) + 1)]
    x = alt.X("begin:Q", title="similarity", scale=alt.Scale(domain=[low, max(bins[-1], threshold)]))
    axis = alt.Axis(values=powers, labelExpr="format(datum.value, '~s')")
    y = alt.Y("count:Q", title=None, axis=axis, scale=alt.Scale(type="symlog", domain=[0, max(counts)]))
    color = alt.condition("datum.accepted", alt.value(ACCENT), alt.value(GREY))
    drawn = _chart(bars).mark_rect().encode(x=x, x2="end:Q", y=y, y2="empty:Q", color=color)
    align = "right" if threshold > 0.7 else "left"
    return _sized([drawn, *_mark("begin", threshold, f"threshold {threshold:g}", align)], 150)


def curves(lines: Mapping[str, Sequence[tuple[float, float]]], best: float | None) -> Any | None:
    """Values by epoch, a line a name; the best epoch is marked. None where nothing is finite."""
    import altair as alt

    points: list[dict[str, Any]] = [
        {"line": name, "epoch": epoch, "value": value}
        for name, values in lines.items()
        for epoch, value in values
        if math.isfinite(value)
    ]
    if not points:
        return None
    epochs = sorted({row["epoch"] for row in points})
    axis = alt.Axis(values=epochs[:: 1 + len(epochs) // 8], format="~g")
    x = alt.X("epoch:Q", axis=axis, scale=alt.Scale(nice=False))
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False))
    color = alt.Color("line:N", scale=alt.Scale(domain=[*lines], range=[ACCENT, GREY]), legend=None)
    drawn = _chart(points).mark_line(point={"size": 14}, strokeWidth=2).encode(x=x, y=y, color=color)
    last = {row["line"]: row for row in points}
    names = _chart([*last.values()]).mark_text(align="left", dx=8).encode(x=x, y=y, text="line:N")
    mark = [] if best is None else _mark("epoch", best, f"best: epoch {best:g}", "center")
    return _sized([drawn, names, *mark], 110, right=END)


def trade(lines: Mapping[str, Rows], least: float | None, wanted: float) -> Any:
    """Precision by recall, a line a name, the first in colour, with its interval and a dot at the chosen `least`;
    the wanted precision is marked.
    """
    import altair as alt

    first, *_ = lines
    points = [
        {**row, "line": name} for name, rows in lines.items() for row in rows if row["precision"] is not None
    ]
    own = [row for row in points if row["line"] == first]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("recall:Q", title="recall of the same dish", scale=scale)
    color = alt.Color("line:N", scale=alt.Scale(domain=[*lines], range=[ACCENT, GREY]), legend=None)
    drawn = (
        _chart(points)
        .mark_line(point={"size": 14})
        .encode(x=x, y=alt.Y("precision:Q", title=None, scale=scale), color=color, order="recall:Q")
    )
    ends = [
        {"recall": row["recall"], "low": low, "high": high}
        for row in own
        for low, high in [row["precision_interval"]]
    ]
    band = _chart(ends).mark_area(color=ACCENT, opacity=0.15).encode(x=x, y="low:Q", y2="high:Q")
    rule = _chart([{"at": wanted}]).mark_rule(strokeDash=[3, 2], color=INK).encode(y="at:Q")
    reached = [row for row in own if least is not None and row["least"] >= least - 1e-4][-1:]
    dot = _chart([{**row, "text": f"from {least:.2f} on"} for row in reached])
    dots = dot.mark_point(filled=True, opacity=1, size=80, color=ACCENT).encode(x=x, y="precision:Q")
    text = dot.mark_text(align="left", dx=7, dy=10).encode(x=x, y="precision:Q", text="text:N")
    last = {row["line"]: row for row in points}
    names = _chart([*last.values()]).mark_text(align="left", dx=6).encode(x=x, y="precision:Q", text="line:N")
    return _sized([band, drawn, rule, names, *([dots, text] if reached else [])], 170, right=80)


def scatter(points: Rows) -> Any:
    """Words of both languages (lang, word, meaning, x, y) as dots in two colours, with the names of those `named`."""
    import altair as alt

    shown = [
        {**row, "text": f"{row['word']} {row['meaning']}" if row["meaning"] else row["word"]}
        for row in points
    ]
    ends = {axis: [row[axis] for row in points] for axis in "xy"}
    x, y = (
        alt.X("x:Q", title=None, axis=None, scale=alt.Scale(domain=[min(ends["x"]), max(ends["x"])])),
        alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[min(ends["y"]), max(ends["y"])])),
    )
    color = alt.condition("datum.lang == 'zh'", alt.value(ACCENT), alt.value(GREY))
    dots = _chart(shown).mark_point(filled=True, size=8, opacity=0.45).encode(x=x, y=y, color=color)
    named = _chart([row for row in shown if row["named"]])
    names = named.mark_text(align="left", dx=4, fontSize=10).encode(x=x, y=y, text="text:N", color=color)
    return _sized([dots, names], 300, left=10, right=96, top=10)


def _chart(rows: Rows) -> Any:
    import altair as alt

    return alt.Chart({"values": [*rows]})


def _mark(field: str, at: float, text: str, align: str) -> list[Any]:
    """A line across a chart at a place of its horizontal axis, with a text above."""
    import altair as alt

    data, x, top = _chart([{field: at, "text": text}]), f"{field}:Q", alt.value(0)
    line = data.mark_rule(strokeDash=[3, 2], color=INK).encode(x=x)
    return [line, data.mark_text(baseline="bottom", dy=-4, align=align).encode(x=x, y=top, text="text:N")]


def _sized(layers: Sequence[Any], height: int, left: int = 40, right: int = 12, top: int = 22) -> Any:
    """Layers of a chart with room for the axes; all of it is WIDTH wide."""
    import altair as alt

    room = {"left": left, "right": right, "top": top, "bottom": 38}
    return alt.layer(*layers).properties(width=WIDTH - left - right, height=height, padding=room)

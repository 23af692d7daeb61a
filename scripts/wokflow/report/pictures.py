"""The page's pictures, as inline SVG."""

import html
import math
from collections.abc import Sequence
from typing import NamedTuple

from wokflow.report.charts import Html, beside, esc, paragraph

WIDE, BOX, HEIGHT, PITCH = 360, 172, 40, 62  # flow picture: its width, and a box's width, height and distance


class Step(NamedTuple):
    """A box of the flow picture: what is counted, the count, how many were lost before it, and how."""

    label: str
    number: int
    lost: int | None = None
    how: str = ""


def flow(sides: Sequence[Sequence[Step]], middle: str, ends: Sequence[Sequence[Step]]) -> Html:
    """Two columns of boxes, joined by one wide box; each column ends in small boxes side by side."""
    meet = PITCH * len(sides[0])
    parts = [
        f'<rect class="box" x="0" y="{meet}" width="{WIDE}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{WIDE / 2}" y="{meet + 24}">{esc(middle)}</text>'
    ]
    for x, side, end in zip((0, WIDE - BOX), sides, ends, strict=True):
        centre, below = x + BOX / 2, meet + PITCH
        parts += [_box(x, PITCH * row, step, whole=side[0].number) for row, step in enumerate(side)]
        parts += [_arrow(centre, PITCH * row, step) for row, step in enumerate(side) if row]
        parts += [_arrow(centre, meet), _arrow(centre, below), _box(x, below, end[0])]
        width = (BOX - 4 * (len(end) - 2)) / (len(end) - 1)
        for place, step in enumerate(end[1:]):
            begin = x + place * (width + 4)
            parts += [_arrow(begin + width / 2, below + PITCH), _box(begin, below + PITCH, step, width)]
    return svg(
        "flow", WIDE, meet + 2 * PITCH + HEIGHT, "From rows of the sources to pairs, in numbers", parts
    )


def histograms(
    bins: Sequence[float], counts: dict[str, list[int]], threshold: float, names: dict[str, str]
) -> Html:
    """A histogram for each of `names`, or a sentence where there is nothing to count."""
    figures = []
    seen = [score for found in counts.values() for score, count in zip(bins, found, strict=False) if count]
    low = math.floor(10 * min(max(0.0, threshold), 0.9, *seen)) / 10
    for key, name in names.items():
        picture = paragraph("No neighbours in this direction.")
        if any(counts[key]):
            picture = histogram(bins, counts[key], threshold, low, f"Neighbours by similarity, {name}")
        figures.append(f"<figure><figcaption>{esc(name)}</figcaption>{picture}</figure>")
    return beside(*figures)


def histogram(bins: Sequence[float], counts: Sequence[int], threshold: float, low: float, label: str) -> Html:
    """Bars from `low` on a logarithmic scale, the threshold marked. `counts` must not all be 0."""
    left, right, top, bottom = 40.0, 352.0, 24.0, 168.0
    high, most = bins[-1], math.log10(1 + max(counts))

    def across(score: float) -> float:
        return left + (right - left) * (min(max(score, low), high) - low) / (high - low)

    def up(count: float) -> float:
        return bottom - (bottom - top) * math.log10(1 + count) / most

    parts = []
    for power in range(int(math.log10(max(counts))) + 1):
        y = up(10**power)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 3.5:.1f}" class="tick end">{_short(10**power)}</text>')
    for begin, end, count in zip(bins, bins[1:], counts, strict=False):
        for start, stop, kind in ((begin, min(end, threshold), "out"), (max(begin, threshold), end, "in")):
            if count and start < stop:
                x, width = across(start), across(stop) - across(start)
                parts.append(
                    f'<rect class="{kind}" x="{x:.2f}" y="{up(count):.2f}" width="{width:.2f}" '
                    f'height="{bottom - up(count):.2f}"/>'
                )
    parts.append(f'<line class="axis" x1="{left}" x2="{right}" y1="{bottom}" y2="{bottom}"/>')
    for tenth in range(round(10 * low), 11):
        parts.append(
            f'<text x="{across(tenth / 10):.1f}" y="{bottom + 15}" class="tick">{tenth / 10:.1f}</text>'
        )
    x = across(threshold)
    parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 6}" y2="{bottom}"/>')
    x = min(max(x, left + 40), right - 40)
    parts.append(f'<text x="{x:.1f}" y="{top - 11}" class="tick strong">threshold {threshold:g}</text>')
    parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 31}" class="tick">similarity</text>')
    return svg("histogram", WIDE, 204, label, parts)


def _box(x: float, y: float, step: Step, width: float = BOX, whole: int = 0) -> str:
    """A box with a count, tinted to the count's share of `whole`."""
    tint = min(width * step.number / whole, width) if whole else 0.0
    middle = x + width / 2
    return (
        f'<rect class="tint" x="{x:.1f}" y="{y}" width="{tint:.1f}" height="{HEIGHT}" rx="5"/>'
        f'<rect class="box" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{middle:.1f}" y="{y + 17}" class="count">{step.number:,}</text>'
        f'<text x="{middle:.1f}" y="{y + 32}">{esc(step.label)}</text>'
    )


def _arrow(middle: float, y: float, step: Step | None = None) -> str:
    """An arrow down to the box at `y`, with the number lost to its left and the reason to its right."""
    begin, text = y - PITCH + HEIGHT, ""
    if step and step.lost is not None:
        text = (
            f'<text x="{middle - 8:.1f}" y="{begin + 15}" class="end soft">− {step.lost:,}</text>'
            f'<text x="{middle + 8:.1f}" y="{begin + 15}" class="start soft">{esc(step.how)}</text>'
        )
    return (
        f'<line class="axis" x1="{middle:.1f}" x2="{middle:.1f}" y1="{begin + 2}" y2="{y - 4}"/>'
        f'<path class="head" d="M{middle - 3.5:.1f} {y - 7}h7l-3.5 6z"/>{text}'
    )


def _short(count: int) -> str:
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{letter}"
    return str(count)


def svg(kind: str, width: int, height: float, label: str, parts: Sequence[str]) -> Html:
    """A picture `width` by `height` units; `label` describes it to screen readers."""
    shapes = "\n".join(parts)
    frame = f'viewBox="-1 -1 {width + 2} {height + 2}" role="img" aria-label="{html.escape(label)}"'
    return Html(f'<svg class="{kind}" {frame}>\n{shapes}\n</svg>\n')

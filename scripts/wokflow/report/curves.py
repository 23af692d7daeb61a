"""Curves of training, as inline SVG."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from wokflow.report.charts import Html, esc
from wokflow.report.pictures import svg

WIDE, HIGH = 360.0, 150.0
LEFT, RIGHT, TOP, BOTTOM = 40.0, 312.0, 20.0, 118.0  # of the plot; names of lines stand right of it
APART = 11.0  # least distance between two names


class Line(NamedTuple):
    """A line's name, its style (valid or train), and its points: epoch and value."""

    name: str
    kind: str
    points: Sequence[tuple[float, float]]


class _Axis(NamedTuple):
    low: float
    high: float
    begin: float
    end: float

    def place(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.begin + (self.end - self.begin) * share


def curves(lines: Sequence[Line], best: float | None, label: str) -> Html:
    """Values by epoch; the best epoch is marked. Empty where no line has a finite point."""
    drawn = [
        line._replace(points=[point for point in line.points if math.isfinite(point[1])]) for line in lines
    ]
    drawn = [line for line in drawn if line.points]
    if not drawn:
        return Html()
    epochs, values = zip(*(point for line in drawn for point in line.points), strict=True)
    ticks = steps(min(values), max(values))
    across = _Axis(min(0.0, *epochs), max(epochs), LEFT, RIGHT)
    up = _Axis(min(*ticks, *values), max(*ticks, *values), BOTTOM, TOP)
    parts = [*_grid(across, up, ticks), *_best(across, up, drawn[-1], best)]
    parts += [_path(line, across, up) for line in drawn]
    return svg("curve", int(WIDE), HIGH, label, [*parts, *_names(drawn, across, up)])


def steps(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, such as 0, 5, 10: five at most, or the one value where both are one."""
    if high <= low:
        return [low]
    rough = (high - low) / 4
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 5, 10) if step * power > 0.999 * rough)
    return [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _grid(across: _Axis, up: _Axis, ticks: Sequence[float]) -> list[str]:
    parts = []
    for tick in ticks:
        y = up.place(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 3.5:.1f}" class="tick end">{tick:g}</text>')
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{RIGHT}" y1="{BOTTOM + 4}" y2="{BOTTOM + 4}"/>')
    for epoch in steps(across.low, across.high):
        if epoch == int(epoch):
            x = across.place(epoch)
            parts.append(f'<text x="{x:.1f}" y="{BOTTOM + 18}" class="tick">{epoch:g}</text>')
    return [*parts, f'<text x="{RIGHT + 10}" y="{BOTTOM + 18}" class="tick start">epoch</text>']


def _best(across: _Axis, up: _Axis, line: Line, best: float | None) -> list[str]:
    """A mark at the best epoch, and a dot where it meets the line."""
    if best is None:
        return []
    x = across.place(best)
    parts = [f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{BOTTOM + 4}"/>']
    parts += [
        f'<circle class="in" cx="{x:.1f}" cy="{up.place(value):.1f}" r="3.2"/>'
        for epoch, value in line.points
        if epoch == best
    ]
    middle = min(max(x, LEFT + 20), RIGHT - 20)
    return [*parts, f'<text x="{middle:.1f}" y="{TOP - 9}" class="tick strong">best: epoch {best:g}</text>']


def _path(line: Line, across: _Axis, up: _Axis) -> str:
    """The line; one of a single point is a dot."""
    points = " L".join(f"{across.place(epoch):.1f} {up.place(value):.1f}" for epoch, value in line.points)
    return f'<path class="line {line.kind}" d="M{points} h0"/>'


def _names(lines: Sequence[Line], across: _Axis, up: _Axis) -> list[str]:
    """The lines' names at their ends, moved apart where they would overlap."""
    ends = sorted((up.place(line.points[-1][1]), number) for number, line in enumerate(lines))
    parts, last = [], -math.inf
    for y, number in ends:
        line = lines[number]
        last = max(y, last + APART)
        x = across.place(line.points[-1][0]) + 10
        parts.append(f'<text x="{x:.1f}" y="{last + 3.5:.1f}" class="tick start">{esc(line.name)}</text>')
    return parts

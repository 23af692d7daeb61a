"""What the page is built of: escaped text, tables, pictures (inline SVG), recipe cards, the style sheet."""

import html
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import polars as pl

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # a browser loads and runs nothing
RAW = 180  # characters shown of a rejected record
WIDE, BOX, HEIGHT, PITCH = 360, 172, 40, 62  # flow picture: its width, and a box's width, height and distance


class Html(str):
    """Text that is markup already; anything else is escaped on its way into the page."""


class Step(NamedTuple):
    """A box of the flow picture: what is counted, the count, how many were lost on the way, and how."""

    label: str
    number: int
    lost: int | None = None
    how: str = ""


def esc(value: object) -> Html:
    """Markup that shows `value`; characters that nobody sees, or that turn the writing, show as \\x00."""
    if isinstance(value, Html):
        return value
    return Html(CONTROLS.sub(lambda found: ascii(found[0])[1:-1], html.escape(str(value))))


def zh(value: object) -> Html:
    return Html(f'<span lang="zh">{esc(value)}</span>')


def noted(value: str, note: str) -> Html:
    """Text with a note below it."""
    return Html(f"{esc(value)}<small>{esc(note)}</small>")


def number(value: float | None, digits: int = 0) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def shorten(value: str, length: int) -> str:
    return value if len(value) <= length else value[:length].rstrip() + " …"


def paragraph(value: object, kind: str = "") -> Html:
    return Html(f'<p class="{kind}">{esc(value)}</p>\n' if kind else f"<p>{esc(value)}</p>\n")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """A table; a heading that begins with # is of a column of numbers, one with = of a column of bars."""
    kinds = [{"#": ' class="n"', "=": ' class="bars"'}.get(label[:1], "") for label in head]
    cells = "".join(
        f'<th scope="col"{kind}>{esc(label.lstrip("#="))}</th>'
        for label, kind in zip(head, kinds, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{esc(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>\n"
        for row in rows
    )
    return Html(
        f'<div class="scroll"><table><thead><tr>{cells}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n'
    )


def code(value: str) -> Html:
    lang = ' lang="zh"' if re.search("[\u4e00-\u9fff]", value) else ""
    return Html(f"<code{lang}>{esc(value)}</code>")


def glance(values: dict[str, str]) -> Html:
    """Numbers at a glance, each in a tile above its label."""
    tiles = (f"<div><dt>{esc(label)}</dt><dd>{esc(value)}</dd></div>" for label, value in values.items())
    return Html(f'<dl class="glance">{"".join(tiles)}</dl>\n')


def numbers(head: Sequence[str], rows: dict[str, list[int]]) -> Html:
    """A table of counts; the first heading is that of the labels."""
    cells = [(label, *map(number, values)) for label, values in rows.items()]
    return table([head[0], *(f"#{name}" for name in head[1:])], cells)


def beside(*parts: str) -> Html:
    """Parts side by side where there is room."""
    return Html(f'<div class="beside">{"".join(f"<div>{part}</div>" for part in parts)}</div>\n')


def rejects(
    stage: str,
    reasons: dict[str, int],
    meanings: dict[str, str],
    whole: int,
    examples: Sequence[dict[str, Any]],
) -> Html:
    """Reasons with counts, shares of `whole` and bars; below them examples, their records cut at RAW."""
    if not reasons:
        return paragraph(f"Stage {stage} rejected nothing.")
    most = max(reasons.values())
    bars = [
        (noted(reason, meanings.get(reason, "")), number(count), percent(count / whole), bar(count / most))
        for reason, count in reasons.items()
    ]
    rows = []
    for row in examples:
        where = ": ".join(filter(None, [f"row {row['source_row']}", row["detail"]]))
        rows.append((noted(row["reason"], where), code(shorten(row["raw"], RAW))))
    head = ["Examples", "Record as read" if stage == "ingest" else "Recipe"]
    return Html(table([f"Reason ({stage})", "#Rows", "#Share", "="], bars) + table(head, rows))


def times(rules: pl.DataFrame) -> Html:
    """A row and a bar a rule; columns rule, jobs, seconds, memory, the slowest first."""
    if rules.is_empty():
        return paragraph("No run times were found.")
    most = float(rules["seconds"][0]) or 1.0
    rows = [
        (rule, number(jobs), number(seconds, 1), number(memory), bar(seconds / most))
        for rule, jobs, seconds, memory in rules.iter_rows()
    ]
    words = paragraph("Seconds are summed over a rule’s jobs; memory is the peak of its largest job.")
    return Html(words + table(["Rule", "#Jobs", "#Seconds", "#Memory, MB", "="], rows))


def titles(rows: Sequence[dict[str, Any]], digits: int, *, verdict: bool = False) -> Html:
    """Titles and their similarity; with `verdict`, whether they were accepted; empty for no rows."""
    head = ["#Similarity", "Chinese title", "Its translation", "English title", "#Pairs"]
    cells = []
    for row in rows:
        score, translated = f"{row['score']:.{digits}f}", row["zh_title_translated"] or "–"
        last = ["yes" if row["accepted"] else "no"] if verdict else []
        cells.append([score, zh(row["zh_title"]), translated, row["en_title"], number(row["pairs"]), *last])
    return table([*head, "Accepted"] if verdict else head, cells) if cells else Html()


def card(head: str, sides: Sequence[tuple[str, dict[str, Any], str]]) -> Html:
    """Recipes side by side: of each its language, the recipe, and a line below its title."""
    parts = []
    for lang, recipe, note in sides:
        lists = "".join(
            f"<{kind}>" + "".join(f"<li>{esc(line)}</li>" for line in recipe[field]) + f"</{kind}>\n"
            for kind, field in (("ul", "ingredients"), ("ol", "steps"))
        )
        parts.append(
            f'<section><h4 lang="{lang}">{esc(recipe["title"])}</h4><p>{esc(note)}</p>\n'
            f'<div lang="{lang}">{lists}</div></section>\n'
        )
    return Html(f"<article><header>{esc(head)}</header><div>{''.join(parts)}</div></article>\n")


def document(title: str, top: str, sections: Sequence[tuple[str, str, str]]) -> str:
    """The whole file: the title, `top`, links to the sections, and the sections (name, heading, body)."""
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in sections)
    bodies = "".join(
        f'<section id="{name}">\n<h2>{heading}</h2>\n{body}</section>\n' for name, heading, body in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        f"{top}<nav><ol>{links}</ol></nav>\n{bodies}</main>\n</body>\n</html>\n"
    )


def bar(share: float) -> Html:
    """A bar that fills `share` of its cell."""
    return Html(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{max(0.6, 100 * share):.1f}" height="10"/></svg>'
    )


def flow(sides: Sequence[Sequence[Step]], middle: str, ends: Sequence[Sequence[Step]]) -> Html:
    """Two columns of boxes that meet in one box and part again; each ends in small boxes side by side."""
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
    return _svg(
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
    return _svg("histogram", WIDE, 204, label, parts)


def _box(x: float, y: float, step: Step, width: float = BOX, whole: int = 0) -> str:
    """A box with a count; its tint says the count's share of `whole`."""
    tint = min(width * step.number / whole, width) if whole else 0.0
    middle = x + width / 2
    return (
        f'<rect class="tint" x="{x:.1f}" y="{y}" width="{tint:.1f}" height="{HEIGHT}" rx="5"/>'
        f'<rect class="box" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{middle:.1f}" y="{y + 17}" class="count">{step.number:,}</text>'
        f'<text x="{middle:.1f}" y="{y + 32}">{esc(step.label)}</text>'
    )


def _arrow(middle: float, y: float, step: Step | None = None) -> str:
    """An arrow down to the box at `y`, with what was lost on either side of it."""
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


def _svg(kind: str, width: int, height: float, label: str, parts: Sequence[str]) -> Html:
    shapes = "\n".join(parts)
    frame = f'viewBox="-1 -1 {width + 2} {height + 2}" role="img" aria-label="{html.escape(label)}"'
    return Html(f'<svg class="{kind}" {frame}>\n{shapes}\n</svg>\n')


STYLE = """
:root { color-scheme: light dark; --ink: #1c2326; --soft: #5b676c; --line: #d8dfe1; --ground: #fff;
  --panel: #f4f7f7; --accent: #1b6a73; --tint: #1b6a7322; --grey: #b4bfc3; --warn: #9c3517; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e3e9ea; --soft: #9ba8ad; --line: #343e42;
  --ground: #14191b; --panel: #1b2225; --accent: #6bbfc8; --tint: #6bbfc82b; --grey: #56646a;
  --warn: #f0946f; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); background: var(--ground); overflow-wrap: anywhere;
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Noto Sans CJK SC",
  "Microsoft YaHei", sans-serif; }
:lang(zh) { font-family: "PingFang SC", "Noto Sans CJK SC", "Noto Sans SC", "Microsoft YaHei", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 3.5rem 1.5rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 4rem 0 .8rem; padding-top: 1.2rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 2rem 0 .5rem; } h4 { font-size: 1.05rem; line-height: 1.4; margin: 0; }
p { margin: 0 0 1rem; max-width: 46rem; } .lead { font-size: 1.1rem; } .lead, small { color: var(--soft); }
.warning { border: 1px solid var(--warn); border-left-width: 6px; border-radius: 4px; padding: .8rem 1.1rem;
  font-size: 1.05rem; max-width: none; }
.warning::before { content: "Please check: "; font-weight: 700; color: var(--warn); }
nav ol { list-style: none; margin: 2rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem; }
a { color: var(--accent); text-underline-offset: .2em; }
dl.glance { display: grid; grid-template-columns: repeat(6, 1fr); gap: 1px;
  margin: 2rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--line);
  overflow: hidden; }
dl.glance div { background: var(--ground); padding: .9rem 1rem; display: flex; flex-direction: column-reverse;
  justify-content: flex-end; }
dl.glance dt { font-size: .84rem; line-height: 1.35; color: var(--soft); }
dl.glance dd { margin: 0; font-size: 1.55rem; line-height: 1.3; font-weight: 600; }
dl.glance, .n, svg text, article > header { font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; margin: 0 0 1.4rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; line-height: 1.45; }
th, td { padding: .42rem 1.1rem .42rem 0; text-align: left; overflow-wrap: break-word; }
th { vertical-align: bottom; font-weight: 600; font-size: .84rem; color: var(--soft);
  border-bottom: 1px solid var(--soft); }
td { vertical-align: top; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; } td.n { white-space: nowrap; }
td:first-child:nth-last-child(2) { width: 30%; }
td.bars { width: 32%; min-width: 5rem; vertical-align: middle; } td small { display: block; }
code, code:lang(zh) { overflow-wrap: anywhere; white-space: pre-wrap;
  font: .84rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "PingFang SC",
    "Noto Sans Mono CJK SC", monospace; }
svg { display: block; width: 100%; height: auto; } svg.bar { height: .7rem; }
svg.bar rect, svg .in { fill: var(--accent); } svg .out, svg .head { fill: var(--grey); }
svg .tint { fill: var(--tint); } svg .box { fill: none; stroke: var(--grey); }
svg .axis { stroke: var(--grey); } svg .grid { stroke: var(--line); }
svg .mark { stroke: var(--ink); stroke-dasharray: 3 2; }
svg text { fill: var(--ink); text-anchor: middle; font-size: 11px; }
svg text.count { font-size: 14px; font-weight: 600; } svg text.soft, svg text.tick { fill: var(--soft); }
svg text.start { text-anchor: start; } svg text.end { text-anchor: end; }
svg text.strong { fill: var(--ink); font-weight: 600; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
  gap: 1rem 3rem; } .beside > * { min-width: 0; }
figure { margin: 0 0 1rem; } figcaption { font-weight: 600; font-size: .95rem; margin-bottom: .4rem; }
svg.flow { max-width: 30rem; margin: 0 auto; }
article { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1.6rem; overflow: hidden; }
article > header { background: var(--panel); padding: .45rem 1.2rem; font-size: .86rem; color: var(--soft); }
article > div { display: grid; grid-template-columns: 1fr 1fr; }
article section { padding: 1rem 1.2rem 1.1rem; min-width: 0; font-size: .94rem; }
article section + section { border-left: 1px solid var(--line); }
article p { margin: 0; font-size: .86rem; color: var(--soft); }
article ul, article ol { margin: .7rem 0 0; padding-left: 1.4rem; }
article ul { columns: 2; column-gap: 1.6rem; padding-left: 1.1rem; line-height: 1.5; }
article li { break-inside: avoid; } article ol li { margin-bottom: .25rem; }
article li::marker { color: var(--soft); }
@media print, (max-width: 52rem) { dl.glance { grid-template-columns: repeat(3, 1fr); } }
@media (max-width: 40rem) {
  dl.glance { grid-template-columns: repeat(2, 1fr); }
  main { padding: 1.8rem 1rem 3rem; } h1 { font-size: 1.6rem; } h2 { margin-top: 2.8rem; }
  table { font-size: .86rem; } th, td { padding-right: .6rem; } td.bars { width: 20%; min-width: 2.5rem; }
  article > div { grid-template-columns: 1fr; }
  article section + section { border-left: 0; border-top: 1px solid var(--line); } }
@media print { :root { color-scheme: light; } body { font-size: 10pt; } main { max-width: none; padding: 0; }
  nav { display: none; } h2 { margin-top: 1.6rem; } h2, h3, article header { break-after: avoid; }
  .scroll { overflow: visible; } tr, figure, svg, dl.glance { break-inside: avoid; }
  svg, dl.glance { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  svg.flow { max-width: 9cm; } }
"""

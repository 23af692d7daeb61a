"""Building blocks of the page: escaped text, tables with bars, recipe cards, the document around them."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.report.style import STYLE

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # a browser loads and runs nothing
RAW = 180  # characters shown of a rejected record


class Html(str):
    """Text that is markup already. Any other text is escaped before it enters the page."""


def esc(value: object) -> Html:
    """Markup that shows `value`; invisible characters, and those that change its direction, are shown as \\x00."""
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
    """A table. A heading that begins with # makes its column one of numbers, with = one of bars."""
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


def folded(summary: object, body: str, *, unfolded: bool = False) -> Html:
    """A body that is folded under its summary, or `unfolded` at first."""
    return Html(
        f"<details{' open' if unfolded else ''}><summary>{esc(summary)}</summary>\n{body}</details>\n"
    )


def rejects(
    stage: str,
    reasons: dict[str, int],
    meanings: Mapping[str, str],
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
    """A row and a bar for each of `rules` (columns rule, jobs, seconds, memory; the slowest first)."""
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

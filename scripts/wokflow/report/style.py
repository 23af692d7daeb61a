"""The style sheet of the page."""

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
section > h4 { font-size: .95rem; margin: 1.4rem 0 .4rem; }
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
td:first-child:nth-last-child(2) { width: 30%; } td:first-child:nth-last-child(2):has(+ .n) { width: auto; }
td:first-child:nth-last-child(n+6) { min-width: 8.5rem; }
details td:first-child, details td:nth-child(2):not(.n, .bars) { min-width: 6.5rem; }
details td:nth-child(4):not(.n) { min-width: 11rem; }
tr:has(.published) td { color: var(--soft); } td .published + small { display: inline; margin-left: .6em; }
tr:not(:has(.published)):has(+ tr .published) td { border-bottom-color: var(--soft); }
tr:has(.bars ~ .bars ~ .bars) td.bars { width: auto; min-width: 6.5rem; }
h4:has(+ .recipe) { color: var(--soft); font-size: .84rem; }
.beside ~ .beside h4:has(+ .recipe) { border-top: 1px solid var(--line); padding-top: .9rem; }
.recipe .strong { font-weight: 600; } .recipe p { font-size: .94rem; margin-bottom: .5rem; }
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
svg.flow { max-width: 30rem; margin: 0 auto; } svg.curve { max-width: 26rem; }
svg .line { fill: none; stroke: var(--grey); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
svg .valid { stroke: var(--accent); }
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
.marked { line-height: 2; } .marked + p { margin-top: 1rem; }
.verb sup { font-size: .64rem; line-height: 0; margin-left: .15em; font-weight: 400; }
.verb { font-weight: 700; color: var(--ground); background: var(--accent); border-radius: 3px;
  padding: .08em .22em; white-space: nowrap; }
.food { border-bottom: 2px solid var(--ink); } .tool { border: 1px dashed var(--soft); border-radius: 3px;
  padding: 0 .2em; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .8rem; padding: 0 1.2rem; }
summary { cursor: pointer; margin: 0 -1.2rem; padding: .6rem 1.2rem; font-weight: 600; }
summary small { font-weight: 400; margin-left: .8rem; } details[open] { padding-bottom: .4rem; }
details[open] > summary { border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
summary h3 { display: inline; font-size: inherit; margin: 0; }
details h4 { font-size: .95rem; margin: 0 0 .3rem; } .note { color: var(--soft); font-size: .86rem; }
@media (min-width: 40.01rem) { article > div:has(.marked) { grid-template-columns: 2fr 3fr; } }
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
  svg.flow { max-width: 9cm; } .verb { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details::details-content { content-visibility: visible; block-size: auto; } }
"""

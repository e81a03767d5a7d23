"""How a page looks: light and dark, narrow and wide, on a screen and on paper."""

LIGHT = """\
  --ink: #1b1d21; --quiet: #5a5f68; --paper: #ffffff; --line: #d4d7dc; --soft: #f3f4f6; --fill: #1f5a8c;
  --wash: #8db9de; --beyond: #eceef1;"""
DARK = """\
--ink: #e6e8eb; --quiet: #a3a9b3; --paper: #15171a; --line: #3a3f46; --soft: #1f2226; --fill: #7fb4e3;
    --wash: #2f6493; --beyond: #282c32;"""
COLOURS = f"""\
:root {{
  color-scheme: light dark;
{LIGHT}
}}
@media (prefers-color-scheme: dark) {{
  :root {{ {DARK} }}
}}
"""
RULES = """\
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); }
body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
main { max-width: 66rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
h2, h3, h4, p, li { overflow-wrap: anywhere; }
header p { color: var(--quiet); margin: .15rem 0; }
p, li { max-width: 46rem; }
nav ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
a { color: var(--fill); }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
figcaption { font-weight: 600; font-size: .95rem; padding: 0 0 .5rem; }
th, td { text-align: left; padding: .3rem 1.25rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
thead td { border-bottom: 1px solid var(--ink); }
thead th { font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--ink); vertical-align: bottom; }
tbody th { font-weight: 400; }
.number { text-align: right; }
td { white-space: nowrap; }
td.long { white-space: normal; min-width: 10rem; max-width: 30rem; overflow-wrap: anywhere; }
.facts td.number { min-width: 7rem; }
figure { margin: 1rem 0 1.75rem; max-width: 44rem; }
figure.table { display: inline-block; vertical-align: top; max-width: 100%; margin: .75rem 3.5rem 1.25rem 0; }
.table figcaption { max-width: 26rem; }
figure.code { max-width: 100%; }
pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; background: var(--soft); border: 1px solid var(--line);
  font: .85rem/1.45 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; }
svg { display: block; overflow: visible; }
text { font-size: 13px; fill: var(--ink); }
text.number { font-variant-numeric: tabular-nums; }
rect, circle { stroke: var(--fill); stroke-width: 1.5px; fill: var(--fill); }
rect.before, circle.before { fill: var(--paper); }
rect.third, circle.third { fill: var(--line); }
line.track { stroke: var(--line); }
line.axis { stroke: var(--quiet); }
line.outline { stroke: var(--ink); stroke-width: 1.5px; stroke-linecap: square; }
line.limit { stroke: var(--ink); stroke-width: 2px; }
rect.share { fill: var(--wash); stroke: none; }
rect.box { fill: var(--paper); stroke: var(--quiet); stroke-width: 1px; }
rect.frame { fill: none; stroke: var(--quiet); stroke-width: 1px; }
rect.cell { fill: none; stroke: var(--line); stroke-width: 1px; }
rect.beyond { fill: var(--beyond); stroke: none; }
text.tick { font-size: 12px; font-weight: 400; fill: var(--quiet); font-variant-numeric: tabular-nums; }
svg.gauge, svg.small { overflow: hidden; }
td.picture { padding-top: 0; padding-bottom: 0; vertical-align: middle; }
line.way { stroke: var(--fill); stroke-width: 2px; }
text.over { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
svg.spot { overflow: visible; }
path.cross { stroke: var(--quiet); stroke-width: 2px; fill: none; }
rect.ring { stroke: var(--ink); stroke-width: 1.5px; fill: none; }
line.bound, path.bound { stroke: var(--ink); stroke-width: 1.5px; stroke-dasharray: 6 4; fill: none; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.25rem; padding: 0; margin: 0 0 .5rem; }
.legend li { font-size: .85rem; }
.legend li::before {
  content: ""; display: inline-block; width: .75em; height: .75em; margin-right: .4em; border: 1.5px solid var(--fill);
}
.legend .before::before { background: var(--paper); }
.legend .after::before { background: var(--fill); }
.legend .third::before { background: var(--line); }
.legend .outline::before { border: 0; border-top: 2px solid var(--ink); height: 0; vertical-align: middle; }
.legend .share::before { background: var(--wash); border-color: var(--wash); }
.legend .beyond::before { background: var(--beyond); border-color: var(--beyond); }
.legend .dot::before { border-radius: 50%; }
svg, .legend li::before { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.legend .mark { display: flex; align-items: center; }
.legend .mark::before { content: none; }
.verdict { font-size: 1.1rem; padding: .6rem .9rem; margin: 1rem 0; max-width: none; border: 2px solid var(--ink); }
.verdict strong { font-size: 1.35rem; letter-spacing: .04em; }
.verdict.good { border-left-width: .7rem; }
.verdict.bad { background: var(--ink); color: var(--paper); }
.cover figure.table { display: block; margin-right: 0; }
.cover .table figcaption { max-width: none; }
.cover table { width: 100%; }
.cover td { white-space: normal; }
.cover td + td { white-space: nowrap; }
.cover td.long { white-space: normal; }
.cover .facts th { white-space: nowrap; }
.cover .facts td { white-space: normal; width: 100%; }
.cover td.picture { width: 200px; }
.sign { list-style: none; padding: 0; margin: 3rem 0 0; max-width: none; }
.sign li { display: grid; grid-template-columns: 3fr 1fr 2fr; gap: 0 1.25rem; margin-bottom: 2.75rem; max-width: none; }
.sign span { border-top: 1px solid var(--ink); padding-top: .25rem; font-size: .8rem; color: var(--quiet); }
@media (max-width: 36rem) {
  main { padding: 1rem .9rem 3rem; }
  h1 { font-size: 1.4rem; }
  text { font-size: 12px; }
  th, td { padding-right: .8rem; }
  figure.table { display: block; margin-right: 0; }
}
@media print {
  :root { --ink: #000; --quiet: #333; --paper: #fff; --line: #bbb; --soft: #fff; --fill: #000;
    --wash: #b9b9b9; --beyond: #e6e6e6; }
  @page { margin: 18mm 16mm; @bottom-right { content: counter(page) " of " counter(pages); font: 8pt sans-serif; } }
  body { font-size: 10pt; }
  h1 { font-size: 16pt; }
  .cover { min-height: 255mm; display: flex; flex-direction: column; break-after: page; line-height: 1.35; }
  .cover h1 { font-size: 13pt; }
  .cover header p { font-size: 8.5pt; }
  .cover .sign { margin-top: auto; }
  .cover .sign { padding-top: 6mm; break-inside: avoid; }
  .cover .sign li { margin-bottom: 8mm; }
  .cover .sign li:last-child { margin-bottom: 0; }
  .cover figure.table { margin: 1.5mm 0; }
  .cover table { font-size: 7.5pt; }
  .cover th, .cover td { padding-top: .1rem; padding-bottom: .1rem; }
  .cover td.picture { padding: 0; }
  .cover figcaption { padding-bottom: .1rem; }
  .cover p { margin: 1mm 0; font-size: 9pt; }
  .cover p.verdict { margin: 1.5mm 0; padding: 2mm 3mm; font-size: 11pt; }
  .verdict.bad { background: none; color: var(--ink); border: 6px double var(--ink); }
  .cover .legend { margin: 0; }
  h2 { margin-top: 1.5rem; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  .wide { overflow: visible; }
  table { font-size: 8.5pt; }
  td, th { white-space: normal; padding-right: .8rem; }
  td.long { min-width: 0; }
  h2, h3, figcaption, .legend, thead { break-after: avoid; }
  h2, h3, figcaption { break-inside: avoid; }
  figure.table { display: block; margin-right: 0; }
  tr, figure:not(.table):not(.code) { break-inside: avoid; }
  figure:not(.table):not(.code) { zoom: .8; }
  th, td { padding-top: .15rem; padding-bottom: .15rem; }
  text { font-size: 11px; }
  thead { display: table-header-group; }
  pre { font-size: 7.5pt; white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; padding: .4rem .6rem; }
}
"""
STYLE = COLOURS + RULES

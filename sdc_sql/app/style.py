"""How the page looks: the type and the colours of the reports, and what a page to work in has besides."""

from __future__ import annotations

from sdc_sql.app.style_masking import MASKING
from sdc_sql.document.style import DARK, LIGHT, RULES

# what is wrong, what holds: beside words and marks that say the same
OWN_LIGHT = "--bad: #a02323; --badsoft: #fbf0f0; --good: #1d6b3c; --shade: rgb(0 0 0 / .06);"
OWN_DARK = "--bad: #f2a3a3; --badsoft: #2c1d1e; --good: #86d0a1; --shade: rgb(0 0 0 / .4);"

OWN = """\
html { scroll-padding-top: 9.5rem; }
body { min-height: 100vh; }
main { max-width: 84rem; padding: 1.25rem 1.5rem 6rem; outline: none; }
h1 { font-size: 1.6rem; margin: .5rem 0 .15rem; outline: none; }
h2 { margin: 2.75rem 0 .75rem; border-top-width: 1px; }
.asks { color: var(--quiet); margin: 0 0 1.25rem; font-size: 1.05rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 9; background: var(--paper); padding: .5rem 1rem;
  border: 2px solid var(--fill); }
.skip:focus { top: .5rem; }
:focus-visible { outline: 3px solid var(--fill); outline-offset: 2px; border-radius: 2px; }
h1:focus-visible, main:focus-visible { outline: none; }
.quiet, .hint { color: var(--quiet); }
.hint { font-size: .875rem; margin: .35rem 0; }
abbr[title] { text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }

header.frame { position: sticky; top: 0; z-index: 3; background: var(--paper); border-bottom: 1px solid var(--line);
  box-shadow: 0 2px 6px var(--shade); }
.top, header.frame nav { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1.5rem;
  padding-top: .6rem; padding-bottom: .35rem; }
.about { margin: 0; color: var(--quiet); font-size: .9rem; max-width: none; }
.about .name { color: var(--ink); margin-right: .75rem; font-size: 1rem; overflow-wrap: anywhere; }
header.frame .about { color: var(--quiet); margin: 0; }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.tools label { font-size: .875rem; color: var(--quiet); }
.undo .shiny-html-output { display: flex; gap: .5rem; }
nav ol { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 0 .5rem; list-style: none; margin: 0;
  padding: 0; }
nav li { max-width: none; }
nav ol a { display: grid; grid-template-columns: auto 1fr; gap: 0 .6rem; padding: .45rem .35rem .5rem; height: 100%;
  color: var(--ink); text-decoration: none; border-bottom: 3px solid transparent; align-content: start; }
nav ol .number { grid-row: span 2; width: 1.6rem; height: 1.6rem; border: 1.5px solid var(--quiet);
  border-radius: 50%;
  display: grid; place-items: center; font-size: .85rem; color: var(--quiet); text-align: center; }
nav ol .title { font-weight: 600; line-height: 1.6rem; font-size: .94rem; }
nav ol .stands { font-size: .8rem; line-height: 1.3; color: var(--quiet); }
nav ol a:hover { background: var(--soft); }
nav ol a[aria-current] { border-bottom-color: var(--fill); }
nav ol a[aria-current] .number { background: var(--fill); border-color: var(--fill); color: var(--paper); }

button, select, input[type=text], input[type=number], textarea { font: inherit; font-size: .9rem; color: var(--ink);
  background: var(--paper); border: 1px solid var(--quiet); border-radius: 4px; padding: .25rem .65rem;
  min-height: 2.1rem; max-width: 100%; }
input[type=text], input[type=number], textarea { padding: .25rem .5rem; }
textarea { width: 100%; min-height: 4rem; line-height: 1.45; resize: vertical; }
select { padding-right: .35rem; }
button { cursor: pointer; }
button:hover:not(:disabled) { background: var(--soft); border-color: var(--ink); }
button.primary { background: var(--fill); border-color: var(--fill); color: var(--paper); font-weight: 600; }
button.primary:hover:not(:disabled) { background: var(--ink); border-color: var(--ink); color: var(--paper); }
button:disabled { color: var(--quiet); border-color: var(--line); background: var(--soft); cursor: default;
  font-weight: 400; }
button.plain { border: 0; background: none; padding: 0; min-height: 1.6rem; font-size: inherit; font-weight: 600;
  color: var(--fill); text-align: left; text-decoration: underline; text-underline-offset: .15em;
  overflow-wrap: anywhere; }
input[type=checkbox], input[type=radio] { accent-color: var(--fill); width: 1.05rem; height: 1.05rem; margin: 0;
  flex: none; }
select.undecided { border-color: var(--bad); border-left-width: 4px; }
label { font-size: .9rem; }
form.line, .line { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.line .hint, .line .problem { flex-basis: 100%; margin: 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { font-weight: 600; font-size: .9rem; padding: 0 0 .4rem; }
.bar-of-tools { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between;
  gap: .5rem 1.5rem;
  margin: 0 0 .75rem; }
.bar-of-tools p { margin: 0; }

details.help { margin: 0 0 1.25rem; max-width: 60rem; }
summary { cursor: pointer; color: var(--fill); font-size: .9rem; padding: .25rem 0; width: fit-content; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1.25rem; font-size: .9rem;
  margin: .5rem 0; padding: .75rem 1rem; background: var(--soft); }
dt { font-weight: 600; }
dd { margin: 0; }
dd p, dd ul { margin: 0 0 .25rem; }
dd ul { padding-left: 1.2rem; }
details.term { display: inline-block; vertical-align: top; }
details.term summary { color: inherit; text-decoration: underline dotted; text-underline-offset: .2em;
  font-size: inherit; }
details.term p { font-size: .875rem; color: var(--quiet); margin: .15rem 0 .5rem; max-width: 32rem; }

.problem { border-left: 4px solid var(--bad); background: var(--badsoft); color: var(--ink); padding: .6rem .9rem;
  margin: .75rem 0; max-width: 60rem; }
.warning { border-left: 4px solid var(--bad); padding: .1rem .9rem; margin: .75rem 0; max-width: 46rem; }
.problem p { margin: 0 0 .5rem; }
.work { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; margin: 1rem 0; }
.work p { margin: 0; color: var(--quiet); min-width: 12rem; }
.bar { position: relative; flex: 0 1 16rem; min-width: 8rem; height: .4rem; background: var(--beyond);
  overflow: hidden; }
.bar::after { content: ""; position: absolute; inset: 0 70% 0 0; background: var(--fill);
  animation: goes 1.4s ease-in-out infinite alternate; }
@keyframes goes { to { inset: 0 0 0 70%; } }
@media (prefers-reduced-motion: reduce) { .bar::after { animation: none; inset: 0 50% 0 0; } }
.former { border-left: 3px dashed var(--line); padding-left: .9rem; }
.recalculating { opacity: 1 !important; }
:root::before, :root::after { display: none !important; }


table.data { width: 100%; }
table.data caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
table.data th, table.data td { padding: .4rem .9rem; vertical-align: middle; }
table.data th:first-child, table.data td:first-child { padding-left: .25rem; }
table.data thead th { vertical-align: bottom; white-space: nowrap; }
table.data tbody th { font-weight: 400; text-align: left; }
table.data tbody th.number { text-align: right; color: var(--quiet); }
table.data tbody tr:hover > * { background: var(--soft); }
table.data td { white-space: normal; }
table.data td.number { white-space: nowrap; }
table.records td, table.records th { white-space: nowrap; max-width: 22rem; overflow: hidden;
  text-overflow: ellipsis; }
table.records td:has(.sets) { white-space: normal; min-width: 16rem; max-width: 26rem; }
table.records { width: auto; min-width: 50%; }
.wide { max-height: 80vh; overflow: auto; border-bottom: 1px solid var(--line); }
.wide thead th { position: sticky; top: 0; background: var(--paper); box-shadow: inset 0 -1px 0 var(--ink);
  z-index: 1; }
figure .wide { max-height: none; border: 0; }
figure .wide thead th { position: static; }
figure .wide thead th { position: static; box-shadow: none; }
.columns .name { display: flex; flex-direction: column; min-width: 10rem; max-width: 18rem; }
#look-table { max-height: none; }
.columns .name .quiet { font-size: .8rem; }
.columns .role { display: flex; flex-direction: column; gap: .15rem; }
.columns .role .quiet { font-size: .8rem; }
.columns .proposal { display: flex; align-items: center; justify-content: space-between; gap: .75rem;
  min-width: 15rem;
  font-size: .85rem; line-height: 1.35; }
.columns td > .quiet { font-size: .85rem; }
.opened { max-width: 44rem; padding: .25rem 0 .75rem; }
.opened figure { margin: .25rem 0; }
.pager { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin: .5rem 0 .75rem; }
.pager p { margin: 0 1rem 0 0; font-variant-numeric: tabular-nums; color: var(--quiet); font-size: .9rem; }

.cards .card { margin-bottom: 1.5rem; }
form.limit { align-items: flex-end; margin: .75rem 0; }
form.limit > div { display: flex; flex-direction: column; gap: .25rem; min-width: 0; }
form.limit .figure { flex: 1 1 20rem; max-width: 40rem; }
.card { border: 1px solid var(--line); border-top: 3px solid var(--ink); padding: 1rem 1.25rem 1.25rem; }
.card > header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem 1rem;
  align-items: baseline;
  padding: 0; }
.card h2, .card h3 { border: 0; margin: 0; padding: 0; font-size: 1.15rem; }
.card h3 { font-size: 1rem; margin-top: 1.25rem; }
.chips { display: flex; flex-wrap: wrap; gap: .4rem .5rem; margin: .25rem 0 1rem; }
.chips label { display: inline-flex; align-items: center; gap: .45rem; border: 1px solid var(--line);
  padding: .2rem .6rem;
  min-height: 2rem; border-radius: 1rem; cursor: pointer; overflow-wrap: anywhere; }
.chips label:has(:checked) { border-color: var(--fill); background: var(--soft); font-weight: 600; }
.chips label:has(:focus-visible) { outline: 3px solid var(--fill); outline-offset: 2px; }
.chips input:focus-visible { outline: none; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .9rem 1.5rem;
  margin: .75rem 0; }
.fields > div { display: flex; flex-direction: column; gap: .25rem; min-width: 0; }
.fields .wider { grid-column: 1 / -1; }
.holds { color: var(--good); font-weight: 600; white-space: nowrap; }
.fails { color: var(--bad); font-weight: 600; white-space: nowrap; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; margin: 1rem 0;
  padding: 0;
  list-style: none; }
.tiles li { border-top: 3px solid var(--line); padding: .5rem 0; max-width: none; display: flex;
  flex-direction: column; }
.tiles .figure { font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; font-weight: 600; }
.tiles .unit { font-size: .875rem; color: var(--quiet); line-height: 1.35; }
.tiles .unit, .compared dd { overflow-wrap: anywhere; min-width: 0; }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); margin: 0 0 1.25rem; }
.tabs button { border: 0; border-bottom: 3px solid transparent; border-radius: 0; background: none;
  padding: .35rem .8rem; }
.tabs button[aria-pressed=true] { border-bottom-color: var(--fill); font-weight: 600; }
.scenario { margin: 0 0 1rem; }
.report { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 0 3rem; }
.report section, .report > div { min-width: 0; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 2.5rem; }
#lost { position: fixed; inset: auto 1rem 1rem; max-width: 46rem; margin: 0 auto; z-index: 8;
  background: var(--paper);
  border: 2px solid var(--bad); padding: .75rem 1rem; display: flex; gap: 1rem; align-items: center; }
#lost[hidden] { display: none; }
#lost p { margin: 0; }
#shiny-disconnected-overlay { display: none; }

@media (max-width: 72rem) {
  nav ol a { grid-template-columns: 1fr; padding: .35rem .4rem .5rem; }
  nav ol .number { display: none; }
  nav ol .title { line-height: 1.35; }
  table.data th, table.data td { padding: .4rem .5rem; }
  .columns .name { min-width: 7rem; }
  .columns .proposal { flex-wrap: wrap; min-width: 10rem; gap: .25rem .5rem; }
}
@media (max-width: 56rem) {
  html { scroll-padding-top: 1rem; }
  header.frame { position: static; }
  main, .top, header.frame nav { padding-left: 1rem; padding-right: 1rem; }
  nav ol { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin: 0 0 .6rem; }
}
@media (max-width: 36rem) {
  nav ol .title { font-size: .9rem; overflow-wrap: anywhere; }
  table.data th, table.data td { padding: .35rem .5rem; }
  .card { padding: .75rem; }
}
@media print {
  header.frame { position: static; box-shadow: none; }
  header.frame nav, .tools, button, .pager { display: none; }
  .wide { max-height: none; overflow: visible; }
}
"""


def write_style() -> str:
    """Return the style sheet: light and dark as the system has it, or as the page was told.

    Examples
    --------
    >>> "data-look=dark" in write_style()
    True
    """
    light, dark = f"{LIGHT} {OWN_LIGHT}", f"color-scheme: dark; {DARK} {OWN_DARK}"
    colours = (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-look=light]) {{ {dark} }} }}\n"
        f":root[data-look=dark] {{ {dark} }}\n"
    )
    return colours + RULES + OWN + MASKING

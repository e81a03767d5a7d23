"""How the steps Protect, Compare and Release look, besides the style of the page."""

MASKING = """\
.sides { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
@media (min-width: 78rem) { .sides { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); } }
.flat > h2 { margin-top: 1rem; }
.line { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.what-it-does { margin: .5rem 0; max-width: 46rem; }
.worksteps { list-style: none; counter-reset: step; padding: 0; margin: 0; }
.worksteps > li { counter-increment: step; display: flex; flex-wrap: wrap; justify-content: space-between;
  align-items: center; gap: .35rem 1rem; padding: .55rem 0; border-bottom: 1px solid var(--line); max-width: none; }
.worksteps > li > .what { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
.worksteps > li > .what::before { content: counter(step) ". "; color: var(--quiet); }
.worksteps .more { display: block; color: var(--quiet); font-size: .875rem; }
.worksteps .problem { display: block; font-size: .875rem; }
.worksteps .tools { gap: .25rem; }
.worksteps .tools button { min-width: 2.25rem; padding: .15rem .5rem; }
.worksteps .off strong { text-decoration: line-through; color: var(--quiet); }
.worksteps .editing { background: var(--soft); box-shadow: -.5rem 0 0 var(--fill); }
.figures th, .figures td { padding-left: .4rem !important; padding-right: .4rem !important; }
.figures td:has(svg.gauge) { min-width: 208px; }
.figures .group { font-weight: 600 !important; padding-top: 1rem !important; background: none; }
.sides .wide { max-height: none; }
.figures tbody th { min-width: 11rem; white-space: normal; }
.figures .judged { display: inline-flex; flex-direction: column; align-items: flex-end; white-space: nowrap; }
.figures .judged .quiet { white-space: normal; overflow-wrap: anywhere; }
.figures .nolimit { font-weight: 400; color: var(--bad); padding-left: .75rem; }
@media (max-width: 40rem) {
  .figures tbody th { min-width: 7.5rem; }
  .figures th, .figures td { padding-left: .25rem !important; padding-right: .25rem !important; font-size: .82rem; }
  .figures .judged, .figures .judged .fails { white-space: normal; text-align: right; max-width: 5rem; }
  .figures .nolimit { display: block; padding-left: 0; max-width: calc(100vw - 4rem); }
}
.fields.one { grid-template-columns: minmax(0, 1fr); }
.fields input[type=text], .fields select { width: 100%; max-width: 24rem; }
fieldset { border: 0; margin: .75rem 0; padding: 0; min-width: 0; }
legend { font-weight: 600; font-size: .95rem; padding: 0; }
.breaks { margin-top: 1rem; }
@media (min-width: 40rem) { .form figure { margin-right: 9.25rem; } }
.cuts { list-style: none; padding: 0; margin: .5rem 0; }
.cuts li { display: grid; grid-template-columns: minmax(6rem, 1fr) 6rem 2.25rem; align-items: center; gap: .5rem;
  margin: .15rem 0; max-width: 53.25rem; }
.cuts input[type=text] { width: 6rem; }
.cuts input[type=range] { width: 100%; accent-color: var(--fill); min-height: 1.75rem; }
.cuts input[type=text] { text-align: right; font-variant-numeric: tabular-nums; }
.becomes tbody th { min-width: 6rem; overflow-wrap: anywhere; }
table.becomes th, table.becomes td { padding-left: .4rem; padding-right: .4rem; }
.becomes input[type=text] { width: 100%; min-width: 8rem; }
.becomes input.changed { border-color: var(--fill); border-width: 2px; font-weight: 600; }
.would { border-left: 1px solid var(--line); padding-left: 2rem; min-width: 0; }
.would h3 { margin-top: .5rem; }
.would .tools { margin: .75rem 0 1rem; }
.sample { display: inline-block; border: 2px dashed var(--ink); padding: 0 .5rem; margin-right: .25rem; }
.unready { padding-left: 1.1rem; color: var(--quiet); }
.kind { max-width: 40rem; }
.points { padding-left: 1.1rem; }
.verdict.open { background: var(--soft); }
.signs { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .9rem 1.5rem; }
.signs > div { display: flex; flex-direction: column; gap: .25rem; }
textarea { width: 100%; min-height: 4.5rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--quiet); padding: .4rem .6rem; }
pre.file { max-height: 28rem; overflow: auto; white-space: pre; tab-size: 2; }
section.release .fields { grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
section.release .fields input[type=text], section.release .fields select { max-width: 40rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 2.5rem; }
.report-list { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
@media (max-width: 77.9rem) { .would { border-left: 0; border-top: 1px solid var(--line); padding: 1rem 0 0; } }
"""

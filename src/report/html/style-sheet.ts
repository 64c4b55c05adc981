/**
 * The style of the page for light, dark, phone and print. `runningHeader` is on every printed page: our own text
 * without quotes.
 */
export function styleSheet(runningHeader: string): string {
  return `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --panel: #f6f8fa; --line: #d0d7de;
  --critical: #a40e26; --high: #b35900; --medium: #7d5e00; --low: #0a5ca8; --info: #57606a; --good: #116329; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b3; --paper: #0d1117; --panel: #161b22;
  --line: #30363d; --critical: #ff8f8f; --high: #f0a35e; --medium: #e3c04f; --low: #79b8ff; --info: #9da7b3;
  --good: #6fdd8b; --bad: #ff8f8f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: .5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.25rem 0 .25rem; font-weight: 600; }
p { margin: .25rem 0; }
code { font: .875em ui-monospace, monospace; }
.soft, .where { color: var(--soft); font-size: .875rem; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--paper); border: 2px solid currentColor; }
a { color: inherit; } a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--low); outline-offset: 2px; }
.verdict { padding: .75rem 1rem; border-left: .4rem solid var(--good); background: var(--panel); font-weight: 600; }
.verdict.bad { border-color: var(--bad); }
nav ul, ul.list { list-style: none; margin: 0; padding: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .75rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .75rem 0; }
dl.facts dt { color: var(--soft); } dl.facts dd { margin: 0; }
svg { display: block; width: 100%; height: 1.5rem; margin: .75rem 0 .25rem; }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .875rem; }
.key span::before { content: "\\25A0  "; }
.critical { color: var(--critical); fill: var(--critical); } .high { color: var(--high); fill: var(--high); }
.medium { color: var(--medium); fill: var(--medium); } .low { color: var(--low); fill: var(--low); }
.info { color: var(--info); fill: var(--info); } .good { color: var(--good); fill: var(--good); }
.bad { color: var(--bad); fill: var(--bad); } .verdict { color: var(--ink); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
ul.list > li { padding: .5rem 0 .5rem .75rem; border-left: .2rem solid var(--line); margin: .5rem 0; }
ul.columns { columns: 22rem; list-style: none; padding: 0; font-size: .9rem; }
.remediation { max-width: 46rem; }
del, ins { text-decoration: none; font: .875em ui-monospace, monospace; }
del::before { content: "\\2212  "; } ins::before { content: "+  "; } del { color: var(--bad); } ins { color: var(--good); }
.field { padding-left: 1rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) { body { padding: .5rem .75rem 3rem; } dl.facts { grid-template-columns: 1fr; } dl.facts dt { margin-top: .4rem; } }
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --panel: #fff; --line: #999; --critical: #800; --high: #723a00;
    --medium: #554000; --low: #003e78; --info: #444; --good: #0a4019; --bad: #800; }
  body { max-width: none; padding: 0; font-size: 10pt; } nav, .skip { display: none; } .wide { overflow: visible; }
  h2, h3, h4 { break-after: avoid; } li, tr, .field { break-inside: avoid; }
  .severity { break-before: page; } .severity:first-of-type { break-before: auto; }
  a[href^="http"]::after { content: " (" attr(href) ")"; }
  * { print-color-adjust: exact; }
}
@page { margin: 18mm 14mm; @top-left { content: "${runningHeader}"; font: 8pt system-ui, sans-serif; color: #444; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #444; } }
`
}

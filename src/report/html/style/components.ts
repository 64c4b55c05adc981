/** The components. Severity is an icon, a word and a colour; critical is the strongest mark in both schemes. */
export const components = `
.chip { display: inline-block; padding: 0 8px; border-radius: 4px; font-size: .8rem; line-height: 1.6; font-weight: 700; color: var(--mark);
  white-space: nowrap; text-decoration: none; border: 1px solid transparent; vertical-align: .1em; }
.chip.critical { background: var(--critical); color: var(--on-critical); } .chip.high { border: 2px solid; line-height: 1.45; }
.chip.medium { border-color: currentColor; } .chip.low, .chip.info { padding: 0; }
.chip::before, .figure::before { font-weight: 400; }
.chip.critical::before, .figure.critical::before { content: "\\25C6  " / ""; } .chip.high::before, .figure.high::before { content: "\\25B2  " / ""; }
.chip.medium::before, .figure.medium::before { content: "\\25CF  " / ""; } .chip.low::before { content: "\\25CB  " / ""; } .chip.info::before { content: "\\00B7  " / ""; }
.chip.met::before, .figure.met::before { content: "\\2713  " / ""; } .chip.not_met::before, .figure.not_met::before { content: "\\2717  " / ""; }
.chip.partially_assessed::before, .figure.partially_assessed::before { content: "\\25D0  " / ""; } .chip.not_assessed::before, .figure.not_assessed::before { content: "?  " / ""; }
.met { --mark: var(--good); } .not_met { --mark: var(--critical); } .partially_assessed, .not_assessed { --mark: var(--high); } .not_covered { --mark: var(--info); }
.chip.not_met { background: var(--critical); color: var(--on-critical); } .chip.met, .chip.partially_assessed, .chip.not_assessed { border-color: currentColor; }
.unscanned { border: 1px solid var(--high); padding: 8px 16px; margin: 8px 0 16px; }
.unscanned.unseen, .empty.unseen, .rows > .unseen { background-size: 16px 100%; background-repeat: no-repeat; padding-left: 32px; }
.unscanned ul { margin: 4px 0; padding-left: 20px; } .unscanned p, .unscanned li { max-width: none; }
.verdict { border: 1px solid var(--line); border-left: 6px solid var(--mark); background: var(--panel); padding: 12px 24px 16px; margin: 8px 0; }
.verdict.passed { --mark: var(--good); } .verdict.failed { --mark: var(--critical); } .verdict.unknown { --mark: var(--high); }
.verdict > p { font-size: 1.25rem; line-height: 1.4; max-width: none; }
.outcome { text-transform: uppercase; letter-spacing: .04em; margin-right: 8px; color: var(--mark); }
.outcome::before { content: "\\2717  " / ""; } .passed .outcome::before { content: "\\2713  " / ""; } .unknown .outcome::before { content: "?  " / ""; }
.numbers { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 8px 40px; list-style: none; margin: 12px 0; padding: 0; }
.figure { color: var(--mark); padding: 0 8px 0 0; } .figure.unseen { padding: 0 12px; }
.figure b { font-size: 1.9375rem; line-height: 1.3; } .figure .label { font-weight: 700; } .figure::before { font-size: 1.25rem; }
.figure .delta { display: block; color: var(--soft); font-size: .875rem; }
.figure.critical:not(.quiet, .unseen) { background: var(--critical); color: var(--on-critical); padding: 0 12px 4px; border-radius: 4px; }
.figure.critical:not(.quiet, .unseen) .delta { color: inherit; }
.figure.quiet { color: var(--soft); } .figure.quiet b { font-weight: 400; } .figure.quiet .label { font-weight: 400; }
.bar { display: block; width: 100%; height: 8px; margin: 8px 0; } .bar rect { fill: var(--mark); }
.trend { margin: 8px 0; } .trend p { max-width: none; }
.sparkline { display: inline-flex; align-items: center; gap: 8px; margin-left: 8px; vertical-align: middle; font-variant-numeric: tabular-nums; }
.sparkline svg { width: 320px; max-width: 60vw; height: 40px; } .sparkline polyline { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; } .sparkline circle { fill: var(--ink); }
.inline { display: flex; flex-wrap: wrap; gap: 4px 24px; list-style: none; margin: 8px 0 0; padding: 0; font-size: .875rem; color: var(--soft); }
.count { color: var(--soft); font-weight: 400; font-size: .875em; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin: 8px 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; }
.command { user-select: all; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 2px 8px; }
.empty { padding: 12px 16px; border: 1px dashed var(--line); max-width: none; }
details > summary { cursor: pointer; } details > summary > h3 { display: inline; line-height: 1.6; font-size: 1rem; }
.rule { margin: 12px 0; padding-bottom: 8px; } .more { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; } .rule > details > summary { padding: 4px 0; }
.remediation { max-width: 72ch; margin: 4px 0; } .remediation ol, .remediation ul { margin: 0; padding-left: 24px; }
.rows { list-style: none; margin: 8px 0; padding: 0; }
.rows > li { padding: 4px 0 4px 12px; border-left: 4px solid var(--mark, var(--line)); margin: 8px 0; }
.rows > li > p { max-width: none; } .rows > li:target { background: var(--panel); outline: 2px solid var(--link); }
.rows > [data-severity=info] { border-left-style: dotted; } .rows > [data-severity=low] { border-left-width: 2px; }
.added { --mark: var(--added); } .removed { --mark: var(--removed); } .modified { --mark: var(--modified); }
.rows > .removed { border-left-style: dashed; } .rows > .modified { border-left-style: double; border-left-width: 6px; } .change { color: var(--mark); }
aside .rows > li { display: flex; justify-content: space-between; gap: 12px; border: 0; padding: 0; margin: 4px 0; } aside h2 { font-size: 1.25rem; margin-top: 0; } aside a:not(:hover) { text-decoration: none; }
aside .chip { align-self: start; }
del, ins { text-decoration: none; } del { color: var(--removed); } ins { color: var(--added); }
del::before { content: "\\2212  " / ""; } ins::before { content: "+  " / ""; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; margin: 8px 0; }
th, td { padding: 4px 12px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th:first-child { padding-left: 0; } thead th { color: var(--soft); font-weight: 600; overflow-wrap: normal; } tbody th { font-weight: 600; min-width: 16ch; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } td b { color: var(--mark, inherit); } thead .n { width: 72px; }
.rows table { width: auto; min-width: 50%; } .rows tbody th { font-weight: 400; color: var(--soft); min-width: 18ch; }
.sign { display: grid; grid-template-columns: repeat(3, 1fr); gap: 40px; margin-top: 64px; } .sign p { border-top: 1px solid var(--ink); padding-top: 4px; font-size: .875rem; }
@media (max-width: 600px) {
  body { padding: 8px 16px 40px; } h1 { font-size: 1.5625rem; } h2 { font-size: 1.25rem; margin-top: 32px; } .verdict { padding: 8px 16px; } .numbers { gap: 4px 24px; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: 8px; } .sign { grid-template-columns: 1fr; }
  .cards, .cards tbody, .cards tr, .cards th, .cards td { display: block; width: 100%; } .cards thead { display: none; }
  .cards tr { border: 1px solid var(--line); border-radius: 4px; padding: 8px 12px; margin: 8px 0; }
  .cards th, .cards td { border: 0; padding: 2px 0; text-align: left; } .cards td { display: flex; gap: 12px; }
  .cards td::before { content: attr(data-label); flex: none; width: 88px; color: var(--soft); }
}
`

/** What could not be scanned, the verdict, and the numbers and lines under it. */
export const verdict = `
/* What was not scanned, hatched on the left. */
.unscanned { border: 1px solid var(--high); padding: 8px 16px; margin: 8px 0 16px; }
.unscanned.unseen, .empty.unseen, .rows > .unseen {
  background-size: 16px 100%;
  background-repeat: no-repeat;
  padding-left: 32px;
}
.unscanned ul { margin: 4px 0; padding-left: 20px; }
.unscanned p, .unscanned li { max-width: none; }

/* The verdict in words. */
.verdict {
  border: 1px solid var(--line);
  border-left: 6px solid var(--mark);
  background: var(--panel);
  padding: 12px 24px 16px;
  margin: 8px 0;
}
.verdict.passed { --mark: var(--good); }
.verdict.failed { --mark: var(--critical); }
.verdict.unknown { --mark: var(--high); }
.verdict > p { font-size: 1.25rem; line-height: 1.4; max-width: none; }
.outcome {
  text-transform: uppercase;
  letter-spacing: .04em;
  margin-right: 8px;
  color: var(--mark);
}
.outcome::before { content: "\\2717  " / ""; }
.passed .outcome::before { content: "\\2713  " / ""; }
.unknown .outcome::before { content: "?  " / ""; }

/* Large numbers with what changed. */
.numbers {
  display: flex;
  flex-wrap: wrap;
  align-items: flex-start;
  gap: 8px 40px;
  list-style: none;
  margin: 12px 0;
  padding: 0;
}
.figure { color: var(--mark); padding: 0 8px 0 0; }
.figure.unseen { padding: 0 12px; }
.figure b { font-size: 1.9375rem; line-height: 1.3; }
.figure .label { font-weight: 700; }
.figure::before { font-size: 1.25rem; }
.figure .delta { display: block; color: var(--soft); font-size: .875rem; }
.figure.critical:not(.quiet, .unseen) {
  background: var(--critical);
  color: var(--on-critical);
  padding: 0 12px 4px;
  border-radius: 4px;
}
.figure.critical:not(.quiet, .unseen) .delta { color: inherit; }
.figure.quiet { color: var(--soft); }
.figure.quiet b { font-weight: 400; }
.figure.quiet .label { font-weight: 400; }

/* Lines: severities, days, facts. */
.bar {
  display: block;
  width: 100%;
  height: 8px;
  margin: 8px 0;
}
.bar rect { fill: var(--mark); }
.trend { margin: 8px 0; }
.trend p { max-width: none; }
.sparkline {
  display: flex;
  align-items: center;
  gap: 12px;
  font-variant-numeric: tabular-nums;
}
.sparkline svg {
  flex: 1;
  min-width: 0;
  height: 56px;
  overflow: visible;
  fill: none;
  stroke: var(--ink);
  stroke-width: 2;
  stroke-linejoin: round;
}
.sparkline svg * { vector-effect: non-scaling-stroke; }
.sparkline .end { stroke-width: 7; stroke-linecap: round; }
.inline {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 24px;
  list-style: none;
  margin: 8px 0 0;
  padding: 0;
  font-size: .875rem;
  color: var(--soft);
}
`

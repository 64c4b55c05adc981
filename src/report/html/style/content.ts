/** What sections consist of: facts, folds, rows of findings and changes. */
export const content = `
/* Small things. */
.blank { display: none; }
.ago { white-space: nowrap; }
.count { color: var(--soft); font-weight: 400; font-size: 1rem; }
.facts {
  display: grid;
  grid-template-columns: max-content minmax(0, 1fr);
  gap: 4px 16px;
  margin: 8px 0;
}
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.command {
  user-select: all;
  background: var(--panel);
  border: 1px solid var(--line);
  border-radius: 4px;
  padding: 2px 8px;
}
.empty { padding: 12px 16px; border: 1px dashed var(--line); max-width: none; }

/* Folds and what to do about a rule. */
details > summary { cursor: pointer; }
details > summary > h3 { display: inline; line-height: 1.6; font-size: 1rem; }
.rule { margin: 12px 0; padding-bottom: 8px; }
.more {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 16px;
  align-items: baseline;
}
.rule > details > summary { padding: 4px 0; }
.remediation { max-width: 72ch; margin: 4px 0; }
.remediation ol, .remediation ul { margin: 0; padding-left: 24px; }

/* Rows, with the colour of their severity or change on the left. */
.rows { list-style: none; margin: 8px 0; padding: 0; }
.rows > li { padding: 4px 0 4px 12px; border-left: 4px solid var(--mark, var(--line)); margin: 8px 0; }
.rows > li > p { max-width: none; }
.rows > li:target { background: var(--panel); outline: 2px solid var(--link); }
.rows > [data-severity=info] { border-left-style: dotted; }
.rows > [data-severity=low] { border-left-width: 2px; }
.added { --mark: var(--added); }
.removed { --mark: var(--removed); }
.modified { --mark: var(--modified); }
.rows > .removed { border-left-style: dashed; }
.rows > .modified { border-left-style: double; border-left-width: 6px; }
.change { color: var(--mark); }

/* Evidence for a control: by rule, and what another control shows. */
.of-rule { margin: 12px 0; }
.of-rule > p, .elsewhere { max-width: none; }
.of-rule .rows { margin: 4px 0; }
.elsewhere {
  list-style: none;
  margin: 8px 0;
  padding: 0;
  font-size: .875rem;
}
.elsewhere > li { margin: 4px 0; }
.elsewhere .count { font-size: inherit; }

/* Next to the sections. */
aside .rows > li {
  display: flex;
  justify-content: space-between;
  gap: 12px;
  border: 0;
  padding: 0;
  margin: 4px 0;
}
aside h2 { font-size: 1.25rem; margin-top: 0; }
aside a:not(:hover) { text-decoration: none; }
aside .chip { align-self: start; }

/* Values before and after. */
del, ins { text-decoration: none; }
del { color: var(--removed); }
ins { color: var(--added); }
del::before { content: "\\2212  " / ""; }
ins::before { content: "+  " / ""; }
`

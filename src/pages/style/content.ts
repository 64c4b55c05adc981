/** What only served pages have in their sections. */
export const content = `
.summary { max-width: none; }

/* Where to go from here: before and after, apart from the rest. */
.pager, .pager ul {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 16px;
  align-items: baseline;
}
.pager { margin: 16px 0; max-width: none; }
.pager a + a, .pager li + li { border-left: 1px solid var(--field); padding-left: 16px; }
.pager [rel=prev]::before { content: "\\2190  " / ""; }
.pager [rel=next]::after { content: "  \\2192" / ""; }


/* Lines: a name and a number. */
.lines { list-style: none; margin: 8px 0; padding: 0; }
.lines li {
  display: flex;
  gap: 8px;
  align-items: baseline;
  padding: 4px 0;
  border-bottom: 1px solid var(--line);
}
.lines .n { margin-left: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 0 40px; }

/* Emphasised sentences, and commands. */
.lead {
  font-size: 1.25rem;
  line-height: 1.4;
  max-width: none;
  margin: 8px 0;
}
.note { border-left: 4px solid var(--line); padding: 4px 12px; margin: 16px 0; }
pre.command {
  overflow-x: auto;
  padding: 12px 16px;
  line-height: 1.5;
  white-space: pre-wrap;
}

/* Next to the sections. */
.served aside h2:not(:first-child) { margin-top: 24px; }
.served aside p { margin: 8px 0; }
.served aside .command { display: block; padding: 4px 8px; }
@media (min-width: 1024px) {
  aside .facts { grid-template-columns: 1fr; gap: 0; }
  aside .facts dd { margin-bottom: 8px; }
}
@media (max-width: 1023px) {
  .served aside { margin-top: 40px; }
}
.controls { padding-left: 20px; }

/* The form to log in. */
.login {
  max-width: 420px;
  padding: 16px;
  margin: 16px 0;
  background: var(--panel);
  border: 1px solid var(--line);
}
.login p { margin: 0 0 12px; }
.login p:last-child { margin: 0; }
.login input { width: 100%; background: var(--paper); }
.login button {
  background: var(--ink);
  color: var(--paper);
  border-color: var(--ink);
  padding: 4px 16px;
  cursor: pointer;
}
.fault { border-left: 4px solid; padding: 4px 12px; font-weight: 700; }

/* Lists and prose. */
.states > li { margin: 4px 0; }
.plain { list-style: none; padding: 0; margin: 4px 0; }
.prose { max-width: 72ch; }
.prose li { margin: 4px 0; }
[hidden] { display: none !important; }
`

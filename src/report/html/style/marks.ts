/** Severities and the states of controls: an icon, a word and a colour. Critical is the strongest mark in both schemes. */
export const marks = `
/* A chip: the word. */
.chip {
  display: inline-block;
  padding: 0 8px;
  border-radius: 4px;
  font-size: .8rem;
  line-height: 1.6;
  font-weight: 700;
  color: var(--mark);
  white-space: nowrap;
  text-decoration: none;
  border: 1px solid transparent;
  vertical-align: .1em;
}
.chip.critical { background: var(--critical); color: var(--on-critical); }
.chip.high { border: 2px solid; line-height: 1.45; }
.chip.medium { border-color: currentColor; }
.chip.low, .chip.info { padding: 0; }

/* The icons, which are not read out. */
.chip::before, .figure::before { font-weight: 400; }
.chip.critical::before, .figure.critical::before { content: "\\25C6  " / ""; }
.chip.high::before, .figure.high::before { content: "\\25B2  " / ""; }
.chip.medium::before, .figure.medium::before { content: "\\25CF  " / ""; }
.chip.low::before { content: "\\25CB  " / ""; }
.chip.info::before { content: "\\00B7  " / ""; }
.chip.met::before, .figure.met::before { content: "\\2713  " / ""; }
.chip.not_met::before, .figure.not_met::before { content: "\\2717  " / ""; }
.chip.partially_assessed::before, .figure.partially_assessed::before { content: "\\25D0  " / ""; }
.chip.not_assessed::before, .figure.not_assessed::before { content: "?  " / ""; }

/* States of controls. */
.met { --mark: var(--good); }
.not_met { --mark: var(--critical); }
.partially_assessed, .not_assessed { --mark: var(--high); }
.not_covered { --mark: var(--info); }
.chip.not_met { background: var(--critical); color: var(--on-critical); }
.chip.met, .chip.partially_assessed, .chip.not_assessed { border-color: currentColor; }
`

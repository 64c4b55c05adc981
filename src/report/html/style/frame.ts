/** The type and the frame of a page. */
export const frame = `
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body {
  margin: 0 auto;
  max-width: 1200px;
  padding: 16px 24px 64px;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere;
}

/* Type. */
h1 { font-size: 1.9375rem; line-height: 1.25; margin: 0 0 4px; }
h2 {
  font-size: 1.5625rem;
  line-height: 1.25;
  margin: 40px 0 12px;
  padding-bottom: 4px;
  border-bottom: 1px solid var(--line);
}
h3 { font-size: 1.25rem; line-height: 1.3; margin: 24px 0 8px; }
h4 { font-size: 1rem; margin: 16px 0 4px; }
p { margin: 4px 0; max-width: 72ch; }
code, del, ins { font: .875rem/1.4 ui-monospace, monospace; }
h1 code, h2 code, h3 code { font-size: inherit; }
a { color: var(--link); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus {
  left: 16px;
  top: 16px;
  padding: 8px 16px;
  background: var(--paper);
  border: 2px solid currentColor;
}

/* Quiet text. */
.meta, .soft, .where { color: var(--soft); font-size: .875rem; }
.meta { margin: 0 0 8px; max-width: none; }
.where { max-width: none; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.faint { color: var(--soft); }

/* The mark: the colour of a thing by its severity. */
.critical, [data-severity=critical] { --mark: var(--critical); }
.high, [data-severity=high] { --mark: var(--high); }
.medium, [data-severity=medium] { --mark: var(--medium); }
.low, [data-severity=low] { --mark: var(--low); }
.info, [data-severity=info] { --mark: var(--info); }
.unseen { background-image: repeating-linear-gradient(135deg, var(--hatch) 0 4px, transparent 4px 10px); }

/* Frame: navigation, footer, and a second column where there is room. */
nav ul { list-style: none; margin: 0; padding: 0; }
header nav ul {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 24px;
  margin-top: 16px;
  font-size: .875rem;
}
footer {
  margin-top: 64px;
  padding-top: 16px;
  border-top: 1px solid var(--line);
  font-size: .875rem;
}
footer p { max-width: none; }
footer .command { display: inline-block; }
footer a { white-space: nowrap; }
@media (min-width: 1024px) {
  .columns:has(aside) {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 320px;
    gap: 40px;
    align-items: start;
  }
  .columns aside {
    position: sticky;
    top: 0;
    max-height: 100vh;
    overflow-y: auto;
    padding: 40px 0 16px;
    font-size: .875rem;
  }
}
`

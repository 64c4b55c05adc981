/** Colours by meaning, for both schemes, with the type and the frame of a page. Text has a contrast of 4.5:1 or more. */
export const tokens = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #545b66; --paper: #fff; --panel: #f5f7f9; --line: #cfd6dd; --link: #1a5a96;
  --critical: #a3122d; --on-critical: #fff; --high: #9a3b00; --medium: #6b5900; --low: #2a5c8f; --info: #545b66;
  --added: #0a6b58; --removed: #8f1d3f; --modified: #5a4a9c; --good: #0a6b58; --bad: #a3122d; --hatch: #e3e7ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #aab2bd; --paper: #0f1318; --panel: #181d24; --line: #3a424d; --link: #9cc4ee;
  --critical: #ff8a9a; --on-critical: #1a0508; --high: #ffb27a; --medium: #e2cf6b; --low: #9cc4ee; --info: #aab2bd;
  --added: #6fd6bf; --removed: #ff9db4; --modified: #c0b3ff; --good: #6fd6bf; --bad: #ff8a9a; --hatch: #262d37; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 16px; }
body { margin: 0 auto; max-width: 1200px; padding: 16px 24px 64px; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9375rem; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 1.5625rem; line-height: 1.25; margin: 40px 0 12px; padding-bottom: 4px; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.25rem; line-height: 1.3; margin: 24px 0 8px; }
h4 { font-size: 1rem; margin: 16px 0 4px; }
p { margin: 4px 0; max-width: 72ch; }
code, del, ins { font: .875em/1.4 ui-monospace, monospace; }
a { color: var(--link); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 16px; top: 16px; padding: 8px 16px; background: var(--paper); border: 2px solid currentColor; }
.meta, .soft, .where { color: var(--soft); font-size: .875rem; }
.meta { margin: 0 0 8px; max-width: none; }
.where { max-width: none; }
.good { color: var(--good); } .bad { color: var(--bad); } .faint { color: var(--soft); }
.critical, [data-severity=critical] { --mark: var(--critical); } .high, [data-severity=high] { --mark: var(--high); }
.medium, [data-severity=medium] { --mark: var(--medium); } .low, [data-severity=low] { --mark: var(--low); }
.info, [data-severity=info] { --mark: var(--info); }
.unseen { background-image: repeating-linear-gradient(135deg, var(--hatch) 0 4px, transparent 4px 10px); }
nav ul { list-style: none; margin: 0; padding: 0; }
header nav ul { display: flex; flex-wrap: wrap; gap: 4px 24px; margin-top: 16px; font-size: .875rem; }
footer { margin-top: 64px; padding-top: 16px; border-top: 1px solid var(--line); font-size: .875rem; }
@media (min-width: 1024px) {
  .columns:has(aside) { display: grid; grid-template-columns: minmax(0, 1fr) 320px; gap: 40px; align-items: start; }
  .columns aside { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 40px 0 16px; font-size: .875rem; }
}
`

/**
 * Colours by meaning, for both schemes. On paper and panel, text has a contrast of 4.5:1 or more, and the border of a field
 * 3:1 or more.
 */
export const tokens = `
:root {
  color-scheme: light dark;
  --ink: #1b1f24;
  --soft: #545b66;
  --paper: #fff;
  --panel: #f5f7f9;
  --line: #cfd6dd;
  --field: #7d8794;
  --link: #1a5a96;
  --critical: #a3122d;
  --on-critical: #fff;
  --high: #9a3b00;
  --medium: #6b5900;
  --low: #2a5c8f;
  --info: #545b66;
  --added: #0a6b58;
  --removed: #8f1d3f;
  --modified: #5a4a9c;
  --good: #0a6b58;
  --bad: #a3122d;
  --hatch: #e3e7ec;
}

/* Dark. */
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3;
    --soft: #aab2bd;
    --paper: #0f1318;
    --panel: #181d24;
    --line: #3a424d;
    --field: #6b7683;
    --link: #9cc4ee;
    --critical: #ff8a9a;
    --on-critical: #1a0508;
    --high: #ffb27a;
    --medium: #e2cf6b;
    --low: #9cc4ee;
    --info: #aab2bd;
    --added: #6fd6bf;
    --removed: #ff9db4;
    --modified: #c0b3ff;
    --good: #6fd6bf;
    --bad: #ff8a9a;
    --hatch: #262d37;
  }
}
`

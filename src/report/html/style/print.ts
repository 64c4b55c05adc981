/** On paper: black on white, folds open, links with their address, no navigation; at the head what the page is. */
export const print = `
:root { --paper-title: attr(data-paper); }
@page {
  margin: 18mm 14mm;
  @top-left { content: var(--paper-title); font: 8pt system-ui, sans-serif; color: #444; }
  @top-right { content: "hookdrift"; font: 8pt system-ui, sans-serif; color: #444; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #444; }
}
@media print {
  :root {
    color-scheme: light;
    --ink: #000;
    --soft: #444;
    --paper: #fff;
    --panel: #fff;
    --line: #999;
    --field: #999;
    --link: #000;
    --critical: #800020;
    --on-critical: #fff;
    --high: #723a00;
    --medium: #554000;
    --low: #003e78;
    --info: #444;
    --added: #0a4019;
    --removed: #800020;
    --modified: #42337a;
    --good: #0a4019;
    --bad: #800020;
    --hatch: #ddd;
  }
  * { print-color-adjust: exact; }

  /* The frame. */
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  nav, .skip, .ago { display: none; }
  .columns:has(aside) { display: block; }
  .columns aside { position: static; max-height: none; padding: 0; }
  h2 { margin-top: 24px; }
  footer { margin-top: 24px; padding-top: 8px; }

  /* What stays together. */
  h2, h3, h4, summary, .of-rule > p { break-after: avoid; }
  .rows > li, .elsewhere > li, tr, .verdict, .unscanned, .sign { break-inside: avoid; }
  [aria-labelledby=origin] { break-inside: avoid; }
  footer { break-before: avoid; break-inside: avoid; }

  /* Folds are open. */
  details > summary { list-style: none; }
  .rest > summary { display: none; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }

  /* Links with their address, but for those to the gateway: one in each row would be most of the paper. */
  a:not([href^="http"]) { text-decoration: none; }
  a[href^="http"]::after { content: " (" attr(href) ")"; }
  .gateway { display: none; }

  /* Rows and tables are close. Names of rows break between words only; other columns have room for a word of ours. */
  .rows > li { padding: 0 0 0 8px; margin: 6px 0; }
  .control .rows > li > p { display: inline; }
  .control .rows > li > p + p::before { content: " · "; }
  [aria-labelledby=not_covered] .rows { columns: 2; }
  [aria-labelledby=not_covered] .rows > li { margin-top: 0; }
  th, td { padding: 2px 6px; }
  tbody th { overflow-wrap: break-word; min-width: 0; max-width: 26ch; }
  .rows tbody th { overflow-wrap: anywhere; max-width: none; }
  td:not(.n) { min-width: 14ch; }
  thead .n { width: 40px; }
  p { orphans: 2; widows: 2; }

  /* A line to fill in. */
  .blank { display: flex; gap: 8px; width: 100mm; margin-top: 16px; color: var(--ink); }
  .blank::after { content: ""; flex: 1; border-bottom: 1px solid var(--ink); }
}
`

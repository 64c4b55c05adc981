/** On paper: black on white, folds open, links with their address, no navigation. */
export function print(runningHeader: string): string {
  return `
@media print {
  :root {
    color-scheme: light;
    --ink: #000;
    --soft: #444;
    --paper: #fff;
    --panel: #fff;
    --line: #999;
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

  /* The frame. */
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; }
  nav, .skip { display: none; }
  .columns:has(aside) { display: block; }
  .columns aside { position: static; max-height: none; padding: 0; }

  /* What stays together. */
  h2 { margin-top: 24px; }
  h2, h3, h4, summary { break-after: avoid; }
  .rows > li, tr, .verdict, .unscanned, .sign { break-inside: avoid; }

  /* Folds are open. */
  details > summary { list-style: none; }
  .rest > summary { display: none; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }

  /* Links with their address. */
  a[href^="http"]::after { content: " (" attr(href) ")"; }
  * { print-color-adjust: exact; }
}

@page {
  margin: 18mm 14mm;
  @top-left { content: "${runningHeader}"; font: 8pt system-ui, sans-serif; color: #444; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #444; }
}
`
}

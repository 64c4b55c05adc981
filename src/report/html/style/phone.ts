/** Below 600 px: smaller headings, one column, and each row of a table a card. */
export const phone = `
@media (max-width: 600px) {
  body { padding: 8px 16px 40px; }
  h1 { font-size: 1.5625rem; }
  h2 { font-size: 1.25rem; margin-top: 32px; }
  .verdict { padding: 8px 16px; }
  .numbers { gap: 4px 24px; }
  .facts { grid-template-columns: 112px minmax(0, 1fr); }
  .sign { grid-template-columns: 1fr; }

  /* A row is a card: a line for each cell, but for numbers, which share a line. */
  .cards, .cards tbody, .cards th { display: block; width: 100%; }
  .cards thead { display: none; }
  .cards tr {
    display: flex;
    flex-wrap: wrap;
    gap: 0 16px;
    border: 1px solid var(--line);
    border-radius: 4px;
    padding: 8px 12px;
    margin: 8px 0;
  }
  .cards th, .cards td { border: 0; padding: 2px 0; text-align: left; }
  .cards td {
    display: grid;
    grid-template-columns: 88px minmax(0, 1fr);
    gap: 0 12px;
    width: 100%;
    min-width: 0;
  }
  .cards .n { display: flex; gap: 4px; width: auto; }
  .cards td::before { content: attr(data-label); color: var(--soft); }
}
`

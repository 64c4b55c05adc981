/** Tables, and the lines to sign at the end of one for an auditor. */
export const tables = `
table {
  border-collapse: collapse;
  width: 100%;
  font-size: .875rem;
  margin: 8px 0;
}
th, td {
  padding: 4px 12px;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}
th:first-child { padding-left: 0; }
thead th { color: var(--soft); font-weight: 600; overflow-wrap: normal; }
tbody th { font-weight: 600; min-width: 16ch; }
td:not(.n) { min-width: 12ch; }
.text { width: 32%; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td b { color: var(--mark, inherit); }
thead .n { width: 72px; }

/* Inside a row. */
.rows table { width: auto; min-width: 50%; }
.rows tbody th { font-weight: 400; color: var(--soft); min-width: 18ch; }

/* Lines to sign. */
.sign {
  display: grid;
  grid-template-columns: repeat(3, 1fr);
  gap: 40px;
  margin-top: 64px;
}
.sign p { border-top: 1px solid var(--ink); padding-top: 4px; font-size: .875rem; }
`

/** The head of a served page: menu, run and path. */
export const frame = `
.site {
  display: flex;
  flex-wrap: wrap;
  gap: 8px 24px;
  align-items: center;
  justify-content: space-between;
  border-bottom: 1px solid var(--line);
  padding-bottom: 8px;
}
.site nav ul { margin: 0; }
.site a[aria-current] {
  font-weight: 700;
  color: var(--ink);
  text-decoration: none;
  border-bottom: 2px solid;
}

/* As of which run. */
.as-of { font-size: .875rem; }

/* The path to the page. */
.crumbs ol {
  display: flex;
  flex-wrap: wrap;
  list-style: none;
  padding: 0;
  margin: 16px 0 0;
  font-size: .875rem;
}
.crumbs li:not(:last-child)::after { content: "/" / ""; padding: 0 8px; color: var(--soft); }
`

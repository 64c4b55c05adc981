/** The head of a served page: word mark, menu, run and path. */
export const frame = `
/* One line where there is room for it: word mark, menu, run. */
.site {
  display: flex;
  flex-wrap: wrap;
  gap: 8px 16px;
  align-items: center;
  border-bottom: 1px solid var(--line);
  padding-bottom: 8px;
  font-size: .875rem;
}
.word-mark { color: var(--ink); font-size: 1rem; font-weight: 700; text-decoration: none; }
.menu { flex: 1; }
.menu ul {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 12px;
  margin: 0;
}
.site a[aria-current] {
  font-weight: 700;
  color: var(--ink);
  text-decoration: none;
  border-bottom: 2px solid;
}
@media (min-width: 601px) {
  @supports selector(::details-content) {
    .menu > summary { display: none; }
    .menu::details-content {
      content-visibility: visible;
      display: block;
      block-size: auto;
    }
  }
}
@media (max-width: 1023px) {
  .menu { order: 1; flex: 1 0 100%; }
  .as-of { margin-left: auto; }
}

/* On a phone all of it is one line; the menu is a fold, its links as large as a thumb. */
@media (max-width: 600px) {
  .site { gap: 8px 12px; }
  .as-of input { width: 64px; }
  .menu { order: 0; flex: none; }
  .menu > summary { padding: 4px 0; }
  .menu[open] { order: 1; flex: 1 0 100%; }
  .menu ul { display: grid; grid-template-columns: 1fr 1fr; gap: 0 12px; }
  .menu a { display: inline-block; padding: 4px 0; }
}

/* As of which run. */
.as-of { display: flex; gap: 8px; align-items: center; }
.run-line { color: var(--soft); margin: 0; }
.past-run {
  flex: 1 0 100%;
  order: -1;
  max-width: none;
  margin: 0;
  padding: 8px 16px;
  border: 1px solid var(--modified);
  border-left-width: 6px;
  background: var(--panel);
  font-size: 1rem;
}

/* The path to the page, and the run. */
.path {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 24px;
  justify-content: space-between;
  margin: 12px 0;
  font-size: .875rem;
}
.crumbs ol {
  display: flex;
  flex-wrap: wrap;
  list-style: none;
  padding: 0;
  margin: 0;
}
.crumbs li:not(:last-child)::after { content: "/" / ""; padding: 0 8px; color: var(--soft); }
`

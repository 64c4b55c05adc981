/** Fields, filters and orders of lists. */
export const forms = `
input, select, button {
  font: inherit;
  color: inherit;
  background: var(--panel);
  border: 1px solid var(--field);
  border-radius: 4px;
  padding: 4px 8px;
  min-height: 32px;
  max-width: 100%;
}
::placeholder { color: var(--soft); opacity: 1; }

/* Headings and links in what the reports share. */
h1 { margin-top: 8px; }
.figure a { color: inherit; }
.inline a { color: inherit; }

/* Filters. */
.filters {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(152px, 1fr));
  gap: 8px 12px;
  align-items: end;
  padding: 12px 16px 16px;
  margin: 8px 0 16px;
  background: var(--panel);
  border: 1px solid var(--line);
  font-size: .875rem;
}
.filters.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 184px), 1fr)); }
.filters p { margin: 0; }
.filters label { color: var(--soft); }
.filters select, .filters input:not([type=checkbox]) {
  display: block;
  width: 100%;
  background: var(--paper);
}
.filters .check {
  min-height: 32px;
  display: flex;
  gap: 8px;
  align-items: center;
}
.filters input[type=checkbox] { min-height: 0; width: 16px; height: 16px; }
.filters button {
  justify-self: start;
  background: var(--ink);
  color: var(--paper);
  border-color: var(--ink);
  padding: 4px 16px;
  cursor: pointer;
}

/* A filter of one field, and filters behind a fold where there is no room. */
.quick {
  display: inline-flex;
  gap: 8px;
  align-items: center;
  margin: 8px 12px 8px 0;
  font-size: .875rem;
  color: var(--soft);
}
.filter-fold > summary { margin: 8px 0; }
@media (min-width: 640px) {
  @supports selector(::details-content) {
    .filter-fold > summary { display: none; }
    .filter-fold::details-content { content-visibility: visible; display: block; block-size: auto; }
  }
}

/* Orders. */
.orders {
  display: flex;
  flex-wrap: wrap;
  gap: 4px 16px;
  align-items: baseline;
  font-size: .875rem;
  color: var(--soft);
}
.orders ul { margin: 0; }
.orders a[aria-current] {
  font-weight: 700;
  color: var(--ink);
  text-decoration: none;
  border-bottom: 2px solid;
}
`

/** Violations in a list: what was found on the left; owner, age and due date in columns where there is room. */
export const findings = `
.title { font-weight: 600; text-decoration-thickness: 1px; }
.signs {
  display: flex;
  flex-wrap: wrap;
  gap: 0 16px;
  color: var(--soft);
  font-size: .875rem;
}
.signs span:empty { display: none; }
.findings { container-type: inline-size; }
@container (min-width: 800px) {
  .findings > li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 336px;
    column-gap: 24px;
  }
  .findings > li > p { grid-column: 1; }
  .findings > li > .signs {
    grid-column: 2;
    grid-row: 1 / span 3;
    display: grid;
    grid-template-columns: 120px 64px 136px;
    gap: 8px;
    align-content: start;
    padding-top: 4px;
  }
  .findings .signs span:empty { display: block; }
}

/* Filters that are asked for less often. */
.more-filters { grid-column: 1 / -1; align-self: start; padding-top: 4px; }
@media (min-width: 640px) {
  .more-filters { grid-column: 3 / -1; }
}
.more-filters > div {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(152px, 1fr));
  gap: 8px 12px;
  align-items: end;
  padding-top: 8px;
}
`

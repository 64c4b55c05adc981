/** On paper: no menu, no forms. */
export const paper = `
@media print {
  .site, .filter-fold, .filters, .quick, .crumbs { display: none; }
}
`

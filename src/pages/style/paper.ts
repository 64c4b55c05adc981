/** On paper: no menu, no forms, no places in lists. The head of every page says which run it is as of. */
export const paper = `
@media print {
  .site, .served form, .served .filter-fold { display: none; }
  .quick, .quick + [role=status], .orders { display: none; }
  .run-line, .past-run a, .pager, .served footer { display: none; }
  .path { margin: 0; }
}
`

import { styleSheet } from '../report/html/style-sheet.ts'

/** The style of the reports, with what only served pages have. */
export const style = `${styleSheet('hookdrift')}
.site { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between; border-bottom: 1px solid var(--line); padding-bottom: 8px; }
.site nav ul { margin: 0; } .site a[aria-current] { font-weight: 700; color: var(--ink); text-decoration: none; border-bottom: 2px solid; }
.as-of { font-size: .875rem; } .crumbs ol { display: flex; flex-wrap: wrap; list-style: none; padding: 0; margin: 16px 0 0; font-size: .875rem; }
.crumbs li:not(:last-child)::after { content: "/" / ""; padding: 0 8px; color: var(--soft); }
input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; min-height: 32px; max-width: 100%; }
.filters { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; margin: 16px 0; font-size: .875rem; } .filters label { display: grid; gap: 2px; color: var(--soft); } .filters input, .filters select { color: var(--ink); }
pre.command { display: block; white-space: pre-wrap; overflow-wrap: anywhere; padding: 12px 16px; font-size: .8rem; }
.pager { display: flex; flex-wrap: wrap; gap: 4px 24px; align-items: baseline; font-size: .875rem; margin: 16px 0; } .pager p { margin: 0; } .plain { list-style: none; padding: 0; margin: 4px 0; }
input[type=search] { width: 24ch; }
.prose { max-width: 72ch; } .prose li { margin: 4px 0; } [hidden] { display: none !important; }
@media print { .site, .filters, .crumbs { display: none; } }
`

import { styleSheet } from '../report/html/style-sheet.ts'

/** The style of the reports, with what only served pages have. */
export const style = `${styleSheet('hookdrift')}
.site { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between; border-bottom: 1px solid var(--line); padding-bottom: 8px; }
.site nav ul { margin: 0; } .site a[aria-current] { font-weight: 700; color: var(--ink); text-decoration: none; border-bottom: 2px solid; }
.as-of { font-size: .875rem; } .crumbs ol { display: flex; flex-wrap: wrap; list-style: none; padding: 0; margin: 16px 0 0; font-size: .875rem; }
.crumbs li:not(:last-child)::after { content: "/" / ""; padding: 0 8px; color: var(--soft); }
input, select, button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; min-height: 32px; max-width: 100%; }
h1 { margin-top: 8px; } .figure a { color: inherit; } .inline a { color: inherit; }
.filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(152px, 1fr)); gap: 8px 12px; align-items: end; padding: 12px 16px 16px; margin: 8px 0 16px; background: var(--panel); border: 1px solid var(--line); font-size: .875rem; }
.filters.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 184px), 1fr)); } .filters p { margin: 0; } .filters label { color: var(--soft); } .filters select, .filters input:not([type=checkbox]) { display: block; width: 100%; background: var(--paper); }
.filters .check { min-height: 32px; display: flex; gap: 8px; align-items: center; } .filters input[type=checkbox] { min-height: 0; width: 16px; height: 16px; } .filters button { justify-self: start; background: var(--ink); color: var(--paper); border-color: var(--ink); padding: 4px 16px; cursor: pointer; }
.quick { display: inline-flex; gap: 8px; align-items: center; margin: 8px 12px 8px 0; font-size: .875rem; color: var(--soft); }
.filter-fold > summary { margin: 8px 0; } @media (min-width: 640px) { @supports selector(::details-content) { .filter-fold > summary { display: none; } .filter-fold::details-content { content-visibility: visible; display: block; block-size: auto; } } }
.orders { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; font-size: .875rem; color: var(--soft); } .orders ul { margin: 0; } .orders a[aria-current] { font-weight: 700; color: var(--ink); text-decoration: none; border-bottom: 2px solid; }
.summary { max-width: none; } .pager ul { display: flex; gap: 24px; margin: 16px 0; }
.lines { list-style: none; margin: 8px 0; padding: 0; } .lines li { display: flex; gap: 8px; align-items: baseline; padding: 4px 0; border-bottom: 1px solid var(--line); } .lines .n { margin-left: auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 0 40px; }
.lead { font-size: 1.25rem; line-height: 1.4; max-width: none; margin: 8px 0; } .note { border-left: 4px solid var(--line); padding: 4px 12px; margin: 16px 0; }
pre.command { overflow-x: auto; padding: 12px 16px; font: .8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; }
.served aside h2:not(:first-child) { margin-top: 24px; } .served aside p { margin: 8px 0; } .served aside .command { display: block; padding: 4px 8px; } aside .facts { grid-template-columns: 1fr; gap: 0; } aside .facts dd { margin-bottom: 8px; } .controls { padding-left: 20px; }
.login { max-width: 420px; padding: 16px; margin: 16px 0; background: var(--panel); border: 1px solid var(--line); } .login p { margin: 0 0 12px; } .login p:last-child { margin: 0; } .login input { width: 100%; background: var(--paper); } .login button { background: var(--ink); color: var(--paper); border-color: var(--ink); padding: 4px 16px; cursor: pointer; } .fault { border-left: 4px solid; padding: 4px 12px; font-weight: 700; }
.states > li { margin: 4px 0; }
.plain { list-style: none; padding: 0; margin: 4px 0; } .prose { max-width: 72ch; } .prose li { margin: 4px 0; } [hidden] { display: none !important; }
@media print { .site, .filter-fold, .filters, .quick, .crumbs { display: none; } }
`

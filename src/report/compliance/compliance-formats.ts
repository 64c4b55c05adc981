import { asHtml, asSections } from '../document/html.ts'
import { asMarkdown } from '../document/markdown.ts'
import { asTerminal } from '../document/terminal.ts'
import { html } from '../html/markup.ts'
import { renderPage } from '../html/render-page.ts'
import { complianceDocument } from './compliance-document.ts'
import type { ComplianceFormat } from './compliance-format.ts'

/** For people at a terminal. */
export const complianceText: ComplianceFormat = (compliance, render) =>
  asTerminal(complianceDocument(compliance), render)

/** For a pull request or a wiki. */
export const complianceMarkdown: ComplianceFormat = (compliance) => {
  const { run, framework } = compliance
  const all = `\`hookdrift report --run ${run.number} --framework ${framework} --format json\` shows all`
  return asMarkdown(complianceDocument(compliance), all)
}

/** A document for an auditor, to read, to print and to sign. */
export const complianceHtml: ComplianceFormat = (compliance) => {
  const { title, about, verdict, sections } = complianceDocument(compliance)
  const { name, version } = compliance.tool
  return renderPage({
    title,
    heading: html`<p class="meta">Evidence from webhook configuration by ${name} ${version}</p>
<h1>${compliance.title}</h1>
${asHtml(about)}`,
    verdict: asHtml([verdict]),
    sections: asSections(sections),
    footer: html``,
  })
}

import { asMarkdown } from './document/markdown.ts'
import { reportDocument } from './report-document.ts'
import type { ReportFormat } from './report-format.ts'

/** For a pull request or a chat: counts first, then the most severe, cut to the size of a comment. */
export const markdown: ReportFormat = (report) => {
  const all = `\`hookdrift report --run ${report.run.number} --format json\` shows all`
  return asMarkdown(reportDocument(report, { full: true, locating: null }), all)
}

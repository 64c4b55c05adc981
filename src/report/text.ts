import { asTerminal } from './document/terminal.ts'
import { reportDocument } from './report-document.ts'
import type { ReportFormat } from './report-format.ts'

/** For people at a terminal. */
export const text: ReportFormat = (report, render) => asTerminal(reportDocument(report, render), render)

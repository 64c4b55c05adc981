import type { Verdict } from '../model/report.ts'
import { wrapProse } from '../text/columns.ts'
import { neutralise } from '../text/neutralise.ts'
import type { ReportFormat } from './report-format.ts'
import { openPage, type TextPage } from './text/page.ts'
import { showCoverage, showNotices } from './text/show-coverage.ts'
import { showDrift } from './text/show-drift.ts'
import { showViolations } from './text/show-violations.ts'

/** For people at a terminal: coverage, notices, drift, violations and the verdict. */
export const text: ReportFormat = (report, render) => {
  const page = openPage(report, render)
  const lines = [
    ...showCoverage(report, page),
    ...showNotices(report.notices, page),
    ...showDrift(report.drift, page),
    ...showViolations(report.violations, report.verdict, page),
    ...showVerdict(report.verdict, page),
  ]
  return `${lines.join('\n')}\n`
}

function showVerdict({ text, exit_code }: Verdict, page: TextPage): string[] {
  const style = exit_code === 0 ? 'good' : 'alarm'
  const lines = wrapProse(`${neutralise(text)} Exit code ${exit_code}.`, page.width)
  return ['', ...lines.map((line) => page.paint(style, line))]
}

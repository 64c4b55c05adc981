import { neutraliseJson } from '../text/neutralise.ts'
import { gapsOf } from './gaps.ts'
import { findingOfGap, findingOfViolation, readOcsfContext } from './ocsf/findings.ts'
import type { ReportFormat } from './report-format.ts'

/** OCSF compliance findings, for a SIEM: a line for each incomplete walk, then one for each violation. */
export const ocsf: ReportFormat = (report) => {
  const context = readOcsfContext(report)
  const findings = [
    ...gapsOf(report.coverage).map((walk) => findingOfGap(walk, context)),
    ...report.violations.map((violation) => findingOfViolation(violation, context)),
  ]
  return findings.map((finding) => `${neutraliseJson(JSON.stringify(finding))}\n`).join('')
}

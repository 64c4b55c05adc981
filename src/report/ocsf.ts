import { neutraliseJson } from '../text/neutralise.ts'
import { gapsOf } from './gaps.ts'
import { findingOfGap, findingOfViolation, readOcsfContext } from './ocsf/findings.ts'
import type { ReportFormat } from './report-format.ts'

/** OCSF compliance findings, for a SIEM: a line for each violation, before them one for each walk that was not complete. */
export const ocsf: ReportFormat = (report) => {
  const surroundings = readOcsfContext(report)
  const findings = [
    ...gapsOf(report.coverage).map((walk) => findingOfGap(walk, surroundings)),
    ...report.violations.map((violation) => findingOfViolation(violation, surroundings)),
  ]
  return findings.map((finding) => `${neutraliseJson(JSON.stringify(finding))}\n`).join('')
}

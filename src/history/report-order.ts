import { severities } from '../model/violation.ts'
import type { RecordedViolation } from './history.ts'

/** Standing before resolved; then by severity, project, kind, uid, rule, path. */
export function inReportOrder(a: RecordedViolation, b: RecordedViolation): number {
  return (
    Number(a.state === 'resolved') - Number(b.state === 'resolved') ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compareText(a.project, b.project) ||
    compareText(a.kind, b.kind) ||
    compareText(a.uid, b.uid) ||
    compareText(a.rule, b.rule) ||
    compareText(a.path, b.path)
  )
}

/** By UTF-16 code units, as SQLite and canonical JSON do. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

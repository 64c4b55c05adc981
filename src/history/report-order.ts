import { severities } from '../model/violation.ts'
import type { RecordedViolation, RunRecord } from './records.ts'

type InProject = Pick<RunRecord['changes'][number], 'project' | 'kind' | 'uid'>

/** By project, kind, uid. */
export function inResourceOrder(a: InProject, b: InProject): number {
  return compareText(a.project, b.project) || compareText(a.kind, b.kind) || compareText(a.uid, b.uid)
}

type InReport = Pick<RecordedViolation, 'state' | 'severity' | 'project' | 'kind' | 'uid' | 'rule' | 'path'>

/** Active before resolved; then by severity, new before known, project, kind, uid, rule, path. */
export function inReportOrder(a: InReport, b: InReport): number {
  return (
    Number(a.state === 'resolved') - Number(b.state === 'resolved') ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    Number(b.state === 'opened') - Number(a.state === 'opened') ||
    compareText(a.project, b.project) ||
    compareText(a.kind, b.kind) ||
    compareText(a.uid, b.uid) ||
    compareText(a.rule, b.rule) ||
    compareText(a.path, b.path)
  )
}

/** Active ones in the order of reports, then resolved ones, the latest first. `run`: which resolved it. */
export function inListOrder(a: InList, b: InList): number {
  return (a.state === 'resolved' && b.state === 'resolved' ? b.run - a.run : 0) || inReportOrder(a, b)
}

type InList = InReport & { readonly run: number }

/** By UTF-16 code units, as canonical JSON. SQLite compares code points, so lists are sorted here. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function byKindAndUid(a: { kind: string; uid: string }, b: { kind: string; uid: string }): number {
  return compareText(a.kind, b.kind) || compareText(a.uid, b.uid)
}

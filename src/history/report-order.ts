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

type InGroups = Pick<RecordedViolation, 'state' | 'severity' | 'project'> & { readonly run: number }

/** Groups by their first violations: active ones in the order of reports, then resolved ones, the latest first. */
export function inGroupOrder(a: InGroups, b: InGroups): number {
  const isResolved = a.state === 'resolved'
  return (
    Number(isResolved) - Number(b.state === 'resolved') ||
    (isResolved ? b.run - a.run : 0) ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    Number(b.state === 'opened') - Number(a.state === 'opened') ||
    compareText(a.project, b.project)
  )
}

/** By UTF-16 code units, as canonical JSON. SQLite compares code points, so lists are sorted here. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** As databases compare: by the bytes of UTF-8, which are in the order of code points. */
export function byCodePoint(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at === most ? a.length - b.length : rankOf(a.charCodeAt(at)) - rankOf(b.charCodeAt(at))
}

/** The units of pairs come after all others. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

export function byKindAndUid(a: { kind: string; uid: string }, b: { kind: string; uid: string }): number {
  return compareText(a.kind, b.kind) || compareText(a.uid, b.uid)
}

import type { Compliance, ControlEvidence, Exemption, ExpectedChange } from '../../compliance/compliance.ts'
import type { Waiver } from '../../model/violation.ts'
import { type Cell, csvTable } from '../csv-table.ts'
import { type ComplianceFormat, isExempted } from './compliance-format.ts'
import { describeSource } from './describe-exemption.ts'

/**
 * A row for each violation of each control and for each exemption; a control without any has one row. The section
 * `drift` has the changes within change windows.
 */
export const complianceCsv: ComplianceFormat = (compliance, { section }) =>
  section === 'drift'
    ? csvTable([...expectedColumns], compliance.expected_changes.map(expectedCells))
    : csvTable(
        [...controlColumns, ...violationColumns, ...exemptionColumns, ...reportColumns],
        compliance.controls.flatMap((control) => rowsOf(compliance.framework, control, reportCells(compliance))),
      )

const expectedColumns = [
  ...(['window', 'ticket', 'run', 'project', 'kind', 'uid', 'name', 'change'] as const),
  ...(['between_after', 'between_before'] as const),
]

function expectedCells({ between, ...expected }: ExpectedChange): Cell[] {
  const { window, ticket, run, project, kind, uid, name, change } = expected
  return [window, ticket, run, project, kind, uid, name, change, between.after, between.before]
}

const controlColumns = [
  ...(['framework', 'control', 'title', 'state', 'reason', 'rules', 'evaluated', 'waivers'] as const),
  ...(['walks', 'walks_complete', 'pages', 'items'] as const),
]

const violationColumns = [
  ...(['fingerprint', 'rule', 'severity', 'violation_state', 'project', 'kind', 'uid', 'name', 'path'] as const),
  ...(['message', 'first_seen', 'last_seen', 'resolved_at', 'open_ms'] as const),
  ...(['waiver_owner', 'waiver_reason', 'waiver_expires', 'waiver_ticket'] as const),
  ...(['accepted_by', 'accepted_reason', 'accepted_at'] as const),
]

const exemptionColumns = [
  ...(['resolution', 'exemption', 'exemption_by', 'exemption_reason', 'exemption_at', 'exemption_until'] as const),
  ...(['exemption_source'] as const),
]

const reportColumns = [
  ...(['exemptions', 'observations', 'evidence_from', 'evidence_to', 'evidence_share'] as const),
  ...(['projects_scanned', 'projects_known'] as const),
]

type ReportCells = (control: ControlEvidence) => Cell[]

function reportCells({ coverage_of_fleet: { scanned, known } }: Compliance): ReportCells {
  return ({ exemptions, observations, evidence }) => [
    exemptions.length,
    observations,
    evidence?.from ?? null,
    evidence?.to ?? null,
    evidence?.share ?? null,
    scanned,
    known,
  ]
}

function rowsOf(framework: string, control: ControlEvidence, cellsOf: ReportCells): Cell[][] {
  const { id, title, state, reason, rules, violations, waivers, accepted, exemptions, coverage } = control
  const evaluated = Math.max(0, ...rules.map((rule) => rule.evaluated))
  const { walks, complete, pages, items } = coverage
  const head = [
    framework,
    id,
    title,
    state,
    reason,
    rules.length,
    evaluated,
    waivers.length,
    walks,
    complete,
    pages,
    items,
  ]
  const tail = cellsOf(control)
  // A violation may have several, such as a waiver that an acceptance followed: those that are over have rows of their own.
  const remaining = Map.groupBy(exemptions, ({ fingerprint, kind }) => `${fingerprint} ${kind}`)
  const violationRows = violations.map((violation): Cell[] => {
    const state = isExempted(violation) ? 'exempted' : violation.state
    const kind = violation.waiver === undefined ? violation.ended_by?.kind : 'waiver'
    const exemption = remaining.get(`${violation.fingerprint} ${kind}`)?.pop()
    return [
      ...[violation.fingerprint, violation.rule, violation.severity, state],
      ...[violation.project, violation.kind, violation.uid, violation.name, violation.path, violation.message],
      ...[violation.first_seen, violation.last_seen, violation.resolved_at ?? null, violation.open_ms],
      ...waiverCells(violation.waiver),
      ...[null, null, null, violation.resolution],
      ...exemptionCells(exemption),
    ]
  })
  const acceptedRows = accepted.map((acceptance): Cell[] => {
    const { fingerprint, rule, severity, project, kind, uid, name, path, message, by, reason: why, at } = acceptance
    const exemption = remaining.get(`${fingerprint} acceptance`)?.pop()
    return [
      ...[fingerprint, rule, severity, 'accepted', project, kind, uid, name, path, message],
      ...[null, null, null, null, ...waiverCells(), by, why, at, null],
      ...exemptionCells(exemption),
    ]
  })
  const others = [...remaining.values()].flat().map((exemption): Cell[] => {
    const { project = null, kind = null, uid = null, name = null, severity = null } = exemption.resource ?? {}
    const said = exemption.resource?.message ?? exemption.match
    return [
      ...[exemption.fingerprint, exemption.rule, severity, 'exempted', project, kind, uid, name],
      ...[null, said, null, null, null, null, ...waiverCells(), null, null, null, null],
      ...exemptionCells(exemption),
    ]
  })
  const rows = [...violationRows, ...acceptedRows, ...others]
  const empty = [...violationColumns, ...exemptionColumns].map(() => null)
  return (rows.length === 0 ? [empty] : rows).map((row) => [...head, ...row, ...tail])
}

function waiverCells({ owner, reason, expires, ticket }: Partial<Waiver> = {}): Cell[] {
  return [owner, reason, expires, ticket].map((cell) => cell ?? null)
}

function exemptionCells(exemption: Exemption | undefined): Cell[] {
  if (exemption === undefined) return [null, null, null, null, null, null]
  const { kind, by, reason, at, until } = exemption
  return [kind, by, reason, at, until, describeSource(exemption) || null]
}

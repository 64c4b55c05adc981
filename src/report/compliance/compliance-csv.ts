import { type Cell, csvTable } from '../csv-table.ts'
import type { Compliance, ControlEvidence, Exemption } from './compliance.ts'
import { type ComplianceFormat, isExempted } from './compliance-format.ts'
import { describeSource } from './describe-exemption.ts'

/**
 * A row for each violation of each control and for each exemption; a control without any has one row. The section
 * `drift` has the changes within change windows.
 */
export const complianceCsv: ComplianceFormat = (compliance, { section }) => {
  if (section !== 'drift') {
    return tableOf(
      controlColumns,
      compliance.controls.flatMap((control) => rowsOf(control, compliance)),
    )
  }
  const rows = compliance.expected_changes.map(({ between: { after, before }, ...change }) => {
    return { ...change, between_after: after, between_before: before }
  })
  return tableOf(expectedColumns, rows)
}

/** A cell without a value is empty. */
type Row<Column extends string> = Readonly<Partial<Record<Column, Cell | undefined>>>

function tableOf<Column extends string>(columns: readonly Column[], rows: readonly Row<Column>[]): string {
  return csvTable(
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
  )
}

const expectedColumns = [
  ...(['window', 'ticket', 'run', 'project', 'kind', 'uid', 'name', 'change'] as const),
  ...(['between_after', 'between_before'] as const),
]

const controlColumns = [
  ...(['framework', 'control', 'title', 'state', 'reason', 'rules', 'evaluated', 'waivers'] as const),
  ...(['walks', 'walks_complete', 'pages', 'items'] as const),
  ...(['fingerprint', 'rule', 'severity', 'violation_state', 'project', 'kind', 'uid', 'name', 'path'] as const),
  ...(['message', 'first_seen', 'last_seen', 'resolved_at', 'open_ms'] as const),
  ...(['waiver_owner', 'waiver_reason', 'waiver_expires', 'waiver_ticket'] as const),
  ...(['accepted_by', 'accepted_reason', 'accepted_at'] as const),
  ...(['resolution', 'exemption', 'exemption_by', 'exemption_reason', 'exemption_at', 'exemption_until'] as const),
  ...(['exemption_source', 'exemptions', 'observations', 'evidence_from', 'evidence_to', 'evidence_share'] as const),
  ...(['projects_scanned', 'projects_known'] as const),
]

type ControlRow = Row<(typeof controlColumns)[number]>

function rowsOf(control: ControlEvidence, { framework, coverage_of_fleet: fleet }: Compliance): ControlRow[] {
  const { violations, accepted, exemptions, coverage, evidence } = control
  const ofControl: ControlRow = {
    framework,
    control: control.id,
    title: control.title,
    state: control.state,
    reason: control.reason,
    rules: control.rules.length,
    evaluated: Math.max(0, ...control.rules.map((rule) => rule.evaluated)),
    waivers: control.waivers.length,
    walks: coverage.walks,
    walks_complete: coverage.complete,
    pages: coverage.pages,
    items: coverage.items,
    exemptions: exemptions.length,
    observations: control.observations,
    evidence_from: evidence?.from,
    evidence_to: evidence?.to,
    evidence_share: evidence?.share,
    projects_scanned: fleet.scanned,
    projects_known: fleet.known,
  }
  // A violation may have several, such as a waiver that an acceptance followed: those that are over have rows of their own.
  const remaining = Map.groupBy(exemptions, ({ fingerprint, kind }) => `${fingerprint} ${kind}`)
  const rows: ControlRow[] = [
    ...violations.map(({ waiver, ...violation }) => ({
      ...violation,
      violation_state: isExempted(violation) ? 'exempted' : violation.state,
      waiver_owner: waiver?.owner,
      waiver_reason: waiver?.reason,
      waiver_expires: waiver?.expires,
      waiver_ticket: waiver?.ticket,
      ...exemptionCells(
        remaining.get(`${violation.fingerprint} ${waiver === undefined ? violation.ended_by?.kind : 'waiver'}`)?.pop(),
      ),
    })),
    ...accepted.map((acceptance) => ({
      ...acceptance,
      violation_state: 'accepted',
      accepted_by: acceptance.by,
      accepted_reason: acceptance.reason,
      accepted_at: acceptance.at,
      ...exemptionCells(remaining.get(`${acceptance.fingerprint} acceptance`)?.pop()),
    })),
  ]
  const others = [...remaining.values()].flat().map((exemption) => ({
    ...exemption.resource,
    fingerprint: exemption.fingerprint,
    rule: exemption.rule,
    violation_state: 'exempted',
    message: exemption.resource?.message ?? exemption.match,
    ...exemptionCells(exemption),
  }))
  const all = [...rows, ...others]
  return (all.length === 0 ? [{}] : all).map((row) => ({ ...row, ...ofControl }))
}

function exemptionCells(exemption: Exemption | undefined) {
  if (exemption === undefined) return {}
  const { kind, by, reason, at, until } = exemption
  return {
    exemption: kind,
    exemption_by: by,
    exemption_reason: reason,
    exemption_at: at,
    exemption_until: until,
    exemption_source: describeSource(exemption),
  }
}

import type { ControlEvidence } from '../../compliance/compliance.ts'
import type { Waiver } from '../../model/violation.ts'
import { type Cell, csvTable } from '../csv/csv-table.ts'
import type { ComplianceFormat } from './compliance-format.ts'

/** A row for each violation of each control, accepted ones included; a control without any has one row. */
export const complianceCsv: ComplianceFormat = ({ framework, controls, replayed_with: replayed }) =>
  csvTable(
    [...controlColumns, ...violationColumns, 'replayed_with'],
    controls.flatMap((control) => rowsOf(framework, control).map((row) => [...row, replayed?.policy ?? null])),
  )

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

function rowsOf(framework: string, control: ControlEvidence): Cell[][] {
  const { id, title, state, reason, rules, violations, waivers, accepted, coverage } = control
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
  if (violations.length + accepted.length === 0) return [[...head, ...violationColumns.map(() => null)]]
  const acceptedRows = accepted.map(
    ({ fingerprint, rule, severity, project, kind, uid, name, path, ...acceptance }) => [
      ...head,
      ...[fingerprint, rule, severity, 'accepted', project, kind, uid, name, path, acceptance.message],
      ...[null, null, null, null, ...waiverCells()],
      ...[acceptance.by, acceptance.reason, acceptance.at],
    ],
  )
  const violationRows = violations.map((violation) => [
    ...head,
    ...[violation.fingerprint, violation.rule, violation.severity, violation.state, violation.project],
    ...[violation.kind, violation.uid, violation.name, violation.path, violation.message],
    ...[violation.first_seen, violation.last_seen, violation.resolved_at ?? null, violation.open_ms],
    ...waiverCells(violation.waiver),
    ...[null, null, null],
  ])
  return [...violationRows, ...acceptedRows]
}

function waiverCells({ owner, reason, expires, ticket }: Partial<Waiver> = {}): Cell[] {
  return [owner, reason, expires, ticket].map((cell) => cell ?? null)
}

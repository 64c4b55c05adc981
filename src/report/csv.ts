import { displayJson } from '../model/exact-number.ts'
import { gapsOfRule, isSilenced } from '../model/gap.ts'
import type { Json } from '../model/json.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import type { AcceptedViolation, ViolationState } from '../model/violation.ts'
import { type Cell, csvTable } from './csv-table.ts'
import { describeEnding } from './describe-ending.ts'
import { describeNotes, notesNamed } from './describe-notes.ts'
import { countEvaluated, rulesOf } from './evaluated-rules.ts'
import { gapsFor, isUnseen } from './gaps.ts'
import { remediationFor } from './remediation-for.ts'
import type { CsvSection, ReportFormat } from './report-format.ts'

/** CSV, for spreadsheets: one section of the report, the violations unless specified. */
export const csv: ReportFormat = (report, { section = 'violations' }) => csvSections[section](report)

/** The tables of a report. Members of the JSON report are columns of the same name. */
export const csvSections = {
  violations: (report) => {
    const remediations = new Map(rulesOf(report).map(({ id, remediation }) => [id, remediation]))
    const remediationOf = (violation: Omit<ReportViolation, 'waiver'>) => {
      const text = remediations.get(violation.rule)
      return text === undefined ? null : remediationFor(text, [violation])
    }
    return csvTable(
      [...violationColumns, 'waiver_owner', 'waiver_reason', 'waiver_expires', 'waiver_ticket', 'remediation'],
      report.violations.map(({ waiver, ...violation }) => [
        ...violationColumns.map((column) =>
          column === 'ended_by' ? violation.ended_by && describeEnding(violation) : violation[column],
        ),
        ...[waiver?.owner, waiver?.reason, waiver?.expires, waiver?.ticket].map((cell) => cell ?? null),
        remediationOf(violation),
      ]),
    )
  },

  /** What people accepted: who, when and why. */
  accepted: ({ accepted }) =>
    csvTable(
      acceptedColumns,
      accepted.map((acceptance) => acceptedColumns.map((column) => acceptance[column])),
    ),

  /** A row for each field; one for what was added or removed. */
  drift: ({ drift, notes }) =>
    csvTable(
      [
        'project',
        'kind',
        'uid',
        'name',
        'change',
        'path',
        'before',
        'after',
        'referrers',
        'between_after',
        'between_before',
        'notes',
        'in_between',
        'window',
        'repairs',
      ],
      drift.flatMap(
        ({ project, kind, uid, name, change, fields, referrers = [], between, window, notes: ids, repairs }) => {
          const who = [project, kind, uid, name, change]
          const rows = fields.map(({ path, before, after }) => [path, show(before), show(after)])
          return (rows.length === 0 ? [['', null, null]] : rows).map((row) => [
            ...[...who, ...row, referrers.join(' '), between.after, between.before, ids.join(' ')],
            describeNotes(notesNamed([{ notes: ids }], notes), between.before),
            window,
            [...new Set(repairs.map(({ rule }) => rule))].join(' '),
          ])
        },
      ),
    ),

  coverage: ({ coverage }) =>
    csvTable(
      coverageColumns,
      // The items of a listing that showed nothing are not 0: they are unknown.
      coverage.map((walk) =>
        coverageColumns.map((column) => (column === 'items' && isUnseen(walk) ? null : (walk[column] ?? null))),
      ),
    ),

  /**
   * A row for each rule that gives evidence for a control, with the counts of its violations. Where a walk that the rule
   * needs is not complete, or the rule missed some resources, a count of none is an empty cell.
   */
  controls: (report) =>
    csvTable(
      [
        'control',
        'rule',
        'title',
        'severity',
        'evaluated',
        'not_evaluated',
        'open',
        'waived',
        'unknown',
        'fixed',
        'ended_otherwise',
      ],
      controlRows(report),
    ),
} as const satisfies Record<CsvSection, (report: Report) => string>

const violationColumns = [
  ...(['fingerprint', 'rule', 'severity', 'state', 'resolution', 'ended_by', 'project', 'kind', 'uid'] as const),
  ...(['name', 'owner', 'path', 'message', 'first_seen', 'last_seen', 'due_at'] as const),
] as const satisfies readonly (keyof ReportViolation)[]

const acceptedColumns = [
  ...(['fingerprint', 'rule', 'severity', 'project', 'kind', 'uid', 'name', 'path', 'message'] as const),
  ...(['reason', 'by', 'at'] as const),
] as const satisfies readonly (keyof AcceptedViolation)[]

const coverageColumns = [
  ...(['project', 'listing', 'status', 'reason', 'filter', 'pages', 'items', 'requests', 'retries'] as const),
  ...(['duration_ms', 'cause', 'of', 'oldest_at'] as const),
] as const satisfies readonly (keyof ReportCoverage)[]

/** Texts as they are, no value as an empty cell, all else as JSON. */
function show(value: Json): string | null {
  return value === null || typeof value === 'string' ? value : displayJson(value)
}

function controlRows(report: Report): Cell[][] {
  const { projects, violations } = report
  const byRule = Map.groupBy(violations, ({ rule }) => rule)
  const rows = rulesOf(report).flatMap((rule) => {
    const ofRule = byRule.get(rule.id) ?? []
    const inState = (...states: ViolationState[]) => ofRule.filter(({ state }) => states.includes(state)).length
    const isFixed = ({ resolution }: ReportViolation) => resolution === 'fixed'
    const ended = ofRule.filter(({ state }) => state === 'resolved')
    const gaps = gapsOfRule(report.gaps, rule.id)
    const evaluated = projects.reduce((sum, project) => sum + countEvaluated(rule, project, gaps), 0)
    const missed = projects.filter(({ project }) => isSilenced(gaps, rule.id, project)).length
    const isKnown = gaps.length === 0 && gapsFor(rule, report.coverage).every(({ status }) => status === 'skipped')
    const orUnknown = (number: number) => (number === 0 && !isKnown ? null : number)
    const counts = [
      ...[orUnknown(inState('opened', 'continuing')), inState('waived'), inState('unknown')],
      ...[orUnknown(ended.filter(isFixed).length), ended.filter((one) => !isFixed(one)).length],
    ]
    return rule.controls.map((control) => [
      control,
      rule.id,
      rule.title,
      rule.severity,
      orUnknown(evaluated),
      missed,
      ...counts,
    ])
  })
  return rows.sort(([a], [b]) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0))
}

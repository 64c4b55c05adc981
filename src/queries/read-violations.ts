import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun, HistoryReader, ResolvedViolation } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import { matchesGlob } from '../model/glob.ts'
import type { ReportViolation } from '../model/report.ts'
import { policyProject } from '../model/resource.ts'
import { isAtLeast, type Severity, type ViolationState } from '../model/violation.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerView, limited } from '../report/show-answer.ts'
import { showViolation } from '../report/text/show-violation.ts'
import { widthOf } from '../text/columns.ts'
import { neutralise } from '../text/neutralise.ts'
import { selectProjects, statingExtent } from './as-of.ts'

export interface ViolationRow extends ReportViolation {
  /** Start of the run that resolved it. */
  readonly resolved_at?: string
}

export interface ViolationsQuery {
  readonly run: CommittedRun
  readonly states: ReadonlySet<ViolationState>
  /** Only violations that later runs opened or resolved; 0 for all. */
  readonly after: number
  /** A pattern with `*`. */
  readonly rule: string | undefined
  /** This severity or above. */
  readonly severity: Severity | undefined
  readonly projects: readonly string[]
  readonly limit: number
}

/** Violations as of the last scan of each project, in the order of reports; then resolved ones, the latest first. */
export async function readViolations(reader: HistoryReader, query: ViolationsQuery): Promise<Answer<ViolationRow>> {
  const { run, states, after, rule, severity, projects } = query
  const known = await reader.latestScans(run.number)
  // Violations about the policy itself belong to a project of their own, which is not scanned.
  const chosen = new Set(selectProjects([...known, { project: policyProject }], projects).map(({ project }) => project))
  const scans = known.filter(({ project }) => chosen.has(project))
  const since = after === 0 ? '' : ((await reader.runs()).find(({ number }) => number > after)?.startedAt ?? '~')
  const isSelected = (violation: RecordedViolation) =>
    states.has(violation.state) &&
    matchesProject(violation.project, projects) &&
    (rule === undefined || matchesGlob(violation.rule, rule)) &&
    (severity === undefined || isAtLeast(violation.severity, severity))
  const active = (await reader.violationsAt(run.number)).filter(({ firstSeen }) => firstSeen >= since)
  const resolved = states.has('resolved') ? await reader.resolvedBetween(after, run.number) : []
  const rows = [...active, ...resolved].filter(isSelected).map(toRow)
  return { command: 'violations', ...statingExtent(run, scans), ...limited(rows, query.limit) }
}

function toRow(violation: RecordedViolation | ResolvedViolation): ViolationRow {
  const {
    firstSeen,
    lastSeen,
    waiver,
    fingerprint,
    rule,
    severity,
    state,
    project,
    kind,
    uid,
    name,
    owner,
    path,
    message,
  } = violation
  return {
    ...{ fingerprint, rule, severity, state, resolution: null, project, kind, uid, name },
    owner: owner ?? null,
    ...{ path, message },
    first_seen: firstSeen,
    last_seen: lastSeen,
    ...('resolvedAt' in violation ? { resolved_at: violation.resolvedAt } : {}),
    ...(waiver === undefined ? {} : { waiver }),
  }
}

export const violationsView: AnswerView<ViolationRow> = {
  columns: [
    { name: 'severity', value: ({ severity }) => severity },
    { name: 'rule', value: ({ rule }) => rule },
    { name: 'state', value: ({ state }) => state },
    { name: 'resolution', value: ({ resolution }) => resolution },
    { name: 'project', value: ({ project }) => project },
    { name: 'kind', value: ({ kind }) => kind },
    { name: 'uid', value: ({ uid }) => uid },
    { name: 'name', value: ({ name }) => name },
    { name: 'path', value: ({ path }) => path },
    { name: 'message', value: ({ message }) => message },
    { name: 'first_seen', value: (row) => row.first_seen },
    { name: 'last_seen', value: (row) => row.last_seen },
    { name: 'resolved_at', value: (row) => row.resolved_at ?? null },
    { name: 'waiver', value: ({ waiver }) => (waiver === undefined ? null : { ...waiver }) },
    { name: 'fingerprint', value: ({ fingerprint }) => fingerprint },
  ],
  lines({ rows }, page) {
    const widest = rows.reduce((most, { rule }) => Math.max(most, widthOf(neutralise(rule))), 0)
    const column = Math.min(40, widest)
    return rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...showViolation(row, column, page)])
  },
  nothing: 'No such violation.',
}

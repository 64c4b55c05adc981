import type { RecordedViolation, RunRecord, WrittenRun } from '../history/records.ts'
import { compareText, inResourceOrder } from '../history/report-order.ts'
import { type Cause, type FollowingViolation, worstOf } from '../model/cause.ts'
import type { Coverage } from '../model/coverage.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { pointersOverlap } from '../model/json.ts'
import { isNoteOf } from '../model/note.ts'
import type { ReleaseRange } from '../model/release-range.ts'
import type {
  Report,
  ReportCause,
  ReportCoverage,
  ReportProject,
  ReportRelease,
  ReportViolation,
  Verdict,
} from '../model/report.ts'
import { linkToResource } from '../model/resource-link.ts'
import { dueDate, severities } from '../model/violation.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { composeVerdict } from '../report/verdict.ts'

/**
 * The report of a run, from its record alone: the same today and in a year, but for the notes of people. These may be
 * recorded later than what they are about, and are named by what is printed from then on.
 */
export function composeReport(record: RunRecord): Report {
  const { number, startedAt, finishedAt, failOn, toolVersion, coverage, notices, changes, causes, notes, violations } =
    record
  const { accepted, rules, projects, policyDigest, configurationDigest, chain, scope } = record
  const evaluations = new Map(projects.map((evaluation) => [evaluation.project, evaluation]))
  const reportViolations = violations.map((violation) => toViolation(violation, evaluations.get(violation.project)))
  const evaluated = projects.map(toProject)
  const fixed = Map.groupBy(
    violations.filter(({ resolution }) => resolution === 'fixed'),
    subjectKey,
  )
  const drift = changes.map((change) => ({
    ...change,
    window: windowTimeOf(evaluations.get(change.project)?.windows, change.between)?.name ?? null,
    notes: notes.filter((note) => isNoteOf(note, change.project, change.between)).map(({ id }) => id),
    repairs: (fixed.get(subjectKey(change)) ?? [])
      .filter(({ path }) => change.fields.some((field) => pointersOverlap(field.path, path)))
      .map(({ rule, fingerprint }) => ({ rule, fingerprint })),
    ...linkOf(change, evaluations.get(change.project)),
  }))
  return {
    schema: 'hookdrift.report/2',
    tool: { name: 'hookdrift', version: toolVersion },
    run: { number, started_at: startedAt, finished_at: finishedAt, state: 'committed' },
    digests: { policy: policyDigest, configuration: configurationDigest, chain },
    verdict: composeVerdict({ coverage, violations: reportViolations, drift, projects: evaluated, notices, failOn }),
    coverage_of_fleet: { scanned: projects.length, known: projects.length + scope.unscanned.length },
    coverage: coverage.map((walk) => toReportCoverage(walk.project, walk)),
    notices,
    drift,
    notes: notes.filter((note) => changes.some(({ project, between }) => isNoteOf(note, project, between))),
    causes: causes.map(toReportCause),
    violations: reportViolations,
    accepted,
    projects: evaluated,
    rules,
  }
}

function subjectKey({ project, kind, uid }: Pick<ReportViolation, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

/** A cause as JSON documents show it. */
export function toReportCause(cause: Cause): ReportCause {
  const { id, change, kind, fields, resources, firstRun } = cause
  const [first = { path: '', before: null, after: null }] = fields
  const following = resources.flatMap(({ violations }) => violations).sort(worstFirst)
  const sorted = (names: readonly string[]) => [...new Set(names)].sort()
  return {
    id,
    change,
    kind,
    path: first.path,
    before: first.before,
    after: first.after,
    fields,
    resources: resources.length,
    affected: resources.map(({ project, uid, name, owner }) => ({ project, uid, name, owner })),
    projects: sorted(resources.map(({ project }) => project)),
    owners: sorted(resources.flatMap(({ owner }) => owner ?? [])),
    severity: worstOf(cause),
    violations: following.map(({ fingerprint }) => fingerprint),
    rules: [...Map.groupBy(following, ({ rule }) => rule)].map(([rule, group]) => ({
      rule,
      severity: group[0]?.severity ?? 'info',
      violations: group.length,
    })),
    first_run: firstRun,
  }
}

/** By severity, then rule, resource and path: a database has no order. */
function worstFirst(a: FollowingViolation, b: FollowingViolation): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compareText(a.rule, b.rule) ||
    inResourceOrder(a, b) ||
    compareText(a.path, b.path)
  )
}

/** The verdict on a run as it was written. */
export function verdictOf({ coverage, violations, changes, projects, notices, failOn }: WrittenRun): Verdict {
  const evaluations = new Map(projects.map((evaluation) => [evaluation.project, evaluation]))
  const reported = violations.map((violation) => toViolation(violation, evaluations.get(violation.project)))
  const drift = changes.map((change) => ({
    ...change,
    window: windowTimeOf(evaluations.get(change.project)?.windows, change.between)?.name ?? null,
  }))
  return composeVerdict({ coverage, violations: reported, drift, projects: projects.map(toProject), notices, failOn })
}

function toViolation(violation: RecordedViolation, evaluation: ProjectEvaluation | undefined): ReportViolation {
  return {
    fingerprint: violation.fingerprint,
    rule: violation.rule,
    severity: violation.severity,
    state: violation.state,
    resolution: violation.resolution,
    ended_by: violation.endedBy,
    project: violation.project,
    kind: violation.kind,
    uid: violation.uid,
    name: violation.name,
    owner: violation.owner ?? null,
    path: violation.path,
    message: violation.message,
    first_seen: violation.firstSeen,
    last_seen: violation.lastSeen,
    due_at: dueDate(violation, violation.firstSeen, evaluation?.due),
    ...(violation.waiver === undefined ? {} : { waiver: violation.waiver }),
    ...linkOf(violation, evaluation),
  }
}

/** An address of another scheme could not come from a configuration. */
function linkOf(resource: Pick<RecordedViolation, 'kind' | 'uid'>, evaluation: ProjectEvaluation | undefined) {
  const link = evaluation?.uiUrl === undefined ? undefined : linkToResource(evaluation.uiUrl, resource)
  return link !== undefined && /^https?:\/\//.test(link) ? { ui_url: link } : {}
}

function toProject(evaluation: ProjectEvaluation): ReportProject {
  const {
    evaluatedByRule,
    notEvaluated,
    rowsUnread,
    configuredAt,
    notCompared,
    approvedAt,
    release,
    uiUrl: _,
    due: __,
    ignore: ___,
    settingsAt: ____,
    ...project
  } = evaluation
  return {
    ...project,
    configured_at: configuredAt,
    evaluated_by_rule: evaluatedByRule,
    not_evaluated: notEvaluated,
    ...(rowsUnread === undefined ? {} : { rows_unread: rowsUnread }),
    ...(notCompared === undefined ? {} : { not_compared: notCompared }),
    ...(approvedAt === undefined ? {} : { approved_at: approvedAt }),
    ...(release === undefined ? {} : { release: toRelease(release) }),
  }
}

/** A walk as JSON documents show it. */
export function toReportCoverage(
  project: string,
  { listing, status, cause, reason, filter, pages, items, of, oldestAt, requests, retries, durationMs }: Coverage,
): ReportCoverage {
  return {
    project,
    listing,
    status,
    cause,
    reason,
    filter,
    pages,
    items,
    ...(of === undefined ? {} : { of, oldest_at: oldestAt ?? null }),
    requests,
    retries,
    duration_ms: durationMs,
  }
}

/** As JSON documents show it. */
export function toRelease({ from, below, isContradictory }: ReleaseRange): ReportRelease {
  return { from, below, contradictory: isContradictory === true }
}

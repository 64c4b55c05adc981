import { type Cause, type FollowingViolation, worstOf } from '../history/cause.ts'
import type { RecordedViolation, RunRecord, WrittenRun } from '../history/records.ts'
import { compareText, inResourceOrder } from '../history/report-order.ts'
import type { ProjectEvaluation, ReportProject } from '../model/evaluation.ts'
import type { Gap } from '../model/gap.ts'
import { pointersOverlap } from '../model/json.ts'
import { isNoteOf } from '../model/note.ts'
import type { Report, ReportCause, ReportViolation, Verdict } from '../model/report.ts'
import { linkToResource } from '../model/resource-link.ts'
import { dueDate, severities } from '../model/violation.ts'
import { windowTimeOf } from '../model/window-time.ts'
import { isGap } from '../report/gaps.ts'
import { composeVerdict } from '../report/verdict.ts'
import { gapOfWalk } from './describe-gaps.ts'

/**
 * The report of a run, from its record alone: the same today and in a year, but for the notes of people. These may be
 * recorded later than what they are about, and are named by what is printed from then on.
 */
export function composeReport(record: RunRecord): Report {
  const { number, started_at, finished_at, coverage, notices, changes, causes, notes, accepted, rules, projects } =
    record
  const evaluations = evaluationsOf(record)
  const violations = record.violations.map((violation) => toReported(violation, evaluations.get(violation.project)))
  const fixed = Map.groupBy(
    violations.filter(({ resolution }) => resolution === 'fixed'),
    subjectKey,
  )
  return {
    schema: 'hookdrift.report/3',
    tool: { name: 'hookdrift', version: record.tool_version },
    run: { number, started_at, finished_at, state: 'committed' },
    digests: { policy: record.policy_digest, configuration: record.configuration_digest, chain: record.chain },
    verdict: verdictOf(record),
    coverage_of_fleet: { scanned: projects.length, known: projects.length + record.scope.unscanned.length },
    coverage: coverage.map(({ since: _, ...walk }) => walk),
    gaps: gapsOf(record),
    notices,
    drift: changes.map((change) => ({
      ...change,
      window: windowOf(change, evaluations),
      notes: notes.filter((note) => isNoteOf(note, change.project, change.between)).map(({ id }) => id),
      repairs: (fixed.get(subjectKey(change)) ?? [])
        .filter(({ path }) => change.fields.some((field) => pointersOverlap(field.path, path)))
        .map(({ rule, fingerprint }) => ({ rule, fingerprint })),
      ...linkOf(change, evaluations.get(change.project)),
    })),
    notes: notes.filter((note) => changes.some(({ project, between }) => isNoteOf(note, project, between))),
    causes: causes.map(toReportCause),
    violations,
    accepted,
    projects: projects.map(published),
    rules,
  }
}

/** What the run could not read, and what rules could not evaluate. */
function gapsOf({ number, started_at, coverage, projects }: WrittenRun): readonly Gap[] {
  const ofWalks = coverage.filter(isGap).map((walk) => gapOfWalk(walk, { run: number, at: started_at }))
  return [...ofWalks, ...projects.flatMap(({ gaps }) => gaps)]
}

type Evaluations = ReadonlyMap<string, ProjectEvaluation>

function evaluationsOf({ projects }: WrittenRun): Evaluations {
  return new Map(projects.map((evaluation) => [evaluation.project, evaluation]))
}

function windowOf({ project, between }: WrittenRun['changes'][number], evaluations: Evaluations): string | null {
  return windowTimeOf(evaluations.get(project)?.windows, between)?.name ?? null
}

function subjectKey({ project, kind, uid }: Pick<ReportViolation, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

/** A cause as JSON documents show it. */
export function toReportCause(cause: Cause): ReportCause {
  const { id, change, kind, fields, resources, first_run } = cause
  const [first = { path: '', before: null, after: null }] = fields
  const following = resources.flatMap(({ violations }) => violations).sort(worstFirst)
  const sorted = (names: readonly string[]) => [...new Set(names)].sort()
  return {
    id,
    change,
    kind,
    ...first,
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
    first_run,
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
export function verdictOf(run: WrittenRun): Verdict {
  const evaluations = evaluationsOf(run)
  return composeVerdict({
    coverage: run.coverage,
    violations: run.violations,
    drift: run.changes.map((change) => ({ ...change, window: windowOf(change, evaluations) })),
    projects: run.projects,
    gaps: gapsOf(run),
    notices: run.notices,
    at: run.started_at,
    failOn: run.fail_on,
  })
}

function toReported(violation: RecordedViolation, evaluation: ProjectEvaluation | undefined): ReportViolation {
  return { ...violation, due_at: dueDate(violation, evaluation?.due), ...linkOf(violation, evaluation) }
}

/** An address of another scheme could not come from a configuration. */
function linkOf(resource: Pick<RecordedViolation, 'kind' | 'uid'>, evaluation: ProjectEvaluation | undefined) {
  const link = evaluation?.ui_url === undefined ? undefined : linkToResource(evaluation.ui_url, resource)
  return link !== undefined && /^https?:\/\//.test(link) ? { ui_url: link } : {}
}

function published({
  ui_url: _,
  due: __,
  ignore: ___,
  settings_at: ____,
  gaps: _____,
  ...project
}: ProjectEvaluation): ReportProject {
  return project
}

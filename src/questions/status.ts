import { z } from 'zod'
import { findConfiguredPaths } from '../app/locate-history.ts'
import { findPool } from '../app/open-history.ts'
import { systemClock } from '../app/system.ts'
import { nextAuditDue } from '../app/worker/next-times.ts'
import { type ExpectedProjects, matchesProject } from '../config/choose-projects.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import { type CommittedRun, findLastRun, readMove } from '../history/sql/runs.ts'
import { leaveOutRenamed, type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import { isCoverageComplete } from '../model/coverage.ts'
import { exitCodes } from '../model/errors.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { countUnsureRules } from '../model/gap.ts'
import type { Json } from '../model/json.ts'
import { describeReleases, intersectReleases } from '../model/release-range.ts'
import { schemas } from '../model/report.ts'
import { isProjectList, isProjectListName, isWithoutResources } from '../model/resource.ts'
import { listOf } from '../model/schema.ts'
import { count, countEach } from '../model/text/count.ts'
import { countSeverities, isOpen, type Severity, severities, totalOf } from '../model/violation.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutScans, limited } from '../report/answer.ts'
import { showDuration, showTime } from '../report/text/show-time.ts'
import { selectProjects, statingExtent } from './as-of.ts'
import { describePool } from './describe-pool.ts'
import { configuredQuestion, duration, parameter, projectParameter, runNamed, runOrTime } from './question.ts'

const statusRow = z.object({
  project: schemas.project,
  run: z.int().min(0).nullable().describe('The last committed run that scanned it; null where none did.'),
  at: schemas.time.nullable(),
  age_s: z.int().nullable(),
  complete: z.boolean(),
  incomplete_since: schemas.time.nullable(),
  stale: z.boolean(),
  reason: z.string().nullable().describe('Why it is stale; null when it is not.'),
  violations: schemas.verdict.shape.violations,
  waived: schemas.count,
  unknown: schemas.count,
  unevaluated: schemas.count
    .describe('How many rules could not evaluate everything in it: they may have missed violations. Absent for none.')
    .exactOptional(),
  release: schemas.release
    .nullable()
    .describe("The service's release, as far as the answers of that scan show it; null where nothing did."),
})
export type StatusRow = z.infer<typeof statusRow>

export const statusForm: AnswerForm = {
  name: 'status',
  version: 3,
  about: aboutScans,
  row: statusRow,
  more: {
    moved: z
      .object({ to: z.string(), at: schemas.time })
      .describe('Where the history was moved to, and when. Absent where it was not.')
      .exactOptional(),
    under_way: z
      .object({
        run: schemas.count,
        started_at: schemas.time,
        stops_at: schemas.time.describe('When requests no longer begin.'),
        projects: z
          .object({ waiting: schemas.count, running: schemas.count, done: schemas.count, lost: schemas.count })
          .describe('How many projects wait, are read, were read, or were given up.'),
      })
      .nullable()
      .describe(
        'The run that workers share now; null when none is under way. Absent where no workers share the history.',
      )
      .exactOptional(),
    workers: listOf(
      z.object({
        host: z.string(),
        pid: schemas.count,
        slots: schemas.count.describe('Projects that it reads at once, at most.'),
        walks: listOf(schemas.project).describe('Projects that it reads.'),
        coordinates: z.int().min(0).nullable().describe('The run that it coordinates; null when it coordinates none.'),
      }),
    )
      .describe('The workers that share the history. Absent where there are none.')
      .exactOptional(),
  },
}

export const status = configuredQuestion({
  form: statusForm,
  parameters: {
    maxAge: parameter(
      '--max-age <duration>',
      'call a scan stale after this time: 90s, 30m, 2d (default: when a schedule missed a run, or after 25h)',
      duration.optional(),
    ),
    run: parameter(
      '--run <run|time>',
      `as of the end of a run, ignoring the present configuration: ${runOrTime}`,
      z.string().optional(),
    ),
    project: projectParameter,
  },
  isOfRun: false,
  async read(history, { maxAge, run: named, project: projects }, { terminal, options, limit }) {
    const run = named === undefined ? undefined : await runNamed(history, named)
    const paths = run === undefined ? await findConfiguredPaths(options, terminal) : undefined
    const now = run === undefined ? systemClock.now() : Date.parse(run.finished_at)
    const read = await readStatus(history, {
      expected: paths?.expected,
      run,
      projects,
      now,
      limit: Number.POSITIVE_INFINITY,
      withReleases: true,
      dueAfter:
        maxAge === undefined
          ? nextAuditDue(paths?.schedules ?? [], { now, file: options.config })
          : (_, ms) => ms + maxAge,
    })
    const pool = run === undefined ? await findPool(options, terminal) : undefined
    const answer = pool === undefined ? read : withPool(read, describePool(pool))
    return {
      answer: { ...answer, ...limited(answer.rows, limit) },
      view: statusView,
      exitCode: isStale(answer.rows) ? exitCodes.violations : exitCodes.clean,
    }
  },
})

/** Adds what the workers of a history on a server do. */
function withPool<Row>(answer: Answer<Row>, { more, remarks = [] }: ReturnType<typeof describePool>): Answer<Row> {
  return { ...answer, more: { ...answer.more, ...more }, remarks: [...(answer.remarks ?? []), ...remarks] }
}

export interface StatusQuery {
  /** undefined: the last one. */
  readonly run?: CommittedRun | undefined
  /** The configured projects, where the configuration is known. */
  readonly expected: ExpectedProjects | undefined
  readonly projects: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
  /** When the next scan is due after a scan at `ms`. Milliseconds since the epoch. */
  readonly dueAfter: (project: string, ms: number) => number
  readonly limit: number
  /** Whether to read what the scans show of releases. Default: no. */
  readonly withReleases?: boolean
}

/** What is read of a run; pages have read it already. */
export interface StatusFacts {
  scansAt(run: number): Promise<readonly RecordedScan[]>
  activeAt(run: number): Promise<readonly ListedViolation[]>
}

function factsOf(reader: HistoryReader): StatusFacts {
  return { scansAt: (run) => readLatestScans(reader, run), activeAt: (run) => listViolations(reader, { run }) }
}

/**
 * When each project was last scanned, and how well. A project is stale when its next scan is overdue, when its next
 * complete scan is, or when it is configured and was never scanned.
 */
export async function readStatus(
  reader: HistoryReader,
  query: StatusQuery,
  read: StatusFacts = factsOf(reader),
): Promise<Answer<StatusRow>> {
  const { expected, projects, limit } = query
  const run = query.run ?? (await findLastRun(reader))
  const latestScans = run === undefined ? [] : leaveOutRenamed(await read.scansAt(run.number))
  // A list that the last run did not record has nothing open, or no longer decides.
  const isOldList = (scan: RecordedScan) => isProjectList(scan.project) && scan.run.number !== run?.number
  const isExpected = (scan: RecordedScan) =>
    expected === undefined
      ? !isOldList(scan) && !scan.hasDeparted
      : expected.named.includes(scan.project.name) || (expected.isDiscovered(scan.project) && !scan.isGone)
  const scanned = latestScans.filter(isExpected)
  const missing = (expected?.named ?? []).filter((name) => !latestScans.some(({ project }) => project.name === name))
  const unscanned = missing.map((name) => ({ project: { name, service: '', uid: '' } }))
  const names = selectProjects([...scanned, ...unscanned], projects).map(({ project }) => project.name)
  const scans = scanned.filter(({ project }) => matchesProject(project.name, projects))
  const active = countByProject(run === undefined ? [] : await read.activeAt(run.number))
  const evaluations = query.withReleases ? await readEvaluations(reader, scans) : new Map<string, ProjectEvaluation>()
  const rows = names.sort().map((name) => {
    const scan = scans.find(({ project }) => project.name === name)
    if (scan === undefined) return neverScanned(name)
    const counts = active.get(scanKey({ project: name, run: scan.run.number })) ?? noneActive(name)
    const evaluation = evaluations.get(name)
    const unevaluated = countUnsureRules(evaluation?.gaps ?? [])
    const row = { ...statusOf(scan, counts, query), release: evaluation?.release ?? null }
    return unevaluated === 0 ? row : { ...row, unevaluated }
  })
  const extent = run === undefined ? { run: null } : statingExtent(run, scans)
  const { more, remarks = [] } = await describeMoved(reader)
  const others = projects.length > 0 ? [] : openBesides(active, rows).map(describeOther)
  const released = releasesOf(scans, evaluations).map(({ service, said }) => `Release of ${service}: ${said}.`)
  const allRemarks = [...remarks, ...released, ...others]
  return {
    form: statusForm,
    ...extent,
    ...(more && { more }),
    ...limited(rows, limit),
    ...(allRemarks.length === 0 ? {} : { remarks: allRemarks }),
  }
}

interface OtherOpen {
  readonly project: string
  /** `unknown`: open when last seen, and not checked since. */
  readonly state: 'open' | 'unknown'
  /** How many. */
  readonly violations: number
  /** Neither the policy nor a list of projects: a project that the configuration no longer names or finds. */
  readonly isFormer: boolean
  /** A listed project has its name now. */
  readonly isNamesake: boolean
}

/**
 * What is open or unknown besides the listed projects: violations of the policy, of lists of projects, and of former
 * projects.
 */
export function openBesides(
  active: ReadonlyMap<string, ActiveCounts>,
  listed: readonly Pick<StatusRow, 'project' | 'run'>[],
): readonly OtherOpen[] {
  const names = new Set(listed.map(({ project }) => project))
  const scans = new Set(listed.map(scanKey))
  return [...active].sort().flatMap(([scan, { project, open, unknown }]) => {
    const about = { project, isFormer: !isWithoutResources(project), isNamesake: names.has(project) }
    const inStates = [
      { ...about, state: 'open', violations: totalOf(open) },
      { ...about, state: 'unknown', violations: unknown },
    ] as const
    return scans.has(scan) ? [] : inStates.filter(({ violations }) => violations > 0)
  })
}

/** `acme/payments, which is no longer audited`. */
export function describeBesides({ project, isFormer, isNamesake }: OtherOpen): string {
  return `${isNamesake ? 'the earlier ' : ''}${project}${isFormer ? ', which is no longer audited' : ''}`
}

function describeOther(other: OtherOpen): string {
  return `Also ${other.state}: ${count(other.violations, 'violation')} of ${describeBesides(other)}.`
}

/** The releases of each service, sorted: what its projects show together. */
export function releasesOf(
  scans: readonly Pick<RecordedScan, 'project'>[],
  evaluations: ReadonlyMap<string, ProjectEvaluation>,
): readonly { readonly service: string; readonly said: string }[] {
  const byService = Map.groupBy(scans, ({ project }) => project.service)
  return [...byService].sort().flatMap(([service, ofService]) => {
    const release = intersectReleases(ofService.map(({ project }) => evaluations.get(project.name)?.release))
    return release === undefined ? [] : [{ service, said: describeReleases(release) }]
  })
}

/** A forgotten worker or command still reads the former location. */
async function describeMoved(reader: HistoryReader): Promise<Pick<Answer<never>, 'more' | 'remarks'>> {
  const moved = await readMove(reader)
  if (moved === undefined) return {}
  return {
    more: { moved: { to: moved.to, at: moved.at } },
    remarks: [`This history was moved to ${moved.to} ${showTime(moved.at)}: name the new place.`],
  }
}

/** Active violations of a project. */
export interface ActiveCounts {
  readonly project: string
  /** Open ones by severity. */
  readonly open: Record<Severity, number>
  waived: number
  unknown: number
}

const noneActive = (project: string): ActiveCounts => ({ project, open: countSeverities([]), waived: 0, unknown: 0 })

/** Projects may have had one name, one after the other, and no run scans two of one name. `run`: their last one. */
export function scanKey({ project, run }: Pick<StatusRow, 'project' | 'run'>): string {
  return `${project} ${run}`
}

/** Counts active violations by `scanKey`. */
export function countByProject(active: readonly ListedViolation[]): ReadonlyMap<string, ActiveCounts> {
  const byProject = new Map<string, ActiveCounts>()
  for (const { project, run, state, severity } of active) {
    const key = scanKey({ project, run })
    const counts = byProject.get(key) ?? noneActive(project)
    byProject.set(key, counts)
    if (state === 'waived' || state === 'unknown') counts[state] += 1
    else if (isOpen({ state })) counts.open[severity] += 1
  }
  return byProject
}

/** Whether any project is stale; also true when no project was ever scanned. */
export function isStale(rows: readonly StatusRow[]): boolean {
  return rows.length === 0 || rows.some(({ stale }) => stale)
}

function statusOf(
  scan: RecordedScan,
  active: ActiveCounts,
  { now, dueAfter }: StatusQuery,
): Omit<StatusRow, 'release'> {
  const { project, run, coverage, incompleteSince } = scan
  // A run of a clock that was ahead is not older than now.
  const ageMs = Math.max(0, now - Date.parse(run.finished_at))
  const isOverdue = ({ finished_at }: CommittedRun) => now > dueAfter(project.name, Date.parse(finished_at))
  const isOld = isOverdue(run)
  const isIncompleteForLong = incompleteSince !== undefined && isOverdue(incompleteSince)
  return {
    project: project.name,
    run: run.number,
    at: run.finished_at,
    age_s: Math.floor(ageMs / 1000),
    complete: isCoverageComplete(coverage),
    incomplete_since: incompleteSince?.started_at ?? null,
    stale: isOld || isIncompleteForLong,
    reason: isOld ? 'not scanned for too long' : isIncompleteForLong ? 'no complete scan for too long' : null,
    violations: active.open,
    waived: active.waived,
    unknown: active.unknown,
  }
}

function neverScanned(project: string): StatusRow {
  return {
    project,
    run: null,
    at: null,
    age_s: null,
    complete: false,
    incomplete_since: null,
    stale: true,
    reason: 'never scanned',
    waived: 0,
    unknown: 0,
    release: null,
    violations: countSeverities([]),
  }
}

/** How many projects rows are about: the list of a service's projects is none. */
export function countProjects(rows: readonly Pick<StatusRow, 'project'>[]): number {
  return rows.filter(({ project }) => !isProjectListName(project)).length
}

/** The list of a service's projects is scanned like a project, under the name `acme/*`. */
function describeProject({ project }: StatusRow): string {
  return isProjectListName(project) ? `${project} (the list of projects)` : project
}

export const statusView: AnswerView<StatusRow> = {
  columns: [
    { name: 'project', show: describeProject, breaks: true, link: 'project' },
    { name: 'state', value: (row) => (row.stale ? 'stale' : 'current'), show: describeState },
    { name: 'run', align: 'right', link: 'run' },
    { name: 'at', only: 'csv' },
    { name: 'age_s', only: 'csv' },
    { name: 'age', show: describeAge, only: 'text' },
    { name: 'scan', value: (row) => (row.complete ? 'complete' : 'incomplete'), show: describeScan },
    { name: 'open', value: ifScanned(({ violations }) => violations), show: describeOpen },
    { name: 'waived', value: ifScanned(({ waived }) => waived), only: 'csv' },
    { name: 'unknown', value: ifScanned(({ unknown }) => unknown), align: 'right' },
    { name: 'reason', only: 'csv' },
    { name: 'release_from', value: ({ release }) => release?.from ?? null, only: 'csv' },
    { name: 'release_below', value: ({ release }) => release?.below ?? null, only: 'csv' },
    { name: 'unevaluated', value: ifScanned((row) => row.unevaluated ?? 0), only: 'csv' },
  ],
  below: describeUnevaluated,
  nothing: 'No project was ever scanned.',
}

function describeState({ stale, reason }: StatusRow): string {
  return stale ? `STALE: ${reason ?? ''}` : 'current'
}

function describeAge({ age_s }: StatusRow): string {
  if (age_s === null) return '-'
  if (age_s < 1) return 'just now'
  return showDuration(new Date(0).toISOString(), new Date(Math.max(0, age_s) * 1000).toISOString())
}

function describeScan({ run, complete }: StatusRow): string {
  if (run === null) return '-'
  return complete ? 'complete' : 'INCOMPLETE'
}

/** Where not everything could be checked, it is not known that none is open. */
function describeOpen({ run, complete, violations, unknown, unevaluated = 0 }: StatusRow): string {
  if (run === null) return '-'
  return countEach(severities, violations) || (complete && unknown + unevaluated === 0 ? 'none' : '?')
}

function describeUnevaluated({ unevaluated }: StatusRow): string | undefined {
  if (unevaluated === undefined) return undefined
  return `${count(unevaluated, 'rule')} could not evaluate everything: \`hookdrift report\` says why`
}

/** Nothing is counted in a project that was never scanned. */
function ifScanned(value: (row: StatusRow) => Json): (row: StatusRow) => Json {
  return (row) => (row.run === null ? null : value(row))
}

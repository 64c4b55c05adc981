import type { ChangeTimes, FieldChange } from '../../model/change.ts'
import { AuditError } from '../../model/errors.ts'
import type { EvaluatedRule, ProjectEvaluation } from '../../model/evaluation.ts'
import type { Notice } from '../../model/notice.ts'
import { type PolicyFacts, unknownPolicy } from '../../model/policy-facts.ts'
import type { Kind, Listing, ProjectRef } from '../../model/resource.ts'
import { unknownScope } from '../../model/run-scope.ts'
import type { FailOn } from '../../model/violation.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedChange, RunContext, RunRecord, WrittenRun } from '../records.ts'
import { compareText, inResourceOrder } from '../report-order.ts'
import { readAcceptancesOf } from './acceptances.ts'
import { causesOfRun } from './causes.ts'
import { changeTimesSql, validAtSql } from './fragments.ts'
import { notesOfChanges } from './notes.ts'
import { coverageOfWalk, inListingOrder, type StoredWalk } from './scans.ts'
import type { Session } from './session.ts'
import { violationsOfRun } from './violations.ts'

/** The rules of a policy and what it leaves out, and the first and last run of those that were asked for that recorded it. */
export interface RecordedPolicy {
  readonly firstRun: number
  readonly lastRun: number
  readonly rules: readonly EvaluatedRule[]
  readonly policy: PolicyFacts
}

/** What a replay of the run needs besides the state. */
export interface RunInputs {
  readonly configuration_digest: string
  /** Which installation key sealed the secrets that it wrote. */
  readonly sealKeyId: string
  /** Version of the normal form of what it saw. */
  readonly normaliser: number
  /** Whether it was to scan all projects that were known. */
  readonly isOfAll: boolean
  readonly fail_on: FailOn
  /** Sorted by id; empty likewise. */
  readonly rules: readonly EvaluatedRule[]
  /** Sorted by project; empty for runs of releases that did not store this. */
  readonly projects: readonly ProjectEvaluation[]
  readonly changes: RunRecord['changes']
  /** Removals that walks found and that wait to be confirmed. */
  readonly withheldRemovals: readonly (ProjectKey & { readonly listing: Listing; readonly uids: readonly string[] })[]
  /** Resources without a reference as of the run. */
  readonly unreferenced: readonly (ProjectKey & { readonly kind: Kind; readonly uid: string })[]
}

export interface ProjectKey {
  readonly project: Pick<ProjectRef, 'service' | 'uid'>
}

type RunRow = Pick<
  RunRecord,
  | 'number'
  | 'started_at'
  | 'finished_at'
  | 'fail_on'
  | 'tool_version'
  | 'policy_digest'
  | 'configuration_digest'
  | 'chain'
> &
  ContextRow

interface ContextRow {
  /** The document of the run; null where it names none. */
  readonly rules: string | null
}

const contextSql = '(SELECT body FROM hookdrift.document WHERE sha256 = rules_document) AS rules'

/** The record of a committed run; undefined when there is none of that number. */
export function readRunRecord(history: HistoryReader, number: number): Promise<RunRecord | undefined> {
  return history.snapshot(async (session) => {
    const state = await session.value<string>('SELECT state FROM hookdrift.run WHERE number = $1', [number])
    return state === 'committed' ? recordOf(session, number) : undefined
  })
}

/** @throws AuditError.failure when the run is not there */
export async function requireRunRecord(history: HistoryReader, number: number): Promise<RunRecord> {
  const record = await readRunRecord(history, number)
  if (record === undefined) throw AuditError.failure(`run ${number} went away while it was read`)
  return record
}

/** The record of a run. The caller decides which runs may be read. */
export async function recordOf(session: Session, number: number): Promise<RunRecord | undefined> {
  const run = await readRun(session, number)
  if (run === undefined) return undefined
  return {
    ...run,
    causes: await causesOfRun(session, number),
    notes: await notesOfChanges(session, run.changes),
  }
}

/** Reads a run as it was when committed. The caller decides which runs may be read. */
export async function readRun(session: Session, number: number): Promise<WrittenRun | undefined> {
  const run = await session.get<RunRow>(
    `SELECT number, started_at, finished_at, fail_on,
       tool_version, policy_digest, configuration_digest, chain,
       ${contextSql} FROM hookdrift.run WHERE number = $1`,
    [number],
  )
  if (run === undefined) return undefined
  return {
    ...run,
    ...readStableContext(run.rules),
    projects: (await readProjects(session, [number])).map(({ evaluation }) => evaluation),
    coverage: await readCoverage(session, number),
    notices: await readNotices(session, number),
    changes: await readChanges(session, number),
    violations: await violationsOfRun(session, number),
    accepted: await readAcceptancesOf(session, number),
  }
}

async function readCoverage(session: Session, number: number): Promise<RunRecord['coverage']> {
  const walks = await session.all<StoredWalk & { project: string; since_run: number | null; since_at: string | null }>(
    `SELECT s.name AS project, w.listing, w.status, w.cause, w.reason, w.filter, w.pages, w.items, w.requests, w.retries,
       w.duration_ms, w.total AS "of", w.oldest_at, w.since_run, w.since_at
     FROM hookdrift.walk w JOIN hookdrift.scan s ON s.project_id = w.project_id AND s.run = w.run WHERE w.run = $1`,
    [number],
  )
  return walks
    .map(({ since_run: run, since_at: at, ...walk }) => {
      const coverage = coverageOfWalk(walk)
      return run === null || at === null ? coverage : { ...coverage, since: { run, at } }
    })
    .sort(inWalkOrder)
}

/** By project, then in the order of walking. */
function inWalkOrder(a: RunRecord['coverage'][number], b: RunRecord['coverage'][number]): number {
  return compareText(a.project, b.project) || inListingOrder(a, b)
}

async function readNotices(session: Session, number: number): Promise<RunRecord['notices']> {
  const notices = await session.all<Notice>(
    `SELECT n.code, s.name AS project, n.listing, n.text
     FROM hookdrift.notice n LEFT JOIN hookdrift.scan s ON s.project_id = n.project_id AND s.run = n.run
     WHERE n.run = $1 AND (n.project_id IS NULL OR s.run IS NOT NULL) ORDER BY n.number`,
    [number],
  )
  return notices.sort(inNoticeOrder)
}

/** Those about the run first, then by project. */
function inNoticeOrder(a: Notice, b: Notice): number {
  return compareText(a.project ?? '', b.project ?? '')
}

/** A change of a run as read, with the name of its project. */
type ChangeRow = Omit<RecordedChange, 'fields' | 'referrers' | 'between'> & {
  readonly fields: string
  readonly referrers: string | null
} & ChangeTimes

async function readChanges(session: Session, number: number): Promise<RunRecord['changes']> {
  const rows = await session.all<ChangeRow>(
    `SELECT s.name AS project, c.kind, c.uid, c.name, c.change, c.fields, c.referrers,
       ${changeTimesSql}
     FROM hookdrift.change c JOIN hookdrift.run r ON r.number = c.run JOIN hookdrift.scan s ON s.project_id = c.project_id AND s.run = c.run
     WHERE c.run = $1 ORDER BY c.id`,
    [number],
  )
  return rows.map(toChange).sort(inResourceOrder)
}

function toChange({
  fields,
  referrers,
  after,
  before,
  after_run,
  before_run,
  ...change
}: ChangeRow): RunRecord['changes'][number] {
  // In the order in which reports show the members.
  return {
    ...change,
    // Hookdrift wrote it.
    fields: JSON.parse(fields) as FieldChange[],
    ...(referrers === null ? {} : { referrers: JSON.parse(referrers) as string[] }),
    between: { after, before, after_run, before_run },
  }
}

type InputsRow = Pick<RunInputs, 'configuration_digest' | 'sealKeyId' | 'normaliser' | 'fail_on'> & ContextRow

interface OfProject {
  readonly service: string
  readonly project: string
}

/** The inputs and notes of a committed run; undefined when there is none of that number. */
export function readRunInputs(history: HistoryReader, run: number): Promise<RunInputs | undefined> {
  return history.snapshot((session) => inputsOf(session, run))
}

async function inputsOf(session: Session, run: number): Promise<RunInputs | undefined> {
  const row = await session.get<InputsRow>(
    `SELECT configuration_digest, seal_key_id AS "sealKeyId", normal_form_version AS normaliser, fail_on, ${contextSql}
     FROM hookdrift.run WHERE number = $1 AND state = 'committed'`,
    [run],
  )
  if (row === undefined) return undefined
  const { rules, scope } = readStableContext(row.rules)
  return {
    ...row,
    rules,
    isOfAll: scope.unscanned.length === 0,
    projects: (await readProjects(session, [run])).map(({ evaluation }) => evaluation),
    changes: await readChanges(session, run),
    withheldRemovals: await readWithheldRemovals(session, run),
    unreferenced: await readUnreferenced(session, run),
  }
}

async function readWithheldRemovals(session: Session, run: number): Promise<RunInputs['withheldRemovals']> {
  const rows = await session.all<OfProject & { readonly listing: Listing; readonly uids: string }>(
    `SELECT p.service, p.uid AS project, h.listing, h.uids
     FROM hookdrift.withheld_removal h JOIN hookdrift.project p ON p.id = h.project_id
     WHERE h.run = $1 ORDER BY p.uid, h.listing`,
    [run],
  )
  return rows.map(({ service, project, listing, uids }) => ({
    project: { service, uid: project },
    listing,
    uids: JSON.parse(uids) as string[],
  }))
}

async function readUnreferenced(session: Session, run: number): Promise<RunInputs['unreferenced']> {
  const rows = await session.all<OfProject & { readonly kind: Kind; readonly uid: string }>(
    `SELECT p.service, p.uid AS project, u.kind, u.uid
     FROM hookdrift.unreferenced u JOIN hookdrift.project p ON p.id = u.project_id
     WHERE ${validAtSql('u', '$1')} ORDER BY p.uid, u.kind, u.uid`,
    [run],
  )
  return rows.map(({ service, project, kind, uid }) => ({ project: { service, uid: project }, kind, uid }))
}

/**
 * The rules of policies of committed runs after `after`, up to `run`, and what they leave out; by their first run. Runs that
 * agree share a document, so few are read.
 */
export function readPoliciesBetween(
  history: HistoryReader,
  after: number,
  run: number,
): Promise<readonly RecordedPolicy[]> {
  return history.snapshot((session) => policiesBetween(session, after, run))
}

/** Committed runs after `after`, up to `run`, with changes that may have been made in a change window. */
export function runsWithWindows(history: HistoryReader, after: number, run: number): Promise<readonly number[]> {
  return history.snapshot((session) =>
    // Few evaluations have the member: labels that contain the text cost a read.
    session.column(
      `SELECT r.number FROM hookdrift.run r WHERE r.state = 'committed' AND r.number > $1 AND r.number <= $2
         AND EXISTS (SELECT 1 FROM hookdrift.scan s CROSS JOIN hookdrift.evaluation e
           WHERE s.run = r.number AND e.id = s.evaluation AND e.body LIKE '%"windows":[%')
       ORDER BY r.number`,
      [after, run],
    ),
  )
}

/** The digest of the chain after each committed run, from one number to another; none of runs that are older than it. */
export async function readChains(
  history: HistoryReader,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, string | null>> {
  const rows = await history.snapshot((session) =>
    session.all<{ readonly number: number; readonly chain: string | null }>(
      "SELECT number, chain FROM hookdrift.run WHERE state = 'committed' AND number BETWEEN $1 AND $2",
      [first, last],
    ),
  )
  return new Map(rows.map(({ number, chain }) => [number, chain]))
}

/** The projects of runs, by name. */
export async function readProjects(
  session: Session,
  runs: readonly number[],
): Promise<readonly { readonly run: number; readonly evaluation: ProjectEvaluation }[]> {
  const rows = await session.all<{ readonly run: number; readonly body: string }>(
    `SELECT s.run, e.body FROM hookdrift.scan s CROSS JOIN hookdrift.evaluation e
     WHERE s.run = ANY($1) AND e.id = s.evaluation ORDER BY s.name`,
    [runs],
  )
  const counted = new Set<string>()
  return rows.map(({ run, body }) => {
    const evaluation = JSON.parse(body) as ProjectEvaluation // Hookdrift wrote it.
    const service = `${run} ${evaluation.project.split('/', 1)[0]}`
    return { run, evaluation: counted.size === counted.add(service).size ? withoutService(evaluation) : evaluation }
  })
}

/** What is said of a service counts with the first of its projects, of those that the reader may know of. */
function withoutService(evaluation: ProjectEvaluation): ProjectEvaluation {
  const counts = Object.entries(evaluation.evaluated_by_rule)
  const ofProject = counts.map(([rule, count]) => [rule, rule.startsWith('service/') ? 0 : count])
  return { ...evaluation, evaluated_by_rule: Object.fromEntries(ofProject) }
}

async function policiesBetween(session: Session, after: number, run: number): Promise<RecordedPolicy[]> {
  const rows = await session.all<Omit<RecordedPolicy, 'rules' | 'policy'> & { readonly body: string }>(
    `SELECT g."firstRun", g."lastRun", d.body FROM hookdrift.document d JOIN
       (SELECT rules_document, min(number) AS "firstRun", max(number) AS "lastRun" FROM hookdrift.run
        WHERE state = 'committed' AND number > $1 AND number <= $2 GROUP BY rules_document) g
       ON d.sha256 = g.rules_document
     ORDER BY g."firstRun"`,
    [after, run],
  )
  return rows.map(({ body, ...runs }) => {
    const { rules, policy } = readStableContext(body)
    return { ...runs, rules, policy }
  })
}

/**
 * The document of what few runs change: the rules in force, what the policy leaves out, and what the run was to cover. Runs
 * that agree on it share it.
 */
type StableContext = Omit<RunContext, 'projects'>

/** What is in the document of a run; of a run without one, nothing is known. */
function readStableContext(document: string | null): StableContext {
  const { rules = [], policy = unknownPolicy, scope = unknownScope }: StoredContext = JSON.parse(document ?? '{}')
  return { rules, policy, scope }
}

type StoredContext = Partial<StableContext>

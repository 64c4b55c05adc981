import { normaliserVersion } from '../../gateway/fields.ts'
import { maskingSealer } from '../../gateway/inventory/sealer.ts'
import type { History } from '../../history/history.ts'
import type { HistoryReader } from '../../history/reader.ts'
import { rowsIn, targetIn } from '../../history/sql/copied-rows.ts'
import { readDiffering } from '../../history/sql/differing.ts'
import { type RunInputs, readRunInputs } from '../../history/sql/read-run.ts'
import type { CommittedRun } from '../../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../../history/sql/scans.ts'
import type { HistoryDatabase, Session } from '../../history/sql/session.ts'
import type { EvaluableVersion } from '../../history/sql/state-at.ts'
import { readViolationsAt } from '../../history/sql/violations.ts'
import { parseFacts, parseStored } from '../../history/stored-body.ts'
import { historyTables, type RowCell } from '../../history/table-rows.ts'
import type { Gap } from '../../model/gap.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Report } from '../../model/report.ts'
import {
  isProjectList,
  type Listing,
  type ProjectRef,
  projectKey,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../../model/resource.ts'
import { unknownScope } from '../../model/run-scope.ts'
import { listingOf } from '../../model/walks-for.ts'
import { createEvaluator } from '../../policy/evaluator.ts'
import type { Policy } from '../../policy/policy.ts'
import { rules } from '../../rules/rules.ts'
import { asResource } from '../as-resource.ts'
import type { AuditedProject } from '../audited-project.ts'
import { filtersOf, isWithin } from '../listing-filters.ts'
import { areSourcesListed, type ProjectScan, type Statuses } from '../project-scan.ts'
import type { SeenProject } from '../read-project.ts'
import { type AuditAll, labelsOf, runAudit } from '../run-audit.ts'
import { type ReadProject, scanProject } from '../scan-project.ts'
import { isOfListing, seenAs, unasked } from './unasked.ts'
import { findUnreplayable, listNotEvaluated, type UnreplayableRule } from './unreplayable-rules.ts'

/** An empty history, which takes what the runs would have written. */
export interface MemoryHistory extends History {
  readonly db: HistoryDatabase
}

export interface ReplayRequest {
  readonly policy: Policy
  /** Committed runs to evaluate, oldest first, without gaps; at least one. */
  readonly runs: readonly CommittedRun[]
  /** Bounds what custom rules take of a run. Milliseconds; only differences count. */
  readonly clock: () => number
  /** Called before each run. */
  readonly onRun?: ((done: number, total: number) => void) | undefined
}

/** What a policy would have found, had it evaluated the runs. */
export interface Replay {
  /** Of the last run. */
  readonly report: Report
  readonly notEvaluated: readonly UnreplayableRule[]
}

/**
 * Audits once more what past runs saw, by another policy: each run as it was, but that projects are read from the history.
 * Coverage, labels, baselines and time are those of then. No violation was ever accepted.
 */
export async function replayPolicy(
  history: HistoryReader,
  memory: MemoryHistory,
  { policy, runs, clock, onRun }: ReplayRequest,
): Promise<Replay> {
  const unreplayable = findUnreplayable(policy)
  const failed: Gap[] = []
  const fleet = new PastFleet(history)
  await copyBefore(history, runs[0]?.number ?? 0, memory.db)
  let report: Report | undefined
  let last = { startedAt: '', normaliser: 0 }
  for (const [at, run] of runs.entries()) {
    onRun?.(at, runs.length)
    const inputs = await readRunInputs(history, run.number)
    if (inputs === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const latest = await readLatestScans(history, run.number)
    const scans = latest.filter((scan) => scan.run.number === run.number && !isProjectList(scan.project))
    const violated = await findViolated(history, run, scans)
    const { normaliser } = inputs
    await copyApprovals(history, memory.db, { after: last.startedAt, until: run.started_at })
    if (last.normaliser !== normaliser && last.normaliser !== 0) await leaveForm(memory.db)
    await fleet.goTo(run.number)

    const projectOf = ({ project: ref, coverage }: RecordedScan): AuditedProject => {
      const { labels = {}, not_licensed = {} } = inputs.projects.find(({ project }) => project === ref.name) ?? {}
      return { ...unasked, ref, labels, lacks: Object.values(not_licensed), filters: filtersOf(coverage) }
    }
    const time = { now: Date.parse(run.started_at) }
    const auditAll: AuditAll = async ({ projects }, open) => {
      const all = createEvaluator(policy, open.now, labelsOf(projects), clock)
      const forProject: typeof all.forProject = (of, _, ...others) => all.forProject(of, unreplayable, ...others)
      const evaluator = { ...all, forProject }
      const outcomes = []
      for (const scan of scans) {
        const project = projectOf(scan)
        const read: ReadProject = async (_, { before, filters }) =>
          seenProject(scan, fleet.of(project.ref).values(), { inputs, violated, before, filters })
        await open.draft.stageScan(project.ref)
        outcomes.push(await scanProject(project, { ...open, evaluator }, read))
      }
      time.now = Date.parse(run.finished_at)
      return outcomes
    }
    report = await runAudit(
      {
        policy,
        projects: scans.map(projectOf),
        isWholeFleet: inputs.isOfAll,
        configurationDigest: inputs.configuration_digest,
        failOn: inputs.fail_on,
        scope: unknownScope,
        concurrency: 1,
        runsProbes: false,
        // Coverage says what was withheld.
        acceptsRemovals: true,
      },
      {
        history: { ...memory, begin: (start) => memory.begin({ ...start, number: run.number }) },
        sealer: { ...maskingSealer, keyId: inputs.sealKeyId },
        clock: { now: () => time.now, sleep: async () => {} },
        signal: new AbortController().signal,
        toolVersion: '',
        onPage: () => {},
        onInterrupted: () => {},
      },
      auditAll,
    )
    const isFailure = ({ cause, rule }: Gap) => cause === 'rule_failed' && !unreplayable.has(rule ?? '')
    failed.push(...report.gaps.filter(isFailure))
    last = { startedAt: run.started_at, normaliser }
  }
  if (report === undefined) throw new Error('there is no run to replay')
  return { report, notEvaluated: listNotEvaluated(unreplayable, failed) }
}

/** From now on, nothing that was written before is in the normal form of the run: a newer hookdrift is not drift. */
async function leaveForm(memory: HistoryDatabase): Promise<void> {
  for (const table of ['version', 'run']) await memory.run(`UPDATE hookdrift.${table} SET normal_form_version = 0`)
}

/** What a run reads of the runs before it, but for violations and what people decided; and by which run a row is. */
const tables = {
  run: 'number',
  project: '0',
  version: 'from_run',
  unreferenced: 'from_run',
  change: 'run',
  scan: 'run',
  walk: 'run',
  first_complete_walk: 'run',
}

/** Copies what the runs before one left, in the state of that time, with the ids of rows. */
function copyBefore(history: HistoryReader, first: number, memory: HistoryDatabase): Promise<void> {
  return history.snapshot(async (session) => {
    const form = await session.value<number>(
      "SELECT normal_form_version FROM hookdrift.run WHERE number < $1 AND state = 'committed' ORDER BY number DESC LIMIT 1",
      [first],
    )
    const asThen: Change = (column, cell) => {
      if (column.endsWith('_document') || (column === 'to_run' && Number(cell) >= first)) return null
      // What the run compares with is in its own normal form, or in another one.
      return column === 'normal_form_version' ? (cell === form ? normaliserVersion : 0) : cell
    }
    for (const [table, writtenBy] of Object.entries(tables))
      await copyRows(session, memory, table, `${writtenBy} < ${first}`, asThen)
  })
}

/** Copies the baselines that people approved, and revoked, after one time and by another (ISO 8601). */
function copyApprovals(
  history: HistoryReader,
  memory: HistoryDatabase,
  { after, until }: { readonly after: string; readonly until: string },
): Promise<void> {
  const isOfTime = (column: string) => `${column} > '${after}' AND ${column} <= '${until}'`
  return history.snapshot(async (session) => {
    const approved = `SELECT id FROM hookdrift.approval WHERE ${isOfTime('approved_at')}`
    await copyRows(session, memory, 'approval', `id IN (${approved})`, (column, cell) =>
      column.startsWith('revoked') ? null : cell,
    )
    await copyRows(session, memory, 'approved_resource', `approval_id IN (${approved})`)
    const revoked = await session.all<{ readonly id: number; readonly at: string; readonly by: string }>(
      `SELECT id, revoked_at AS "at", revoked_by AS "by" FROM hookdrift.approval WHERE ${isOfTime('revoked_at')}`,
    )
    for (const { id, at, by } of revoked)
      await memory.run('UPDATE hookdrift.approval SET revoked_at = $2, revoked_by = $3 WHERE id = $1', [id, at, by])
  })
}

type Change = (column: string, cell: RowCell) => RowCell

async function copyRows(
  session: Session,
  memory: HistoryDatabase,
  name: string,
  where: string,
  change: Change = (_, cell) => cell,
): Promise<void> {
  const table = historyTables.find((one) => one.name === name)
  if (table === undefined) throw new Error(`there is no table ${name}`)
  const columns = [...table.columns.keys()]
  for await (const rows of rowsIn(session).rows({ ...table, isCommitted: () => where })) {
    const changed = rows.map((row) => row.map((cell, at) => change(columns[at] ?? '', cell)))
    await memory.transaction((transaction) => targetIn(transaction).write(table, changed))
  }
}

interface PastResource {
  readonly resource: Resource
  /** The run that wrote its version, and the digest of that. */
  readonly fromRun: number
  readonly digest: string
}

/** The fleet as the history has it, from run to run: only what differs is read. */
class PastFleet {
  readonly #history: HistoryReader
  readonly #projects = new Map<string, Map<ResourceKey, PastResource>>()
  #run = 0

  constructor(history: HistoryReader) {
    this.#history = history
  }

  async goTo(run: number): Promise<void> {
    for (const { project, kind, uid, after } of await readDiffering(this.#history, this.#run, run)) {
      const resources = this.of(project)
      const key = resourceKey({ kind, uid })
      if (after === undefined) resources.delete(key)
      else resources.set(key, { ...after, resource: asResource({ kind, uid }, versionOf(after)) })
    }
    this.#run = run
  }

  of(project: ProjectRef): Map<ResourceKey, PastResource> {
    const resources = this.#projects.get(projectKey(project)) ?? new Map<ResourceKey, PastResource>()
    this.#projects.set(projectKey(project), resources)
    return resources
  }
}

/** Hookdrift wrote it. */
function versionOf({ name, body, facts }: EvaluableVersion) {
  return { name, attributes: parseStored<JsonObject>(body), ...parseFacts(facts) }
}

interface PastEvidence extends Pick<ProjectScan, 'before' | 'filters'> {
  readonly inputs: RunInputs
  /** See `findViolated`. */
  readonly violated: ReadonlySet<string>
}

/**
 * What the scan of a project by a past run is known to have shown. A complete walk showed all that is current after it. Of
 * any other the history knows what it wrote, what it withheld, and of which resources it found violations.
 * `resources`: as that run left them.
 */
function seenProject(
  { project, run, coverage }: RecordedScan,
  resources: Iterable<PastResource>,
  { inputs, violated, before, filters }: PastEvidence,
): SeenProject {
  const walks = coverage.filter(isOfListing)
  const statuses: Statuses = Object.fromEntries(walks.map(({ listing, status }) => [listing, status]))
  const areListed = areSourcesListed(statuses)
  const key = projectKey(project)
  const unreferenced = new Set(inputs.unreferenced.filter((one) => projectKey(one.project) === key).map(resourceKey))
  const withheldOf = (listing: Listing) =>
    inputs.withheldRemovals.find((one) => one.listing === listing && projectKey(one.project) === key)?.uids

  const isSeen = ({ resource, fromRun }: PastResource, listing: Listing): boolean => {
    const { kind, uid, attributes } = resource
    if (fromRun === run.number || violated.has(`${project.name} ${resourceKey(resource)}`)) return true
    const { status, filter, cause } = walks.find((walk) => walk.listing === listing) ?? {}
    // A suspect walk showed all but what it withheld. One that misses fields may have missed nothing.
    const withheld = withheldOf(listing)
    if (status === 'suspect')
      return filter === null && (withheld === undefined ? cause === 'unseen_fields' : !withheld.includes(uid))
    if (status !== 'complete') return false
    const isOnlyReferred = kind === 'device' || (kind === 'source' && !areListed)
    return isOnlyReferred
      ? filter === null && !unreferenced.has(resourceKey(resource))
      : isWithin(filters, kind, attributes)
  }

  const seen = [...resources].flatMap((one) => {
    const listing = listingOf(one.resource.kind, areListed)
    return listing !== undefined && isSeen(one, listing) ? [{ listing, ...one }] : []
  })
  // What is current already need not be compared.
  const isKnown = ({ resource: { kind, uid }, digest }: PastResource) =>
    before.versions.find(kind, uid)?.digest === digest
  const read = new Set(seen.filter(isKnown).map(({ resource }) => resource))
  return seenAs(project, { walks, filters, seen, read })
}

/**
 * Resources that a run is known to have seen, because it found violations of theirs: `project resource`, by name and key.
 * Asked only where a walk was incomplete: elsewhere coverage says what was seen.
 */
async function findViolated(
  history: HistoryReader,
  { number, started_at }: RecordedScan['run'],
  scans: readonly RecordedScan[],
): Promise<ReadonlySet<string>> {
  const isCut = scans.some(({ coverage }) => coverage.some(({ status, filter }) => status !== 'complete' || filter))
  if (!isCut) return new Set()
  const names = new Set(scans.map(({ project }) => project.name))
  const found = (await readViolationsAt(history, number)).filter(
    ({ project, rule, state, last_seen }) =>
      names.has(project) && state !== 'unknown' && last_seen === started_at && !aboutUnseen.has(rule),
  )
  return new Set(found.map((violation) => `${violation.project} ${resourceKey(violation)}`))
}

/** Rules about a scan, about what was removed, or about violations: they find something in what was not seen. */
const aboutUnseen = new Set(
  rules.flatMap(({ id, scope }) => (scope === 'scan' || scope === 'drift' || scope === 'violations' ? [id] : [])),
)

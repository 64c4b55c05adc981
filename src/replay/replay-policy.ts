import type { AuditedProject } from '../audit/audited-project.ts'
import { filtersOf } from '../audit/listing-filters.ts'
import { type AuditAll, labelsOf, runAudit } from '../audit/run-audit.ts'
import { type ReadProject, scanProject } from '../audit/scan-project.ts'
import type { History } from '../history/history.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { HistoryDatabase } from '../history/sql/session.ts'
import { maskingSealer } from '../inventory/sealer.ts'
import type { Gap } from '../model/gap.ts'
import type { Report } from '../model/report.ts'
import { isProjectList } from '../model/resource.ts'
import { unknownScope } from '../model/run-scope.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { ServiceClient } from '../service/service-client.ts'
import { copyApprovals, copyBefore } from './copy-past.ts'
import { findViolated, PastFleet, seenProject } from './past-fleet.ts'
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

const refuse = () => {
  throw new Error('a replay sends no requests')
}

const client: ServiceClient = {
  pages: refuse,
  eventTypes: refuse,
  project: refuse,
  filters: refuse,
  projects: refuse,
  testFunction: refuse,
  missingFeatures: refuse,
  close: async () => {},
}

/** Of a project that no service is asked for. */
const unasked = {
  client,
  key: '',
  configuredAt: null,
  listings: { sources: 'off', project: 'off', event_types: 'off', filters: 'off' },
  filtersPerRun: 0,
} as const

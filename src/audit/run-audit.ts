import pLimit from 'p-limit'
import type { History } from '../history/history.ts'
import type { ComposeNotifications } from '../history/notification-facts.ts'
import type { RunRecord } from '../history/records.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { normaliserVersion } from '../inventory/wire-schema.ts'
import { type Clock, isoTime } from '../model/clock.ts'
import type { Report } from '../model/report.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { FailOn } from '../model/violation.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { ProjectTools } from './audit-project.ts'
import type { AuditedService, ProjectList } from './audited-service.ts'
import { clockFault, steadyClock } from './check-clock.ts'
import { composeReport } from './compose-report.ts'
import { concludeFleet } from './conclude-fleet.ts'
import { writeLists, writeUnlisted } from './conclude-lists.ts'
import { auditContained, type OnBug } from './contain-bugs.ts'
import { noteIgnored } from './note-ignored.ts'
import type { Marking } from './open-marks-of.ts'
import { noteUnmatchedProbes } from './probes/describe-probes.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import type { AuditedProject, PageRead } from './project-scan.ts'
import { writeConclusion } from './write-conclusion.ts'

export interface Audit {
  readonly projects: readonly AuditedProject[]
  /** The lists of projects that decide which projects these are. Default: none. */
  readonly lists?: readonly ProjectList[]
  /** Services that name all their projects: their lists are searched for others. Default: none. */
  readonly services?: readonly AuditedService[]
  /** Whether these are all projects of the configuration: rules across the fleet need to see it whole. */
  readonly isWholeFleet: boolean
  readonly concurrency: number
  readonly policy: Policy
  readonly configurationDigest: string
  readonly failOn: FailOn
  /** Whether the policy's probes run. Default: yes. */
  readonly runsProbes?: boolean
  /** Whether a person said that all that is missing is gone. */
  readonly acceptsRemovals: boolean
  /** Whether what earlier runs evaluated is recognised. Default: yes. */
  readonly usesMarks?: boolean
}

export interface AuditDependencies {
  readonly history: History
  readonly sealer: Sealer
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly toolVersion: string
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  /** Composes the run's notifications, in the transaction that commits it. Without it there are none. */
  readonly composeNotifications?: ComposeNotifications | undefined
  /** Called when a bug of ours ended the audit of a project. */
  readonly onBug?: OnBug | undefined
  /** Called for each earlier run that was found killed. */
  readonly onInterrupted: (run: number) => void
}

/**
 * One run: every project is walked, inventoried, drafted and evaluated by itself, and leaves one plain value; from these
 * the fleet is concluded, and all of it is committed at once. Returns the report of the committed run.
 * A bug in one project fails that project (`contain-bugs.ts`).
 * @throws AuditError.busy when another run owns the lease; after any error, nothing of the run stays in the history
 */
export async function runAudit(
  audit: Audit,
  dependencies: AuditDependencies,
  auditAll: AuditAll = auditHere,
): Promise<Report> {
  const { history, sealer } = dependencies
  const clock = steadyClock(dependencies.clock)
  const now = clock.now()
  const startedAt = isoTime(now)
  const draft = await history.begin({
    startedAt,
    failOn: audit.failOn,
    toolVersion: dependencies.toolVersion,
    policyDigest: audit.policy.digest,
    configurationDigest: audit.configurationDigest,
    sealKeyId: sealer.keyId,
    normaliser: normaliserVersion,
  })
  for (const run of draft.interrupted) dependencies.onInterrupted(run)
  // When one project ends the run, the others need not go on asking.
  const giveUp = new AbortController()
  const signal = AbortSignal.any([dependencies.signal, giveUp.signal])
  try {
    const before = await history.lastRun()
    const { policy, runsProbes = true, acceptsRemovals, isWholeFleet } = audit
    const { onPage, onBug } = dependencies
    const tools = {
      draft,
      sealer,
      clock,
      now,
      signal,
      onPage,
      probes: policy.probes,
      ignored: policy.ignore,
      runsProbes,
      acceptsRemovals,
      marking: audit.usesMarks === false ? undefined : markingOf(audit, dependencies, now),
    }
    const outcomes = await auditAll(audit, tools, onBug)
    const listing = { evaluator: createEvaluator(policy, now), outcomes }
    const decided = await writeLists(draft, audit.lists ?? [], listing)
    const { services = [], concurrency } = audit
    const searched = await writeUnlisted(services, { ...listing, draft, sealer, clock, signal, concurrency })
    const conclusion = concludeFleet(outcomes, { policy, isWholeFleet, now, lists: searched })
    await writeConclusion(draft, conclusion, {
      ...{ policy, now, labelsOf: labelsOf(audit.projects), lists: [...decided, ...searched.written] },
    })
    await noteIgnored(draft, policy.ignore, outcomes)
    if (runsProbes && isWholeFleet) await noteUnmatchedProbes(draft, policy.probes, outcomes)
    const fault = clockFault(startedAt, before)
    if (fault !== undefined) await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: fault })
    const exitCodeOf = (drafted: RunRecord) => composeReport(drafted).verdict.exit_code
    const record = await draft.commit(isoTime(clock.now()), exitCodeOf, dependencies.composeNotifications)
    return composeReport(record)
  } catch (error) {
    giveUp.abort(new Error('the run was given up'))
    await draft.abandon(isoTime(clock.now()))
    throw error
  }
}

/** undefined where every item must be read: without a key, and for rules across resources that read what is not stored. */
function markingOf(
  { policy, configurationDigest, runsProbes = true }: Audit,
  { sealer, toolVersion }: AuditDependencies,
  now: number,
): Marking | undefined {
  const isStored = namedRules(policy).every(
    ({ rule: { scope, unkept } }) => scope === 'resource' || unkept === undefined,
  )
  const key = isStored ? sealer.deriveKey?.('marks') : undefined
  if (key === undefined) return undefined
  const waiversInForce = policy.waivers.flatMap(({ until }, place) => (now < until ? [place] : []))
  const run = [toolVersion, normaliserVersion, sealer.keyId, policy.digest, configurationDigest, runsProbes]
  return { key, terms: [...run, waiversInForce] }
}

/** Audits all projects; returns what each left, in their order. */
export type AuditAll = (
  audit: Audit,
  tools: ProjectTools,
  onBug: OnBug | undefined,
) => Promise<readonly ProjectOutcome[]>

/** In this process, several at once. */
const auditHere: AuditAll = ({ projects, policy, concurrency }, tools, onBug) => {
  const evaluator = createEvaluator(policy, tools.now, labelsOf(projects), tools.clock.now)
  const limit = pLimit(concurrency)
  return Promise.all(projects.map((project) => limit(() => auditContained(project, evaluator, tools, onBug))))
}

/** Of the projects that are audited. */
export function labelsOf(projects: readonly AuditedProject[]): (project: ProjectRef) => AuditedProject['labels'] {
  const labels = new Map(projects.map((project) => [project.ref.name, project.labels]))
  return ({ name }) => labels.get(name) ?? {}
}

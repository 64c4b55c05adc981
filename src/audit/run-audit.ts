import pLimit from 'p-limit'
import { normaliserVersion } from '../gateway/fields.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import type { Draft, History } from '../history/history.ts'
import type { ComposeNotifications } from '../history/notification-facts.ts'
import type { WrittenRun } from '../history/records.ts'
import { readLastGaps } from '../history/sql/last-evaluations.ts'
import { type CommittedRun, findLastRun } from '../history/sql/runs.ts'
import { intersectReleases } from '../model/release-range.ts'
import type { Report } from '../model/report.ts'
import { type ProjectRef, projectKey, projectListOf } from '../model/resource.ts'
import type { RunScope } from '../model/run-scope.ts'
import { Dropped } from '../model/stop.ts'
import { type Clock, isoTime } from '../model/time.ts'
import type { FailOn } from '../model/violation.ts'
import { createEvaluator } from '../policy/evaluator.ts'
import { mayBeVulnerable, releaseVulnerable } from '../rules/service/release-vulnerable.ts'
import { urlNotHttps } from '../rules/service/url-not-https.ts'
import type { AuditedProject, AuditedService, PageRead, ProjectList } from './audited-project.ts'
import { composeReport, verdictOf } from './compose-report.ts'
import { concludeFleet } from './conclude-fleet.ts'
import { reconcileList, writeLists, writeUnlisted } from './conclude-lists.ts'
import { auditContained } from './contain-bugs.ts'
import type { ServiceConclusions } from './fleet-conclusion.ts'
import { readLastWritten } from './newer-settings.ts'
import type { OnBug, OnStep, OpenRun, RunOptions } from './open-run.ts'
import { type NamingParts, notePointless } from './pointless-names.ts'
import { bareResource } from './policy-endings.ts'
import { noteUnmatchedProbes } from './probes/run-probes.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import { keyOf } from './reconcile.ts'
import { writeConclusion } from './write-conclusion.ts'
import { noteCachedSettings, noteIgnored, noteUnlicensed } from './write-notices.ts'

export interface Audit extends RunOptions {
  readonly configurationDigest: string
  readonly projects: readonly AuditedProject[]
  /** The lists of projects that decide which projects these are. Default: none. */
  readonly lists?: readonly ProjectList[]
  /** Services that name all their projects: their lists are searched for others. Default: none. */
  readonly services?: readonly AuditedService[]
  /** What else the configuration says of projects by their names. Default: nothing. */
  readonly naming?: NamingParts
  /** Whether these are all projects of the configuration: rules across projects need to see all of them. */
  readonly isWholeFleet: boolean
  /** What a later report says that the run was to cover. */
  readonly scope: RunScope
  readonly concurrency: number
  readonly failOn: FailOn
}

export interface AuditDependencies {
  readonly history: History
  readonly sealer: Sealer
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly toolVersion: string
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly onStep?: OnStep | undefined
  /** Composes the run's notifications, in the transaction that commits it. Without it there are none. */
  readonly composeNotifications?: ComposeNotifications | undefined
  /** Called when a bug of ours ended the audit of a project. */
  readonly onBug?: OnBug | undefined
  /** Called for each earlier run that was found killed. */
  readonly onInterrupted: (run: number) => void
}

const noNaming: NamingParts = { schedules: [], notify: [] }

/** A run that may write to the history (it owns the lease), and when it started: ISO 8601, UTC. */
interface BegunRun {
  readonly draft: Draft
  readonly startedAt: string
}

/**
 * One run: reads each project from its gateway, compares it with the history and evaluates the rules, by itself
 * (`scan-project.ts`). Each leaves one plain value. From these follows what only all projects together show, such as a
 * shared secret (`conclude-fleet.ts`). Then one transaction writes everything. Returns the report of that.
 * A bug in one project fails that project (`contain-bugs.ts`).
 * @throws AuditError.busy when another run may write to the history; after any error, nothing of this one stays there
 */
export async function runAudit(
  audit: Audit,
  dependencies: AuditDependencies,
  auditAll: AuditAll = auditHere,
): Promise<Report> {
  const { history, sealer } = dependencies
  const clock = steadyClock(dependencies.clock)
  const startedAt = isoTime(clock.now())
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
  return conductRun(audit, { ...dependencies, clock }, { draft, startedAt }, auditAll)
}

/** The rest of a run that has begun, also of one that another process began. Returns and throws as `runAudit`. */
export async function conductRun(
  audit: Audit,
  dependencies: AuditDependencies,
  { draft, startedAt }: BegunRun,
  auditAll: AuditAll,
): Promise<Report> {
  const { history, sealer, clock, onPage, onStep, onBug } = dependencies
  const now = Date.parse(startedAt)
  // When one project ends the run, the others need not go on asking.
  const giveUp = new AbortController()
  const signal = AbortSignal.any([dependencies.signal, giveUp.signal])
  try {
    const before = await findLastRun(history)
    const { policy, runsProbes, acceptsRemovals, isWholeFleet, scope } = audit
    const evaluator = createEvaluator(policy, now, labelsOf(audit.projects), clock.now)
    const run: OpenRun = {
      policy,
      runsProbes,
      acceptsRemovals,
      draft,
      sealer,
      clock,
      now,
      signal,
      onPage,
      onStep,
      onBug,
      evaluator,
      lastWritten: readLastWritten(history),
    }
    const outcomes = await auditAll(audit, run)
    onStep?.('concluding')
    const decided = await writeLists(run, audit.lists ?? [], outcomes)
    const searched = await writeUnlisted(run, audit.services ?? [], outcomes, audit.concurrency)
    const services = await writeServices(run, outcomes, audit.isWholeFleet)
    const gaps = await readLastGaps(history, before?.number)
    const conclusion = concludeFleet(outcomes, {
      policy,
      isWholeFleet,
      now,
      run: draft.run,
      gapsBefore: (project) => gaps.get(projectKey(project)) ?? [],
      lists: searched,
      services,
    })
    const lists = [...decided, ...searched.written, ...services.written]
    await writeConclusion(draft, conclusion, {
      ...run,
      // One list may be drafted for its projects and for its service.
      lists: [...new Map(lists.map((list) => [list.name, list])).values()],
      scope,
    })
    await noteIgnored(draft, policy.ignore, outcomes)
    await noteUnlicensed(draft, outcomes)
    if (isWholeFleet) await notePointless(draft, policy, audit.naming ?? noNaming, audit.projects)
    await noteCachedSettings(draft, audit.projects, outcomes)
    if (runsProbes && isWholeFleet) await noteUnmatchedProbes(draft, policy.probes, outcomes)
    const fault = clockFault(startedAt, before)
    if (fault !== undefined) await draft.stageNotice(undefined, { code: 'clock_went_back', listing: null, text: fault })
    onStep?.('writing')
    const exitCodeOf = (drafted: WrittenRun) => verdictOf(drafted).exit_code
    const record = await draft.commit(isoTime(clock.now()), exitCodeOf, dependencies.composeNotifications)
    return composeReport(record)
  } catch (error) {
    giveUp.abort(new Dropped('failed', 'the run was given up'))
    await draft.abandon(isoTime(clock.now()), error)
    throw error
  }
}

/** Audits all projects; returns what each left, in their order. */
export type AuditAll = (audit: Audit, run: OpenRun) => Promise<readonly ProjectOutcome[]>

/** In this process, several at once. */
const auditHere: AuditAll = ({ projects, concurrency }, run) => {
  const limit = pLimit(concurrency)
  const auditOne = async (project: AuditedProject) => {
    const outcome = await auditContained(project, run)
    await run.draft.pack(project.ref)
    run.onStep?.('audited')
    return outcome
  }
  return Promise.all(projects.map((project) => limit(auditOne, project)))
}

/** Of the projects that are audited. */
export function labelsOf(projects: readonly AuditedProject[]): (project: ProjectRef) => AuditedProject['labels'] {
  const labels = new Map(projects.map((project) => [project.ref.name, project.labels]))
  return ({ name }) => labels.get(name) ?? {}
}

/** Clocks of two machines differ by fractions of a second, and are set right by as much. */
const toleranceMs = 1000

/**
 * What is wrong with the clock, where a run starts before the one before it ended; undefined where nothing is. Runs of a
 * history follow each other, so one of the two times cannot be right.
 */
function clockFault(startedAt: string, before: CommittedRun | undefined): string | undefined {
  if (before === undefined || Date.parse(startedAt) >= Date.parse(before.finished_at) - toleranceMs) return undefined
  return (
    `the clock went back: this run started at ${startedAt}, but run ${before.number}, the one before it, finished at ${before.finished_at}. ` +
    'Check the clock and its synchronisation (NTP) on every machine that writes to this history: ages, deadlines and expiries of this run, or of that one, are wrong'
  )
}

/** A clock that stops while the given one is behind its last time: nothing ends before it began. */
function steadyClock(clock: Clock): Clock {
  let latest = Number.NEGATIVE_INFINITY
  return {
    now() {
      latest = Math.max(latest, clock.now())
      return latest
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  }
}

/**
 * Evaluates what the scanned projects of each service show of it, and drafts it in the project of the service's list. A run
 * that did not scan all projects leaves alone what it cannot decide: another one saw more.
 */
async function writeServices(
  run: OpenRun,
  outcomes: readonly ProjectOutcome[],
  isWholeFleet: boolean,
): Promise<ServiceConclusions & { readonly written: readonly ProjectRef[] }> {
  const { draft, evaluator } = run
  const active = [releaseVulnerable.id, urlNotHttps.id].filter((id) => evaluator.needs.has(id))
  const written: ProjectRef[] = []
  const usedWaivers: number[] = []
  const unsure = new Set<string>()
  const evaluated = new Map<string, Readonly<Record<string, number>>>()
  for (const [service, ofService] of Map.groupBy(outcomes, ({ project }) => project.service)) {
    const release = intersectReleases(ofService.map((outcome) => outcome.release))
    const origins = new Set(ofService.flatMap((outcome) => outcome.origins))
    const areOriginsKnown = isWholeFleet && !origins.has(null) && ofService.every((one) => isWhole(one, 'source'))
    const undecided = [
      ...(mayBeVulnerable(release) ? [releaseVulnerable.id] : []),
      ...(areOriginsKnown ? [] : [urlNotHttps.id]),
    ]
    const list = projectListOf(service)
    const rules = evaluator.forProject(list)
    const findings = rules.evaluateScan(bareResource({ kind: 'service', uid: service, name: service }), {
      isVanished: false,
      isMissing: false,
      isUnlisted: false,
      unconfirmedRemovals: [],
      release,
      origins: [...origins].filter((origin) => origin !== null),
    })
    usedWaivers.push(...rules.outcome().usedWaivers)
    const silent = undecided.filter((id) => !findings.some(({ rule }) => rule === id))
    for (const id of silent) unsure.add(id)
    const counts = Object.fromEntries(active.map((id) => [id, silent.includes(id) ? 0 : 1]))
    for (const { project } of ofService) evaluated.set(project.name, counts)
    const violations = (await draft.unconfirmedViolations(list)).filter(
      ({ kind, rule }) => kind === 'service' && (isWholeFleet || !silent.includes(rule)),
    )
    if (findings.length + violations.length === 0) continue
    await draft.stageScan(list)
    await reconcileList(run, list, findings, {
      kind: 'service',
      violations,
      isComplete: true,
      undecided: violations.filter(({ rule }) => silent.includes(rule)).map(keyOf),
    })
    written.push(list)
  }
  return { written, usedWaivers, unsure: [...unsure], evaluated }
}

import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { AuditedProject, PageRead } from '../audit/audited-project.ts'
import { stateOf } from '../audit/expected-state.ts'
import type { OnStep } from '../audit/open-run.ts'
import { runAudit } from '../audit/run-audit.ts'
import type { Configuration } from '../config/configuration.ts'
import type { ProjectState } from '../config/state-file.ts'
import { createSealer } from '../gateway/inventory/sealer.ts'
import type { Patience } from '../gateway/service/settings.ts'
import type { History } from '../history/history.ts'
import type { ComposeNotifications } from '../history/notification-facts.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { AuditError } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import type { Report } from '../model/report.ts'
import { count } from '../model/text/count.ts'
import type { FailOn } from '../model/violation.ts'
import type { Policy } from '../policy/policy.ts'
import { boundRun, openStack } from './end-in-order.ts'
import { installationKey } from './installation-key.ts'
import { type Log, openLog } from './log.ts'
import { openHistory, spaceOf, withUpkeep } from './open-history.ts'
import { openServices } from './open-projects.ts'
import { planFleet, searchedServices } from './plan-fleet.ts'
import { type ProcessContext, printWarning } from './process-context.ts'
import { systemClock } from './system.ts'
import { logReport, openProgress, type Progress, watchIn, watchRequests, withProgress } from './watch-run.ts'

export interface AuditRequest {
  readonly configuration: Configuration
  readonly policy: Policy
  /** `service/project`, `service/*` or a bare project name; all when empty. */
  readonly only: readonly string[]
  readonly failOn: FailOn
  /** The name of the schedule whose run it is; absent: a person or another program asks. */
  readonly schedule?: string
  readonly quiet: boolean
  /** Whether missing resources count as removed at once, however many. */
  readonly acceptsRemovals?: boolean
  /** States that rules about changes compare with, in place of those that a person approved. */
  readonly expected?: readonly ProjectState[] | undefined
  readonly runTimeoutMs: number
  /** How long to hope for a service that cannot be reached. Default: long. */
  readonly patience?: Patience
  readonly onPage?: (page: PageRead) => void
  /** Whether channels are notified. Default: yes. If not, the next run that notifies does so for this one. */
  readonly notifies?: boolean
  /** Whether the policy's probes run: functions that the gateway is asked to try. Default: yes. */
  readonly runsProbes?: boolean
}

/** Runs one audit as configured: opens log, progress, time limit, the key that seals secrets, and the history. */
export async function performAudit(
  request: AuditRequest,
  terminal: ProcessContext,
  stopSignal: AbortSignal,
): Promise<Report> {
  const { configuration } = request
  const log = openLog(terminal)
  const report = await runOnce(request, terminal, stopSignal, log)
  await withProgress(terminal, 'pruning old runs', () => maintain(configuration, terminal, log), request.quiet)
  return report
}

/**
 * Prunes old runs after a run, where the configuration asks for it, and warns early of a full disk. The run is already
 * committed, so no error of the pruning fails it.
 */
export async function maintain(
  { history, retention }: Configuration,
  terminal: ProcessContext,
  log: Log,
): Promise<void> {
  if (retention !== undefined) {
    try {
      const request = { ...retention, toolVersion: toolVersion() }
      const pruning = await withUpkeep(history, terminal.env, (upkeep) => upkeep.pruneWhenDue(request))
      const gone = pruning?.plan.filter(({ reasons }) => reasons.length === 0).length ?? 0
      if (gone > 0) log.info({ runs: gone, freed_bytes: pruning?.freed.bytes }, 'old runs pruned')
    } catch (error) {
      if (!(error instanceof AuditError)) throw error
      const advice = error.advice === undefined ? '' : `; ${error.advice}`
      printWarning(`old runs were not pruned: ${error.message}${advice}`, terminal)
    }
  }
  // What is free on a server is not known.
  if (history.kind === 'postgres') return
  const { bytes: size, freeBytes: free } = await spaceOf(history)
  const warning = free === undefined ? undefined : spaceWarning({ displayName: history.displayName, size, free })
  if (warning !== undefined) printWarning(warning, terminal)
}

const leastFree = 64 * 1024 * 1024

/** An upgrade and a backup need as much space as the history takes, a large run a part of it. Sizes in bytes. */
export function spaceWarning({
  displayName,
  size,
  free,
}: {
  displayName: string
  size: number
  free: number
}): string | undefined {
  if (free >= Math.max(size, leastFree)) return undefined
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  return `only ${megabytes(free)} are free on the disk of the history ${displayName}, which takes ${megabytes(size)}: make room, or prune the history (\`hookdrift docs keep-the-history\`)`
}

/** How the notifications of a run are composed; where it does not notify, the next run that does says what it found. */
export async function notificationsOf(
  configuration: Configuration,
  projects: readonly AuditedProject[],
  notifies: boolean,
): Promise<ComposeNotifications | undefined> {
  if (!notifies) return () => 'later'
  if (configuration.notify.length === 0) return undefined
  const { composeRunNotifications } = await import('../notify/compose-messages.ts')
  const { openLinks } = await import('../notify/links.ts')
  return composeRunNotifications(configuration.notify, openLinks(configuration, projects))
}

/** Prints the configuration's warnings for the person who wrote it; the log is for machines. */
export function printWarnings({ warnings }: Configuration, terminal: ProcessContext): void {
  for (const warning of warnings) printWarning(warning, terminal)
}

/** As many items as fit into the memory that Node takes anyway. */
const smallFleet = 10_000

/** A request leaves as much garbage as so many items, however few its page has. */
const leastOfPage = 10

/**
 * Counts the items of a run, page by page, and has Node collect garbage sooner in a large one: a tenth to a fifth less
 * memory from 60,000 resources on. On busy machines that took up to two fifths more CPU time.
 */
export function boundHeap(setFlags = setFlagsFromString): (items: number) => void {
  let remainingItems = smallFleet
  return (items) => {
    if (remainingItems <= 0) return
    remainingItems -= Math.max(items, leastOfPage)
    if (remainingItems > 0) return
    // What is compiled so far is kept for the next start: with another flag, it would not be accepted.
    flushCompileCache()
    setFlags('--heap-growing-percent=30')
  }
}

/** Opens what a run needs, runs it, and closes all of it, also after a failure. */
async function runOnce(
  request: AuditRequest,
  terminal: ProcessContext,
  stopSignal: AbortSignal,
  log: Log,
): Promise<Report> {
  const { configuration } = request
  await using opened = openStack()
  const { signal, cut, done } = boundRun(stopSignal, request.runTimeoutMs)
  opened.defer(done)
  const { services, close } = openServices(configuration, request.only, {
    terminal,
    cut,
    patience: request.patience,
    onRequest: watchRequests(terminal, log, request.quiet),
  })
  opened.defer(close)
  const { key, warning } = installationKey(configuration.history, terminal.env)
  if (warning !== undefined) printWarning(warning, terminal)
  const history = await openHistory(configuration.history, terminal.env)
  opened.defer(() => history.close())
  const sealer = createSealer(key, configuration.secrets)
  const { only, schedule = null } = request
  const progress = openProgress(terminal, request.quiet)
  opened.defer(progress.done)
  progress.show('finding projects')
  const plan = await planFleet(configuration, services, history, sealer, { only, schedule, signal })
  const { projects, lists, areAll, isWholeFleet, scope } = plan
  const steps = await watchSteps(progress, history, projects)
  const countItems = boundHeap()
  const report = await runAudit(
    {
      projects: withExpected(projects, request.expected),
      lists,
      services: searchedServices(services, areAll),
      isWholeFleet,
      scope,
      naming: configuration,
      concurrency: configuration.concurrency,
      policy: request.policy,
      configurationDigest: configuration.digest,
      failOn: request.failOn,
      runsProbes: request.runsProbes ?? true,
      acceptsRemovals: request.acceptsRemovals ?? false,
    },
    {
      history,
      sealer,
      clock: systemClock,
      signal,
      toolVersion: toolVersion(),
      onPage: ({ ref }, page) => {
        log.debug({ project: ref.name, listing: page.listing, items: page.items }, 'page read')
        steps.onPage(ref.name, page)
        countItems(page.items)
        request.onPage?.(page)
      },
      onStep: steps.onStep,
      composeNotifications: await notificationsOf(configuration, projects, request.notifies ?? true),
      ...watchIn(log),
    },
  )
  logReport(log, report)
  return report
}

/** Shows how far a run is: by the resources that the last scans of its projects read, or else by the projects. */
async function watchSteps(progress: Progress, history: History, projects: readonly AuditedProject[]) {
  const known = progress.isWatched ? await countKnown(history, projects) : 0
  let [audited, read, current] = [0, 0, projects[0]?.ref.name ?? '']
  const showReading = () => {
    const [done, total] = known > 0 ? [read, known] : [audited, projects.length]
    const soFar = `${audited} of ${count(projects.length, 'project')}, ${count(read, 'resource')}`
    progress.show(`reading ${current}: ${soFar}`, done, total)
  }
  return {
    onPage(project: string, { listing, items }: PageRead) {
      current = project
      // The rows of a subscription are no resources.
      if (listing !== 'filters') read += items
      showReading()
    },
    onStep(step: Parameters<OnStep>[0]) {
      if (step !== 'audited') {
        return progress.show(step === 'concluding' ? 'comparing with the runs before' : 'writing the run')
      }
      audited += 1
      showReading()
    },
  }
}

async function countKnown(history: History, projects: readonly AuditedProject[]): Promise<number> {
  const last = await findLastRun(history)
  if (last === undefined) return 0
  const names = new Set(projects.map(({ ref }) => ref.name))
  const walks = (await readLatestScans(history, last.number)).flatMap(({ project, coverage }) =>
    names.has(project.name) ? coverage : [],
  )
  return walks.reduce((sum, { listing, items }) => sum + (listing === 'filters' ? 0 : items), 0)
}

/**
 * The projects with the state that is expected of each; `states` undefined: nothing in particular.
 * @throws AuditError.usage when a project has no state: it would pass with any content
 */
function withExpected(
  projects: readonly AuditedProject[],
  states: readonly ProjectState[] | undefined,
): readonly AuditedProject[] {
  if (states === undefined) return projects
  return projects.map((audited) => {
    const { name, service, uid } = audited.ref
    const state = states.find(({ project }) => project.service === service && project.uid === uid)
    if (state !== undefined) return { ...audited, expected: stateOf(state.scopes, state.resources) }
    throw AuditError.usage(`--expect has no state of ${name} (${uid})`, {
      advice: 'export its approved state, or leave it out with --project',
    })
  })
}

import type { PageRead } from '../audit/project-scan.ts'
import { runAudit } from '../audit/run-audit.ts'
import { withExpected } from '../audit/with-expected.ts'
import type { ProjectState } from '../baseline/state-file.ts'
import type { Configuration } from '../config/read-configuration.ts'
import { openSqliteHistory } from '../history/sqlite/sqlite-history.ts'
import { createSealer } from '../inventory/sealer.ts'
import { framesOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import type { Severity } from '../model/violation.ts'
import { composeRunNotifications } from '../notify/compose-messages.ts'
import type { Policy } from '../policy/policy.ts'
import { neutralise } from '../text/neutralise.ts'
import { boundRun } from './bound-run.ts'
import { installationKey } from './installation-key.ts'
import { runMaintenance } from './keep-house.ts'
import { type Log, openLog } from './log.ts'
import { openProjects } from './open-projects.ts'
import { openProgress } from './progress.ts'
import { resealingFor } from './resealing-for.ts'
import { systemClock, thisProcess } from './system.ts'
import type { ProcessContext } from './terminal.ts'
import { toolVersion } from './tool-version.ts'

export interface Order {
  readonly configuration: Configuration
  readonly policy: Policy
  /** Absolute. */
  readonly history: string
  /** `service/project`, `service/*` or a bare project name; all when empty. */
  readonly only: readonly string[]
  readonly failOn: Severity
  readonly quiet: boolean
  /** Whether whatever is missing is gone, however much. */
  readonly acceptsRemovals?: boolean
  /** What drift rules compare with, instead of what was approved. */
  readonly expected?: readonly ProjectState[] | undefined
  readonly runTimeoutMs: number
  readonly onPage?: (page: PageRead) => void
  /** Whether the policy's probes run. Default: yes. */
  readonly runsProbes?: boolean
}

/** Runs one audit as configured, with the process around it: log, progress, time limit, key and history. */
export async function performAudit(order: Order, terminal: ProcessContext, asked: AbortSignal): Promise<Report> {
  const { configuration } = order
  const log = openLog(terminal)
  const report = await runOnce(order, terminal, asked, log)
  runMaintenance({
    file: order.history,
    retention: configuration.retention,
    toolVersion: toolVersion(),
    owner: thisProcess,
    log,
    warn: (text) => tellWarning(text, terminal),
  })
  return report
}

/** Opens what a run needs, runs it, and closes all of it again, whatever fails meanwhile. */
async function runOnce(order: Order, terminal: ProcessContext, asked: AbortSignal, log: Log): Promise<Report> {
  const { configuration } = order
  await using opened = new AsyncDisposableStack()
  const { signal, cut, done } = boundRun(asked, order.runTimeoutMs)
  opened.defer(done)
  const { projects, areAll, close } = openProjects(configuration, order.only, { terminal, cut })
  opened.defer(close)
  const { key, warning } = installationKey(order.history, terminal.env)
  if (warning !== undefined) tellWarning(warning, terminal)
  const history = openSqliteHistory(order.history, thisProcess, await resealingFor(order.history, terminal.env))
  opened.defer(() => history.close())
  const progress = openProgress(terminal, projects.length, order.quiet)
  opened.defer(progress.done)
  const report = await runAudit(
    {
      projects: withExpected(projects, order.expected),
      isWholeFleet: areAll,
      concurrency: configuration.concurrency,
      policy: order.policy,
      configurationDigest: configuration.digest,
      failOn: order.failOn,
      runsProbes: order.runsProbes ?? true,
      acceptsRemovals: order.acceptsRemovals ?? false,
    },
    {
      history,
      sealer: createSealer(key),
      clock: systemClock,
      signal,
      toolVersion: toolVersion(),
      onPage: ({ ref }, page) => {
        log.debug({ project: ref.name, listing: page.listing, items: page.items }, 'page read')
        progress.page(ref.name, page.items)
        order.onPage?.(page)
      },
      composeNotifications: composeRunNotifications(configuration.notify),
      // Its message could quote what a service sent.
      onBug: ({ ref }, error) => log.error({ project: ref.name, stack: framesOf(error) }, 'a bug: please report it'),
      onInterrupted: (run) => log.warn({ run }, 'an earlier run was killed: closed as interrupted'),
    },
  )
  logReport(log, report)
  return report
}

/** What the configuration warns of, once for whoever gave it. */
export function printWarnings({ warnings }: Configuration, terminal: ProcessContext): void {
  for (const warning of warnings) tellWarning(warning, terminal)
}

/** For the person who wrote the configuration; the log is for machines. */
function tellWarning(warning: string, { stderr }: ProcessContext): void {
  stderr.write(`hookdrift: warning: ${neutralise(warning)}\n`)
}

function logReport(log: Log, { run, verdict, coverage }: Report): void {
  for (const { project, listing, status, reason, pages, items, requests, retries, duration_ms } of coverage) {
    const fields = { project, listing, status, reason, pages, items, requests, retries, duration_ms }
    if (status === 'complete' || status === 'skipped') log.debug(fields, 'walk')
    else log.info(fields, 'walk incomplete')
  }
  log.info({ run: run.number, exit_code: verdict.exit_code, verdict: verdict.text }, 'run sealed')
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import { loadPolicy } from '../app/load-policy.ts'
import { openLog } from '../app/log.ts'
import { openHistory } from '../app/open-history.ts'
import { performAudit, printWarnings } from '../app/perform-audit.ts'
import { type ProcessContext, printMessage, printWarning } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { withProgress } from '../app/watch-run.ts'
import type { Configuration } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import type { ProjectState } from '../config/state-file.ts'
import { isCoverageComplete } from '../model/coverage.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import type { Trend } from '../model/trend.ts'
import { type FailOn, failOnChoices } from '../model/violation.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import {
  addFormatOptions,
  type FormatOptions,
  findNeededFiles,
  loadReports,
  planDelivery,
  printCauses,
  readTrendOf,
  refuseUnwritable,
  showsTrend,
} from './deliver-report.ts'
import { rare } from './help.ts'
import { addConfigurationOptions, addProjectOption } from './query-options.ts'

interface AuditOptions extends FormatOptions {
  readonly config: string
  readonly history?: string
  readonly project: readonly string[]
  readonly failOn: FailOn
  readonly probes: boolean
  readonly acceptRemovals?: true
  readonly url?: string
  readonly expect?: string
  /** Undefined: it depends on the terminal. */
  readonly notify?: boolean
  readonly metricsFile?: string
  readonly shared?: true
}

export function defineAudit(command: Command) {
  addFormatOptions(addProjectOption(addConfigurationOptions(command)))
    .addOption(
      new Option(
        '--fail-on <what>',
        'exit 1 for open violations of this severity or above; new: of medium or above, new since the last approval or run',
      )
        .choices(failOnChoices)
        .default('medium'),
    )
    .addOption(rare('--no-probes', "do not run the policy's probes; their open violations become unknown"))
    .addOption(
      rare(
        '--expect <directory>',
        'compare with the states in this directory instead of the approved ones; see `hookdrift baseline export`',
      ),
    )
    .addOption(
      rare(
        '--accept-removals',
        'report removals of any size in this run, instead of waiting for the next one to confirm a large one (see project/mass-removal)',
      ),
    )
    .addOption(
      rare('--notify', 'notify the channels of the configuration (the default, except with --history on a terminal)'),
    )
    .addOption(
      rare('--no-notify', 'do not notify the channels; the next run that does reports what this one found, too'),
    )
    .addOption(
      rare('--metrics-file <file>', "also write the run's metrics to a file for Prometheus's textfile collector"),
    )
    .addOption(
      rare(
        '--shared',
        'let the workers that share the history do the run, and wait for it (see worker.shared)',
      ).conflicts('expect'),
    )
    .addOption(
      rare(
        '--url <url>',
        'audit the gateway at this URL without a configuration file; the key comes from HOOKDRIFT_KEY',
      ).conflicts('config'),
    )
    .option('-q, --quiet', 'print only the verdict, on stderr')

  return audit
}

async function audit(options: AuditOptions, given: ProcessContext): Promise<number> {
  const terminal = withUrl(options, given)
  const deliver = await planDelivery(options, terminal, await loadReports(options))
  const dependencies = { env: terminal.env, readFile: readTextFile }
  const configuration = readConfiguration(options.config, dependencies, {
    history: options.history,
    cwd: terminal.cwd(),
    findTimetableFault: timetableFaultsAt(Date.now()),
    usesChannels: options.notify !== false,
  })
  const metricsFile = options.metricsFile === undefined ? undefined : resolve(terminal.cwd(), options.metricsFile)
  if (metricsFile !== undefined) {
    refuseUnwritable('--metrics-file', metricsFile, await findNeededFiles(options, terminal))
  }
  const notifies = await decideNotification(options, configuration, terminal)
  const { quiet = false } = options
  const request = {
    configuration,
    only: options.project,
    failOn: options.failOn,
    quiet,
    runTimeoutMs: configuration.runTimeoutMs,
    patience: 'short' as const,
    runsProbes: options.probes,
    acceptsRemovals: options.acceptRemovals ?? false,
    expected: await readExpected(options.expect, terminal),
    notifies,
  }

  printWarnings(configuration, terminal)
  const { result: report, exitCode } = await untilSignalled(async (signal) => {
    const loading = loadPolicy(configuration.policy, { now: Date.now(), signal, secrets: configuration.secrets })
    const policy = await unlessStopped(signal, loading)
    if (policy === undefined) return undefined
    if (options.shared === true) {
      const { askForRun } = await import('../app/shared/ask-for-run.ts')
      return askForRun({ ...request, policy }, terminal, signal)
    }
    return performAudit({ ...request, policy }, terminal, signal)
  })
  if (report === undefined) return exitCode ?? exitCodes.failure
  try {
    await printCauses(report, options, terminal)
    try {
      if (metricsFile !== undefined) {
        const { readRunMetrics, writeMetrics } = await import('./write-metrics.ts')
        // Before the reports: a report that cannot be written does not hide a run that was committed.
        await writeMetrics(metricsFile, await readRunMetrics(configuration, terminal))
      }
    } finally {
      deliver(report, showsTrend(options) ? await trendUpTo(report, configuration, terminal) : {})
      if (quiet) await printVerdict(report, terminal)
    }
  } finally {
    if (exitCode === undefined && notifies) await notifyPeople(configuration, terminal, quiet)
  }
  return exitCode ?? report.verdict.exit_code
}

/**
 * With `--url`, the environment is the configuration. Where there is a file, its history and policy are not about
 * another gateway.
 */
function withUrl({ url, config }: AuditOptions, terminal: ProcessContext): ProcessContext {
  if (url === undefined) return terminal
  if (existsSync(resolve(terminal.cwd(), config))) {
    throw AuditError.usage(`--url runs without a file, and ${config} is here`, {
      advice: 'remove --url to audit what the file configures, or run in another directory',
    })
  }
  return { ...terminal, env: { ...terminal.env, HOOKDRIFT_URL: url } }
}

async function trendUpTo(
  report: Report,
  { history: location }: Configuration,
  terminal: ProcessContext,
): Promise<{ readonly trend?: Trend }> {
  try {
    const history = await openHistory(location, terminal.env)
    return { trend: await readTrendOf(history, report).finally(() => history.close()) }
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    printWarning(`the HTML report has no trend: ${error.message}`, terminal)
    return {}
  }
}

/**
 * Who tries something on a terminal, with a history of its own, does not notify a team: for that history, everything is
 * new. The configuration's own history is the record that channels follow.
 */
async function decideNotification(
  { notify, history, config }: AuditOptions,
  { notify: channels, history: chosen }: Configuration,
  terminal: ProcessContext,
): Promise<boolean> {
  if (notify !== undefined || channels.length === 0) return notify ?? true
  const isWatched = terminal.stdout.isTTY === true || terminal.stderr.isTTY === true
  if (!isWatched || history === undefined) return true
  const { configuredPaths } = await import('../app/locate-history.ts')
  if ((await configuredPaths(config, terminal)).history.displayName === chosen.displayName) return true
  terminal.stderr.write(
    'hookdrift: channels are not notified: the history is not the configured one; --notify notifies them\n',
  )
  return false
}

/** In one line, with the first cause of an incomplete scan. */
async function printVerdict(report: Report, terminal: ProcessContext): Promise<void> {
  const { text, exit_code } = report.verdict
  const why = isCoverageComplete(report.coverage) ? undefined : await summarise(report)
  printMessage(`hookdrift: ${text} Exit code ${exit_code}.${why === undefined ? '' : ` ${why}`}`, terminal)
}

/** What describes failures is loaded where there are some. */
async function summarise(report: Report): Promise<string | undefined> {
  return (await import('../report/text/show-coverage.ts')).summariseFailures(report)
}

/** Attempts each delivery once. Failures do not affect the run's result. */
async function notifyPeople(configuration: Configuration, terminal: ProcessContext, isQuiet: boolean): Promise<void> {
  if (configuration.notify.length === 0) return
  const { deliverNotifications, oneShotTimeouts, watchInLog } = await import('../app/deliver-notifications.ts')
  const log = openLog(terminal)
  try {
    const signal = new AbortController().signal
    await withProgress(
      terminal,
      'sending messages',
      () => deliverNotifications(configuration, oneShotTimeouts, { terminal, watch: watchInLog(log), signal }),
      isQuiet,
    )
  } catch (error) {
    log.error({ error: messageOf(error) }, 'notifications could not be delivered; they wait for the next run')
  }
}

async function readExpected(
  directory: string | undefined,
  terminal: ProcessContext,
): Promise<readonly ProjectState[] | undefined> {
  if (directory === undefined) return undefined
  const { readStateFiles } = await import('./baseline-options.ts')
  return readStateFiles(resolve(terminal.cwd(), directory))
}

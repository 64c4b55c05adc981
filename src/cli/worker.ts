import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { unlessStopped, untilCrash, untilSignalled } from '../app/end-in-order.ts'
import { requireGivenKey } from '../app/installation-key.ts'
import { openHistoryCheck } from '../app/keep-history-open.ts'
import { loadPolicy } from '../app/load-policy.ts'
import { requireServer } from '../app/locate-history.ts'
import { type Log, openLog } from '../app/log.ts'
import { historySize, openExistingHistory, openHistory } from '../app/open-history.ts'
import { performAudit, printWarnings } from '../app/perform-audit.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { OpenedSharing } from '../app/shared/open-sharing.ts'
import { systemClock } from '../app/system.ts'
import {
  keepSchedule,
  ReloadRequests,
  type SkipReason,
  type Work,
  type WorkerObserver,
} from '../app/worker/keep-schedule.ts'
import { openMetrics } from '../app/worker/metrics.ts'
import { nextTimes, nextTimesView } from '../app/worker/next-times.ts'
import { openHealth } from '../app/worker/port.ts'
import { type RecordedPast, readFleetNames, readPast } from '../app/worker/read-past.ts'
import { readAgain, type WorkerFiles, type WorkerFilesReader } from '../app/worker/reload-files.ts'
import { openWorkerNotifications } from '../app/worker-notifications.ts'
import type { PageRead } from '../audit/audited-project.ts'
import { configuredIn } from '../config/choose-projects.ts'
import type { Configuration } from '../config/configuration.ts'
import { readConfiguration } from '../config/read-configuration.ts'
import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { type Report, schemas } from '../model/report.ts'
import { type FailOn, failOnChoices } from '../model/violation.ts'
import { timetableFaultsAt } from '../policy/timetable.ts'
import { type AnswerForm, aboutNoRun, limited } from '../report/answer.ts'
import { openPort } from './open-port.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions } from './query-options.ts'

export const workerForm: AnswerForm = {
  name: 'worker',
  version: 2,
  command: 'worker --next',
  about: aboutNoRun,
  row: z.object({ schedule: z.string(), at: schemas.time, timezone: z.string(), local: z.string() }),
}

interface WorkerOptions extends AnswerOptions {
  readonly config: string
  readonly history?: string
  readonly next?: number
  readonly failOn: FailOn
}

export function defineWorker(command: Command) {
  addConfigurationOptions(command)
    .option('--next <count>', 'only print the next times of each schedule, and exit', countOf)
    .addOption(
      new Option('--fail-on <what>', 'which violations give a run the exit code 1; see `hookdrift audit`')
        .choices(failOnChoices)
        .default('medium'),
    )
  addAnswerOptions(command)
  return (options: WorkerOptions, terminal: ProcessContext) =>
    options.next === undefined ? worker(options, terminal) : printNext(options, terminal)
}

const mostPrinted = 1000

function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= mostPrinted) return count
  throw new InvalidArgumentError(`Expected a number from 1 to ${mostPrinted}.`)
}

async function worker(options: WorkerOptions, given: ProcessContext): Promise<number> {
  // A worker runs for long, and its log is its output: so it logs more than a command.
  const terminal = { ...given, env: { ...given.env, HOOKDRIFT_LOG: given.env.HOOKDRIFT_LOG || 'info' } }
  const log = openLog(terminal)
  const reloads = new ReloadRequests()
  const { exitCode } = await untilSignalled(
    (signal) => keepWorking(options, { terminal, log, reloads, signal }),
    () => {
      log.info('SIGHUP: the configuration and the policy are being read again')
      reloads.ask()
    },
  )
  log.info('stopped')
  return exitCode ?? exitCodes.clean
}

/** A connection without an answer is soon replaced by another one. */
const impatient = { mostSilenceMs: () => 5_000 }

async function keepWorking(
  options: WorkerOptions,
  {
    terminal,
    log,
    reloads,
    signal,
  }: {
    readonly terminal: ProcessContext
    readonly log: Log
    readonly reloads: ReloadRequests
    readonly signal: AbortSignal
  },
): Promise<void> {
  const reader = openWorkerFiles(options, terminal)
  let configuration = reader.configuration()
  printWarnings(configuration, terminal)
  requireGivenKey(configuration.history, terminal.env)
  if (configuration.shared !== undefined) requireServer(configuration.history)
  const { listen, hosts, schedules } = configuration
  const settings = configuration.pages ? configuration.serve : undefined

  const metrics = openMetrics({
    version: toolVersion(),
    historyBytes: () => historySize(configuration.history),
  })
  const health = openHealth()
  let isPrepared = false
  const historyCheck = openHistoryCheck((location) => openExistingHistory(location, terminal.env, impatient))
  const troubles = async () => {
    // For the next time: who asks now does not wait for what others did.
    void sharing?.follow()
    return isPrepared
      ? [
          ...health.troubles(systemClock.now()),
          ...((await sharing?.troubles()) ?? []),
          ...(await historyCheck.troubles(configuration.history)),
        ]
      : ['the policy and the history are being read']
  }
  let sharing: OpenedSharing | undefined
  const scrape = async () => {
    await sharing?.follow()
    return { type: metrics.registry.contentType, text: await metrics.registry.metrics() }
  }
  const port =
    listen === undefined
      ? undefined
      : await openPort(options, { ...listen, hosts }, { terminal, log, settings, troubles, metrics: scrape })
  try {
    if (port !== undefined) log.info({ url: port.url }, 'listening')
    const policy = await unlessStopped(signal, reader.policy(configuration, signal))
    if (policy === undefined) return
    let files: WorkerFiles = { configuration, policy }
    const past = await awaitHistory(() => readHistory(configuration, terminal), { log, signal })
    if (past === undefined) return
    metrics.remember(past)
    const readFleet = async (read: (history: History, isConfigured: IsConfigured) => Promise<void>) => {
      try {
        const { history, services } = configuration
        await readingHistory(history, terminal, (opened) => read(opened, configuredIn(services)))
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          'the history cannot be read: metrics may show projects that left the fleet, or lack some',
        )
      }
    }
    /** Projects that are configured no longer, or have left the fleet, have no metrics. */
    const forgetDeparted = () =>
      readFleet(async (opened, isConfigured) => metrics.keepOnly(await readFleetNames(opened, isConfigured)))
    /** Those that are configured again have the metrics of their last scan. */
    const followConfiguration = () =>
      readFleet(async (opened, isConfigured) => {
        metrics.keepOnly(await readFleetNames(opened, isConfigured))
        metrics.fillIn(await readPast(opened, isConfigured))
      })

    const notifications = openWorkerNotifications({
      terminal,
      log,
      metrics,
      targets: () => configuration,
    })
    const watch = notifyAll([logOf(log), metrics, health, notifications.watch])
    const reload = async (signal: AbortSignal) => {
      const before = files
      const isAsked = reloads.take()
      files = await readAgain(reader, before, { log, metrics, signal })
      configuration = files.configuration
      const { serve } = configuration
      if (pagesOf(configuration) !== pagesOf(before.configuration)) port?.show(serve)
      if (configuration.digest !== before.configuration.digest) await followConfiguration()
      if (files !== before && isAsked) log.info('reloaded: the next run begins with what the files say now')
      return files
    }
    const onPage = ({ listing, durationMs }: PageRead) => metrics.page(listing, durationMs)
    if (configuration.shared !== undefined) {
      const { openSharing } = await import('../app/shared/open-sharing.ts')
      const { failOn } = options
      const opened = await awaitHistory(
        () =>
          openSharing(files, {
            terminal,
            log,
            metrics,
            failOn,
            watch,
            onPage,
            signal,
            reloads,
            readAgain: () => reload(signal),
            readHistory: () => readHistory(configuration, terminal),
            onCommitted() {
              health.committedElsewhere()
              metrics.committedElsewhere()
            },
          }),
        { log, signal },
      )
      if (opened === undefined) return
      sharing = opened
      isPrepared = true
      await Promise.all([opened.keep(past.servedUntil, signal), notifications.keep(signal)])
      return
    }
    isPrepared = true
    const work: Work<Report> = {
      clock: systemClock,
      random: Math.random,
      schedules,
      servedUntil: past.servedUntil,
      reload: async (signal) => (await reload(signal)).configuration.schedules,
      reloads,
      run: ({ name, projects: only, probes: runsProbes, runTimeoutMs }, signal) => {
        const request = {
          ...files,
          only,
          schedule: name,
          failOn: options.failOn,
          quiet: true,
          runsProbes,
          runTimeoutMs,
          onPage,
        }
        return untilCrash(signal, (signal) => performAudit(request, terminal, signal))
      },
      watch: {
        ...watch,
        async ended(schedule, report) {
          await watch.ended(schedule, report)
          await forgetDeparted()
        },
      },
    }
    await Promise.all([keepSchedule(work, signal), notifications.keep(signal)])
  } finally {
    await port?.close()
    await sharing?.close()
    await historyCheck.close()
  }
}

function openWorkerFiles(
  { config, history }: { readonly config: string; readonly history?: string },
  { env, cwd }: ProcessContext,
): WorkerFilesReader {
  return {
    configuration() {
      const findTimetableFault = timetableFaultsAt(Date.now())
      const configuration = readConfiguration(
        config,
        { env, readFile: readTextFile },
        { history, cwd: cwd(), findTimetableFault, needsTokens: 'of-worker' },
      )
      // A worker of a pool may do nothing but what others ask for.
      if (configuration.schedules.length > 0 || configuration.shared !== undefined) return configuration
      throw AuditError.usage(`${config} names no schedules`, {
        advice: '`hookdrift docs run-on-a-schedule` shows one; `hookdrift audit` needs none',
      })
    },
    policy: ({ policy, secrets }, signal) => loadPolicy(policy, { now: Date.now(), signal, secrets }),
  }
}

const historyPauseMs = 5_000

/**
 * Works with a history as soon as its server lets it: one that starts, or is upgraded, is waited for. undefined when
 * the signal aborts first.
 * @throws AuditError for all that waiting does not mend
 */
async function awaitHistory<Result>(
  work: () => Promise<Result>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<Result | undefined> {
  let lastMessage: string | undefined
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AuditError) || !error.isPassing) throw error
      if (error.message !== lastMessage)
        log.warn({ error: error.message, advice: error.advice }, 'waiting for the history')
      lastMessage = error.message
      await systemClock.sleep(historyPauseMs, signal).catch(() => {})
    }
  }
  return undefined
}

type IsConfigured = ReturnType<typeof configuredIn>

/** Who reads the pages, and of which history. Holds secrets: only for comparison. */
function pagesOf({ serve, history }: Configuration): string {
  return JSON.stringify([serve, history])
}

/** Opens the history before the worker reports ready, and reads what earlier runs recorded. */
function readHistory({ history, services }: Configuration, terminal: ProcessContext): Promise<RecordedPast> {
  return readingHistory(history, terminal, (opened) => readPast(opened, configuredIn(services)))
}

async function readingHistory<Result>(
  location: HistoryLocation,
  { env }: ProcessContext,
  read: (history: History) => Promise<Result>,
): Promise<Result> {
  const history = await openHistory(location, env)
  try {
    return await read(history)
  } finally {
    await history.close()
  }
}

const skipTexts: Readonly<Record<SkipReason, string>> = {
  running: 'tick skipped: the previous run is still in progress',
  busy: 'tick skipped: another process writes to the history',
  away: 'missed ticks while the worker was down: running once to catch up',
  elsewhere: 'tick skipped: another worker asked for its run',
}

function logOf(log: Log): WorkerObserver<Report> {
  return {
    planned: (upcoming) => {
      const next = Object.fromEntries([...upcoming].map(([schedule, at]) => [schedule, new Date(at).toISOString()]))
      log.debug({ next }, 'planned')
    },
    skipped: (schedule, reason, ticks) => log.warn({ schedule, reason, ticks }, skipTexts[reason]),
    started: (schedule) => log.info({ schedule }, 'run started'),
    ended: () => {}, // the run logs this itself
    failed: (schedule, error) =>
      log.error({ schedule, ...describe(error) }, 'an error ended the run; the next tick tries again'),
  }
}

function describe(error: unknown): { error: string; advice?: string | undefined; stack?: string | undefined } {
  if (error instanceof AuditError) return { error: error.message, advice: error.advice }
  return { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined }
}

/** Notifies all observers of everything, one after the other. */
function notifyAll(observers: readonly WorkerObserver<Report>[]): WorkerObserver<Report> {
  const each = (notify: (observer: WorkerObserver<Report>) => void) => {
    for (const observer of observers) notify(observer)
  }
  return {
    planned: (upcoming) => each((observer) => observer.planned(upcoming)),
    skipped: (schedule, reason, ticks) => each((observer) => observer.skipped(schedule, reason, ticks)),
    started: (schedule) => each((observer) => observer.started(schedule)),
    failed: (schedule, error) => each((observer) => observer.failed(schedule, error)),
    async ended(schedule, report) {
      for (const observer of observers) await observer.ended(schedule, report)
    },
  }
}

async function printNext(options: WorkerOptions, terminal: ProcessContext): Promise<number> {
  const reader = openWorkerFiles(options, terminal)
  const configuration = reader.configuration()
  // A worker does not start with a broken policy.
  await reader.policy(configuration, new AbortController().signal)
  const rows = nextTimes(configuration.schedules, Date.now(), options.next ?? 1)
  // `--next` decides how many, unless a limit is given.
  const limitedRows = limited(rows, options.limit ?? Number.POSITIVE_INFINITY)
  return printAnswer({ form: workerForm, run: null, ...limitedRows }, nextTimesView, options.format, terminal)
}

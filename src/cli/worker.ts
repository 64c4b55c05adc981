import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { PageRead } from '../audit/look.ts'
import type { Configuration } from '../config/read-configuration.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { type Severity, severities } from '../model/violation.ts'
import type { Policy } from '../policy/policy.ts'
import type { SkipReason, Watch, Work } from '../worker/keep-schedule.ts'
import type { Metrics } from '../worker/metrics.ts'
import type { Past } from '../worker/read-past.ts'
import type { Execute } from './execute.ts'
import type { Log } from './log.ts'
import { pathFrom } from './path-from.ts'
import { readTextFile } from './read-text-file.ts'
import type { Terminal } from './terminal.ts'

interface WorkerOptions {
  readonly config: string
  readonly history?: string
  readonly next?: number
  readonly format: 'text' | 'json'
  readonly failOn: Severity
}

export function defineWorker(program: Command, execute: Execute): void {
  program
    .command('worker')
    .description('audit on the schedules of the configuration until it is stopped')
    .option('--config <file>', 'configuration', 'hookdrift.yaml')
    .option('--history <file>', "history; overrides the configuration's and HOOKDRIFT_HISTORY")
    .option('--next <count>', 'only print the next times of each schedule', countOf)
    .addOption(new Option('--format <format>', 'of --next').choices(['text', 'json']).default('text'))
    .addOption(
      new Option('--fail-on <severity>', 'a run with open violations of this severity or above comes to "violations"')
        .choices(severities)
        .default('medium'),
    )
    .action((options: WorkerOptions) =>
      execute((terminal) => (options.next === undefined ? worker(options, terminal) : printNext(options, terminal))),
    )
}

const mostPrinted = 1000

function countOf(text: string): number {
  const count = Number(text)
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= mostPrinted) return count
  throw new InvalidArgumentError(`Expected a number from 1 to ${mostPrinted}.`)
}

/** What the two files said when they were last read and right. */
interface Orders {
  readonly configuration: Configuration
  readonly policy: Policy
}

async function worker(options: WorkerOptions, given: Terminal): Promise<number> {
  const { openHealth } = await import('../worker/health.ts')
  const { keepSchedule } = await import('../worker/keep-schedule.ts')
  const { openMetrics } = await import('../worker/metrics.ts')
  const { serve } = await import('../worker/serve.ts')
  const { openLog } = await import('./log.ts')
  const { openTellers } = await import('./open-tellers.ts')
  const { performAudit, tellWarnings } = await import('./perform-audit.ts')
  const { systemClock } = await import('./system.ts')
  const { toolVersion } = await import('./tool-version.ts')
  const { untilCrash } = await import('./until-crash.ts')
  const { untilSignalled } = await import('./until-signalled.ts')

  // Nobody looks at a worker's exit code: it tells what it does.
  const terminal = { ...given, env: { ...given.env, HOOKDRIFT_LOG: given.env.HOOKDRIFT_LOG ?? 'info' } }
  const log = openLog(terminal)
  const read = await orderReader(options, terminal)
  let orders = read()
  tellWarnings(orders.configuration, terminal)
  const { listen, schedules } = orders.configuration
  const past = await readHistory(orders.configuration, terminal)

  const metrics = openMetrics({ version: toolVersion(), historyBytes: () => bytesOf(orders.configuration.history) })
  metrics.remember(past)
  const health = openHealth(() => Math.max(0, ...orders.configuration.schedules.map(({ jitterMs }) => jitterMs)))
  const troubles = async () => [...health.troubles(systemClock.now()), ...(await historyTroubles(orders.configuration))]
  const scrape = async () => ({ type: metrics.registry.contentType, text: await metrics.registry.metrics() })
  const serving = listen === undefined ? undefined : await serve(listen, { troubles, metrics: scrape })
  if (serving !== undefined) log.info({ url: serving.url }, 'listening')

  const tellers = openTellers({
    terminal,
    log,
    metrics,
    news: () => ({ channels: orders.configuration.notify, history: orders.configuration.history }),
  })
  const work: Work<Report> = {
    clock: systemClock,
    random: Math.random,
    schedules,
    servedUntil: past.servedUntil,
    async reload() {
      orders = readAgain(read, orders, log, metrics)
      return orders.configuration.schedules
    },
    run: ({ projects: only, probes: runsProbes, runTimeoutMs }, signal) => {
      const { history } = orders.configuration
      const onPage = ({ listing, durationMs }: PageRead) => metrics.page(listing, durationMs)
      const order = { ...orders, history, only, failOn: options.failOn, quiet: true, runsProbes, runTimeoutMs, onPage }
      return untilCrash(signal, (signal) => performAudit(order, terminal, signal))
    },
    watch: tellAll([logOf(log), metrics, health, tellers.watch]),
  }
  try {
    const { exitCode } = await untilSignalled((signal) =>
      Promise.all([keepSchedule(work, signal), tellers.keep(signal)]),
    )
    log.info('stopped')
    return exitCode ?? exitCodes.clean
  } finally {
    await serving?.close()
  }
}

/** Reads both files, with all that can be said against them. */
async function orderReader({ config, history }: WorkerOptions, { env, cwd }: Terminal): Promise<() => Orders> {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const { readPolicy } = await import('../policy/read-policy.ts')
  const { timetableFaultsAt } = await import('../worker/timetable.ts')
  const overridden = history === undefined ? undefined : pathFrom(cwd(), history)
  return () => {
    const findTimetableFault = timetableFaultsAt(Date.now())
    const configuration = readConfiguration(
      config,
      { env, readFile: readTextFile },
      { history: overridden, findTimetableFault },
    )
    if (configuration.schedules.length === 0) {
      throw new AuditError(2, `${config} names no schedules`, {
        advice: 'docs/worker.md shows one; `hookdrift audit` needs none',
      })
    }
    return { configuration, policy: readPolicy(configuration.policy, readTextFile, Date.now()) }
  }
}

/** What the files say now; where they are broken, what they said before. */
function readAgain(read: () => Orders, before: Orders, log: Log, metrics: Pick<Metrics, 'reloaded'>): Orders {
  try {
    const orders = read()
    metrics.reloaded(true)
    if (orders.configuration.digest !== before.configuration.digest) log.info('the configuration has changed')
    if (orders.policy.digest !== before.policy.digest) log.info('the policy has changed')
    const [was, is] = [before, orders].map(({ configuration }) => JSON.stringify(configuration.listen))
    if (was !== is) log.warn('worker.listen has changed: that takes a restart')
    return orders
  } catch (error) {
    metrics.reloaded(false)
    log.warn({ error: messageOf(error) }, 'the files cannot be read as they are: what they said before stays in force')
    return before
  }
}

/** Opens the history once before anything is promised, and reads what earlier runs left. */
async function readHistory({ history: file, services }: Configuration, { env }: Terminal): Promise<Past> {
  const { openSqliteHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { readPast } = await import('../worker/read-past.ts')
  const { thisProcess } = await import('./system.ts')
  const { resealingFor } = await import('./resealing-for.ts')
  const history = openSqliteHistory(file, thisProcess, await resealingFor(file, env))
  try {
    return await readPast(history, new Set(services.flatMap(({ projects }) => projects.map(({ ref }) => ref.name))))
  } finally {
    await history.close()
  }
}

async function historyTroubles({ history: file }: Configuration): Promise<readonly string[]> {
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { thisProcess } = await import('./system.ts')
  try {
    const history = openExistingHistory(file, thisProcess)
    await history.endedRuns(1).finally(() => history.close())
    return []
  } catch {
    // Where it lies is nothing for whoever asks; the next run's error says it in the log.
    return ['the history cannot be used']
  }
}

/** A database with its write-ahead log. */
function bytesOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0)
}

const skipTexts: Readonly<Record<SkipReason, string>> = {
  running: 'tick skipped: the run before it is still under way',
  held: 'tick skipped: another process writes to the history',
  away: 'ticks passed while nobody was there: one run stands for them all',
}

function logOf(log: Log): Watch<Report> {
  return {
    planned: (upcoming) => {
      const next = Object.fromEntries([...upcoming].map(([schedule, at]) => [schedule, new Date(at).toISOString()]))
      log.debug({ next }, 'planned')
    },
    skipped: (schedule, reason, ticks) => log.warn({ schedule, reason, ticks }, skipTexts[reason]),
    started: (schedule) => log.info({ schedule }, 'run started'),
    ended: () => {}, // the run itself says how it ended
    failed: (schedule, error) =>
      log.error({ schedule, ...describe(error) }, 'an error ended the run; the next tick comes'),
  }
}

function describe(error: unknown): { error: string; advice?: string | undefined; stack?: string | undefined } {
  if (error instanceof AuditError) return { error: error.message, advice: error.advice }
  return { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined }
}

/** Everybody who watches is told everything, one after the other. */
function tellAll(watches: readonly Watch<Report>[]): Watch<Report> {
  const each = (tell: (watch: Watch<Report>) => void) => {
    for (const watch of watches) tell(watch)
  }
  return {
    planned: (upcoming) => each((watch) => watch.planned(upcoming)),
    skipped: (schedule, reason, ticks) => each((watch) => watch.skipped(schedule, reason, ticks)),
    started: (schedule) => each((watch) => watch.started(schedule)),
    failed: (schedule, error) => each((watch) => watch.failed(schedule, error)),
    async ended(schedule, report) {
      for (const watch of watches) await watch.ended(schedule, report)
    },
  }
}

async function printNext(options: WorkerOptions, terminal: Terminal): Promise<number> {
  const { nextTimes } = await import('../worker/next-times.ts')
  const read = await orderReader(options, terminal)
  const rows = nextTimes(read().configuration.schedules, Date.now(), options.next ?? 1)
  if (options.format === 'json') {
    terminal.stdout.write(`${JSON.stringify({ schema: 'hookdrift.worker/1', run: null, rows }, null, 2)}\n`)
    return exitCodes.clean
  }
  const width = Math.max(...rows.map(({ schedule }) => schedule.length))
  for (const { at, local, timezone, schedule } of rows) {
    terminal.stdout.write(`${at}  ${schedule.padEnd(width)}  ${local} ${timezone}\n`)
  }
  return exitCodes.clean
}

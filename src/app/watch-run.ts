import type { OnBug } from '../audit/open-run.ts'
import type { AuditDependencies } from '../audit/run-audit.ts'
import type { RequestSent } from '../gateway/service/reply.ts'
import { framesOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { Log } from './log.ts'
import { type ProcessContext, usualColumns } from './process-context.ts'

export interface Progress {
  /** Whether a person sees it. */
  readonly isWatched: boolean
  /** Says what is being done, and how many of its parts are; `total` 0: not known. */
  show(phase: string, done?: number, total?: number): void
  /** Removes the line. */
  done(): void
}

/** What takes less is over before a person has read the line. */
const shownAfterMs = 2_000
const betweenMs = 250

/** Shows what takes long in one line on stderr; shows nothing where stderr is not a terminal. */
export function openProgress({ stderr, env }: ProcessContext, isQuiet: boolean): Progress {
  const isWatched = stderr.isTTY === true && !isQuiet && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  if (!isWatched) return { isWatched, show: () => {}, done: () => {} }
  const begunAt = performance.now()
  let current = { phase: '', done: 0, total: 0, since: begunAt }
  let paintedAt = begunAt + shownAfterMs - betweenMs
  let isPainted = false
  const paint = () => {
    const now = performance.now()
    if (now - paintedAt < betweenMs) return
    paintedAt = now
    isPainted = true
    const line = progressLine({ ...current, elapsedMs: now - begunAt, phaseMs: now - current.since })
    stderr.write(`\r\x1b[K${line.slice(0, Math.max(20, (stderr.columns || usualColumns) - 1))}`)
  }
  const timer = setInterval(paint, betweenMs).unref()
  return {
    isWatched,
    show(phase, done = 0, total = 0) {
      current = { phase, done, total, since: total === current.total ? current.since : performance.now() }
      paint()
    },
    done() {
      clearInterval(timer)
      if (isPainted) stderr.write('\r\x1b[K')
    },
  }
}

interface ProgressState {
  readonly phase: string
  /** Parts of the phase; `total` 0: not known. */
  readonly done: number
  readonly total: number
  /** Since all of it, and since the phase began. */
  readonly elapsedMs: number
  readonly phaseMs: number
}

const barWidth = 20

/** `[0:07] ██████████░░░░░░░░░░ 50 %, 0:07 left, reading acme/payments: 15 of 30 projects`. */
export function progressLine({ phase, done, total, elapsedMs, phaseMs }: ProgressState): string {
  const part = total > 0 ? Math.min(done / total, 1) : 0
  const filled = Math.floor(part * barWidth)
  const bar = total > 0 ? [`${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${Math.floor(part * 100)} %`] : []
  const left = part > 0 && part < 1 ? [`${minutes((phaseMs * (1 - part)) / part + 999)} left`] : []
  return `[${minutes(elapsedMs)}] ${[...bar, ...left, neutralise(phase)].join(', ')}`
}

/** `3:07` */
function minutes(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`
}

/** Shows what is being done for as long as it takes. */
export async function withProgress<Result>(
  terminal: ProcessContext,
  phase: string,
  work: (progress: Progress) => Promise<Result>,
  isQuiet = false,
): Promise<Result> {
  const progress = openProgress(terminal, isQuiet)
  try {
    progress.show(phase)
    return await work(progress)
  } finally {
    progress.done()
  }
}

/** Logs each request, and says on stderr, once for each service, that the run waits for it. */
export function watchRequests(
  { stderr }: ProcessContext,
  log: Log,
  isQuiet: boolean,
): (service: string, request: RequestSent) => void {
  const awaited = new Set<string>()
  return (service, { method, url, status, fault, durationMs, nextTryMs }) => {
    log.debug({ service, method, url, status, fault, duration_ms: durationMs, next_try_ms: nextTryMs }, 'request')
    if (nextTryMs === null || isQuiet || awaited.has(service)) return
    awaited.add(service)
    const [address] = url.split('?', 1)
    // Removes the progress line.
    const start = stderr.isTTY === true ? '\r\x1b[K' : ''
    const text = neutralise(`${service}: ${fault} from ${address}; trying again`)
    stderr.write(`${start}hookdrift: ${text}\n`)
  }
}

/** Logs what should not happen in a run. */
export function watchIn(log: Log): Pick<AuditDependencies, 'onInterrupted'> & { readonly onBug: OnBug } {
  return {
    // The error's message could quote the service, so only the stack is logged.
    onBug: ({ ref }, error) => log.error({ project: ref.name, stack: framesOf(error) }, 'a bug: please report it'),
    onInterrupted: (run) => log.warn({ run }, 'an earlier run was killed: closed as interrupted'),
  }
}

/** Logs what a run came to. */
export function logReport(log: Log, { run, verdict, coverage }: Report): void {
  for (const { project, listing, status, reason, pages, items, requests, retries, duration_ms } of coverage) {
    const fields = { project, listing, status, reason, pages, items, requests, retries, duration_ms }
    if (status === 'complete' || status === 'skipped') log.debug(fields, 'walk')
    else log.info(fields, 'walk incomplete')
  }
  log.info({ run: run.number, exit_code: verdict.exit_code, verdict: verdict.text }, 'run committed')
}

import { Hono } from 'hono'
import type { RequestHandler } from '../serving/listen.ts'
import { refuseRequest } from '../serving/refuse-request.ts'
import type { SkipReason } from './keep-schedule.ts'

/** What the port of a worker says of it. Anyone who can connect may read it. */
export interface WorkerEndpoints {
  /** Why the worker is not ready, in words; empty if it is ready. */
  readonly troubles: () => Promise<readonly string[]>
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
}

interface PortOptions extends WorkerEndpoints {
  /** Whether a Host header names this port. */
  isHostOfPort(host: string | undefined): boolean
  /** What answers all other paths; they decide who may read. */
  readonly pages?: RequestHandler | undefined
}

/** The port of a worker: `/healthz`, `/readyz`, `/metrics`, and the pages where they are configured. */
export function workerPort({ troubles, metrics, isHostOfPort, pages }: PortOptions): RequestHandler {
  const app = new Hono()
  app.use(async (context, next) => {
    context.header('x-content-type-options', 'nosniff')
    context.header('cache-control', 'no-store')
    return next()
  })
  app.use(refuseRequest({ isHostOfPort }))
  app.get('/healthz', (context) => context.text('alive\n'))
  app.get('/readyz', async (context) => {
    const reasons = await troubles()
    return reasons.length === 0 ? context.text('ready\n') : context.text(`not ready\n${reasons.join('\n')}\n`, 503)
  })
  app.get('/metrics', async (context) => {
    const { type, text } = await metrics()
    return context.body(text, 200, { 'content-type': type })
  })
  app.notFound((context) => context.text('not found: /healthz, /readyz and /metrics are here\n', 404))
  // The log of the run that meets the same error has the details; strangers do not get them.
  app.onError((_, context) => context.text('internal error\n', 500))
  return (request, peer) =>
    pages === undefined || paths.includes(new URL(request.url).pathname) ? app.fetch(request) : pages(request, peer)
}

const paths = ['/healthz', '/readyz', '/metrics']

/** Whether the worker works. */
interface Health {
  planned(upcoming: ReadonlyMap<string, number>): void
  skipped(schedule: string, reason: SkipReason): void
  started(): void
  ended(schedule: string): void
  failed(schedule: string): void
  /** Another worker that shares the runs of the history committed one. */
  committedElsewhere(): void
  /** Why it is not ready, in words; empty if it is ready. */
  troubles(now: number): readonly string[]
}

const failuresThatMatter = 3
/** After this, a tick is late: the worker checks once a minute, and a long transaction may delay it. */
const lateMs = 5 * 60_000

export function openHealth(): Health {
  let upcoming: ReadonlyMap<string, number> = new Map()
  let failures = 0
  const missed = new Map<string, SkipReason>()
  return {
    planned(next) {
      upcoming = next
      for (const schedule of missed.keys()) if (!next.has(schedule)) missed.delete(schedule)
    },
    skipped(schedule, reason) {
      // One run makes up for the ticks that passed while the worker was down, and a run elsewhere is a run.
      if (reason !== 'away' && reason !== 'elsewhere') missed.set(schedule, reason)
    },
    started() {},
    ended(schedule) {
      missed.delete(schedule)
      failures = 0
    },
    failed(schedule) {
      missed.delete(schedule)
      failures += 1
    },
    committedElsewhere() {
      failures = 0
      for (const [schedule, reason] of missed) if (reason === 'running') missed.delete(schedule)
    },
    troubles(now) {
      const late = [...upcoming].filter(([, at]) => at + lateMs < now)
      return [
        ...(failures >= failuresThatMatter ? [`the last ${failures} runs ended with an error`] : []),
        ...[...missed].map(([schedule, reason]) => `the last tick of ${schedule} was missed: ${reasons[reason]}`),
        ...late.map(([schedule]) => `a tick of ${schedule} is late`),
      ]
    },
  }
}

const reasons: Readonly<Record<SkipReason, string>> = {
  running: 'the run before it was still under way',
  busy: 'another process writes to the history',
  away: 'the worker was away',
  elsewhere: 'another worker has it',
}

import { findLastOfWorker } from '../history/sql/outbox.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { composeWorkerNotification } from '../notify/compose-messages.ts'
import type { DeliveryObserver } from '../notify/deliver.ts'
import { workerEvent } from '../notify/find-events.ts'
import { readMessage } from '../notify/message.ts'
import { deliverNotifications, type NotificationTargets, watchInLog, workerTimeouts } from './deliver-notifications.ts'
import type { Log } from './log.ts'
import { openHistory } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'
import type { WorkerObserver } from './worker/keep-schedule.ts'
import type { Metrics } from './worker/metrics.ts'

interface NotificationDependencies {
  readonly terminal: ProcessContext
  readonly log: Log
  readonly metrics: Pick<Metrics, 'channels' | 'attempted'>
  /** The targets of the current configuration. */
  readonly targets: () => NotificationTargets
}

/** Delivers notifications alongside a worker's runs: what the runs found, and runs that fail. */
export function openWorkerNotifications({ terminal, log, metrics, targets }: NotificationDependencies): {
  readonly watch: WorkerObserver<Report>
  keep(signal: AbortSignal): Promise<void>
} {
  const watch = countAttempts(watchInLog(log), metrics)
  const deliveries = openDeliveries({
    async deliver(signal) {
      const { notify: channels, history } = targets()
      if (channels.length === 0) return metrics.channels([])
      const states = await deliverNotifications({ notify: channels, history }, workerTimeouts, {
        terminal,
        watch,
        signal,
      })
      const statesByName = new Map(states.map((state) => [state.name, state]))
      metrics.channels(
        channels.map(({ name }) => {
          const { pending = 0, dead = 0, gone = null } = statesByName.get(name) ?? {}
          return { name, pending, dead, isGone: gone !== null }
        }),
      )
    },
    failed(error) {
      // Another process writes to the history; the next attempt comes soon.
      if (error instanceof AuditError && error.kind === 'busy') log.debug({ error: error.message }, 'history is locked')
      else log.error({ error: messageOf(error) }, 'notification delivery failed')
    },
  })
  const failures = announceFailures({
    wake: deliveries.wake,
    async announce(type, text) {
      const at = new Date(systemClock.now()).toISOString()
      const { notify: channels, history: location } = targets()
      const messages = composeWorkerNotification(channels, workerEvent(type, text, at), at)
      if (messages.length === 0) return
      const history = await openHistory(location, terminal.env)
      await history.enqueue(messages, at).finally(() => history.close())
    },
    async wasFailing() {
      const { notify: channels, history: location } = targets()
      if (channels.length === 0) return false
      const history = await openHistory(location, terminal.env)
      const body = await findLastOfWorker(history).finally(() => history.close())
      return body !== undefined && readMessage(body).events.some(({ type }) => type === 'worker.failed')
    },
    lost: (error) => log.error({ error: messageOf(error) }, 'failure notification could not be queued'),
  })
  return { watch: failures, keep: deliveries.keep }
}

function countAttempts(watch: DeliveryObserver, metrics: Pick<Metrics, 'attempted'>): DeliveryObserver {
  return {
    ...watch,
    delivered(channel, id, refusal) {
      metrics.attempted(channel, 'delivered')
      watch.delivered(channel, id, refusal)
    },
    failed(channel, id, error) {
      metrics.attempted(channel, 'failed')
      watch.failed(channel, id, error)
    },
    gaveUp(channel, id, error) {
      metrics.attempted(channel, 'failed')
      watch.gaveUp(channel, id, error)
    },
  }
}

/** The interval between two checks for messages that are due again. */
const everyMs = 10_000

/**
 * Delivers at once, after each run, and regularly in between, until it is stopped.
 * @param failed called with an error that is not a receiver's: the history is unusable, or a bug
 */
function openDeliveries({
  deliver,
  failed,
}: {
  readonly deliver: (signal: AbortSignal) => Promise<void>
  readonly failed: (error: unknown) => void
}) {
  let wakeUp = () => {}
  let isAsked = true
  return {
    /** A run has ended: there may be new messages. */
    wake(): void {
      isAsked = true
      wakeUp()
    },
    async keep(signal: AbortSignal): Promise<void> {
      signal.addEventListener('abort', () => wakeUp())
      while (!signal.aborted) {
        isAsked = false
        try {
          await deliver(signal)
        } catch (error) {
          failed(error)
        }
        await rest(signal)
      }
    },
  }

  async function rest(signal: AbortSignal): Promise<void> {
    const nap = new AbortController()
    wakeUp = () => nap.abort()
    if (signal.aborted || isAsked) return
    try {
      await systemClock.sleep(everyMs, nap.signal)
    } catch (error) {
      if (!nap.signal.aborted) throw error
    }
  }
}

/**
 * Announces the first of several failures in a row, and the success that ends them: each schedule that failed has
 * succeeded since, or is no longer there.
 * @param announce queues a notification about the worker itself
 * @param wasFailing whether the worker before this one announced a failure and no success since
 * @param wake called when there may be something to deliver
 * @param lost called when a notification could not be queued
 */
export function announceFailures({
  announce,
  wasFailing,
  wake,
  lost,
}: {
  readonly announce: (type: 'worker.failed' | 'worker.recovered', text: string) => Promise<void>
  readonly wasFailing: () => Promise<boolean>
  readonly wake: () => void
  readonly lost: (error: unknown) => void
}): WorkerObserver<Report> {
  const failing = new Set<string>()
  let isAnnounced: boolean | undefined
  const queue = async (type: 'worker.failed' | 'worker.recovered', text: string) => {
    try {
      await announce(type, text)
    } catch (error) {
      // The history may be what fails: the next failure, or success, is announced in its place.
      isAnnounced = type === 'worker.recovered'
      lost(error)
    } finally {
      wake()
    }
  }
  const recall = async () => {
    try {
      return await wasFailing()
    } catch (error) {
      lost(error)
      return false
    }
  }
  return {
    planned(upcoming) {
      for (const schedule of failing) if (!upcoming.has(schedule)) failing.delete(schedule)
    },
    skipped: () => {},
    started: () => {},
    async ended(schedule) {
      failing.delete(schedule)
      const wasAnnounced = isAnnounced ?? (await recall())
      // Another run may have failed meanwhile.
      isAnnounced ??= wasAnnounced
      if (isAnnounced && failing.size === 0) {
        isAnnounced = false
        await queue('worker.recovered', `a run of ${schedule} succeeded again`)
      }
      wake()
    },
    failed(schedule, error) {
      failing.add(schedule)
      if (isAnnounced) return
      isAnnounced = true
      // The message of a bug may quote anything.
      const why = error instanceof AuditError ? error.message : 'a bug; the log has it'
      void queue('worker.failed', `a run of ${schedule} ended with an error: ${why}`)
    },
  }
}

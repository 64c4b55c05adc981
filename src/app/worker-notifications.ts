import { AuditError, messageOf } from '../model/errors.ts'
import type { Report } from '../model/report.ts'
import { composeWorkerNotification } from '../notify/compose-messages.ts'
import type { DeliveryObserver } from '../notify/deliver.ts'
import { workerEvent } from '../notify/find-events.ts'
import { announceFailures } from '../worker/announce-failures.ts'
import { openDeliveries } from '../worker/keep-delivering.ts'
import type { WorkerObserver } from '../worker/keep-schedule.ts'
import type { Metrics } from '../worker/metrics.ts'
import { deliverNotifications, type NotificationTargets, watchInLog, workerTimeouts } from './deliver-notifications.ts'
import type { Log } from './log.ts'
import { openHistory } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

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
    clock: systemClock,
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
    lost: (error) => log.error({ error: messageOf(error) }, 'failure notification could not be queued'),
  })
  return { watch: failures, keep: deliveries.keep }
}

function countAttempts(watch: DeliveryObserver, metrics: Pick<Metrics, 'attempted'>): DeliveryObserver {
  return {
    ...watch,
    delivered(channel, id) {
      metrics.attempted(channel, 'delivered')
      watch.delivered(channel, id)
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

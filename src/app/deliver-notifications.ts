import { composeReport } from '../audit/compose-report.ts'
import type { Channel, Configuration } from '../config/configuration.ts'
import { opensTickets } from '../config/notify-schema.ts'
import { createSealer } from '../gateway/inventory/sealer.ts'
import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import type { ChannelState } from '../history/outbox.ts'
import { findLastTicketChange, findTicket, listChannels } from '../history/sql/outbox.ts'
import { readRunRecord } from '../history/sql/read-run.ts'
import { AuditError } from '../model/errors.ts'
import { type DeliveryObserver, deliver, type Receiver } from '../notify/deliver.ts'
import { type ChannelDependencies, openChannel, targetOf } from '../notify/open-channel.ts'
import { installationKey } from './installation-key.ts'
import { type Log, openNotificationLog } from './log.ts'
import { openExistingHistory } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock, thisProcess } from './system.ts'

/** Where messages wait, and who is sent them. */
export type NotificationTargets = Pick<Configuration, 'notify' | 'history'>

/** How long a delivery waits for receivers. */
export interface DeliveryTimeouts {
  readonly timeoutMs: number
  readonly totalMs: number
  /** Whether a message that failed waits before the next attempt. */
  readonly isPatient: boolean
}

/** A one-shot run attempts each pending message once; a worker tries again later. */
export const oneShotTimeouts: DeliveryTimeouts = { timeoutMs: 5_000, totalMs: 5_000, isPatient: false }
export const workerTimeouts: DeliveryTimeouts = { timeoutMs: 10_000, totalMs: 60_000, isPatient: true }

/**
 * Delivers the pending messages of the history, and returns the channels' states after that.
 * @throws AuditError.failure or AuditError.busy when the history cannot be used
 */
export async function deliverNotifications(
  { notify: channels, history: location }: NotificationTargets,
  timeouts: DeliveryTimeouts,
  {
    terminal,
    watch,
    signal,
  }: { readonly terminal: ProcessContext; readonly watch: DeliveryObserver; readonly signal: AbortSignal },
): Promise<readonly ChannelState[]> {
  const history = await openExistingHistory(location, terminal.env)
  try {
    const receivers = await openReceivers(channels, location, history, terminal)
    const timeoutAfter = AbortSignal.timeout
    const { every } = thisProcess
    await deliver(history, { ...timeouts, receivers, now: systemClock.now, timeoutAfter, every, signal, watch })
    return await listChannels(history)
  } finally {
    await history.close()
  }
}

/** Opens the channels of a configuration for sending. */
export function openReceivers(
  channels: readonly Channel[],
  location: HistoryLocation,
  history: History,
  terminal: ProcessContext,
): Promise<Receiver[]> {
  const seal = sealOf(location, terminal)
  const readReport = async (run: number) => {
    const record = await readRunRecord(history, run)
    return record === undefined ? undefined : composeReport(record)
  }
  const dependencies: ChannelDependencies = {
    env: terminal.env,
    now: systemClock.now,
    log: openNotificationLog(terminal),
    readReport,
    ticketsOf(channel) {
      const [{ name }, target] = [channel, seal(targetOf(channel))]
      return {
        find: (key) => findTicket(history, name, { key, target }),
        lastChange: () => findLastTicketChange(history, name, target),
        remember: (key, reference, changedAt) => history.rememberTicket(name, { key, target, reference, changedAt }),
      }
    },
  }
  return Promise.all(
    channels.map(async (channel) => ({
      name: channel.name,
      send: await openChannel(channel, dependencies),
      target: seal(targetOf(channel)),
      isSlow: opensTickets(channel),
    })),
  )
}

/** Without a usable key the messages still go out: one of them may be about that very key. */
function sealOf(location: HistoryLocation, { env }: ProcessContext): (secret: string) => string {
  try {
    return createSealer(installationKey(location, env).key).seal
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return () => ''
  }
}

/** Logs what happens to messages: ids and our own words only. */
export function watchInLog(log: Log): DeliveryObserver {
  return {
    delivered: (channel, notification, refusal) =>
      refusal === undefined
        ? log.debug({ channel, notification }, 'notification delivered')
        : log.warn({ channel, notification, error: refusal }, 'notification delivered in its short form'),
    failed: (channel, notification, error) =>
      log.warn({ channel, notification, error }, 'notification not delivered; it waits'),
    gone: (channel) =>
      log.warn(
        { channel },
        'the receiver is gone (410): the channel is disabled until its address changes or a test arrives',
      ),
    gaveUp: (channel, notification, error) => log.error({ channel, notification, error }, 'notification given up'),
  }
}

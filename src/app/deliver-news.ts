import { composeReport } from '../audit/compose-report.ts'
import type { Channel } from '../config/read-configuration.ts'
import type { History } from '../history/history.ts'
import type { ChannelState } from '../history/outbox.ts'
import { openExistingHistory } from '../history/sqlite/sqlite-history.ts'
import { createSealer } from '../inventory/sealer.ts'
import { AuditError } from '../model/errors.ts'
import { type DeliveryObserver, deliver, type Receiver } from '../notify/deliver.ts'
import { type ChannelDependencies, openChannel, targetOf } from '../notify/open-channel.ts'
import { installationKey } from './installation-key.ts'
import { type Log, openNotificationLog } from './log.ts'
import { resealingFor } from './resealing-for.ts'
import { systemClock, thisProcess } from './system.ts'
import type { ProcessContext } from './terminal.ts'

export interface News {
  readonly channels: readonly Channel[]
  /** The history's file. */
  readonly history: string
}

/** How long is waited for receivers. */
export interface DeliveryTimeouts {
  readonly timeoutMs: number
  readonly totalMs: number
  /** Whether a message that failed waits its time. */
  readonly isPatient: boolean
}

/** A one-shot run tries what waits once and is done; a worker comes back. */
export const oneShot: DeliveryTimeouts = { timeoutMs: 5_000, totalMs: 5_000, isPatient: false }
export const worker: DeliveryTimeouts = { timeoutMs: 10_000, totalMs: 60_000, isPatient: true }

/**
 * Delivers what waits in the history, and says how the channels are then.
 * @throws AuditError.failure or 5 when the history cannot be used
 */
export async function deliverNotifications(
  { channels, history: file }: News,
  patience: DeliveryTimeouts,
  {
    terminal,
    watch,
    signal,
  }: { readonly terminal: ProcessContext; readonly watch: DeliveryObserver; readonly signal: AbortSignal },
): Promise<readonly ChannelState[]> {
  const history = openExistingHistory(file, thisProcess, await resealingFor(file, terminal.env))
  try {
    const receivers = await openReceivers(channels, file, history, terminal)
    const timeoutAfter = AbortSignal.timeout
    await deliver(history, { ...patience, receivers, now: systemClock.now, timeoutAfter, signal, watch })
    return await history.channels()
  } finally {
    await history.close()
  }
}

/** The channels of a configuration, ready to be sent to. */
export function openReceivers(
  channels: readonly Channel[],
  file: string,
  history: History,
  terminal: ProcessContext,
): Promise<Receiver[]> {
  const seal = sealOf(file, terminal)
  const readReport = async (run: number) => {
    const record = await history.readRun(run)
    return record === undefined ? undefined : composeReport(record)
  }
  const world: ChannelDependencies = {
    env: terminal.env,
    now: systemClock.now,
    log: openNotificationLog(terminal),
    readReport,
  }
  return Promise.all(
    channels.map(async (channel) => ({
      name: channel.name,
      send: await openChannel(channel, world),
      target: seal(targetOf(channel)),
    })),
  )
}

/** A key that cannot be used must not keep anybody from being told of it. */
function sealOf(file: string, { env }: ProcessContext): (secret: string) => string {
  try {
    return createSealer(installationKey(file, env).key).seal
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    return () => ''
  }
}

/** What becomes of messages, for the log. Ids and our own words only. */
export function watchInLog(log: Log): DeliveryObserver {
  return {
    delivered: (channel, notification) => log.debug({ channel, notification }, 'notification delivered'),
    failed: (channel, notification, error) =>
      log.warn({ channel, notification, error }, 'notification not delivered; it is tried again'),
    gone: (channel) => log.warn({ channel }, 'the receiver is gone (410): the channel is not tried again'),
    gaveUp: (channel, notification, error) =>
      log.error({ channel, notification, error }, 'notification given up after a day'),
  }
}

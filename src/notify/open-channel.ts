import type { Channel } from '../config/read-configuration.ts'
import type { Report } from '../model/report.ts'
import type { ProxyVariables } from '../service/proxy-for.ts'
import type { LogLine } from './channels/log.ts'
import type { SendMessage } from './outcome.ts'

/** What channels need from outside. */
export interface ChannelDependencies {
  readonly env: ProxyVariables
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: LogLine
  readonly readReport: (run: number) => Promise<Report | undefined>
}

/** Opens a channel. Loads only the code that it needs. */
export async function openChannel(
  channel: Channel,
  { env, now, log, readReport }: ChannelDependencies,
): Promise<SendMessage> {
  switch (channel.type) {
    case 'log':
      return (await import('./channels/log.ts')).sendToLog(channel, log)
    case 'directory':
      return (await import('./channels/directory.ts')).sendToDirectory(channel, readReport)
    case 'webhook':
      return (await import('./channels/webhook.ts')).sendToWebhook(channel, env, now)
    case 'slack':
      return (await import('./channels/slack.ts')).sendToSlack(channel, env)
    case 'email':
      return (await import('./channels/email.ts')).sendByEmail(channel)
  }
}

/** The address of a channel as one text: its seal shows whether the receiver has changed. */
export function targetOf(channel: Channel): string {
  return channel.type === 'webhook' || channel.type === 'slack' ? channel.url : ''
}

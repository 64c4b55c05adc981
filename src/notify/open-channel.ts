import type { Channel } from '../config/configuration.ts'
import type { ProxyVariables } from '../gateway/service/proxy-for.ts'
import type { Report } from '../model/report.ts'
import { accepted, type SendMessage } from './message.ts'
import type { TicketMemory } from './send-tickets.ts'

/** What channels need from outside. */
export interface ChannelDependencies {
  readonly env: ProxyVariables
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly log: LogLine
  readonly readReport: (run: number) => Promise<Report | undefined>
  /** What the history knows of the tickets of a channel. */
  readonly ticketsOf: (channel: Channel) => TicketMemory
}

/** Opens a channel. Loads only the code that it needs. */
export async function openChannel(
  channel: Channel,
  { env, now, log, readReport, ticketsOf }: ChannelDependencies,
): Promise<SendMessage> {
  switch (channel.type) {
    case 'log':
      return sendToLog(channel, log)
    case 'directory':
      return (await import('./channels/directory.ts')).sendToDirectory(channel, readReport)
    case 'webhook':
      return (await import('./channels/webhook.ts')).sendToWebhook(channel, env, now)
    case 'slack':
      return (await import('./channels/slack.ts')).sendToSlack(channel, env)
    case 'teams':
      return (await import('./channels/teams.ts')).sendToTeams(channel, env)
    case 'pagerduty':
      return (await import('./channels/pagerduty.ts')).sendToPagerDuty(channel, env)
    case 'github_issue':
      return (await import('./channels/github.ts')).sendToGitHub(channel, { env, now, memory: ticketsOf(channel) })
    case 'jira':
      return (await import('./channels/jira.ts')).sendToJira(channel, { env, now, memory: ticketsOf(channel) })
    case 'email':
      return (await import('./channels/email.ts')).sendByEmail(channel)
  }
}

/** The address of a channel as one text: its seal shows whether the receiver has changed. */
export function targetOf(channel: Channel): string {
  if (channel.type === 'pagerduty') return `${channel.url} ${channel.routing_key}`
  if (channel.type === 'github_issue') return `${channel.api_url} ${channel.repository}`
  if (channel.type === 'jira') return `${channel.url} ${channel.project}`
  return 'url' in channel ? channel.url : ''
}

/** Writes one line of a structured log. */
type LogLine = (fields: Readonly<Record<string, unknown>>, text: string) => void

/** A line for each event, and one for the run. */
export function sendToLog({ name: channel }: { readonly name: string }, write: LogLine): SendMessage {
  return async ({ id, run, title, counts, storm, rules, events, more, command, already_open }) => {
    for (const { id: event, text, ...fields } of events) {
      write({ channel, notification: id, event, run: run?.number ?? null, ...fields }, text)
    }
    const summary = {
      channel,
      notification: id,
      run: run?.number ?? null,
      counts,
      storm,
      rules,
      more,
      command,
      already_open,
    }
    write(summary, title)
    return accepted
  }
}

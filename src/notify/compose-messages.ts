import { composeReport } from '../audit/compose-report.ts'
import type { Channel } from '../config/configuration.ts'
import type { ComposeNotifications, PriorState } from '../history/notification-facts.ts'
import type { NewMessage } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { isInterrupted } from '../model/coverage.ts'
import type { Verdict } from '../model/report.ts'
import { eventChooser, projectChooser } from './choose-events.ts'
import { findIncidents, workerIncident } from './compose-incidents.ts'
import { countRules, countTypes, describeCounts } from './count-events.ts'
import { countOpen } from './count-open.ts'
import { explainEvents } from './explain-event.ts'
import { byImportance, findEvents, foldUnasked, idOf, runIdentity } from './find-events.ts'
import { type Links, noLinks } from './links.ts'
import type { Event, Message, Storm } from './message.ts'

/** The most events that a message names: what a person reads, or a program takes in one request. */
const mostNamed = {
  ...{ log: 200, directory: 0, webhook: 200 },
  ...{ slack: 20, teams: 20, email: 20, pagerduty: 10 },
} as const satisfies Record<Channel['type'], number>
/** A storm's message is one digest: its worst events and the counts. */
const namedInStorm = 10
const massFrom = 50

/**
 * Composes the messages about a run that is being committed: at most one per channel, none without changes. A channel
 * of incidents has one for each incident that opens or closes.
 */
export function composeRunNotifications(
  channels: readonly Channel[],
  links: Links = noLinks,
): ComposeNotifications | undefined {
  if (channels.length === 0) return undefined
  return (record, before) => {
    // The next run reports what an interrupted run did not.
    if (record.coverage.some(isInterrupted)) return 'later'
    let verdict: Verdict | undefined
    const context: ComposeContext = {
      ...{ record, before, links, events: findEvents(record, before) },
      explain: explainEvents(record, links),
      verdict: () => (verdict ??= composeReport(record).verdict),
    }
    return channels.flatMap((channel) =>
      channel.type === 'pagerduty' ? incidentMessages(channel, context) : messageFor(channel, context),
    )
  }
}

/** The same for events outside of runs. The ids of the messages are derived from `subject`. */
export function composeWorkerNotification(channels: readonly Channel[], event: Event, at: string): NewMessage[] {
  return channels
    .filter(({ type }) => type !== 'directory')
    .map(({ name, type }) => {
      const title = `hookdrift: ${event.text}`
      const command = 'hookdrift status'
      const message = compose([event], { id: idOf([name, event.id], 'msg'), at, title, command, most: 1 })
      const incident = type === 'pagerduty' ? { incident: workerIncident(name, event) } : {}
      return { id: message.id, channel: name, run: null, body: JSON.stringify({ ...message, ...incident }) }
    })
}

/** The message that tests a channel. */
export function testMessage(channel: string, at: string): Message {
  const title = `hookdrift: a test of the channel ${channel}`
  const command = 'hookdrift notify --pending'
  return compose([], { id: idOf([channel, at], 'test'), at, title, command, most: 0 })
}

interface ComposeContext {
  readonly record: RunRecord
  readonly before: PriorState
  readonly events: readonly Event[]
  readonly links: Links
  readonly explain: (event: Event) => Event
  /** Composed once, and only if a message needs it. */
  readonly verdict: () => Verdict
}

function messageFor(channel: Channel, context: ComposeContext): NewMessage[] {
  const { record, before, events } = context
  const chosen = events.filter(eventChooser(channel, record))
  const wantsReport =
    channel.type === 'directory' && channel.min_severity === undefined && channel.owners === undefined
      ? record.coverage.map(({ project }) => project).some(projectChooser(channel, record))
      : chosen.length > 0
  if (!wantsReport) return []
  const shown = foldUnasked(chosen, [channel.name, ...runIdentity(record)])
  const alreadyOpen = before.isFirst || before.channels.includes(channel.name) ? {} : countOpen(channel, shown, record)
  return [runMessage(channel, shown, { id: [], storm: stormOf(shown, record, before), alreadyOpen }, context)]
}

/** Triggers come first: a person waits for them. */
function incidentMessages(channel: Channel, context: ComposeContext): NewMessage[] {
  const { record, before, events } = context
  const { triggers, over } = findIncidents(channel, {
    ...context,
    chosen: events.filter(eventChooser(channel, record)),
  })
  return [
    ...triggers.map(({ key, subjects, events: shown, isDigest }) => ({
      ...runMessage(
        channel,
        shown,
        {
          id: [key],
          storm: isDigest ? (stormOf(shown, record, before) ?? 'mass') : null,
          incident: { action: 'trigger', key },
        },
        context,
      ),
      incident: { key, subjects },
    })),
    ...over.map(({ key, events: ended }) => ({
      ...runMessage(channel, ended, { id: [key], storm: null, incident: { action: 'resolve', key } }, context),
      incident: { key, subjects: [] },
    })),
  ]
}

interface RunMessage {
  /** What identifies the message among those of its channel and run. */
  readonly id: readonly string[]
  readonly storm: Storm | null
  readonly incident?: NonNullable<Message['incident']>
  readonly alreadyOpen?: NonNullable<Message['already_open']>
}

function runMessage(
  channel: Channel,
  events: readonly Event[],
  { id, storm, incident, alreadyOpen = {} }: RunMessage,
  { record, links, explain, verdict }: ComposeContext,
): NewMessage {
  const { number, startedAt: started_at, finishedAt: finished_at } = record
  const frame = {
    id: idOf([channel.name, ...runIdentity(record), ...id], 'msg'),
    at: finished_at,
    title: `hookdrift: ${describeCounts(events)} (run ${number})`,
    command: `hookdrift report --run ${number}`,
    most: Math.min(mostNamed[channel.type], storm === null ? Number.POSITIVE_INFINITY : namedInStorm),
    storm,
    explain,
  }
  const { exit_code, text } = verdict()
  const report_url = links.report(number)
  const message: Message = {
    ...compose(events, frame),
    run: { number, started_at, finished_at },
    verdict: { exit_code, text },
    ...(report_url === undefined ? {} : { report_url }),
    ...(incident === undefined ? {} : { incident }),
    ...(Object.keys(alreadyOpen).length === 0 ? {} : { already_open: alreadyOpen }),
  }
  return { id: message.id, channel: channel.name, run: number, body: JSON.stringify(message) }
}

interface Frame {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly command: string
  readonly most: number
  readonly storm?: Storm | null
  readonly explain?: (event: Event) => Event
}

function compose(
  events: readonly Event[],
  { id, at, title, command, most, storm = null, explain = (event) => event }: Frame,
): Message {
  const sorted = events.toSorted(byImportance)
  const named = sorted.slice(0, most)
  return {
    schema: 'hookdrift.notification/1',
    id,
    created_at: at,
    run: null,
    verdict: null,
    title,
    storm,
    counts: countTypes(events),
    rules: storm === null ? [] : countRules(events),
    events: named.map(explain),
    more: events.length - named.length,
    command,
  }
}

function stormOf(events: readonly Event[], record: RunRecord, before: PriorState): Storm | null {
  if (events.length <= namedInStorm) return null
  if (before.isFirst) return 'first_run'
  const isOtherPolicy = before.policyDigest !== record.policyDigest || before.toolVersion !== record.toolVersion
  if (isOtherPolicy) return 'policy_changed'
  return events.length > massFrom ? 'mass' : null
}

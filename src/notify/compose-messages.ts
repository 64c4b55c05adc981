import { composeReport } from '../audit/compose-report.ts'
import { matchesProject } from '../config/choose-projects.ts'
import type { Channel } from '../config/read-configuration.ts'
import type { ComposeNotifications, PriorState } from '../history/notification-facts.ts'
import type { NewMessage } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { isInterrupted } from '../model/coverage.ts'
import { isAtLeast } from '../model/violation.ts'
import { count } from '../text/count.ts'
import { byImportance, findEvents, foldUnasked, idOf, runIdentity } from './find-events.ts'
import { type Event, type EventType, eventTypes, type Message, type Storm } from './message.ts'

/** The most events that a message names: what a person reads, or a program takes in one request. */
const mostNamed = { log: 200, directory: 0, webhook: 200, slack: 20, email: 20 } as const satisfies Record<
  Channel['type'],
  number
>
/** A storm's message is one digest: its worst events and the counts. */
const namedInStorm = 10
const massFrom = 50
const rulesInDigest = 10

/** Composes the messages about a run that is being committed: at most one per channel, none without changes. */
export function composeRunNotifications(channels: readonly Channel[]): ComposeNotifications | undefined {
  if (channels.length === 0) return undefined
  return (record, before) => {
    // The next run reports what an interrupted run did not.
    if (record.coverage.some(isInterrupted)) return 'later'
    const events = findEvents(record, before)
    return channels.flatMap((channel) => messageFor(channel, { record, before, events }))
  }
}

/** The same for events outside of runs. The ids of the messages are derived from `subject`. */
export function composeWorkerNotification(channels: readonly Channel[], event: Event, at: string): NewMessage[] {
  return channels
    .filter(({ type }) => type !== 'directory')
    .map(({ name }) => {
      const title = `hookdrift: ${event.text}`
      const command = 'hookdrift status'
      const message = compose([event], { id: idOf([name, event.id], 'msg'), at, title, command, most: 1 })
      return { id: message.id, channel: name, run: null, body: JSON.stringify(message) }
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
}

function messageFor(channel: Channel, { record, before, events }: ComposeContext): NewMessage[] {
  const isMeant = projectsOf(channel, record)
  const chosen = events.filter(
    ({ project, severity }) =>
      (project === null || isMeant(project)) && isAtLeast(severity, channel.min_severity ?? 'info'),
  )
  const wantsReport =
    channel.type === 'directory' && channel.min_severity === undefined
      ? record.coverage.some(({ project }) => isMeant(project))
      : chosen.length > 0
  if (!wantsReport) return []
  const shown = foldUnasked(chosen, [channel.name, ...runIdentity(record)])
  const storm = stormOf(shown, record, before)
  const { verdict } = composeReport(record)
  const { number, startedAt: started_at, finishedAt: finished_at } = record
  const message = {
    ...compose(shown, {
      id: idOf([channel.name, ...runIdentity(record)], 'msg'),
      at: finished_at,
      title: `hookdrift run ${number}: ${describeCounts(shown)}`,
      command: `hookdrift report --run ${number}`,
      most: Math.min(mostNamed[channel.type], storm === null ? Number.POSITIVE_INFINITY : namedInStorm),
      storm,
    }),
    run: { number, started_at, finished_at },
    verdict: { exit_code: verdict.exit_code, text: verdict.text },
  }
  return [{ id: message.id, channel: channel.name, run: number, body: JSON.stringify(message) }]
}

interface Frame {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly command: string
  readonly most: number
  readonly storm?: Storm | null
}

function compose(events: readonly Event[], { id, at, title, command, most, storm = null }: Frame): Message {
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
    events: named,
    more: events.length - named.length,
    command,
  }
}

/** A project is chosen by its name and its labels; the policy itself is not a project and always chosen. */
function projectsOf({ projects = [], labels = {} }: Channel, record: RunRecord): (project: string) => boolean {
  const labelsOf = new Map(record.projects.map((evaluated) => [evaluated.project, evaluated.labels]))
  const wanted = Object.entries(labels)
  return (project) => {
    const own = labelsOf.get(project) ?? {}
    return (
      matchesProject(project, projects) &&
      wanted.every(([name, value]) => Object.hasOwn(own, name) && own[name] === value)
    )
  }
}

function stormOf(events: readonly Event[], record: RunRecord, before: PriorState): Storm | null {
  if (events.length <= namedInStorm) return null
  if (before.isFirst) return 'first_run'
  const isOtherPolicy = before.policyDigest !== record.policyDigest || before.toolVersion !== record.toolVersion
  if (isOtherPolicy) return 'policy_changed'
  return events.length > massFrom ? 'mass' : null
}

function countTypes(events: readonly Event[]): Message['counts'] {
  const groups = Map.groupBy(events, ({ type }) => type)
  return Object.fromEntries(
    eventTypes.flatMap((type) => {
      const group = groups.get(type)
      return group === undefined ? [] : [[type, group.length]]
    }),
  )
}

const words: Readonly<Record<EventType, (n: number) => string>> = {
  'worker.failed': () => 'a run failed',
  'worker.recovered': () => 'runs succeed again',
  'coverage.lost': (n) => `${count(n, 'listing')} incomplete`,
  'coverage.regained': (n) => `${count(n, 'listing')} complete again`,
  'violation.reopened': (n) => `${n} reopened`,
  'violation.opened': (n) => `${n} opened`,
  'violation.resolved': (n) => `${n} resolved`,
  'violation.closed': (n) => `${n} closed`,
  'rule.unknown': (n) => `${count(n, 'rule')} unknown`,
}

function describeCounts(events: readonly Event[]): string {
  const counts = countTypes(events)
  const parts = eventTypes.flatMap((type) => {
    const number = counts[type]
    return number === undefined ? [] : [words[type](number)]
  })
  return parts.length === 0 ? 'nothing new' : parts.join(', ')
}

/** Each rule with its worst severity, those with the most events first. */
function countRules(events: readonly Event[]): Message['rules'] {
  const ofRules = events
    .toSorted(byImportance)
    .flatMap(({ rule, severity }) => (rule === undefined ? [] : [{ rule, severity }]))
  return [...Map.groupBy(ofRules, ({ rule }) => rule)]
    .map(([rule, group]) => ({ rule, severity: group[0]?.severity ?? 'info', events: group.length }))
    .toSorted((a, b) => b.events - a.events)
    .slice(0, rulesInDigest)
}

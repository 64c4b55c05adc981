import { toReportCause, verdictOf } from '../audit/compose-report.ts'
import { matchesProject, mayMatchIn } from '../config/choose-projects.ts'
import type { Channel } from '../config/configuration.ts'
import { opensTickets } from '../config/notify-schema.ts'
import type { Cause } from '../history/cause.ts'
import type { ComposeNotifications, PriorState } from '../history/notification-facts.ts'
import type { NewMessage } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import { isInterrupted } from '../model/coverage.ts'
import { matchesGlob } from '../model/glob.ts'
import type { Verdict } from '../model/report.ts'
import { isProjectListName } from '../model/resource.ts'
import { countSeverities, isAtLeast, isUnchecked, type Severity, severities } from '../model/violation.ts'
import { describeCause } from '../report/describe-cause.ts'
import { describeFailures, groupByCause } from '../report/describe-failures.ts'
import { whenChanged } from '../report/describe-notes.ts'
import { remediationFor } from '../report/remediation-for.ts'
import { isShellSafe } from '../report/text/commands.ts'
import { count } from '../text/count.ts'
import { findIncidents, workerIncident } from './compose-incidents.ts'
import { byImportance, findEvents, foldEndedByPolicy, foldRegained, idOf, runIdentity } from './find-events.ts'
import { type Links, noLinks } from './links.ts'
import {
  type Event,
  type EventType,
  eventTypes,
  type Message,
  type MessageCause,
  type MessageFailure,
  openTypes,
  type Storm,
} from './message.ts'
import { commandAbout } from './show-message.ts'

/** The most events that a message names: what a person reads, or a program takes in one request. */
const mostNamed = {
  log: 200,
  directory: 0,
  webhook: 200,
  slack: 20,
  teams: 20,
  email: 20,
  pagerduty: 10,
  github_issue: 10,
  jira: 10,
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
    const notified: NotifiedRun = {
      record,
      before,
      links,
      events: findEvents(record, before),
      explain: explainEvents(record, links),
      verdict: () => (verdict ??= verdictOf(record)),
    }
    return channels.flatMap((channel) =>
      opensIncidents(channel) ? incidentMessages(channel, notified) : messageFor(channel, notified),
    )
  }
}

/** The same for events outside of runs. The ids of the messages are derived from `subject`. */
export function composeWorkerNotification(channels: readonly Channel[], event: Event, at: string): NewMessage[] {
  return channels
    .filter(({ type }) => type !== 'directory')
    .map((channel) => {
      const { name } = channel
      const title = `hookdrift: ${event.text}`
      const command = 'hookdrift status'
      const message = compose([event], { id: idOf([name, event.id], 'msg'), at, title, command, most: 1 })
      const incident = opensIncidents(channel) ? workerIncident(name, event) : undefined
      return { id: message.id, channel: name, run: null, body: JSON.stringify({ ...message, incident }) }
    })
}

/** The message that tests a channel. */
export function testMessage(channel: string, at: string): Message {
  const title = `hookdrift: test of the channel ${channel}`
  const command = 'hookdrift notify --pending'
  return compose([], { id: idOf([channel, at], 'test'), at, title, command, most: 0 })
}

function opensIncidents(channel: Channel): boolean {
  return channel.type === 'pagerduty' || opensTickets(channel)
}

const longestStep = 200

/** The first step, choice or sentence of a remediation on one line: what a chat has room for. Empty for none. */
export function firstStep(remediation: string): string {
  const text = remediation
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\[([^\]]{1,200})\]\([^)]{1,300}\)/g, '$1')
  const [step = ''] = text.startsWith('1. ') ? text.slice(3).split(' 2. ') : text.replace(/^- /, '').split(' - ')
  const end = sentenceEnd(step)
  const sentence = end === undefined ? step : step.slice(0, end)
  return sentence.length <= longestStep
    ? sentence
    : closed(`${sentence.slice(0, longestStep - 1).replace(/ [^ ]{0,199}$/, '')}…`)
}

/** A run of which messages are composed, and what they share. */
interface NotifiedRun {
  readonly record: RunRecord
  readonly before: PriorState
  readonly events: readonly Event[]
  readonly links: Links
  readonly explain: (event: Event) => Event
  /** Composed once, and only if a message needs it. */
  readonly verdict: () => Verdict
}

/** Adds what a reader needs next: what the rule finds, the first step of the fix, a command, and links. */
function explainEvents(record: RunRecord, links: Links): (event: Event) => Event {
  const rules = new Map(record.rules.map((rule) => [rule.id, rule]))
  const changes = Map.groupBy(record.changes, subjectKey)
  return (event) => {
    const isDrift = event.type === 'violation.opened' && event.rule?.startsWith('drift/') === true
    const changed = isDrift ? (changes.get(subjectKey(event)) ?? []) : []
    const { title = '', remediation = '' } = rules.get(event.rule ?? '') ?? {}
    const steps = filledFor(event, remediation)
    const isOpen = openTypes.has(event.type)
    const isInReport = isOpen || event.type === 'violation.resolved'
    return {
      ...event,
      title: title || undefined,
      ...whenChanged(changed, record.notes),
      remediation: (isOpen && firstStep(steps)) || undefined,
      command: isOpen ? commandFor(event, steps) : undefined,
      ui_url: event.resolution === 'removed' ? undefined : links.resource(event) || undefined,
      report_url: (isInReport && links.violation(record.number, event.fingerprint ?? '')) || undefined,
    }
  }
}

function filledFor({ kind, uid, fingerprint }: Event, remediation: string): string {
  if (kind === undefined || uid === undefined || fingerprint === undefined) return remediation
  return remediationFor(remediation, [{ kind, uid, fingerprint }])
}

/** What puts a change back; else the page of a rule of hookdrift itself, or the history of the resource. */
function commandFor({ rule = '', uid = '', kind }: Event, steps: string): string | undefined {
  const back = rule.startsWith('drift/') ? commandAbout(uid, steps, 'restore') : undefined
  if (back !== undefined) return back
  if (isShellSafe(rule) && isBuiltInRule(rule)) return `hookdrift rules ${rule}`
  return kind !== 'policy' && isShellSafe(uid) ? `hookdrift timeline ${uid}` : undefined
}

/** Triggers come first: a person waits for them. */
function incidentMessages(channel: Channel, notified: NotifiedRun): NewMessage[] {
  const { record, before, events } = notified
  const { triggers, updates, over } = findIncidents(channel, {
    ...notified,
    chosen: events.filter(eventChooser(channel, record)),
  })
  return [
    ...triggers.map(({ key, subjects, events: triggering, isDigest }) => ({
      ...runMessage(
        channel,
        triggering,
        {
          id: [key],
          storm: isDigest ? (stormOf(triggering, record, before) ?? 'mass') : null,
          incident: { action: 'trigger', key },
        },
        notified,
      ),
      incident: { key, subjects },
    })),
    ...updates.map(({ key, events: changed, isReopened }) => {
      const action = isReopened ? 'trigger' : 'update'
      return runMessage(channel, changed, { id: [key, 'update'], storm: null, incident: { action, key } }, notified)
    }),
    ...over.map(({ key, events: ended }) => ({
      ...runMessage(channel, ended, { id: [key], storm: null, incident: { action: 'resolve', key } }, notified),
      incident: { key, subjects: [] },
    })),
  ]
}

/**
 * Whether a channel is sent an event. Owners choose among resources: what is about a listing, a rule or the worker goes
 * to all channels, because silence about a resource that was not scanned would look like health.
 */
function eventChooser(
  channel: Channel,
  record: RunRecord,
): (event: Pick<Event, 'project' | 'severity' | 'kind' | 'owner'>) => boolean {
  const isMeant = projectChooser(channel, record)
  const { owners, min_severity = 'info' } = channel
  return ({ project, severity, kind, owner }) => {
    // Without the list of a service, its projects that a channel is meant for may be unknown.
    const isList = kind === undefined && project !== null && isProjectListName(project)
    const mayBeMeant = isList ? mayMatchIn(project.slice(0, -'/*'.length), channel.projects ?? []) : undefined
    if (project !== null && !(mayBeMeant ?? isMeant(project))) return false
    if (!isAtLeast(severity, min_severity)) return false
    return owners === undefined || kind === undefined || owners.some((pattern) => isOwned(owner, pattern))
  }
}

/** A project is chosen by its name and its labels. */
function projectChooser(channel: Channel, record: RunRecord): (project: string) => boolean {
  const { projects = [] } = channel
  const labels = opensTickets(channel) ? {} : (channel.labels ?? {})
  const labelsOf = new Map(record.projects.map((evaluated) => [evaluated.project, evaluated.labels]))
  const wanted = Object.entries(labels)
  return (project) => {
    const projectLabels = labelsOf.get(project) ?? {}
    return (
      matchesProject(project, projects) &&
      wanted.every(([name, value]) => Object.hasOwn(projectLabels, name) && projectLabels[name] === value)
    )
  }
}

function isOwned(owner: string | undefined, pattern: string): boolean {
  return owner !== undefined && owner !== '' && matchesGlob(owner, pattern)
}

interface RunMessage {
  /** What identifies the message among those of its channel and run. */
  readonly id: readonly string[]
  readonly storm: Storm | null
  /** What the title counts, where one event is about several violations. Default: the events. */
  readonly titled?: readonly Event[]
  readonly incident?: NonNullable<Message['incident']>
  readonly alreadyOpen?: NonNullable<Message['already_open']>
}

function runMessage(
  channel: Channel,
  events: readonly Event[],
  { id, storm, titled = events, incident, alreadyOpen = {} }: RunMessage,
  { record, links, explain, verdict }: NotifiedRun,
): NewMessage {
  const { number, started_at, finished_at } = record
  const causes = causesBehind(events, record)
  const failures = failuresBehind(events, record)
  const unknownRules = isForPeople(channel) ? countRated(unknownByLoss(events)) : {}
  const apart = namedApart(channel, events, record)
  const listed = apart.filter(({ severity }) => severity !== 'info' || !countsInfos(channel, events))
  const infos = apart.length - listed.length
  const frame = {
    id: idOf([channel.name, ...runIdentity(record), ...id], 'msg'),
    at: finished_at,
    title: `hookdrift: ${describeCounts(titled)} (run ${number})`,
    command: `hookdrift report --run ${number}`,
    most: Math.min(mostNamed[channel.type], storm === null ? Number.POSITIVE_INFINITY : namedInStorm),
    listed,
    storm,
    explain,
  }
  const { exit_code, text } = verdict()
  const message: Message = {
    ...compose(events, frame),
    infos: infos || undefined,
    causes: unlessEmpty(causes.map((cause) => toMessageCause(cause, record))),
    failures: unlessEmpty(failures),
    unknown_rules: unlessEmpty(unknownRules),
    run: { number, started_at, finished_at },
    verdict: { exit_code, text },
    report_url: links.report(number),
    incident,
    already_open: unlessEmpty(alreadyOpen),
  }
  return { id: message.id, channel: channel.name, run: number, body: JSON.stringify(message) }
}

function unlessEmpty<Several extends object>(several: Several): Several | undefined {
  return Object.keys(several).length === 0 ? undefined : several
}

/** The causes that the run found, with what events of a message are about: a reader sees no resources of others. */
function causesBehind(events: readonly Event[], { number, causes }: RunRecord): readonly Cause[] {
  const opened = new Set(
    events.flatMap(({ type, fingerprint }) => (type === 'violation.opened' ? (fingerprint ?? []) : [])),
  )
  return causes.flatMap((cause) => {
    if (cause.first_run !== number) return []
    const resources = cause.resources.flatMap((hit) => {
      const violations = hit.violations.filter(({ fingerprint }) => opened.has(fingerprint))
      return violations.length === 0 ? [] : [{ ...hit, violations }]
    })
    return resources.length === 0 ? [] : [{ ...cause, resources }]
  })
}

/** Chats and mail. Programs get everything, and so does a ticket. */
function isForPeople({ type }: Channel): boolean {
  return type === 'slack' || type === 'teams' || type === 'email'
}

/**
 * The events that follow from no cause and no failure. People read those in their place, and in one line which listings
 * are complete again; programs get everything.
 */
function namedApart(channel: Channel, events: readonly Event[], record: RunRecord): readonly Event[] {
  if (!isForPeople(channel)) return events
  const following = new Set(
    causesBehind(events, record).flatMap(({ resources }) =>
      resources.flatMap(({ violations }) => violations.map(({ fingerprint }) => fingerprint)),
    ),
  )
  const unknown = new Set(unknownByLoss(events))
  const apart = events.filter(
    (event) =>
      event.type !== 'coverage.lost' &&
      !unknown.has(event) &&
      !(event.fingerprint !== undefined && following.has(event.fingerprint)),
  )
  return foldRegained(apart, [channel.name, ...runIdentity(record)])
}

/** Rules that are unknown in projects of lost listings. */
function unknownByLoss(events: readonly Event[]): readonly Event[] {
  const projects = new Set(events.flatMap(({ type, project }) => (type === 'coverage.lost' ? project : [])))
  return events.filter(({ type, project }) => type === 'rule.unknown' && projects.has(project))
}

/** People read a number in place of each event of severity `info`, where anything worse happened. */
function countsInfos(channel: Channel, events: readonly Event[]): boolean {
  return isForPeople(channel) && events.some(({ severity }) => severity !== 'info')
}

/** Why the listings of the events were lost: an outage is one cause, and its listings may be hundreds. */
function failuresBehind(events: readonly Event[], { coverage, projects }: RunRecord): readonly MessageFailure[] {
  const lost = new Set(events.filter(({ type }) => type === 'coverage.lost').map(listingOf))
  const walks = coverage.filter((walk) => lost.has(listingOf(walk)))
  const positions = projects.map(({ project, configured_at }) => ({ project, configured_at }))
  return groupByCause(walks, positions).map((group) => {
    const { headline, facts } = describeFailures(group)
    return { text: headline, listings: group.walks, facts }
  })
}

function listingOf({ project, listing }: Pick<Event, 'project' | 'listing'>): string {
  return `${project} ${listing}`
}

function toMessageCause(cause: Cause, { changes, notes }: RunRecord): MessageCause {
  const reportCause = toReportCause(cause)
  const { kind } = cause
  const hits = new Set(cause.resources.map((hit) => subjectKey({ ...hit, kind })))
  const { id, rules, resources, severity } = reportCause
  return {
    id,
    severity,
    text: describeCause(reportCause),
    rules,
    resources,
    ...whenChanged(
      changes.filter((change) => hits.has(subjectKey(change))),
      notes,
    ),
    command: `hookdrift restore --cause ${id}`,
  }
}

function subjectKey({ project, kind, uid }: Pick<Event, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

const words: Readonly<Record<EventType, (n: number) => string>> = {
  'worker.failed': () => 'a run failed',
  'worker.recovered': () => 'runs succeed again',
  'coverage.lost': (n) => `${count(n, 'listing')} incomplete`,
  'coverage.regained': (n) => `${count(n, 'listing')} complete again`,
  'violation.reopened': () => 'reopened',
  'violation.opened': () => 'opened',
  'violation.raised': () => 'raised in severity',
  'violation.resolved': () => 'fixed or removed',
  'violation.closed': () => 'ended otherwise',
  'violation.changed': () => 'changed',
  'violation.waived': () => 'waived',
  'rule.unknown': (n) => `${count(n, 'rule')} unknown`,
}

/** `2 violations opened, 1 resolved in acme/payments` */
function describeCounts(events: readonly Event[]): string {
  const counts = countTypes(events)
  let isNamed = false
  const parts = eventTypes.flatMap((type) => {
    const number = counts[type]
    if (number === undefined) return []
    if (!type.startsWith('violation.')) return [words[type](number)]
    const noun = isNamed ? `${number}` : count(number, 'violation')
    isNamed = true
    return [`${noun} ${words[type](number)}`]
  })
  const named = [...new Set(events.flatMap(({ project }) => project ?? []))]
  // The list of the projects of a service is not a project.
  const projects = named.length === 1 ? named : named.filter((project) => !isProjectListName(project))
  const where =
    projects.length > 1 ? ` in ${projects.length} projects` : projects.map((project) => ` in ${project}`).join('')
  return parts.length === 0 ? 'nothing new' : `${parts.join(', ')}${where}`
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

interface Frame {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly command: string
  readonly most: number
  /** Events for the list; of others, the message has causes, failures or a number. */
  readonly listed?: readonly Event[]
  readonly storm?: Storm | null
  readonly explain?: (event: Event) => Event
}

function compose(
  events: readonly Event[],
  { id, at, title, command, most, listed = events, storm = null, explain = (event) => event }: Frame,
): Message {
  const named = listed.toSorted(byImportance).slice(0, most)
  return {
    schema: 'hookdrift.notification/1',
    id,
    created_at: at,
    run: null,
    verdict: null,
    title,
    storm,
    counts: countTypes(events),
    rules: storm === null ? [] : countRules(listed),
    events: named.map(explain),
    more: listed.length - named.length,
    command,
  }
}

const rulesInDigest = 10

/** Each rule with its worst severity: the worst first, then those with the most events. */
function countRules(events: readonly Event[]): Message['rules'] {
  const ofRules = events
    .toSorted(byImportance)
    .flatMap(({ rule, severity }) => (rule === undefined ? [] : [{ rule, severity }]))
  return [...Map.groupBy(ofRules, ({ rule }) => rule)]
    .map(([rule, group]) => ({ rule, severity: group[0]?.severity ?? 'info', events: group.length }))
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.events - a.events)
    .slice(0, rulesInDigest)
}

function stormOf(events: readonly Event[], record: RunRecord, before: PriorState): Storm | null {
  if (events.length <= namedInStorm) return null
  if (before.isFirst) return 'first_run'
  const isOtherPolicy = before.policyDigest !== record.policy_digest || before.toolVersion !== record.tool_version
  if (isOtherPolicy) return 'policy_changed'
  return events.length > massFrom ? 'mass' : null
}

function messageFor(channel: Channel, notified: NotifiedRun): NewMessage[] {
  const { record, before, events } = notified
  const chosen = events.filter(eventChooser(channel, record))
  const wantsReport =
    channel.type === 'directory' && channel.min_severity === undefined && channel.owners === undefined
      ? record.coverage.map(({ project }) => project).some(projectChooser(channel, record))
      : chosen.length > 0
  if (!wantsReport) return []
  const folded = foldEndedByPolicy(chosen, [channel.name, ...runIdentity(record)])
  // What causes and failures say in a line or two makes no storm.
  const storm = stormOf(namedApart(channel, folded, record), record, before)
  const alreadyOpen = before.isFirst || before.channels.includes(channel.name) ? {} : countOpen(channel, folded, record)
  return [runMessage(channel, folded, { id: [], storm, titled: chosen, alreadyOpen }, notified)]
}

/** Violations that were open before this run, in its projects, for a channel that is new. `events`: those of its message. */
function countOpen(
  channel: Channel,
  events: readonly Event[],
  record: RunRecord,
): NonNullable<Message['already_open']> {
  const isChosen = eventChooser(channel, record)
  const fresh = new Set(events.map(({ fingerprint }) => fingerprint))
  const open = record.violations.filter(
    ({ state, fingerprint, owner, waiver, ...violation }) =>
      // No later message is about what is unknown now and found open again.
      (state === 'continuing' || isUnchecked({ state, waiver })) &&
      !fresh.has(fingerprint) &&
      isChosen({ ...violation, owner: owner ?? undefined }),
  )
  return countRated(open)
}

/** How many there are of each severity that occurs. */
function countRated(rated: readonly { readonly severity: Severity }[]): Readonly<Partial<Record<Severity, number>>> {
  return Object.fromEntries(Object.entries(countSeverities(rated)).filter(([, number]) => number > 0))
}

/** Behind the first full stop that a blank follows, outside of code. */
function sentenceEnd(text: string): number | undefined {
  let isCode = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '`') isCode = !isCode
    if (
      !isCode &&
      '.!?'.includes(text[at] ?? ' ') &&
      text[at + 1] === ' ' &&
      /^[A-Z]/.test(text.slice(at + 2, at + 3))
    ) {
      return at + 1
    }
  }
  return undefined
}

/** A cut may have left code open. */
function closed(text: string): string {
  return text.split('`').length % 2 === 1 ? text : `${text.slice(0, -1)}\`…`
}

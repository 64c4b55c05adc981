import { toReportCause, verdictOf } from '../audit/compose-report.ts'
import { matchesProject, mayMatchIn } from '../config/choose-projects.ts'
import type { Channel } from '../config/configuration.ts'
import { opensTickets } from '../config/notify-schema.ts'
import { mayStopDeliveries } from '../gateway/deliveries.ts'
import type { Cause, CausedChange } from '../history/cause.ts'
import type { ComposeNotifications, PriorState } from '../history/notification-facts.ts'
import type { NewMessage } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { isInterrupted } from '../model/coverage.ts'
import { matchesGlob } from '../model/glob.ts'
import { pointersOverlap } from '../model/json.ts'
import type { Verdict } from '../model/report.ts'
import { isProjectListName } from '../model/resource.ts'
import { countSeverities, isAtLeast, isUnchecked, severities } from '../model/violation.ts'
import { describeCause } from '../report/describe-cause.ts'
import { describeFailures, groupByCause } from '../report/describe-failures.ts'
import { whenChanged } from '../report/describe-notes.ts'
import { shortFingerprint } from '../report/text/shorten.ts'
import { explainEvents } from './explain-events.ts'
import { byImportance, findEvents, foldEndedByPolicy, foldListings, idOf, runIdentity } from './find-events.ts'
import { headlineOf, resourceName, weigh } from './headline.ts'
import { type IncidentStep, stepIncidents, workerIncidentKey } from './incidents.ts'
import { type Links, noLinks } from './links.ts'
import {
  type ChangedResource,
  type Event,
  type Message,
  type MessageCause,
  type MessageFailure,
  openTypes,
  type Storm,
} from './message.ts'

/** The most events that a message names to a person, and to a program in one request. */
const [mostForPeople, mostForPrograms] = [20, 200]
/** More events of a run than this are a storm: one message with the worst of them and the counts. */
const massFrom = 50
const namedInStorm = 10

/**
 * Composes the messages about a run that is being committed: at most one per channel (a chat, a mail address, a
 * webhook), none without changes. A pager or a tracker has one for each incident that opens, changes or ends.
 */
export function composeRunNotifications(
  channels: readonly Channel[],
  links: Links = noLinks,
): ComposeNotifications | undefined {
  if (channels.length === 0) return undefined
  return (record, before) => {
    // The next run reports what an interrupted run did not.
    if (record.coverage.some(isInterrupted)) return 'later'
    const notified: NotifiedRun = {
      record,
      before,
      links,
      events: findEvents(record, before),
      explain: explainEvents(record, links),
      verdict: verdictOf(record),
    }
    return channels.flatMap((channel) => {
      const chosen = notified.events.filter(eventChooser(channel, record))
      if (!opensIncidents(channel)) return messageFor(channel, chosen, notified)
      return stepIncidents(channel, { ...notified, chosen }).map((step) => incidentMessage(channel, step, notified))
    })
  }
}

/** The same for events outside of runs. The ids of the messages are derived from that of the event. */
export function composeWorkerNotification(channels: readonly Channel[], event: Event, at: string): NewMessage[] {
  return channels
    .filter(({ type }) => type !== 'directory')
    .map((channel) => {
      const { name } = channel
      const action = event.type === 'worker.failed' ? 'trigger' : 'resolve'
      const message = titled([event], {
        ...emptyMessage,
        id: idOf([name, event.id], 'msg'),
        created_at: at,
        ...weigh([event]),
        counts: countTypes([event]),
        events: [event],
        command: 'hookdrift status',
        incident: opensIncidents(channel) ? { action, key: workerIncidentKey(name) } : undefined,
      })
      return { id: message.id, channel: name, run: null, body: JSON.stringify(message) }
    })
}

/** The message that tests a channel. */
export function testMessage(channel: string, at: string): Message {
  const title = `hookdrift: test of the channel ${channel}`
  const id = idOf([channel, at], 'test')
  return { ...emptyMessage, id, created_at: at, title, command: 'hookdrift notify --pending' }
}

const emptyMessage = {
  schema: 'hookdrift.notification/1',
  run: null,
  verdict: null,
  severity: null,
  project: null,
  storm: null,
  counts: {},
  rules: [],
  events: [],
  more: 0,
} as const

function titled(
  events: readonly Event[],
  message: Omit<Message, 'title'>,
  changed: RunRecord['changes'] = [],
): Message {
  return { ...message, title: headlineOf(events, message, changed) }
}

function opensIncidents(channel: Channel): boolean {
  return channel.type === 'pagerduty' || opensTickets(channel)
}

/** A run of which messages are composed, and what they share. */
interface NotifiedRun {
  readonly record: RunRecord
  readonly before: PriorState
  readonly events: readonly Event[]
  readonly links: Links
  readonly explain: (event: Event) => Event
  readonly verdict: Verdict
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

function messageFor(channel: Channel, events: readonly Event[], notified: NotifiedRun): NewMessage[] {
  const { record, before } = notified
  const wantsReport =
    channel.type === 'directory' && channel.min_severity === undefined && channel.owners === undefined
      ? record.coverage.map(({ project }) => project).some(projectChooser(channel, record))
      : events.length > 0
  if (!wantsReport) return []
  const isInformed = before.isFirst || before.channels.includes(channel.name)
  const { id, body } = runMessage(channel, events, notified, {
    id: [],
    already_open: isInformed ? undefined : countOpen(channel, events, record),
    verdict: { exit_code: notified.verdict.exit_code, text: notified.verdict.text },
  })
  return [{ id, channel: channel.name, run: record.number, body }]
}

function incidentMessage(channel: Channel, step: IncidentStep, notified: NotifiedRun): NewMessage {
  const { action, key, events, left, isDigest, incidents } = step
  const message = runMessage(channel, events, notified, {
    id: [key, action],
    incident: { action, key, left },
    isDigest,
  })
  return { ...message, channel: channel.name, run: notified.record.number, incidents }
}

interface RunMessage extends Partial<Pick<Message, 'verdict' | 'incident' | 'already_open'>> {
  /** What identifies the message among those of its channel and run. */
  readonly id: readonly string[]
  readonly isDigest?: boolean | undefined
}

function runMessage(
  channel: Channel,
  events: readonly Event[],
  { record, before, links, explain }: NotifiedRun,
  { id, isDigest = false, verdict = null, incident, already_open }: RunMessage,
): Pick<NewMessage, 'id' | 'body'> {
  const { number, started_at, finished_at } = record
  const isForPeople = channel.type !== 'webhook' && channel.type !== 'log'
  const identity = [channel.name, ...runIdentity(record)]
  const causes = causesBehind(events, record)
  const listed = foldEndedByPolicy(isForPeople ? apart(events, causes, identity) : events, identity)
  // What causes and failures say in a line or two makes no storm.
  const storm = incident === undefined || isDigest ? stormOf(listed, record, before, isDigest) : null
  // People read a number in place of what is only informative, where anything worse happened.
  const least = isForPeople && events.some(({ severity }) => severity !== 'info') ? 'low' : 'info'
  const ranked = listed.filter(({ severity }) => isAtLeast(severity, least)).sort(byImportance)
  const named = ranked.slice(0, mostNamed(ranked, isForPeople ? mostForPeople : mostForPrograms, storm))
  const changed = changesBehind(events, record)
  const message = titled(
    events,
    {
      ...emptyMessage,
      id: idOf([...identity, ...id], 'msg'),
      created_at: finished_at,
      run: { number, started_at, finished_at },
      verdict,
      ...weigh(events),
      ...whenChanged(changed, record.notes),
      storm,
      counts: countTypes(events),
      rules: storm === null ? [] : countRules(listed),
      causes: unlessEmpty(causes.map((cause) => toMessageCause(cause, events, { number, links }))),
      failures: unlessEmpty(failuresBehind(events, record)),
      events: named.map(explain),
      more: listed.length - named.length,
      command: `hookdrift report --run ${number}`,
      impact: before.isFirst ? undefined : impactOf(causes, events),
      report_url: links.report(number),
      incident,
      already_open,
    },
    changed,
  )
  return { id: message.id, body: JSON.stringify(message) }
}

/** Whether a rule that compares with nothing finds that no delivery is sent. */
function isStopped(rule: string): boolean {
  return ['endpoint/inactive', 'endpoint/paused-long', 'subscription/target-not-active'].includes(rule)
}

/** About the worst cause, else the worst violation, that may have stopped deliveries; also where it is over. */
function impactOf(causes: readonly Cause[], events: readonly Event[]): string | undefined {
  const cause = causes.find(({ kind, change, fields }) => {
    return change === 'removed' ? mayStopDeliveries(kind, '') : fields.some(({ path }) => mayStopDeliveries(kind, path))
  })
  if (cause !== undefined) return `hookdrift impact ${cause.id}`
  const isOver = ({ type, resolution }: Event) => type === 'violation.resolved' && resolution === 'fixed'
  const [event] = events
    .filter((each) => openTypes.has(each.type) || isOver(each))
    .filter(({ rule = '', kind, path = '' }) =>
      rule.startsWith('drift/') ? mayStopDeliveries(kind, path) : isStopped(rule),
    )
    .sort(byImportance)
  return event?.fingerprint && `hookdrift impact ${shortFingerprint(event.fingerprint)}`
}

function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items
}

/** New violations of severity high and above are named, however many there are, but in a first run and by another policy. */
function mostNamed(ranked: readonly Event[], most: number, storm: Storm | null): number {
  if (storm === 'first_run' || storm === 'policy_changed') return namedInStorm
  const grave = ranked.findLastIndex(({ type, severity }) => openTypes.has(type) && isAtLeast(severity, 'high')) + 1
  return Math.max(storm === null ? most : namedInStorm, Math.min(grave, mostForPrograms))
}

/** The events that follow from no cause and no failure: people read those in their place. */
function apart(
  events: readonly Event[],
  causes: readonly Cause[],
  identity: readonly (string | number)[],
): readonly Event[] {
  const following = new Set(causes.flatMap(({ resources }) => resources.flatMap(fingerprintsOf)))
  return foldListings(events, identity).filter(
    ({ type, fingerprint }) => type !== 'coverage.lost' && !(openTypes.has(type) && following.has(fingerprint ?? '')),
  )
}

function fingerprintsOf({ violations }: CausedChange): readonly string[] {
  return violations.map(({ fingerprint }) => fingerprint)
}

/** The causes that the run found, with what events of a message are about: a reader sees no resources of others. */
function causesBehind(events: readonly Event[], { number, causes }: RunRecord): readonly Cause[] {
  const opened = new Set(events.flatMap(({ type, fingerprint }) => (openTypes.has(type) ? (fingerprint ?? []) : [])))
  return causes.flatMap((cause) => {
    if (cause.first_run !== number) return []
    const resources = cause.resources.flatMap((hit) => {
      const violations = hit.violations.filter(({ fingerprint }) => opened.has(fingerprint))
      return violations.length === 0 ? [] : [{ ...hit, violations }]
    })
    return resources.length === 0 ? [] : [{ ...cause, resources }]
  })
}

const mostResources = 5

function toMessageCause(
  cause: Cause,
  events: readonly Event[],
  { number, links }: { readonly number: number; readonly links: Links },
): MessageCause {
  const reportCause = toReportCause(cause)
  const { kind } = cause
  const { id, rules, resources, severity, owners } = reportCause
  const eventOf = new Map(events.map((event) => [event.fingerprint, event]))
  const hits = cause.resources.map((hit) => ({
    hit,
    events: fingerprintsOf(hit)
      .flatMap((fingerprint) => eventOf.get(fingerprint) ?? [])
      .sort(byImportance),
  }))
  const rank = (events: readonly Event[]) => severities.indexOf(events[0]?.severity ?? 'info')
  const named = hits
    .sort((a, b) => rank(a.events) - rank(b.events))
    .slice(0, mostResources)
    .map(({ hit, events }): ChangedResource => {
      const grave = events.filter(({ severity }) => isAtLeast(severity, 'high'))
      const said = grave.length === 0 ? events.slice(0, 1) : grave
      return {
        name: resourceName({ ...hit, kind }),
        owner: hit.owner ?? undefined,
        texts: [...new Set(said.map(({ text }) => text))],
        ui_url: cause.change === 'removed' ? undefined : events[0] && links.resource(events[0]),
        report_url: links.violation(number, events[0]?.fingerprint ?? ''),
      }
    })
  const text = describeCause(reportCause)
  return { id, severity, text, rules, resources, named, owners, command: `hookdrift restore --cause ${id}` }
}

/** The changes that new violations are about: of their resources, in their fields. */
function changesBehind(events: readonly Event[], { changes }: RunRecord): RunRecord['changes'] {
  const opened = Map.groupBy(
    events.filter(({ type }) => openTypes.has(type)),
    subjectKey,
  )
  return changes.filter((change) =>
    opened
      .get(subjectKey(change))
      ?.some(
        ({ path = '' }) =>
          change.fields.length === 0 || change.fields.some((field) => pointersOverlap(field.path, path)),
      ),
  )
}

function subjectKey({ project, kind, uid }: Pick<Event, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

/** Why the listings of the events were lost: an outage is one cause, and its listings may be hundreds. */
function failuresBehind(events: readonly Event[], { coverage, projects }: RunRecord): readonly MessageFailure[] {
  const listingOf = ({ project, listing }: Pick<Event, 'project' | 'listing'>) => `${project} ${listing}`
  const lost = new Set(events.filter(({ type }) => type === 'coverage.lost').map(listingOf))
  const walks = coverage.filter((walk) => lost.has(listingOf(walk)))
  return groupByCause(walks, projects).map((group) => {
    const { headline, facts } = describeFailures(group)
    return { text: headline, listings: group.walks, facts }
  })
}

function countTypes(events: readonly Event[]): Message['counts'] {
  return Object.fromEntries([...Map.groupBy(events, ({ type }) => type)].map(([type, { length }]) => [type, length]))
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

function stormOf(events: readonly Event[], record: RunRecord, before: PriorState, isDigest: boolean): Storm | null {
  if (events.length <= namedInStorm) return isDigest ? 'mass' : null
  if (before.isFirst) return 'first_run'
  const isOtherPolicy = before.policyDigest !== record.policy_digest || before.toolVersion !== record.tool_version
  if (isOtherPolicy) return 'policy_changed'
  return isDigest || events.length > massFrom ? 'mass' : null
}

/** Violations that were open before this run, in its projects, by severity, for a channel that is new. */
function countOpen(channel: Channel, events: readonly Event[], record: RunRecord): Message['already_open'] {
  const isChosen = eventChooser(channel, record)
  // One that was raised was open before; one that only an interrupted run saw before is notified as new.
  const fresh = new Set(events.flatMap(({ type, fingerprint }) => (type === 'violation.raised' ? [] : fingerprint)))
  const open = record.violations.filter(
    ({ state, fingerprint, owner, waiver, ...violation }) =>
      // No later message is about what is unknown now and found open again.
      (state === 'continuing' || isUnchecked({ state, waiver })) &&
      !fresh.has(fingerprint) &&
      isChosen({ ...violation, owner: owner ?? undefined }),
  )
  if (open.length === 0) return undefined
  return Object.fromEntries(Object.entries(countSeverities(open)).filter(([, number]) => number > 0))
}

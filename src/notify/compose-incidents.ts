import type { Channel } from '../config/configuration.ts'
import { opensTickets } from '../config/notify-schema.ts'
import type { PriorState } from '../history/notification-facts.ts'
import type { OpenIncident } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { findChanges, idOf, runIdentity } from './find-events.ts'
import { type Event, type Message, openTypes } from './message.ts'

/** An incident that opens at a receiver. */
interface Trigger {
  readonly key: string
  /** What it is about; it closes when all of it is over. */
  readonly subjects: readonly string[]
  readonly events: readonly Event[]
  /** Whether one incident is about many events. */
  readonly isDigest: boolean
}

/** More than so many incidents of a run are one: a person is called once. */
const mostTriggers = 10

/** What happened to the violations of an incident that stays open. */
interface Update {
  readonly key: string
  readonly events: readonly Event[]
  /** Whether a waiver ended: then a ticket that a person closed is opened again. */
  readonly isReopened: boolean
}

interface IncidentSource {
  readonly record: RunRecord
  readonly before: PriorState
  /** The events that the channel chooses. */
  readonly chosen: readonly Event[]
  /** All events of the run. */
  readonly events: readonly Event[]
}

/** An incident that closes. */
interface Over {
  readonly key: string
  readonly events: readonly Event[]
}

/**
 * Incidents that a run opens, those that it closes, and for tickets those that something new is about. A violation has
 * an incident of its own, or at a tracker one ticket with all that follows from its cause; all lost listings of a run
 * share one, and so does all of it when it is too much. What closes is read from the history and not from events, so a changed choice of the channel
 * leaves none open.
 */
export function findIncidents(
  channel: Channel,
  { record, before, chosen, events }: IncidentSource,
): { readonly triggers: readonly Trigger[]; readonly updates: readonly Update[]; readonly over: readonly Over[] } {
  const { name } = channel
  const ofChannel = before.incidents.filter((incident) => incident.channel === name)
  const updates = opensTickets(channel) ? findUpdates(ofChannel, { record, before, events }) : []
  const updated = new Set(updates.flatMap(({ events }) => events))
  const withIncident = new Set(ofChannel.map(({ subject }) => subject))
  const opening = chosen.filter(
    (event) =>
      (openTypes.has(event.type) || event.type === 'coverage.lost') &&
      !updated.has(event) &&
      !(event.type === 'violation.raised' && withIncident.has(subjectOf(event))),
  )
  const each = apart(opening)
  const triggers = each.length > mostTriggers ? [asOne(opening, 'digest')] : each
  const moved = new Set(opening.map(subjectOf))
  const unread = new Set(
    record.coverage
      .filter(({ status }) => status !== 'complete')
      .map(({ project, listing }) => listingSubject(project, listing)),
  )
  const scanned = new Set(record.coverage.map(({ project }) => project))
  // An incident names the listings of a project as it was called. What is lost still is one under the new name.
  const formerNames = new Set([...before.scans].flatMap(([name, scan]) => (scan.name === name ? [] : [scan.name])))
  const departed = new Set(before.departed)
  // What the configuration no longer asks for is not in the coverage of its project.
  const isRead = (subject: string) =>
    formerNames.has(projectOf(subject)) ||
    departed.has(projectOf(subject)) ||
    (scanned.has(projectOf(subject)) && !unread.has(subject))
  // A waived violation needs no person, but it has not ended: its ticket stays.
  const isOver = ({ subject, isActive, isWaived }: OpenIncident) =>
    moved.has(subject) || (isListing(subject) ? isRead(subject) : !isActive && !(isWaived && opensTickets(channel)))
  const reopened = new Set(triggers.map(({ key }) => key))
  const over = [...Map.groupBy(ofChannel, ({ key }) => key)].flatMap(([key, subjects]) =>
    subjects.every(isOver) && !reopened.has(key) ? [{ key, events: endingsAmong(subjects) }] : [],
  )
  return { triggers, updates, over }

  /** How what an incident is about ended in this run: its last word says whether anybody mended it. */
  function endingsAmong(subjects: readonly { readonly subject: string }[]): readonly Event[] {
    const ofIncident = new Set(subjects.map(({ subject }) => subject))
    const isEnding = ({ resolution, type }: Event) => resolution !== undefined || type === 'coverage.regained'
    return events.filter((event) => isEnding(event) && ofIncident.has(subjectOf(event)))
  }

  function apart(events: readonly Event[]): readonly Trigger[] {
    const lost = events.filter(({ type }) => type === 'coverage.lost')
    const violations = events.filter(({ type }) => type !== 'coverage.lost')
    return [
      ...(lost.length === 0 ? [] : [{ ...asOne(lost, 'coverage'), isDigest: false }]),
      ...(opensTickets(channel) ? byCause(violations, record) : oneByOne(violations)).map((group) => {
        const [first] = group.events
        const isOne = first !== undefined && group.events.length === 1
        const key = isOne ? incidentKey(first) : idOf([group.cause, ...runIdentity(record)], 'hookdrift')
        return { key, subjects: group.events.map(subjectOf), events: group.events, isDigest: false }
      }),
    ]
  }

  function asOne(events: readonly Event[], what: string): Trigger {
    const key = idOf([name, what, ...runIdentity(record)], 'hookdrift')
    return { key, subjects: events.map(subjectOf), events, isDigest: true }
  }
}

function oneByOne(events: readonly Event[]) {
  return events.map((event) => ({ cause: event.id, events: [event] }))
}

/** The violations that opened, those that follow from one cause of the run together. */
function byCause(events: readonly Event[], { number, causes }: RunRecord) {
  const causeOf = new Map<string, string>()
  for (const { id, first_run, resources } of causes.toReversed()) {
    if (first_run !== number) continue
    for (const { violations } of resources) for (const { fingerprint } of violations) causeOf.set(fingerprint, id)
  }
  const groups = Map.groupBy(events, ({ type, fingerprint = '', id }) =>
    type === 'violation.opened' ? (causeOf.get(fingerprint) ?? id) : id,
  )
  return [...groups].map(([cause, events]) => ({ cause, events }))
}

/** By this a receiver knows the incident of a violation, however often it opens. */
function incidentKey({ fingerprint }: Event): string {
  return `hookdrift-${fingerprint}`
}

/** What is new about violations whose tickets are open: another severity or message, a waiver, and the end of one. */
function findUpdates(
  incidents: readonly OpenIncident[],
  { record, before, events }: Omit<IncidentSource, 'chosen'>,
): readonly Update[] {
  const keyOf = new Map(incidents.map(({ subject, key }) => [subject, key]))
  const isWaiverOver = new Set(
    before.transitions
      .filter((move) => move.before === 'waived' && move.now === 'open')
      .map(({ fingerprint }) => fingerprint),
  )
  const reopened = events.filter(
    ({ type, fingerprint = '' }) => type === 'violation.reopened' && isWaiverOver.has(fingerprint),
  )
  const ofOpenTickets = [...reopened, ...findChanges(record, before)].filter((event) => keyOf.has(subjectOf(event)))
  return [...Map.groupBy(ofOpenTickets, (event) => keyOf.get(subjectOf(event)) ?? '')].map(([key, ofKey]) => {
    return { key, events: ofKey, isReopened: ofKey.some(({ type }) => type === 'violation.reopened') }
  })
}

/** Failures of the worker in a row are one incident; its key is the channel's own. */
export function workerIncident(channel: string, { type }: Event): NonNullable<Message['incident']> {
  return { action: type === 'worker.failed' ? 'trigger' : 'resolve', key: idOf([channel, 'worker'], 'hookdrift') }
}

function subjectOf({ fingerprint, project, listing }: Event): string {
  return fingerprint ?? listingSubject(project ?? '', listing ?? '')
}

function listingSubject(project: string, listing: string): string {
  return `${project} ${listing}`
}

function projectOf(listingSubject: string): string {
  return listingSubject.slice(0, listingSubject.indexOf(' '))
}

/** A fingerprint has no blank. */
function isListing(subject: string): boolean {
  return subject.includes(' ')
}

import type { Channel } from '../config/configuration.ts'
import { opensTickets } from '../config/notify-schema.ts'
import type { PriorState } from '../history/notification-facts.ts'
import type { IncidentSubject, IncidentSubjects } from '../history/outbox.ts'
import type { RunRecord } from '../history/records.ts'
import { findChanges, idOf, runIdentity } from './find-events.ts'
import { type Event, type IncidentAction, openTypes } from './message.ts'

/** What a run does to one incident of a channel. */
export interface IncidentStep {
  readonly action: IncidentAction
  readonly key: string
  /** What happened to what it is about. */
  readonly events: readonly Event[]
  /** Whether one incident opens for too many. */
  readonly isDigest?: boolean
  /** How many of its subjects are not over, of how many, where some ended in this run and others are left. */
  readonly left?: readonly [number, number]
  /** What incidents are about from now on. */
  readonly incidents: readonly IncidentSubjects[]
}

/** More than so many incidents of a run are one: a person is called once. */
const mostTriggers = 10

interface IncidentSource {
  readonly record: RunRecord
  readonly before: PriorState
  /** The events that the channel chooses. */
  readonly chosen: readonly Event[]
  /** All events of the run. */
  readonly events: readonly Event[]
}

/**
 * The incidents of a channel that a run opens, changes and ends: those that open first, because a person waits for them.
 * An incident is about all violations that follow from a cause, one that follows from none, all listings that a run lost,
 * or all of it when it is too much. What ends is read from the history and not from events, so a changed choice of the
 * channel leaves none open. Only tickets say what changes, and stay open while a waiver accepts what they are about.
 */
export function stepIncidents(channel: Channel, source: IncidentSource): readonly IncidentStep[] {
  const { record, before, chosen, events } = source
  const isTicket = opensTickets(channel)
  const known = before.incidents.filter((incident) => incident.channel === channel.name)
  const keyOf = new Map(known.flatMap(({ key, subjects }) => subjects.map(({ subject }) => [subject, key] as const)))
  const updates = new Set(isTicket ? updatesOf(source).filter((event) => keyOf.has(subjectOf(event))) : [])
  const updatesOfKey = Map.groupBy(updates, (event) => keyOf.get(subjectOf(event)))
  const endings = Map.groupBy(events.filter(isEnding), subjectOf)
  const opening = chosen.filter(
    (event) =>
      (openTypes.has(event.type) || event.type === 'coverage.lost') &&
      !updates.has(event) &&
      !(event.type === 'violation.raised' && keyOf.has(subjectOf(event))),
  )
  const moved = new Set(opening.map(subjectOf))
  const isRead = readListings(record, before)
  const isOver = ({ subject, state }: IncidentSubject) =>
    moved.has(subject) || (isListing(subject) ? isRead(subject) : state === null || (state === 'waived' && !isTicket))
  const groups = groupByCause(opening, record)
  const triggers = groups.length > mostTriggers ? [{ events: opening, key: ownKey('digest') }] : groups
  const opened = new Set(triggers.map(({ key }) => key))
  const remaining = known
    .filter(({ key }) => !opened.has(key))
    .map(({ key, subjects }) => ({ key, subjects, left: subjects.filter((subject) => !isOver(subject)) }))
  const shrunk = remaining.flatMap(({ key, subjects, left }) =>
    left.length > 0 && subjects.some(({ subject }) => moved.has(subject)) ? [subjectsOf(key, left)] : [],
  )
  return [
    ...triggers.map(({ key, events }) => {
      const subjects = events.map((event) => ({ subject: subjectOf(event) }))
      return {
        action: 'trigger',
        key,
        events,
        isDigest: triggers !== groups,
        incidents: [subjectsOf(key, subjects), ...shrunk],
      } as const
    }),
    ...remaining.flatMap(({ key, subjects, left }): IncidentStep[] => {
      const ended = subjects.flatMap(({ subject }) => endings.get(subject) ?? [])
      if (left.length === 0) return [{ action: 'resolve', key, events: ended, incidents: [{ key, subjects: [] }] }]
      const changed = isTicket ? [...(updatesOfKey.get(key) ?? []), ...ended] : []
      if (changed.length === 0) return []
      // A ticket that a person closed is opened again for a waiver that ended, and for nothing else here.
      const action = changed.some(({ type }) => type === 'violation.reopened') ? 'trigger' : 'update'
      const counts = ended.length === 0 ? {} : { left: [left.length, subjects.length] as const }
      return [{ action, key, events: changed, incidents: [], ...counts }]
    }),
  ]

  /** Violations that opened, those that follow from one cause of the run together; and all listings that it lost. */
  function groupByCause(events: readonly Event[], { number, causes }: RunRecord) {
    const causeOf = new Map<string, string>()
    for (const { id, first_run, resources } of causes.toReversed()) {
      if (first_run !== number) continue
      for (const { violations } of resources) for (const { fingerprint } of violations) causeOf.set(fingerprint, id)
    }
    const groups = Map.groupBy(events, ({ type, fingerprint = '', id }) => {
      if (type === 'coverage.lost') return 'coverage'
      return type === 'violation.opened' ? (causeOf.get(fingerprint) ?? id) : id
    })
    return [...groups].map(([of, events]) => {
      const [first] = events
      const isOne = of !== 'coverage' && first !== undefined && events.length === 1
      return { events, key: isOne ? `hookdrift-${first.fingerprint}` : ownKey(of) }
    })
  }

  function ownKey(of: string): string {
    return idOf([channel.name, of, ...runIdentity(record)], 'hookdrift')
  }
}

/** Failures of the worker in a row are one incident; its key is the channel's own. */
export function workerIncidentKey(channel: string): string {
  return idOf([channel, 'worker'], 'hookdrift')
}

/** What is new about violations that have not ended: another severity or message, a waiver, and the end of one. */
function updatesOf({ record, before, events }: IncidentSource): readonly Event[] {
  const isWaiverOver = new Set(
    before.transitions.flatMap(({ before, now, fingerprint }) =>
      before === 'waived' && now === 'open' ? [fingerprint] : [],
    ),
  )
  return [
    ...events.filter(({ type, fingerprint = '' }) => type === 'violation.reopened' && isWaiverOver.has(fingerprint)),
    ...findChanges(record, before),
  ]
}

/** Whether a run read a listing to its end, or the configuration no longer asks for it. */
function readListings({ coverage }: RunRecord, before: PriorState): (subject: string) => boolean {
  const unread = new Set(
    coverage.filter(({ status }) => status !== 'complete').map(({ project, listing }) => `${project} ${listing}`),
  )
  // An incident names the listings of a project as it was called. What is lost still is one under the new name.
  const formerNames = [...before.scans].flatMap(([name, scan]) => (scan.name === name ? [] : [scan.name]))
  const gone = new Set([...formerNames, ...before.departed])
  const scanned = new Set(coverage.map(({ project }) => project))
  // What the configuration no longer asks for is not in the coverage of its project.
  return (subject) => {
    const project = subject.slice(0, subject.indexOf(' '))
    return gone.has(project) || (scanned.has(project) && !unread.has(subject))
  }
}

/** How something ended: the last word of its incident says whether anybody mended it. */
function isEnding({ resolution, type }: Event): boolean {
  return resolution !== undefined || type === 'coverage.regained'
}

function subjectsOf(key: string, subjects: readonly Pick<IncidentSubject, 'subject'>[]): IncidentSubjects {
  return { key, subjects: subjects.map(({ subject }) => subject) }
}

function subjectOf({ fingerprint, project, listing }: Event): string {
  return fingerprint ?? `${project} ${listing}`
}

/** A fingerprint has no blank. */
function isListing(subject: string): boolean {
  return subject.includes(' ')
}

import type { Channel } from '../config/configuration.ts'
import type { PriorState } from '../history/notification-facts.ts'
import type { RunRecord } from '../history/records.ts'
import { idOf, runIdentity } from './find-events.ts'
import type { Event, Message } from './message.ts'

/** An incident that opens at a receiver. */
interface Trigger {
  readonly key: string
  /** What it is about; it closes when all of it is over. */
  readonly subjects: readonly string[]
  readonly events: readonly Event[]
  /** Whether one incident is about many events. */
  readonly isDigest: boolean
}

/** More than so many events of a run make one incident: a person is called once. */
const mostTriggers = 10

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
 * Incidents that a run opens, and those that it closes. A violation has an incident of its own, all lost
 * listings of a run share one, and so does all of it when it is too much. What closes is read from the history and not
 * from events, so a changed choice of the channel leaves none open.
 */
export function findIncidents(
  { name }: Channel,
  { record, before, chosen, events }: IncidentSource,
): { readonly triggers: readonly Trigger[]; readonly over: readonly Over[] } {
  const opening = chosen.filter(
    ({ type }) => type === 'violation.opened' || type === 'violation.reopened' || type === 'coverage.lost',
  )
  const triggers = opening.length > mostTriggers ? [asOne(opening, 'digest')] : apart(opening)
  const moved = new Set(opening.map(subjectOf))
  const seen = new Set(
    record.coverage
      .filter(({ status }) => status === 'complete' || status === 'skipped')
      .map(({ project, listing }) => listingSubject(project, listing)),
  )
  const isOver = ({ subject, isActive }: PriorState['incidents'][number]) =>
    moved.has(subject) || (isListing(subject) ? seen.has(subject) : !isActive)
  const own = before.incidents.filter(({ channel }) => channel === name)
  const reopened = new Set(triggers.map(({ key }) => key))
  const over = [...Map.groupBy(own, ({ key }) => key)].flatMap(([key, subjects]) =>
    subjects.every(isOver) && !reopened.has(key) ? [{ key, events: endingsAmong(subjects) }] : [],
  )
  return { triggers, over }

  /** How the violations of an incident ended in this run: its last word says whether anybody mended them. */
  function endingsAmong(subjects: readonly { readonly subject: string }[]): readonly Event[] {
    const own = new Set(subjects.map(({ subject }) => subject))
    return events.filter((event) => event.resolution !== undefined && own.has(subjectOf(event)))
  }

  function apart(events: readonly Event[]): readonly Trigger[] {
    const lost = events.filter(({ type }) => type === 'coverage.lost')
    const violations = events.filter(({ type }) => type !== 'coverage.lost')
    return [
      ...(lost.length === 0 ? [] : [{ ...asOne(lost, 'coverage'), isDigest: false }]),
      ...violations.map((event) => {
        return { key: `hookdrift-${event.fingerprint}`, subjects: [subjectOf(event)], events: [event], isDigest: false }
      }),
    ]
  }

  function asOne(events: readonly Event[], what: string): Trigger {
    const key = idOf([name, what, ...runIdentity(record)], 'hookdrift')
    return { key, subjects: events.map(subjectOf), events, isDigest: true }
  }
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

/** A fingerprint has no blank. */
function isListing(subject: string): boolean {
  return subject.includes(' ')
}

import { matchesProject } from '../config/choose-projects.ts'
import type { Channel } from '../config/configuration.ts'
import type { RunRecord } from '../history/records.ts'
import { matchesGlob } from '../model/glob.ts'
import { isAtLeast } from '../model/violation.ts'
import type { Event } from './message.ts'

/**
 * Whether a channel is sent an event. Owners choose among resources: what is about a listing, a rule or the worker goes
 * to all channels, because silence about a resource that was not scanned would look like health.
 */
export function eventChooser(
  channel: Channel,
  record: RunRecord,
): (event: Pick<Event, 'project' | 'severity' | 'kind' | 'owner'>) => boolean {
  const isMeant = projectChooser(channel, record)
  const { owners, min_severity = 'info' } = channel
  return ({ project, severity, kind, owner }) => {
    if (project !== null && !isMeant(project)) return false
    if (!isAtLeast(severity, min_severity)) return false
    return owners === undefined || kind === undefined || owners.some((pattern) => isOwned(owner, pattern))
  }
}

function isOwned(owner: string | undefined, pattern: string): boolean {
  return owner !== undefined && owner !== '' && matchesGlob(owner, pattern)
}

/** A project is chosen by its name and its labels; the policy itself is not a project and always chosen. */
export function projectChooser(
  { projects = [], labels = {} }: Channel,
  record: RunRecord,
): (project: string) => boolean {
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

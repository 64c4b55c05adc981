import { z } from 'zod'
import { defaultDialect } from '../gateway/service/dialect.ts'
import { matchesGlob } from '../model/glob.ts'
import { isProjectList, type Kind, type ProjectRef } from '../model/resource.ts'

/** Whether `acme/payments` matches: by that name, by `payments`, or by a pattern with `*`. No patterns match all. */
export function matchesProject(name: string, patterns: readonly string[]): boolean {
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => matchesGlob(name, pattern) || matchesGlob(name.replace(/^.*\//, ''), pattern))
  )
}

/** What `--project` and `--kind` choose. No kind means all. */
export function chosenBy(patterns: readonly string[], kind?: Kind) {
  return (resource: { readonly project: ProjectRef; readonly kind: Kind }): boolean =>
    matchesProject(resource.project.name, patterns) && (kind === undefined || resource.kind === kind)
}

/** Whether patterns may match any project of a service, known or not. No patterns match all. */
export function mayMatchIn(service: string, patterns: readonly string[]): boolean {
  const mayBegin = (pattern: string) =>
    Array.from({ length: pattern.length }, (_, at) => pattern.slice(0, at + 1)).some(
      (begin) => matchesGlob(`${service}/`, begin) && (begin !== pattern || begin.endsWith('*')),
    )
  return patterns.length === 0 || patterns.some((pattern) => !pattern.includes('/') || mayBegin(pattern))
}

/** The projects of readers that patterns are for. No patterns are for none. */
export function projectScope(patterns: readonly string[]) {
  return {
    has: (project: string) => patterns.length > 0 && matchesProject(project, patterns),
    mayHaveOf: (service: string) => patterns.length > 0 && mayMatchIn(service, patterns),
  }
}

/**
 * Whether a project that a run scanned is one that patterns for a service's list took, or the list itself. One that
 * reports show by its id may fit a pattern by a name that does not fit into a reference.
 */
export function mayBeDiscovered({ name, service, uid }: ProjectRef, patterns: readonly string[]): boolean {
  const short = name.slice(service.length + 1)
  if (patterns.length === 0) return false
  return isProjectList({ uid }) || short === uid || patterns.some((pattern) => matchesGlob(short, pattern))
}

/** Where a service's paths begin, however its URL is written. */
export function baseOf(url: string, prefix = defaultDialect.pathPrefix): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const path = `${pathname}${prefix}`.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  return `${protocol}//${hostname.replace(/\.$/, '')}:${port}${path}`
}

/** A service as a configuration describes it. `uids`: of the projects that it names. */
interface AddressedService {
  readonly name: string
  readonly base: string
  readonly uids: readonly string[]
}

/** Uids of projects that are audited under another name of a service, where the configuration names them. */
export function namedElsewhere(
  { name, base }: Pick<AddressedService, 'name' | 'base'>,
  services: readonly AddressedService[],
): ReadonlySet<string> {
  return new Set(services.flatMap((other) => (other.base === base && other.name !== name ? other.uids : [])))
}

export function addressOf({ settings: { name, url, dialect }, projects }: ServiceEntries): AddressedService {
  return { name, base: baseOf(url, dialect.pathPrefix), uids: projects.map(({ ref }) => ref.uid) }
}

interface ServiceEntries {
  readonly settings: { readonly name: string; readonly url: string; readonly dialect: { readonly pathPrefix: string } }
  readonly projects: readonly { readonly ref: ProjectRef }[]
  readonly matches: readonly { readonly pattern: string }[]
}

export interface ExpectedProjects {
  /** Those that the configuration names: `service/project`. */
  readonly named: readonly string[]
  /** Whether it is a further one that the list of a service showed, or such a list. */
  isDiscovered(project: ProjectRef): boolean
}

export function expectedIn(services: readonly ServiceEntries[]): ExpectedProjects {
  const addresses = services.map(addressOf)
  const lists = new Map(
    services.map((service) => {
      const patterns = service.matches.map(({ pattern }) => pattern)
      return [service.settings.name, { patterns, elsewhere: namedElsewhere(addressOf(service), addresses) }]
    }),
  )
  return {
    named: services.flatMap(({ projects }) => projects.map(({ ref }) => ref.name)),
    isDiscovered(project) {
      const list = lists.get(project.service)
      return list !== undefined && mayBeDiscovered(project, list.patterns) && !list.elsewhere.has(project.uid)
    },
  }
}

/** Whether a project that a run scanned is one that a configuration names or may have found. */
export function configuredIn(services: readonly ServiceEntries[]): (project: ProjectRef) => boolean {
  const { named, isDiscovered } = expectedIn(services)
  const names = new Set(named)
  return (project) => names.has(project.name) || isDiscovered(project)
}

/** Which projects something is about: see `matchesProject`. */
export const projectPatterns = z
  .array(
    z.string().regex(/^[^\0-\x1f\x7f]{1,500}$/, {
      error: 'service/project, or a pattern such as `acme/*`, at most 500 characters',
    }),
  )
  .min(1)
  .max(1000)
  .describe('Only these: service/project, a bare project name, or a pattern with `*`. Default: all')

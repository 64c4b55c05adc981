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

/**
 * Whether a project that a run scanned is one that patterns for a service's list took, or the list itself. One that
 * reports show by its id may fit a pattern by a name that does not fit into a reference.
 */
export function mayBeDiscovered({ name, service, uid }: ProjectRef, patterns: readonly string[]): boolean {
  const short = name.slice(service.length + 1)
  if (patterns.length === 0) return false
  return isProjectList({ uid }) || short === uid || patterns.some((pattern) => matchesGlob(short, pattern))
}

/** Whether a project that a run scanned is one that a configuration names or may have found. */
export function configuredIn(services: readonly ServiceEntries[]): (project: ProjectRef) => boolean {
  const byName = new Map(
    services.map(({ settings, projects, matches }) => [
      settings.name,
      { named: new Set(projects.map(({ ref }) => ref.name)), patterns: matches.map(({ pattern }) => pattern) },
    ]),
  )
  return (project) => {
    const service = byName.get(project.service)
    return service !== undefined && (service.named.has(project.name) || mayBeDiscovered(project, service.patterns))
  }
}

interface ServiceEntries {
  readonly settings: { readonly name: string }
  readonly projects: readonly { readonly ref: ProjectRef }[]
  readonly matches: readonly { readonly pattern: string }[]
}

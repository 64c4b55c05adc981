import type { DecodedMatch, DecodedProject, DecodedService } from './configuration-schema.ts'

type Projects = Pick<DecodedService, 'projects'>

/** The projects that a service names, each with its place among the entries. */
export function namedProjects({ projects }: Projects): readonly (readonly [place: number, project: DecodedProject])[] {
  if (projects === 'all') return []
  return [...projects.entries()].flatMap(([place, entry]) => ('id' in entry ? [[place, entry] as const] : []))
}

/** What a service takes from its list of projects, likewise; empty where it names all its projects. */
export function matchedProjects({
  projects,
}: Projects): readonly (readonly [place: number | undefined, match: DecodedMatch])[] {
  if (projects === 'all') return [[undefined, { match: '*', labels: {} }]]
  return [...projects.entries()].flatMap(([place, entry]) => ('match' in entry ? [[place, entry] as const] : []))
}

/** Whether a service's list decides which of its projects are audited. */
export function isDiscovered(service: Projects): boolean {
  return matchedProjects(service).length > 0
}

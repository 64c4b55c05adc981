import { describeReference } from '../yaml/describe-value.ts'
import type { NodePath } from '../yaml/node-values.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import { matchesProject } from './choose-projects.ts'
import type { DecodedConfiguration } from './configuration-schema.ts'
import { isDiscovered, namedProjects } from './project-entries.ts'

/** The fault of a pattern, a zone or a jitter; undefined if they make a timetable. */
export type FindTimetableFault = (schedule: {
  readonly cron: string
  readonly timezone: string
  readonly jitterMs: number
}) => { readonly member: 'cron' | 'timezone' | 'jitter'; readonly text: string } | undefined

/** Finds schedules that cannot run. Without the worker's check, patterns and zones pass. */
export function* findScheduleFaults(
  document: ReadDocument<DecodedConfiguration>,
  findTimetableFault: FindTimetableFault = () => undefined,
): Generator<FileProblem> {
  const names = new Map<string, number>()
  const projects = document.value.services.flatMap((service) =>
    namedProjects(service).map(([, project]) => `${service.name}/${project.name ?? project.id}`),
  )
  // A pattern may be meant for a project that the list of a service does not have yet.
  const areNamesOpen = areNamesLost(document.leftOut) || document.value.services.some(isDiscovered)
  for (const [index, schedule] of document.value.schedules.entries()) {
    const path = ['schedules', index]
    const { name, cron, timezone, jitter: jitterMs } = schedule
    const first = names.get(name)
    if (first !== undefined) {
      yield document.problem([...path, 'name'], `a second schedule named ${name}, the first is in line ${first}`)
    }
    names.set(name, first ?? document.at(path).line)
    const fault = findTimetableFault({ cron, timezone, jitterMs })
    if (fault !== undefined) yield document.problem([...path, fault.member], fault.text)
    for (const [position, pattern] of (schedule.projects ?? []).entries()) {
      if (areNamesOpen || projects.some((project) => matchesProject(project, [pattern]))) continue
      yield document.problem(
        [...path, 'projects', position],
        `${describeReference(pattern)} matches none of ${someOf(projects)}`,
      )
    }
  }
}

/** Whether projects or their names were left out as faulty: then a pattern may be meant for one of them. */
export function areNamesLost(leftOut: readonly NodePath[]): boolean {
  return leftOut.some((path) => {
    const last = path.at(-1) ?? 'services'
    return path[0] === 'services' && (typeof last === 'number' || ['services', 'projects', 'id', 'name'].includes(last))
  })
}

/** The first ten names. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ')
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown
}

import type { Report } from '../model/report.ts'
import type { FileLocation } from '../model/schema.ts'

/**
 * Where each project is configured. Code scanning refuses a whole upload for one result without a file: what no file
 * configures gets the file of the others, and where variables configure all, the one that would.
 */
export function locateProjects(projects: Report['projects']): (project: string) => FileLocation {
  const positions = new Map(projects.map(({ project, configured_at }) => [project, configured_at]))
  const file = [...positions.values()].find((position) => position !== null)?.file ?? 'hookdrift.yaml'
  return (project) => positions.get(project) ?? { file, line: 1 }
}

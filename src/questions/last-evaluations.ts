import type { ProjectEvaluation } from '../model/evaluation.ts'
import { matchesGlob } from '../model/glob.ts'

export interface Label {
  readonly name: string
  readonly value: string
}

/** Whether a project had these labels when it was last scanned. */
export function labelTest(
  evaluations: ReadonlyMap<string, ProjectEvaluation>,
  labels: readonly Label[],
): (project: string) => boolean {
  return (project) => {
    const projectLabels = evaluations.get(project)?.labels ?? {}
    return labels.every(
      ({ name, value }) => Object.hasOwn(projectLabels, name) && matchesGlob(projectLabels[name] ?? '', value),
    )
  }
}

import { pathStep } from '../model/path-step.ts'

/**
 * The path of a project, below the dialect's prefix.
 * @throws RangeError for a uid that may not remain one step; neither configuration nor lists of projects have such a uid
 */
export function projectPath(projectUid: string): string {
  const step = pathStep(projectUid)
  if (step === undefined) throw new RangeError(`no path can name the project ${JSON.stringify(projectUid)}`)
  return `/projects/${step}`
}

import { projectKey } from '../model/resource.ts'
import { isInForce } from './acceptances.ts'
import type { HistoryReader } from './reader.ts'
import { listAcceptances } from './sql/acceptances.ts'
import type { RecordedScan } from './sql/scans.ts'

/** What says that a project is gone. A person who accepts it says that it may stay gone. */
export const vanishedRule = 'project/vanished'

/**
 * Keys of the projects that left the fleet: a person accepted that they vanished, and a later run recorded that. A
 * acceptance that was revoked or has ended counts no more.
 */
export async function departedProjects(
  history: HistoryReader,
  scans: readonly Pick<RecordedScan, 'project' | 'run'>[],
): Promise<ReadonlySet<string>> {
  const accepted = new Map<string, string>()
  for (const acceptance of await listAcceptances(history)) {
    const { rule, project, at } = acceptance
    if (rule === vanishedRule && isInForce(acceptance)) accepted.set(projectKey(project), at)
  }
  const keys = scans.flatMap(({ project, run }) => {
    const key = projectKey(project)
    const at = accepted.get(key)
    return at !== undefined && Date.parse(at) < Date.parse(run.startedAt) ? [key] : []
  })
  return new Set(keys)
}

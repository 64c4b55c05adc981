import { projectKey } from '../model/resource.ts'
import { isInForce } from './acceptances.ts'
import type { HistoryReader } from './reader.ts'
import { listAcceptances } from './sql/acceptances.ts'
import type { RecordedScan } from './sql/scans.ts'

/** What says that a project is gone. A person who accepts it says that it may stay gone. */
export const vanishedRule = 'project/vanished'

/**
 * Keys of the projects that left the fleet: a person accepted that they vanished, and a later scan recorded that. An
 * acceptance that was revoked or has ended counts no more.
 */
export async function departedProjects(
  history: HistoryReader,
  scans: readonly Pick<RecordedScan, 'project' | 'run'>[],
): Promise<ReadonlySet<string>> {
  const acceptedIn = new Map<string, number>()
  for (const acceptance of await listAcceptances(history)) {
    const { rule, project, acceptedIn: run } = acceptance
    if (rule === vanishedRule && run !== null && isInForce(acceptance)) acceptedIn.set(projectKey(project), run)
  }
  const keys = scans.flatMap(({ project, run }) => {
    const key = projectKey(project)
    const first = acceptedIn.get(key)
    return first !== undefined && first <= run.number ? [key] : []
  })
  return new Set(keys)
}

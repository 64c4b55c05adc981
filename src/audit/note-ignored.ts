import { basename } from 'node:path'
import type { ScanDraft } from '../history/history.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import { count } from '../text/count.ts'
import type { ProjectOutcome } from './project-outcome.ts'

/** Says how many changes the policy leaves out of drift, and where it says so: what is ignored is never hidden. */
export async function noteIgnored(
  draft: ScanDraft,
  ignored: readonly IgnoredPath[],
  outcomes: readonly Pick<ProjectOutcome, 'ignored'>[],
): Promise<void> {
  const parts = ignored.flatMap(({ path, at }) => {
    const changes = outcomes.reduce((sum, outcome) => sum + (outcome.ignored[path] ?? 0), 0)
    return changes === 0 ? [] : [{ changes, by: `${placeOf(at)} (${path})` }]
  })
  const [first, ...rest] = parts
  if (first === undefined) return
  const text = [
    `${count(first.changes, 'change')} ignored by ${first.by}`,
    ...rest.map(({ changes, by }) => `${changes} by ${by}`),
  ].join(', ')
  await draft.stageNotice(undefined, { code: 'changes_ignored', listing: null, text })
}

/** `/etc/policy.yaml:4:11` → `policy.yaml:4`: the same wherever the file is. */
function placeOf(at: string): string {
  return basename(at.slice(0, at.lastIndexOf(':')))
}

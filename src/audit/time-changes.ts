import type { StagedChange } from '../history/records.ts'
import type { readRunTimes } from '../history/sql/runs.ts'
import { isoTime } from '../model/time.ts'
import type { FilterWalk } from './filter-walk.ts'
import type { ProjectScan } from './project-scan.ts'

/**
 * Says within which time changes came about: after the last complete scan of their kind began, because a resource is read
 * at some moment of it, and before the first scan that saw them ended. What only an incomplete scan saw as before proves
 * nothing of a resource that it did not reach, so it does not count. Filter rows are not read in every run. Where the clock
 * went back in between, there is no such time.
 */
export function timeChanges(
  changes: readonly StagedChange[],
  { run, lastComplete, now }: Pick<ProjectScan, 'run' | 'lastComplete' | 'now'>,
  { times, rows }: TimeSources,
): readonly StagedChange[] {
  return changes.map((change) => {
    const { kind, uid, fields, firstRun = run } = change
    const began = times.get(lastComplete[kind]?.run ?? 0)?.started_at ?? null
    const isOfRows = kind === 'subscription' && fields.some(({ path }) => path.split('/', 2)[1] === 'filters')
    const readAt = isOfRows ? rows?.lastReadAt(uid) : undefined
    const after = began !== null && readAt !== undefined && readAt < began ? readAt : began
    const before = firstRun === run ? null : (times.get(firstRun)?.finished_at ?? null)
    const isInOrder = after !== null && after <= (before ?? isoTime(now))
    return { ...change, between: { after: isInOrder ? after : null, before } }
  })
}

interface TimeSources {
  /** When runs began and ended. */
  readonly times: Awaited<ReturnType<typeof readRunTimes>>
  /** When filter rows were read. */
  readonly rows: Pick<FilterWalk, 'lastReadAt'> | undefined
}

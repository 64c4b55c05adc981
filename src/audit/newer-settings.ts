import { normaliserVersion } from '../gateway/fields.ts'
import { compareFields } from '../gateway/inventory/compare-fields.ts'
import { shapeOf } from '../gateway/inventory/shape.ts'
import { longestCacheMs, ReleaseSigns, settingsAge } from '../gateway/release-signs.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { isReadable, type Resource } from '../model/resource.ts'
import type { LastWritten } from './open-run.ts'
import type { ProjectScan } from './project-scan.ts'

/** Reads the record of a run only where a project asks for it, and then once. */
export function readLastWritten(history: HistoryReader): LastWritten {
  const runs = new Map<number, Promise<ReadonlyMap<string, string | undefined>>>()
  const read = async (run: number) => {
    const { projects = [] } = (await readRunInputs(history, run)) ?? {}
    return new Map(projects.map(({ project, settings_at }) => [project, settings_at]))
  }
  return async (project, run) => {
    const written = runs.get(run) ?? read(run)
    runs.set(run, written)
    // The next project tries again.
    written.catch(() => runs.delete(run))
    // By the name that it had then.
    const [scan] = await readLatestScans(history, run, project)
    return scan === undefined ? undefined : (await written).get(scan.project.name)
  }
}

export interface TakenSettings {
  readonly project: Resource
  /** When these settings were written, by the service's clock: ISO 8601 in UTC; undefined where it does not say. */
  readonly writtenAt: string | undefined
  /** Whether the answer is older than the settings in the history, so that these are those of the history. */
  readonly isStale: boolean
}

/**
 * The settings of a project, unless the service answered from its cache with older ones than the last run took that read
 * any: then those. The service itself says which are older, by `updated_at`: a person who takes a change back writes a
 * later time. No cache lasts longer than an hour: from then on, the answer counts, as after a restored backup.
 */
export async function takeNewerSettings(
  answer: Resource,
  { project, sealer, now, lastComplete, before }: ProjectScan,
  lastWritten: LastWritten,
): Promise<TakenSettings> {
  const writtenAt = timeIn(answer)
  const asAnswered = { project: answer, writtenAt, isStale: false }
  const lastRead = lastComplete.project?.run
  if (writtenAt === undefined || lastRead === undefined || !isReadable(answer) || !mayBeCached(answer))
    return asAnswered
  const newest = await lastWritten(project, lastRead)
  if (newest === undefined || writtenAt >= newest) return asAnswered
  const { kind, uid } = answer
  const stored = before.versions.before(answer)
  const isComparable = stored?.sealKeyId === sealer.keyId && stored.normaliser === normaliserVersion
  if (stored === undefined || !isComparable || stored.doubts !== undefined) return asAnswered
  if (now - Date.parse(stored.since) > longestCacheMs) return asAnswered
  const { asSeen } = compareFields(kind, stored, { ...answer, sealKeyId: sealer.keyId })
  if (asSeen.length === 0) return asAnswered
  const { name, attributes, facts } = stored
  const storedProject: Resource = { kind, uid, name, attributes, facts, volatile: answer.volatile }
  return { project: storedProject, writtenAt: newest, isStale: true }
}

function timeIn({ volatile: { updated_at } }: Resource): string | undefined {
  const ms = typeof updated_at === 'string' ? Date.parse(updated_at) : Number.NaN
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

function mayBeCached(project: Resource): boolean {
  const signs = new ReleaseSigns()
  signs.note('project', shapeOf(project))
  return settingsAge(signs.range()).projectKey > 0
}

import { addChange, type ChangeReports, datesOfChanges, noChanges, wasFirstToSee } from '../audit/recent-changes.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import { resourceKey } from '../model/keys.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Drift } from '../rules/engine/drift.ts'
import { versionsAsOf } from './evaluate-version.ts'
import type { ReplayedVersion } from './fleet-state.ts'

type Changes = RunRecord['changes']

/** The drift of past runs, from the changes that they recorded, for rules that compare. */
export interface ChangeLog {
  /** Whether any rule reads earlier changes. */
  readonly readsPast: boolean
  /** Takes note of the changes of a run, which later runs read. */
  note(run: CommittedRun, changes: Changes): void
  /** Compared with the last complete scan before a run; undefined where nothing changed, also not lately. */
  driftOf(version: ReplayedVersion, scan: ChangedScan): Promise<Drift | undefined>
}

export interface ChangedScan {
  readonly run: CommittedRun
  readonly project: ProjectRef
  readonly sealKeyId: string
  /** What the run recorded, by `changeKey`. */
  readonly changes: ReadonlyMap<string, Changes[number]>
}

/** `project`: its name of then. */
export function changeKey({ project, ...resource }: Pick<Changes[number], 'project' | 'kind' | 'uid'>): string {
  return `${project} ${resourceKey(resource)}`
}

/** `lookbackMs`: how far back rules read changes. */
export function openChangeLog(history: HistoryReader, lookbackMs: number): ChangeLog {
  const log = new Map<string, ChangeReports>()

  const recentOf = async (version: ReplayedVersion, { run, project }: ChangedScan, paths: readonly string[]) => {
    if (lookbackMs === 0) return noChanges
    const { kind, uid } = version.resource
    const now = Date.parse(run.startedAt)
    const known = [...(log.get(changeKey({ project: project.name, kind, uid })) ?? [])]
    const earlier = known.flatMap(([path, reports]) => {
      const recent = reports.filter(({ at }) => at >= now - lookbackMs)
      return recent.length === 0 ? [] : [[path, recent] as const]
    })
    // A single change does not flap: nothing has to be searched.
    if (earlier.length === 0) return new Map(paths.map((path) => [path, [now]]))
    const versionAt = versionsAsOf(history, { project, kind, uid }, run.number)
    const fresh = new Set<string>()
    for (const path of paths) if (await wasFirstToSee(path, run.number, versionAt)) fresh.add(path)
    return datesOfChanges(new Map(earlier), { fresh, now, versionAt })
  }

  return {
    readsPast: lookbackMs > 0,
    note({ number: run, startedAt: at }, changes) {
      if (lookbackMs === 0) return
      for (const change of changes) {
        const paths = change.fields.map(({ path }) => path)
        if (change.change === 'modified') addChange(log, changeKey(change), { run, at, paths })
      }
    },
    async driftOf(version, scan) {
      const { resource, base } = version
      const { kind, uid, name, attributes } = resource
      const key = changeKey({ project: scan.project.name, kind, uid })
      const change = scan.changes.get(key)
      if (change === undefined && !log.has(key)) return undefined
      const modified = change?.change === 'modified' ? change.fields.map(({ path }) => path) : []
      const recent = await recentOf(version, scan, modified)
      if (change === undefined && recent.size === 0) return undefined
      return {
        ...{ kind, uid, name, recent },
        change: change?.change ?? 'none',
        before: base?.resource.attributes,
        after: attributes,
        fields: change?.fields ?? [],
        isApproved: false,
        areSealsComparable: base === undefined || base.sealKeyId === scan.sealKeyId,
      }
    },
  }
}

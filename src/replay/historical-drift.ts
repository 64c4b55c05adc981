import type { VersionsAt } from '../audit/date-values.ts'
import {
  addChange,
  type ChangeReports,
  datesOfChanges,
  findFirstSightings,
  noChanges,
} from '../audit/recent-changes.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { type ProjectRef, type ResourceKey, resourceKey } from '../model/resource.ts'
import { type IgnoredPath, leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { Drift } from '../rules/engine/rule.ts'
import type { ReplayedVersion } from './fleet-state.ts'

type Changes = RunRecord['changes']

/** What a run recorded, by the name that the project had then. */
export type RecordedChanges = ReadonlyMap<string, ReadonlyMap<ResourceKey, Changes[number]>>

/** The drift of past runs, from the changes that they recorded, for rules that compare. */
export interface ChangeLog {
  /** Whether any rule reads earlier changes. */
  readonly readsPast: boolean
  /** Takes note of the changes of a run, which later runs read. */
  note(run: CommittedRun, changes: Changes): void
  /** Whether a resource of a project changed in a run, or lately. */
  changesIn(scan: ChangedScan): { readonly hasAny: boolean; has(resource: ResourceKey): boolean }
  /**
   * Compared with the last complete scan before a run, in the order of `versions`; undefined where nothing changed,
   * also not lately.
   */
  driftsOf(versions: readonly ReplayedVersion[], scan: ChangedScan): Promise<readonly (Drift | undefined)[]>
}

export interface ChangedScan {
  readonly run: CommittedRun
  readonly project: ProjectRef
  readonly sealKeyId: string
  readonly changes: RecordedChanges
}

interface ChangedVersion {
  readonly version: ReplayedVersion
  /** Fields that the run reported as modified. */
  readonly paths: readonly string[]
}

/** Changes of a project's resources in past runs. */
interface ProjectLog {
  readonly resources: Map<ResourceKey, ChangeReports>
  /** Start of the latest run that reported a change, in milliseconds since the epoch. */
  readonly latest: Map<ResourceKey, number>
}

/** `lookbackMs`: how far back rules read changes. */
export function openChangeLog(history: HistoryReader, lookbackMs: number, ignored: readonly IgnoredPath[]): ChangeLog {
  const log = new Map<string, ProjectLog>()

  /** When fields of versions changed lately. */
  const recentOf = async (changed: readonly ChangedVersion[], { run, project }: ChangedScan) => {
    if (lookbackMs === 0) return changed.map(() => noChanges)
    const now = Date.parse(run.startedAt)
    const versionsAt: VersionsAt = (points) => readVersionsAt(history, project, points)
    const ofProject = log.get(project.name)
    const known = changed.map(({ version: { key, resource }, paths }) => {
      const reports = [...(ofProject?.resources.get(key) ?? [])].flatMap(([path, all]) => {
        const recent = all.filter(({ at }) => at >= now - lookbackMs)
        return recent.length === 0 ? [] : [[path, recent] as const]
      })
      return { resource, reports: new Map(reports), paths }
    })
    // A single change is not flapping, so nothing is read.
    const asked = known.flatMap(({ resource: { kind, uid }, reports, paths }) =>
      reports.size === 0 ? [] : paths.map((path) => ({ kind, uid, run: run.number, path })),
    )
    const wasFirst = await findFirstSightings(asked, versionsAt)
    const resources = known.map(({ resource, reports, paths }) => {
      const { kind, uid } = resource
      const fresh = paths.filter((path) => wasFirst({ kind, uid, run: run.number, path }))
      return { resource, reports, fresh: new Set(fresh) }
    })
    return datesOfChanges(resources, now, versionsAt)
  }

  return {
    readsPast: lookbackMs > 0,
    note({ number: run, startedAt: at }, changes) {
      if (lookbackMs === 0) return
      for (const change of changes) {
        if (change.change !== 'modified') continue
        const ofProject: ProjectLog = log.get(change.project) ?? { resources: new Map(), latest: new Map() }
        log.set(change.project, ofProject)
        const key = resourceKey(change)
        const paths = change.fields.map(({ path }) => path)
        addChange(ofProject.resources, key, { run, at, paths }, ignored)
        ofProject.latest.set(key, Math.max(Date.parse(at), ofProject.latest.get(key) ?? 0))
      }
    },
    changesIn({ run, project, changes }) {
      const recorded = changes.get(project.name)
      const latest = log.get(project.name)?.latest ?? new Map<ResourceKey, number>()
      const since = Date.parse(run.startedAt) - lookbackMs
      const isRecent = (at: number | undefined) => at !== undefined && at >= since
      return {
        hasAny: recorded !== undefined || latest.values().some(isRecent),
        has: (resource) => recorded?.has(resource) === true || isRecent(latest.get(resource)),
      }
    },
    async driftsOf(versions, scan) {
      const recordedOf = scan.changes.get(scan.project.name)
      const changed = versions.map((version) => {
        const recorded = recordedOf?.get(version.key)
        const { resource, base } = version
        const compared = { before: base?.resource.attributes ?? {}, after: resource.attributes }
        const { before, fields } = leaveOutIgnored(ignored, { ...compared, fields: recorded?.fields ?? [] })
        const isLeft = recorded?.change !== 'modified' || fields.length > 0
        const change = isLeft ? recorded : undefined
        const paths = change?.change === 'modified' ? fields.map(({ path }) => path) : []
        return { version, change, fields, before: base && before, paths }
      })
      const recents = await recentOf(changed, scan)
      return changed.map(({ version: { resource, base }, change, fields, before }, at): Drift | undefined => {
        const { kind, uid, name, attributes } = resource
        const recent = recents[at] ?? noChanges
        if (change === undefined && recent.size === 0) return undefined
        return {
          kind,
          uid,
          name,
          recent,
          change: change?.change ?? 'none',
          before,
          after: attributes,
          fields,
          isApproved: false,
          areSealsComparable: base === undefined || base.sealKeyId === scan.sealKeyId,
        }
      })
    },
  }
}

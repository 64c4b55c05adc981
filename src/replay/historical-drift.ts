import type { VersionsAt } from '../audit/date-values.ts'
import {
  addChange,
  type ChangeReports,
  datesOfChanges,
  findFirstSightings,
  noChanges,
} from '../audit/recent-changes.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import type { RunRecord } from '../history/records.ts'
import { resourceKey } from '../model/keys.ts'
import type { ProjectRef } from '../model/resource.ts'
import { type IgnoredPath, leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { Drift } from '../rules/engine/drift.ts'
import type { ReplayedVersion } from './fleet-state.ts'

type Changes = RunRecord['changes']

/** The drift of past runs, from the changes that they recorded, for rules that compare. */
export interface ChangeLog {
  /** Whether any rule reads earlier changes. */
  readonly readsPast: boolean
  /** Takes note of the changes of a run, which later runs read. */
  note(run: CommittedRun, changes: Changes): void
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
  /** What the run recorded, by `changeKey`. */
  readonly changes: ReadonlyMap<string, Changes[number]>
}

interface ChangedVersion {
  readonly version: ReplayedVersion
  /** Fields that the run reported as modified. */
  readonly paths: readonly string[]
}

/** `project`: its name of then. */
export function changeKey({ project, ...resource }: Pick<Changes[number], 'project' | 'kind' | 'uid'>): string {
  return `${project} ${resourceKey(resource)}`
}

/** `lookbackMs`: how far back rules read changes. */
export function openChangeLog(history: HistoryReader, lookbackMs: number, ignored: readonly IgnoredPath[]): ChangeLog {
  const log = new Map<string, ChangeReports>()

  /** When fields of versions changed lately. */
  const recentOf = async (changed: readonly ChangedVersion[], { run, project }: ChangedScan) => {
    if (lookbackMs === 0) return changed.map(() => noChanges)
    const now = Date.parse(run.startedAt)
    const versionsAt: VersionsAt = (points) => history.versionsAt(project, points)
    const known = changed.map(({ version: { resource }, paths }) => {
      const reports = [...(log.get(changeKey({ project: project.name, ...resource })) ?? [])].flatMap(([path, all]) => {
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
        const paths = change.fields.map(({ path }) => path)
        if (change.change === 'modified') addChange(log, changeKey(change), { run, at, paths }, ignored)
      }
    },
    async driftsOf(versions, scan) {
      const changed = versions.map((version) => {
        const recorded = scan.changes.get(changeKey({ project: scan.project.name, ...version.resource }))
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
          ...{ kind, uid, name, recent },
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

import type { Approval } from '../../history/approvals.ts'
import type { CommittedRun } from '../../history/reader.ts'
import type { RunRecord } from '../../history/records.ts'
import type { ProjectRef } from '../../model/resource.ts'
import type { Drift } from '../../rules/engine/drift.ts'
import { projectKey, type ReplayedVersion } from './fleet-then.ts'

type Changes = RunRecord['changes']

/** The drift of a past run, from the changes that it recorded, for rules that compare. */
export interface HistoricalDrift {
  /** A resource beside the last complete look before the run; undefined where nothing changed, not lately either. */
  of(version: ReplayedVersion): Drift | undefined
}

export interface DriftLog {
  /** Whether any rule looks back. */
  readonly looksBack: boolean
  /** The drift of a project in a run. Runs are asked about in order, each once. */
  at(run: CommittedRun, project: ProjectRef, sealKeyId: string, changes: Changes): HistoricalDrift
  /** Takes note of changes of a run that is not asked about. */
  note(run: CommittedRun, changes: Changes): void
}

/** `lookbackMs`: how far back rules look for changes. */
export function openDriftLog(lookbackMs: number): DriftLog {
  /** Times of field changes, by `project kind uid` (with the name of then) and path. */
  const log = new Map<string, Map<string, number[]>>()
  const keyOf = (project: string, kind: string, uid: string) => `${project} ${kind} ${uid}`

  const note: DriftLog['note'] = ({ startedAt }, changes) => {
    if (lookbackMs === 0) return
    for (const { project, kind, uid, change, fields } of changes) {
      if (change !== 'modified') continue
      const key = keyOf(project, kind, uid)
      const known = log.get(key) ?? new Map<string, number[]>()
      log.set(key, known)
      for (const { path } of fields) known.set(path, [...(known.get(path) ?? []), Date.parse(startedAt)])
    }
  }

  return {
    looksBack: lookbackMs > 0,
    note,
    at(run, project, sealKeyId, changes) {
      const now = Date.parse(run.startedAt)
      const ofProject = changes.filter((change) => change.project === project.name)
      const changed = new Map(ofProject.map((change) => [keyOf(project.name, change.kind, change.uid), change]))
      note(run, ofProject)
      const recentOf = (key: string): Drift['recent'] => {
        const known = log.get(key)
        if (known === undefined) return nothing
        const recent = [...known].map(([path, times]) => [path, times.filter((at) => at >= now - lookbackMs)] as const)
        return new Map(recent.filter(([, times]) => times.length > 0))
      }
      return {
        of({ resource: { kind, uid, name, attributes }, base }) {
          const key = keyOf(project.name, kind, uid)
          const change = changed.get(key)
          if (change === undefined && !log.has(key)) return undefined
          const recent = recentOf(key)
          if (change === undefined && recent.size === 0) return undefined
          return {
            ...{ kind, uid, name, recent },
            change: change?.change ?? 'none',
            before: base?.resource.attributes,
            after: attributes,
            fields: change?.fields ?? [],
            isApproved: false,
            areSealsComparable: base === undefined || base.sealKeyId === sealKeyId,
          }
        },
      }
    },
  }
}

const nothing: Drift['recent'] = new Map()

/** Whether an approved state held for a project when a run began. */
export function activeApprovalOf(approvals: readonly Approval[], project: ProjectRef, startedAt: string): boolean {
  const key = projectKey(project)
  const last = approvals.findLast((approval) => projectKey(approval.project) === key && approval.at <= startedAt)
  return last !== undefined && (last.revoked === undefined || last.revoked.at > startedAt)
}

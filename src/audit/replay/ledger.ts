import type { CommittedRun } from '../../history/reader.ts'
import type { RecordedViolation } from '../../history/records.ts'
import type { ProjectRef } from '../../model/resource.ts'
import { type Finding, fingerprintOf } from '../../model/violation.ts'
import { isResolved, keepWorseSeverity, type ResolutionCriteria } from '../settle-violations.ts'

/** A finding and its name within a project. Kept beside it: it is asked for in every run. */
export interface KeyedFinding {
  readonly place: string
  readonly finding: Finding
}

export function placed(finding: Finding): KeyedFinding {
  return { finding, place: `${finding.rule}\n${finding.path}\n${finding.kind} ${finding.uid}` }
}

/** A violation from the run that would have opened it to the one that would have found it gone. */
export interface ViolationLifetime {
  readonly project: ProjectRef
  readonly fingerprint: string
  readonly finding: Finding
  readonly isUnknown: boolean
  readonly first: CommittedRun
  /** The last run that saw it. */
  readonly last: CommittedRun
  /** The run that found it gone; undefined: it stands. */
  readonly gone: CommittedRun | undefined
}

/** What would have been recorded of a project, run by run: the life of a violation as settling gives it. */
export interface ViolationTracker {
  settle(run: CommittedRun, scan: Settled): void
  standing(): readonly ViolationLifetime[]
  ended(): readonly ViolationLifetime[]
}

export interface Settled {
  /** With the name that it had then. */
  readonly project: ProjectRef
  readonly found: Iterable<readonly KeyedFinding[]>
  readonly ending: ResolutionCriteria<Finding>
  /** Whether a rule saw all that it needs. */
  sawAll(rule: string): boolean
}

interface Entry {
  readonly fingerprint: string
  readonly first: CommittedRun
  project: ProjectRef
  finding: Finding
  isUnknown: boolean
  last: CommittedRun
}

export function openViolationTracker(): ViolationTracker {
  const standing = new Map<string, Entry>()
  const ended: ViolationLifetime[] = []

  return {
    settle(run, { project, found, ending, sawAll }) {
      for (const group of found) {
        for (const { place, finding } of group) {
          const known = standing.get(place)
          if (known === undefined) {
            const fingerprint = fingerprintOf(project, finding)
            standing.set(place, { fingerprint, project, finding, isUnknown: false, first: run, last: run })
          } else if (known.last !== run) {
            known.finding = sawAll(finding.rule) ? finding : keepWorseSeverity(finding, known.finding)
            known.project = project
            known.isUnknown = false
            known.last = run
          }
        }
      }
      const failed = ending.evaluator.failuresIn(project)
      for (const [place, entry] of standing) {
        if (entry.last === run) continue
        entry.project = project
        if (!failed.has(entry.finding.rule) && isResolved(entry.finding, ending)) {
          standing.delete(place)
          ended.push({ ...entry, gone: run })
        } else entry.isUnknown = true
      }
    },
    standing: () => [...standing.values()].map((entry) => ({ ...entry, gone: undefined })),
    ended: () => ended,
  }
}

/** As a run's record has it. */
export function recordOf(
  { project, fingerprint, finding, isUnknown, first, last, gone }: ViolationLifetime,
  run: CommittedRun,
) {
  const { rule, severity, kind, uid, name, path, message, waiver } = finding
  const standing = isUnknown ? 'unknown' : waiver !== undefined ? 'waived' : first === run ? 'opened' : 'continuing'
  const record: RecordedViolation = {
    ...{ fingerprint, rule, severity, kind, uid, name, path, message },
    project: project.name,
    state: gone === undefined ? standing : 'resolved',
    firstSeen: first.startedAt,
    lastSeen: last.startedAt,
    ...(waiver === undefined || gone !== undefined ? {} : { waiver }),
  }
  return record
}

import type { FollowedViolation } from '../audit/compare-with-origins.ts'
import type { AgedViolation } from '../audit/conclude-overdue.ts'
import {
  type Criteria,
  type KeyedFinding,
  keyed,
  type ReconcilableViolation,
  reconcile,
  stateOf,
} from '../audit/reconcile.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import type { Ending } from '../model/ending.ts'
import type { ProjectRef } from '../model/resource.ts'
import { type Finding, fingerprintOf } from '../model/violation.ts'

/** A violation from the run that would have opened it to the one that would have found it gone. */
export interface ViolationLifetime extends ReconcilableViolation {
  /** With the name that it had when a run last scanned it. */
  readonly project: ProjectRef
  readonly fingerprint: string
  readonly first: CommittedRun
  /** The last run that saw it. */
  readonly last: CommittedRun
  /** The run that found it gone; undefined: it is active. */
  readonly gone: CommittedRun | undefined
  /** undefined while it is active. */
  readonly ending: Ending | undefined
}

/** What would have been recorded of a project, run by run. */
export interface ViolationTracker {
  /** `findings`: all of the run. Runs come in order. */
  reconcile(run: CommittedRun, project: ProjectRef, findings: Iterable<KeyedFinding>, criteria: Criteria): void
  /** Active violations that a comparison with an earlier version decides. */
  withOrigin(): readonly FollowedViolation[]
  active(): readonly ViolationLifetime[]
  ended(): readonly ViolationLifetime[]
}

/** Changed in place: nearly all of them are confirmed unchanged in every run. */
type MutableLifetime = { -readonly [Member in keyof ViolationLifetime]: ViolationLifetime[Member] }

export function trackViolations(): ViolationTracker {
  const active = new Map<string, MutableLifetime>()
  const ended: ViolationLifetime[] = []
  return {
    reconcile(run, project, findings, criteria) {
      const { confirmed, opened, resolved, unknown } = reconcile(active, findings, criteria)
      for (const { violation, finding, isUnchanged } of confirmed) {
        violation.last = run
        violation.project = project
        if (!isUnchanged) Object.assign(violation, worded(finding), { originRun: violation.originRun })
      }
      for (const { key, finding } of opened) {
        const fingerprint = fingerprintOf(project, finding)
        active.set(key, {
          ...worded(finding),
          fingerprint,
          project,
          first: run,
          last: run,
          gone: undefined,
          ending: undefined,
        })
      }
      for (const { violation, ending } of resolved) {
        active.delete(keyed(violation).key)
        ended.push({ ...violation, project, gone: run, ending })
      }
      for (const violation of unknown) {
        violation.project = project
        violation.state = 'unknown'
      }
    },
    withOrigin: () =>
      [...active.values()].flatMap((violation) => {
        const { originRun, first } = violation
        return originRun === undefined ? [] : [{ ...violation, originRun, firstSeen: first.startedAt, isActive: true }]
      }),
    active: () => [...active.values()],
    ended: () => ended,
  }
}

/** A project's violations as a run would have left them, those that it would have ended included. */
export function agedViolations({ active, ended }: ViolationTracker, run: CommittedRun): AgedViolation[] {
  const gone = ended().filter((violation) => violation.gone === run)
  return [...active(), ...gone].map(({ first, ...violation }) => ({
    ...violation,
    waiver: violation.waiver,
    firstSeen: first.startedAt,
  }))
}

function worded(finding: Finding): ReconcilableViolation {
  return { ...finding, state: stateOf(finding), waiver: finding.waiver }
}

/** As the record of a run has it. */
export function recordOf(violation: ViolationLifetime, run: CommittedRun): RecordedViolation {
  const { project, fingerprint, rule, severity, kind, uid, name, path, message } = violation
  const { state, waiver, first, last, gone, ending } = violation
  const active = state === 'open' ? (first === run ? 'opened' : 'continuing') : state
  return {
    fingerprint,
    rule,
    severity,
    kind,
    uid,
    name,
    path,
    message,
    project: project.name,
    state: gone === undefined ? active : 'resolved',
    firstSeen: first.startedAt,
    lastSeen: last.startedAt,
    resolution: ending?.resolution ?? null,
    endedBy: ending?.endedBy ?? null,
    ...(waiver === undefined || gone !== undefined ? {} : { waiver }),
  }
}

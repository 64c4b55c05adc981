import type { ScanDraft } from '../history/history.ts'
import type { ActiveViolation, NewViolation } from '../history/staged.ts'
import type { ProjectRef } from '../model/resource.ts'
import { type Finding, fingerprintOf } from '../model/violation.ts'
import { type Reconciliation, stateOf } from './reconcile.ts'

/** Drafts what became of a project's violations. */
export async function writeReconciliation(
  draft: ScanDraft,
  project: ProjectRef,
  { confirmed, opened, resolved, unknown }: Reconciliation<ActiveViolation>,
): Promise<void> {
  const changed = confirmed.filter(({ isUnchanged }) => !isUnchanged)
  // One that is unknown already is carried as it is, with the run that last saw it.
  const lost = unknown.filter(({ state }) => state !== 'unknown')
  const lastRun = lost.length === 0 ? undefined : await draft.lastScannedRun(project)
  await draft.endViolations(project, new Map(resolved.map(({ violation: { id }, ending }) => [id, ending])))
  await draft.stageViolations(project, {
    confirmed: confirmed.flatMap(({ violation, isUnchanged }) => (isUnchanged ? [violation.id] : [])),
    violations: [
      ...changed.map(({ finding, violation }) => toNewViolation(project, finding, violation)),
      ...opened.map(({ finding }) => toNewViolation(project, finding, undefined)),
      ...lost.map((violation): NewViolation => {
        return { ...violation, state: 'unknown', lastRun, replaces: violation.id }
      }),
    ],
  })
}

function toNewViolation(project: ProjectRef, finding: Finding, active: ActiveViolation | undefined): NewViolation {
  return {
    ...finding,
    fingerprint: active?.fingerprint ?? fingerprintOf(project, finding),
    state: stateOf(finding),
    waiver: finding.waiver,
    firstRun: active?.firstRun,
    lastRun: undefined,
    originRun: active === undefined ? finding.originRun : active.originRun,
    replaces: active?.id,
  }
}

import type { ActiveViolation, NewViolation, ScanDraft } from '../history/history.ts'
import { decidedBy, type Ending } from '../model/ending.ts'
import type { ProjectRef } from '../model/resource.ts'
import { type Finding, fingerprintOf } from '../model/violation.ts'
import { byKey, keyed, type Reconciliation, reconcile, stateOf } from './reconcile.ts'

/** Confirms and opens violations while a project is scanned. What is not found again is left for the end of its scan. */
export async function writeFindings(
  draft: ScanDraft,
  project: ProjectRef,
  findings: readonly Finding[],
): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(findings, ({ kind }) => kind)) {
    const uids = [...new Set(ofKind.map(({ uid }) => uid))]
    const active = byKey(await draft.activeViolations(project, kind, uids))
    await writeReconciliation(draft, project, reconcile(active, ofKind.map(keyed)))
  }
}

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

function toNewViolation(project: ProjectRef, finding: Finding, known: ActiveViolation | undefined): NewViolation {
  return {
    ...finding,
    fingerprint: known?.fingerprint ?? fingerprintOf(project, finding),
    state: stateOf(finding),
    waiver: finding.waiver,
    firstRun: known?.firstRun,
    lastRun: undefined,
    originRun: known === undefined ? finding.originRun : known.originRun,
    replaces: known?.id,
  }
}

/** Leaves out what a person accepts. */
export function withoutAccepted(
  project: ProjectRef,
  findings: readonly Finding[],
  accepted: ReadonlySet<string>,
): readonly Finding[] {
  return accepted.size === 0 ? findings : findings.filter((finding) => !accepted.has(fingerprintOf(project, finding)))
}

/** The endings of active violations that a person accepts, by key. */
export async function endingsBy(
  draft: Pick<ScanDraft, 'acceptances'>,
  project: ProjectRef,
  { accepted, violations }: { readonly accepted: ReadonlySet<string>; readonly violations: readonly ActiveViolation[] },
): Promise<(readonly [string, Ending])[]> {
  const among = accepted.size === 0 ? [] : violations.filter(({ fingerprint }) => accepted.has(fingerprint))
  if (among.length === 0) return []
  const signed = await draft.acceptances(
    project,
    among.map(({ fingerprint }) => fingerprint),
  )
  return among.map((violation) => {
    const { by = null, at = null, reason = null } = signed.get(violation.fingerprint) ?? {}
    return [keyed(violation).key, { resolution: 'accepted', endedBy: decidedBy('acceptance', { by, at, reason }) }]
  })
}

import type { NewAcceptance } from '../history/acceptances.ts'
import type { Signature } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { type Kind, type ProjectRef, projectKey } from '../model/resource.ts'
import { acceptedDigest } from '../rules/accepted-values.ts'

interface AcceptedFinding {
  readonly scanned: ProjectRef
  readonly fingerprint: string
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
}

/** Acceptances of violations with the values that the history has as of a run. */
export async function composeAcceptances(
  history: HistoryReader,
  run: number,
  violations: readonly AcceptedFinding[],
  signed: Signature & { readonly reason: string },
): Promise<readonly NewAcceptance[]> {
  const composed: NewAcceptance[] = []
  for (const ofProject of Map.groupBy(violations, ({ scanned }) => projectKey(scanned)).values()) {
    const points = ofProject.map(({ kind, uid }) => ({ kind, uid, run }))
    const versions = await readVersionsAt(history, ofProject[0]?.scanned ?? noProject, points)
    for (const [at, { scanned: project, fingerprint, rule, kind, uid, path }] of ofProject.entries()) {
      const valueDigest = acceptedDigest(versions[at]?.attributes ?? {}, { rule, path })
      composed.push({ project, fingerprint, rule, kind, uid, path, valueDigest, ...signed })
    }
  }
  return composed
}

/** Never read: a group has a member. */
const noProject: ProjectRef = { name: '', service: '', uid: '' }

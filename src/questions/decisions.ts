import { baselineOf } from '../audit/expected-state.ts'
import { isInForce } from '../history/acceptances.ts'
import { approvalInForce, approvalsByResource } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { listApprovalsOf, readApprovedBodies } from '../history/sql/approvals.ts'
import type { Identity } from '../history/sql/resource-life.ts'
import { decidedBy, type EndedBy } from '../model/ending.ts'
import { isEqual, type Json, type JsonObject, pointersOverlap, valueAt } from '../model/json.ts'
import { projectKey, resourceKey } from '../model/resource.ts'

/** What people decided about one resource, so far as it is in force. */
export interface Decisions {
  /** As the approved baseline has it; undefined where it has none. */
  readonly approved: JsonObject | undefined
  /** Who approved or accepted the value that a field has; undefined where no person did. */
  decisionOn(path: string, value: Json | undefined): EndedBy | undefined
}

/** Reads decisions, each list of them once for all resources that are asked for. */
export async function readDecisions(reader: HistoryReader): Promise<(identity: Identity) => Promise<Decisions>> {
  const acceptances = Map.groupBy(
    // Of a drift rule, a person saw what the field was before.
    (await listAcceptances(reader)).filter((one) => isInForce(one) && one.rule.startsWith('drift/') && one.path !== ''),
    ({ project, ...one }) => `${projectKey(project)} ${resourceKey(one)}`,
  )
  const baselines = new Map<string, ReturnType<typeof listApprovalsOf>>()
  return async (identity) => {
    const key = projectKey(identity.project)
    const reading = baselines.get(key) ?? listApprovalsOf(reader, identity.project)
    baselines.set(key, reading)
    const approvals = await reading
    const baseline = approvalInForce(approvals)
    const [approved] = baseline === undefined ? [] : await readApprovedBodies(reader, baseline, [identity])
    const accepted = acceptances.get(`${key} ${resourceKey(identity)}`) ?? []
    return {
      approved: approved?.attributes,
      decisionOn(path, value) {
        const isApproved = approved !== undefined && isEqual(valueAt(approved.attributes, path) ?? null, value ?? null)
        if (isApproved) return baselineOf({ approvalOf: approvalsByResource(approvals) }, identity)
        const acceptance = accepted.find((one) => pointersOverlap(one.path, path))
        return acceptance && decidedBy('acceptance', acceptance)
      },
    }
  }
}

import { readApprovedBodies } from '../../approved-state.ts'
import type { Draft } from '../../history.ts'
import { completeScansAt } from '../../sql/scans.ts'
import { activeApproval, approvedUids, lastApproval, storedBodies } from '../postgres-approvals.ts'
import { versionsAt } from '../state-at.ts'
import type { DraftContext } from './draft-context.ts'
import { readHistories } from './read-histories.ts'

type ReadMethod =
  | 'historiesOf'
  | 'approved'
  | 'lastApproval'
  | 'approvedBodies'
  | 'approvedUids'
  | 'completeScansAt'
  | 'versionsAt'

/** What a draft reads as readers do. */
export function draftReads(access: DraftContext): Pick<Draft, ReadMethod> {
  const { db, run, open, writer } = access
  return {
    historiesOf: (projects, since) => readHistories(access, projects, since),
    approved: async (project) => activeApproval(db, (await open(project)).id),
    lastApproval: async (project) => lastApproval(db, (await open(project)).id),
    approvedBodies: (approval, resources) =>
      readApprovedBodies(approval, resources, {
        stored: (some) => storedBodies(db, approval, some),
        versionsAt: (project, points) => versionsAt(db, project, points),
      }),
    approvedUids: (approval, kind) => approvedUids(db, approval, kind),
    completeScansAt: (project, at) => db.snapshot((snapshot) => completeScansAt(snapshot, project, at)),
    async versionsAt(project, points) {
      const found = await versionsAt(db, project, points)
      // What this draft wrote may be gone because another one began in its place.
      if (found.some((version, at) => version === undefined && (points[at]?.run ?? 0) >= run)) await writer.checkFence()
      return found
    },
  }
}

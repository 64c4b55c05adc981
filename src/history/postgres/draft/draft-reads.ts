import type { Draft } from '../../history.ts'
import { activeApproval, approvedBodies, approvedUids, lastApproval } from '../postgres-approvals.ts'
import { completeScansAt } from '../scans-at.ts'
import { versionsAt, versionsById } from '../state-at.ts'
import type { DraftContext } from './draft-context.ts'

type ReadMethod =
  | 'approved'
  | 'lastApproval'
  | 'approvedBodies'
  | 'approvedUids'
  | 'completeScansAt'
  | 'versionsAt'
  | 'versionsById'

/** What a draft reads as readers do. */
export function draftReads({ db, run, open, writer }: DraftContext): Pick<Draft, ReadMethod> {
  return {
    approved: async (project) => activeApproval(db, (await open(project)).id),
    lastApproval: async (project) => lastApproval(db, (await open(project)).id),
    async approvedBodies(approval, resources) {
      const { project, run } = approval
      if (run === undefined) return approvedBodies(db, approval, resources)
      return versionsAt(
        db,
        project,
        resources.map(({ kind, uid }) => ({ kind, uid, run })),
      )
    },
    approvedUids: (approval, kind) => approvedUids(db, approval, kind),
    completeScansAt: (project, at) => db.snapshot((snapshot) => completeScansAt(snapshot, project, at)),
    async versionsAt(project, points) {
      const isOwn = (at: number) => (points[at]?.run ?? 0) >= run
      if (points.some((_, at) => isOwn(at))) await writer.insertRowsOf((await open(project)).id)
      const found = await versionsAt(db, project, points)
      // What this draft wrote may be gone because another one began in its place.
      if (found.some((version, at) => version === undefined && isOwn(at))) await writer.checkFence()
      return found
    },
    async versionsById(project, ids) {
      await writer.insertRowsOf((await open(project)).id)
      const found = await versionsById(db, ids)
      if (found.length < ids.length) await writer.checkFence()
      return found
    },
  }
}

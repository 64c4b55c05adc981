import type { Draft } from '../../history.ts'
import { activeApproval, approvedBodies, approvedUids } from '../postgres-approvals.ts'
import { completeScansAt } from '../scans-at.ts'
import { versionsAt, versionsById } from '../state-at.ts'
import type { DraftContext } from './draft-context.ts'

type ReadMethod = 'approved' | 'approvedBodies' | 'approvedUids' | 'completeScansAt' | 'versionsAt' | 'versionsById'

/** What a draft reads as readers do. */
export function draftReads({ db, run, open, writer }: DraftContext): Pick<Draft, ReadMethod> {
  return {
    approved: async (project) => activeApproval(db, (await open(project)).id),
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
      if (points.some((point) => point.run >= run)) await writer.insertRowsOf((await open(project)).id)
      return versionsAt(db, project, points)
    },
    async versionsById(project, ids) {
      await writer.insertRowsOf((await open(project)).id)
      return versionsById(db, ids)
    },
  }
}

import {
  type Approval,
  type Approvals,
  type ApprovedResource,
  approvalInForce,
  type NewApproval,
} from '../../../src/history/approvals.ts'
import { byKindAndUid } from '../../../src/history/report-order.ts'
import { toStoredBody } from '../../../src/history/stored-body.ts'
import { type ApprovalRow, type Memory, projectKeyOf, type Rows } from './memory-rows.ts'

/** `refuseWhileHeld`: throws while a run lives. */
export function memoryApprovals(memory: Memory, refuseWhileLeased: () => void): Approvals {
  const write = (change: (approvals: Rows['approvals']) => Rows['approvals']) => {
    refuseWhileLeased()
    memory.rows = { ...memory.rows, approvals: change(memory.rows.approvals) }
  }
  return {
    approvals: async () => memory.rows.approvals.map(toApproval),
    approvedResources: async (approval) => approvedResources(memory.rows, approval),
    approve: async (added) => write((approvals) => [...approvals, ...rowsOf(added, approvals.length + 1)]),
    revoke: async (ids, revoked) =>
      write((approvals) =>
        approvals.map((row) => (ids.includes(row.id) && row.revoked === undefined ? { ...row, revoked } : row)),
      ),
  }
}

/** The active approval of a project. */
export function activeApprovalAt(rows: Rows, project: string): Approval | undefined {
  return approvalInForce(approvalsAt(rows, project))
}

/** Every approval of a project, oldest first. */
export function approvalsAt(rows: Rows, project: string): Approval[] {
  return rows.approvals.filter((row) => projectKeyOf(row.project) === project).map(toApproval)
}

export function approvedResources(rows: Rows, { id, run, project }: Approval): readonly ApprovedResource[] {
  if (run === undefined) {
    const state = rows.approvals.find((approval) => approval.id === id)?.state
    return state === undefined || 'run' in state ? [] : state.resources.toSorted(byKindAndUid)
  }
  const wasValid = ({ fromRun, toRun }: Rows['versions'][number]) =>
    fromRun <= run && (toRun === undefined || toRun > run)
  return rows.versions
    .filter((row) => row.project === projectKeyOf(project) && wasValid(row))
    .map((row) => {
      const { name, attributes, sealKeyId } = toStoredBody(row)
      return { kind: row.kind, uid: row.uid, name, attributes, sealKeyId }
    })
    .sort(byKindAndUid)
}

function toApproval({ state, ...approval }: ApprovalRow): Approval {
  return { ...approval, run: 'run' in state ? state.run : undefined }
}

function rowsOf(approvals: readonly NewApproval[], first: number): ApprovalRow[] {
  return approvals.map((approval, at) => ({ ...approval, id: first + at, revoked: undefined }))
}

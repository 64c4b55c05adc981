import { canonicalJson } from '../../model/canonical-json.ts'
import type { Kind } from '../../model/resource.ts'
import {
  type Approval,
  type Approvals,
  type ApprovedResource,
  approvalInForce,
  type NewApproval,
} from '../approvals.ts'
import { byKindAndUid } from '../report-order.ts'
import { type ApprovedRow, type StoredApproval, toApproval, toApproved } from '../stored-approval.ts'
import type { PostgresDatabase, Session } from './connect.ts'
import { type SharedProcess, writeBetweenRuns } from './lease.ts'
import { projectIdsOf } from './project-ids.ts'
import { revokeRows } from './revoke-rows.ts'

const selectApprovals = `SELECT a.id, p.service, p.uid, a.project, a.run, a.scopes, a.note, a.approved_at AS at,
  a.approved_by AS by, a.revoked_at AS "revokedAt", a.revoked_by AS "revokedBy"
  FROM hookdrift.approval a JOIN hookdrift.project p ON p.id = a.project_id`

export function postgresApprovals(db: PostgresDatabase, owner: SharedProcess): Approvals {
  return {
    approvals: () => readApprovals(db),
    async approvedResources(approval) {
      const rows = await db.all<ApprovedRow>(stateSql(approval), [approval.id])
      return rows.map(toApproved).sort(byKindAndUid)
    },
    async approve(approvals) {
      await writeBetweenRuns(db, owner, {
        subject: 'the approval',
        work: (session) => writeApprovals(session, approvals),
        async isRecorded(session, last) {
          const rows = new Map((await readApprovals(session)).map((row) => [row.id, row]))
          return approvals.every(({ project, at, by }, index) => {
            const row = rows.get(last + index + 1)
            return row?.project.name === project.name && row.at === at && row.by === by
          })
        },
      })
    },
    revoke: (ids, signature) => revokeRows(db, owner, { table: 'approval', ids, ...signature }),
  }
}

async function readApprovals(session: Session): Promise<Approval[]> {
  return (await session.all<StoredApproval>(`${selectApprovals} ORDER BY a.id`)).map(toApproval)
}

/** Returns the last id before theirs. */
async function writeApprovals(session: Session, approvals: readonly NewApproval[]): Promise<number> {
  const projects = approvals.map(({ project }) => project)
  const projectIds = await projectIdsOf(session, projects)
  const last = (await session.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.approval')) ?? 0
  const column = (value: (approval: NewApproval) => string) => approvals.map(value)
  await session.run(
    `INSERT INTO hookdrift.approval (id, project_id, project, run, scopes, note, approved_at, approved_by)
     SELECT $1 + a.place, a.project_id, a.project, a.run, a.scopes, a.note, a.at, a.by
     FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[])
       WITH ORDINALITY AS a (project_id, project, run, scopes, note, at, by, place)`,
    [
      ...[last, projectIds, column(({ project }) => project.name)],
      approvals.map(({ state }) => ('run' in state ? state.run : null)),
      ...[column(({ scopes }) => JSON.stringify(scopes)), column(({ note }) => note)],
      ...[column(({ at }) => at), column(({ by }) => by)],
    ],
  )
  for (const [index, { state }] of approvals.entries()) {
    if ('resources' in state) await writeApproved(session, last + index + 1, state.resources)
  }
  return last
}

async function writeApproved(session: Session, id: number, resources: readonly ApprovedResource[]): Promise<void> {
  await session.run(
    `INSERT INTO hookdrift.approved_resource (approval_id, kind, uid, name, body, seal_key_id)
     SELECT $1, r.* FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS r`,
    [
      ...[id, resources.map(({ kind }) => kind), resources.map(({ uid }) => uid)],
      ...[resources.map(({ name }) => name), resources.map(({ attributes }) => canonicalJson(attributes))],
      resources.map(({ sealKeyId }) => sealKeyId),
    ],
  )
}

/** SQL of the resources of an approved state; $1 is the approval's id. */
function stateSql({ run }: Approval): string {
  return run === undefined
    ? `SELECT kind, uid, name, body, seal_key_id AS "sealKeyId" FROM hookdrift.approved_resource WHERE approval_id = $1`
    : `SELECT v.kind, v.uid, v.name, v.body, r.seal_key_id AS "sealKeyId"
       FROM hookdrift.approval a JOIN hookdrift.version v
         ON v.project_id = a.project_id AND v.from_run <= a.run AND (v.to_run IS NULL OR v.to_run > a.run)
       JOIN hookdrift.run r ON r.number = v.from_run WHERE a.id = $1`
}

/** The active approval of a project's row. */
export async function activeApproval(session: Session, project: number): Promise<Approval | undefined> {
  return approvalInForce(await approvalsOf(session, project))
}

/** The last approval of a project, also one that was revoked. */
export async function lastApproval(session: Session, project: number): Promise<Approval | undefined> {
  return (await approvalsOf(session, project)).at(-1)
}

async function approvalsOf(session: Session, project: number): Promise<Approval[]> {
  const rows = await session.all<StoredApproval>(`${selectApprovals} WHERE a.project_id = $1 ORDER BY a.id`, [project])
  return rows.map(toApproval)
}

/** Resources of an approved state, in the order asked; undefined where it does not hold one. */
export async function approvedBodies(
  session: Session,
  approval: Approval,
  resources: readonly Pick<ApprovedRow, 'kind' | 'uid'>[],
): Promise<readonly (ApprovedResource | undefined)[]> {
  const found: (ApprovedResource | undefined)[] = resources.map(() => undefined)
  const rows = await session.all<ApprovedRow & { readonly place: number }>(
    `SELECT k.place, s.* FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (kind, uid, place)
     JOIN (${stateSql(approval)}) s ON s.kind = k.kind AND left(s.uid, 200) = left(k.uid, 200) AND s.uid = k.uid`,
    [approval.id, resources.map(({ kind }) => kind), resources.map(({ uid }) => uid)],
  )
  for (const { place, ...row } of rows) found[place - 1] = toApproved(row)
  return found
}

/** Uids of a kind in an approved state. */
export async function approvedUids(session: Session, approval: Approval, kind: Kind): Promise<readonly string[]> {
  const sql = `SELECT s.uid FROM (${stateSql(approval)}) s WHERE s.kind = $2`
  return (await session.all<{ uid: string }>(sql, [approval.id, kind])).map(({ uid }) => uid)
}

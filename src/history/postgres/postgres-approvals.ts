import { canonicalJson } from '../../model/canonical-json.ts'
import type { Kind } from '../../model/resource.ts'
import {
  type Approval,
  type Approvals,
  type ApprovedResource,
  approvalInForce,
  type NewApproval,
} from '../approvals.ts'
import { amendedIn } from '../approved-state.ts'
import { byKindAndUid } from '../report-order.ts'
import { type ApprovedRow, approvalColumns, type StoredApproval, toApproval, toApproved } from '../stored-approval.ts'
import type { PostgresDatabase, Session } from './connect.ts'
import { type SharedProcess, writeBetweenRuns } from './lease.ts'
import { projectIdsOf } from './project-ids.ts'
import { revokeRows } from './revoke-rows.ts'

const selectApprovals = `SELECT ${approvalColumns}
  FROM hookdrift.approval a JOIN hookdrift.project p ON p.id = a.project_id`

export function postgresApprovals(db: PostgresDatabase, owner: SharedProcess): Approvals {
  return {
    approvals: () => readApprovals(db),
    async approvedResources(approval) {
      const stored = await db.all<ApprovedRow>(storedSql, [approval.id])
      return [...(await readOfRun(db, approval)), ...stored].map(toApproved).sort(byKindAndUid)
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
  const column = (value: (approval: NewApproval) => string | null) => approvals.map(value)
  await session.run(
    `INSERT INTO hookdrift.approval (id, project_id, project, run, scopes, note, approved_at, approved_by, approved_as,
       amendments)
     SELECT $1 + a.place, a.project_id, a.project, a.run, a.scopes, a.note, a.at, a.by, a.os_user, a.amendments
     FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[])
       WITH ORDINALITY AS a (project_id, project, run, scopes, note, at, by, os_user, amendments, place)`,
    [
      ...[last, projectIds, column(({ project }) => project.name)],
      approvals.map(({ state }) => ('run' in state ? state.run : null)),
      ...[column(({ scopes }) => JSON.stringify(scopes)), column(({ note }) => note)],
      ...[column(({ at }) => at), column(({ by }) => by), column(({ osUser }) => osUser ?? null)],
      column(({ amendments }) => (amendments === undefined ? null : JSON.stringify(amendments))),
    ],
  )
  for (const [index, { state }] of approvals.entries()) {
    if (state.resources !== undefined) await writeApproved(session, last + index + 1, state.resources)
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

/** SQL of the resources that are stored with an approval; $1 is its id. */
const storedSql = `SELECT kind, uid, name, body, seal_key_id AS "sealKeyId" FROM hookdrift.approved_resource
  WHERE approval_id = $1`

/** Resources of the run whose state is approved, but for amended ones. */
async function readOfRun(session: Session, approval: Approval): Promise<readonly ApprovedRow[]> {
  if (approval.run === undefined) return []
  const rows = await session.all<ApprovedRow>(
    `SELECT v.kind, v.uid, v.name, v.body, r.seal_key_id AS "sealKeyId"
     FROM hookdrift.approval a JOIN hookdrift.version v
       ON v.project_id = a.project_id AND v.from_run <= a.run AND (v.to_run IS NULL OR v.to_run > a.run)
     JOIN hookdrift.run r ON r.number = v.from_run WHERE a.id = $1`,
    [approval.id],
  )
  const { isAmended } = amendedIn(approval)
  return rows.filter((row) => !isAmended(row))
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

/** Resources that are stored with an approval, in the order asked; undefined where it does not hold one. */
export async function storedBodies(
  session: Session,
  approval: Approval,
  resources: readonly Pick<ApprovedRow, 'kind' | 'uid'>[],
): Promise<readonly (ApprovedResource | undefined)[]> {
  const found: (ApprovedResource | undefined)[] = resources.map(() => undefined)
  if (resources.length === 0) return found
  const rows = await session.all<ApprovedRow & { readonly place: number }>(
    `SELECT k.place, s.* FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (kind, uid, place)
     JOIN (${storedSql}) s ON s.kind = k.kind AND s.uid = k.uid`,
    [approval.id, resources.map(({ kind }) => kind), resources.map(({ uid }) => uid)],
  )
  for (const { place, ...row } of rows) found[place - 1] = toApproved(row)
  return found
}

/** Uids of a kind in an approved state. */
export async function approvedUids(session: Session, approval: Approval, kind: Kind): Promise<readonly string[]> {
  const { isAmended } = amendedIn(approval)
  const stored = await session.all<{ uid: string }>(`SELECT s.uid FROM (${storedSql}) s WHERE s.kind = $2`, [
    ...[approval.id, kind],
  ])
  const ofRun = await session.all<{ uid: string }>(
    `SELECT v.uid FROM hookdrift.approval a JOIN hookdrift.version v ON v.project_id = a.project_id AND v.kind = $2
       AND v.from_run <= a.run AND (v.to_run IS NULL OR v.to_run > a.run) WHERE a.id = $1`,
    [approval.id, kind],
  )
  return [...ofRun.filter(({ uid }) => !isAmended({ kind, uid })), ...stored].map(({ uid }) => uid)
}

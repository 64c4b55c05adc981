import { canonicalJson } from '../../model/canonical-json.ts'
import type { JsonObject } from '../../model/json.ts'
import { type Kind, resourceKey } from '../../model/resource.ts'
import {
  type Amendment,
  type Approval,
  type Approvals,
  type ApprovedResource,
  approvalInForce,
  type NewApproval,
  type ScopeByKind,
} from '../approvals.ts'
import { amendedIn } from '../approved-state.ts'
import { byKindAndUid } from '../report-order.ts'
import { type HistoryBackend, writeBetweenRuns } from './backend.ts'
import { validAtSql } from './fragments.ts'
import { projectIdsOf } from './project-ids.ts'
import type { Session, Transaction } from './session.ts'
import { revokeRows, type StoredSignature, signatureOf } from './signatures.ts'

export function sqlApprovals(backend: HistoryBackend): Approvals {
  const { db } = backend
  return {
    approvals: () => readApprovals(db),
    approvedResources: (approval) =>
      db.snapshot(async (transaction) => {
        const stored = await transaction.all<ApprovedRow>(storedSql, [approval.id])
        return [...(await readOfRun(transaction, approval)), ...stored].map(toApproved).sort(byKindAndUid)
      }),
    async approve(approvals) {
      await writeBetweenRuns(backend, {
        subject: 'the approval',
        work: (transaction) => writeApprovals(transaction, approvals),
        async isRecorded(transaction, last) {
          const rows = new Map((await readApprovals(transaction)).map((row) => [row.id, row]))
          return approvals.every(({ project, at, by }, index) => {
            const row = rows.get(last + index + 1)
            return row?.project.name === project.name && row.at === at && row.by === by
          })
        },
      })
    },
    revoke: (ids, signature) => revokeRows(backend, { table: 'approval', ids, ...signature }),
  }
}

interface StoredApproval extends StoredSignature {
  readonly id: number
  readonly service: string
  readonly uid: string
  readonly project: string
  readonly run: number | null
  readonly scopes: string
  readonly note: string
  readonly amendments: string | null
}

const approvalsSql = `SELECT a.id, p.service, p.uid, a.project, a.run, a.scopes, a.note, a.amendments,
    a.approved_at AS "at", a.approved_by AS "by", a.approved_as AS "osUser", a.revoked_at AS "revokedAt",
    a.revoked_by AS "revokedBy", a.revoked_as AS "revokedAs"
  FROM hookdrift.approval a JOIN hookdrift.project p ON p.id = a.project_id`

function toApproval(row: StoredApproval): Approval {
  const { id, service, uid, project, run, scopes, note, amendments } = row
  return {
    id,
    project: { name: project, service, uid },
    run: run ?? undefined,
    // Hookdrift wrote it.
    scopes: JSON.parse(scopes) as ScopeByKind,
    note,
    amendments: amendments === null ? undefined : (JSON.parse(amendments) as readonly Amendment[]),
    ...signatureOf(row),
  }
}

async function readApprovals(session: Session): Promise<Approval[]> {
  return (await session.all<StoredApproval>(`${approvalsSql} ORDER BY a.id`)).map(toApproval)
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
  const rows = await session.all<StoredApproval>(`${approvalsSql} WHERE a.project_id = $1 ORDER BY a.id`, [project])
  return rows.map(toApproval)
}

const approvedColumns = [
  ...['id', 'project_id', 'project', 'run', 'scopes', 'note', 'amendments'],
  ...['approved_at', 'approved_by', 'approved_as'],
]
const resourceColumns = ['approval_id', 'kind', 'uid', 'name', 'body', 'seal_key_id']

/** Returns the last id before theirs. */
async function writeApprovals(transaction: Transaction, approvals: readonly NewApproval[]): Promise<number> {
  const projects = await projectIdsOf(
    transaction,
    approvals.map(({ project }) => project),
  )
  const last = (await transaction.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.approval')) ?? 0
  const rows = approvals.map(({ project, state, scopes, note, amendments, at, by, osUser = null }, index) => [
    ...[last + index + 1, projects[index] ?? null, project.name, 'run' in state ? state.run : null],
    ...[JSON.stringify(scopes), note, amendments === undefined ? null : JSON.stringify(amendments), at, by, osUser],
  ])
  await transaction.insert('approval', approvedColumns, rows)
  for (const [index, { state }] of approvals.entries()) {
    await transaction.insert(
      'approved_resource',
      resourceColumns,
      resourceRows(last + index + 1, state.resources ?? []),
    )
  }
  return last
}

/** One after the other: an import may have very many. */
function* resourceRows(approval: number, resources: readonly ApprovedResource[]) {
  for (const { kind, uid, name, attributes, sealKeyId } of resources) {
    yield [approval, kind, uid, name, canonicalJson(attributes), sealKeyId]
  }
}

/** A resource of an approved state as it is read. */
interface ApprovedRow {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly body: string
  readonly sealKeyId: string
}

function toApproved({ body, ...row }: ApprovedRow): ApprovedResource {
  // Hookdrift wrote it as canonical JSON.
  return { ...row, attributes: JSON.parse(body) as JsonObject }
}

/** SQL of the resources that are stored with an approval; $1 is its id. */
const storedSql = `SELECT kind, uid, name, body, seal_key_id AS "sealKeyId" FROM hookdrift.approved_resource
  WHERE approval_id = $1`

/** SQL: a version of the project of an approval `a`, valid as of its run. */
const isOfRun = `v.project_id = a.project_id AND ${validAtSql('v', 'a.run')}`

/** Resources of the run whose state is approved, but for amended ones. */
async function readOfRun(session: Session, approval: Approval): Promise<readonly ApprovedRow[]> {
  if (approval.run === undefined) return []
  const rows = await session.all<ApprovedRow>(
    `SELECT v.kind, v.uid, v.name, v.body, r.seal_key_id AS "sealKeyId"
     FROM hookdrift.approval a CROSS JOIN hookdrift.version v JOIN hookdrift.run r ON r.number = v.from_run
     WHERE a.id = $1 AND ${isOfRun}`,
    [approval.id],
  )
  const { isAmended } = amendedIn(approval)
  return rows.filter((row) => !isAmended(row))
}

/** Resources that are stored with an approval, in the order asked; undefined where it does not hold one. */
export async function storedBodies(
  session: Session,
  approval: Approval,
  resources: readonly Pick<ApprovedRow, 'kind' | 'uid'>[],
): Promise<readonly (ApprovedResource | undefined)[]> {
  if (resources.length === 0) return []
  const rows = await session.all<ApprovedRow>(`${storedSql} AND kind = ANY($2) AND uid = ANY($3)`, [
    ...[approval.id, [...new Set(resources.map(({ kind }) => kind))], resources.map(({ uid }) => uid)],
  ])
  const found = new Map(rows.map((row) => [resourceKey(row), row]))
  return resources.map((resource) => {
    const row = found.get(resourceKey(resource))
    return row && toApproved(row)
  })
}

/** Uids of a kind in an approved state. */
export async function approvedUids(session: Session, approval: Approval, kind: Kind): Promise<readonly string[]> {
  const uids = async (sql: string) => {
    const rows = await session.all<{ readonly uid: string }>(sql, [approval.id, kind])
    return rows.map(({ uid }) => uid)
  }
  const stored = await uids('SELECT uid FROM hookdrift.approved_resource WHERE approval_id = $1 AND kind = $2')
  if (approval.run === undefined) return stored
  const ofRun = await uids(
    `SELECT v.uid FROM hookdrift.approval a CROSS JOIN hookdrift.version v
     WHERE a.id = $1 AND ${isOfRun} AND v.kind = $2`,
  )
  const { isAmended } = amendedIn(approval)
  return [...ofRun.filter((uid) => !isAmended({ kind, uid })), ...stored]
}

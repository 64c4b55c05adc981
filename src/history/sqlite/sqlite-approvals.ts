import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Kind, ProjectRef } from '../../model/resource.ts'
import {
  type Approval,
  type ApprovedResource,
  approvalInForce,
  type NewApproval,
  type Signature,
} from '../approvals.ts'
import { byKindAndUid } from '../report-order.ts'
import { type ApprovedRow, type StoredApproval, toApproval, toApproved } from '../stored-approval.ts'

const selectApprovals = `SELECT a.id, p.service, p.uid, a.project, a.run, a.scopes, a.note, a.approved_at AS at,
  a.approved_by AS by, a.revoked_at AS revokedAt, a.revoked_by AS revokedBy
  FROM approval a JOIN project p ON p.id = a.project_id`

/** Every approval, revoked ones too, oldest first. */
export function readApprovals(db: Database): Approval[] {
  return db.prepare<[], StoredApproval>(`${selectApprovals} ORDER BY a.id`).all().map(toApproval)
}

export function writeApprovals(
  db: Database,
  idOf: (project: ProjectRef) => number,
  approvals: readonly NewApproval[],
): void {
  const insert = db.prepare(
    `INSERT INTO approval (project_id, project, run, scopes, note, approved_at, approved_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertResource = db.prepare(
    `INSERT INTO approved_resource (approval_id, kind, uid, name, body, seal_key_id)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  for (const { project, scopes, note, at, by, state } of approvals) {
    const run = 'run' in state ? state.run : null
    const { lastInsertRowid: id } = insert.run(idOf(project), project.name, run, JSON.stringify(scopes), note, at, by)
    for (const { kind, uid, name, attributes, sealKeyId } of 'run' in state ? [] : state.resources) {
      insertResource.run(id, kind, uid, name, canonicalJson(attributes), sealKeyId)
    }
  }
}

export function revokeApprovals(db: Database, approvals: readonly number[], { by, at }: Signature): void {
  const revoke = db.prepare('UPDATE approval SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL')
  for (const id of approvals) revoke.run(at, by, id)
}

const validAt = 'v.from_run <= @run AND (v.to_run IS NULL OR v.to_run > @run)'

/** The resources of an approved state, by kind and uid. */
export function readApproved(db: Database, { id, run }: Approval): ApprovedResource[] {
  const imported = db.prepare<[number], ApprovedRow>(
    'SELECT kind, uid, name, body, seal_key_id AS sealKeyId FROM approved_resource WHERE approval_id = ?',
  )
  const valid = db.prepare<{ approval: number; run: number }, ApprovedRow>(
    `SELECT v.kind, v.uid, v.name, v.body, r.seal_key_id AS sealKeyId
     FROM approval a JOIN version v ON v.project_id = a.project_id AND ${validAt} JOIN run r ON r.number = v.from_run
     WHERE a.id = @approval`,
  )
  const rows = run === undefined ? imported.all(id) : valid.all({ approval: id, run })
  return rows.map(toApproved).sort(byKindAndUid)
}

/** Queries of a run on approved states, prepared once. */
export function prepareApproved(db: Database) {
  const ofProject = db.prepare<[number], StoredApproval>(`${selectApprovals} WHERE a.project_id = ? ORDER BY a.id`)
  const imported = db.prepare<{ approval: number; resources: string }, ApprovedRow & { readonly at: number }>(
    `SELECT p.key AS at, a.kind, a.uid, a.name, a.body, a.seal_key_id AS sealKeyId FROM json_each(@resources) p
       CROSS JOIN approved_resource a ON a.approval_id = @approval AND a.kind = p.value ->> '$.kind'
         AND a.uid = p.value ->> '$.uid'`,
  )
  const importedUids = db
    .prepare<[number, Kind], string>('SELECT uid FROM approved_resource WHERE approval_id = ? AND kind = ?')
    .pluck()
  const uidsAt = db
    .prepare<{ project: number; kind: Kind; run: number }, string>(
      `SELECT v.uid FROM version v WHERE v.project_id = @project AND v.kind = @kind AND ${validAt}`,
    )
    .pluck()
  return {
    /** The active approval of a project. */
    active: (project: number): Approval | undefined => approvalInForce(ofProject.all(project).map(toApproval)),
    /** The last approval of a project, also one that was revoked. */
    last: (project: number): Approval | undefined => ofProject.all(project).map(toApproval).at(-1),
    /** Resources of a state that came from files, in the order asked. */
    imported(approval: number, resources: readonly Pick<ApprovedRow, 'kind' | 'uid'>[]) {
      const found: (ApprovedResource | undefined)[] = resources.map(() => undefined)
      for (const { at, ...row } of imported.all({ approval, resources: JSON.stringify(resources) })) {
        found[at] = toApproved(row)
      }
      return found
    },
    uids: ({ id, run }: Approval, project: number, kind: Kind): string[] =>
      run === undefined ? importedUids.all(id, kind) : uidsAt.all({ project, kind, run }),
  }
}

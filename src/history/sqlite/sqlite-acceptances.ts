import type { Database } from 'better-sqlite3'
import type { ProjectRef } from '../../model/resource.ts'
import type { AcceptedViolation } from '../../model/violation.ts'
import type { Acceptance, NewAcceptance } from '../acceptances.ts'
import type { Signature } from '../approvals.ts'
import { acceptanceColumns, type StoredAcceptance, toAcceptance } from '../stored-acceptance.ts'

/** Every acceptance, revoked ones too, oldest first. */
export function readAcceptances(db: Database): Acceptance[] {
  return db
    .prepare<[], StoredAcceptance>(
      `SELECT ${acceptanceColumns} FROM acceptance a JOIN project p ON p.id = a.project_id ORDER BY a.id`,
    )
    .all()
    .map(toAcceptance)
}

/** Acceptances of the projects of a run that held during it, oldest first. */
export function readAcceptancesOf(db: Database, run: number): AcceptedViolation[] {
  return db
    .prepare<{ run: number }, AcceptedViolation>(
      `SELECT a.fingerprint, a.rule, v.severity, s.name AS project, a.kind, a.uid, ifnull(v.name, '') AS name, a.path,
         ifnull(v.message, '') AS message, a.reason, a.accepted_by AS by, a.accepted_at AS at
       FROM acceptance a JOIN scan s ON s.project_id = a.project_id AND s.run = @run
         LEFT JOIN violation v ON v.id = (SELECT max(id) FROM violation
           WHERE project_id = a.project_id AND fingerprint = a.fingerprint AND from_run <= @run)
       WHERE a.accepted_in <= @run AND (a.revoked_in IS NULL OR a.revoked_in > @run)
         AND (a.ended_in IS NULL OR a.ended_in > @run) ORDER BY a.id`,
    )
    .all({ run })
}

export function writeAcceptances(
  db: Database,
  idOf: (project: ProjectRef) => number,
  acceptances: readonly NewAcceptance[],
): void {
  const insert = db.prepare(
    `INSERT INTO acceptance (project_id, project, fingerprint, rule, kind, uid, path, reason, value_digest,
       accepted_at, accepted_by, accepted_as)
     VALUES (@id, @name, @fingerprint, @rule, @kind, @uid, @path, @reason, @valueDigest, @at, @by, @osUser)`,
  )
  for (const { project, osUser = null, ...row } of acceptances) {
    insert.run({ ...row, osUser, id: idOf(project), name: project.name })
  }
}

export function revokeAcceptances(db: Database, acceptances: readonly number[], signature: Signature): void {
  const { by, at, osUser = null } = signature
  const revoke = db.prepare(
    `UPDATE acceptance SET revoked_at = ?, revoked_by = ?, revoked_as = ?
     WHERE id = ? AND revoked_at IS NULL AND ended_at IS NULL`,
  )
  for (const id of acceptances) revoke.run(at, by, osUser, id)
}

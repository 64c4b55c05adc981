import type { AcceptedViolation } from '../../model/violation.ts'
import type { Session } from './session.ts'

/** Acceptances of the projects of a run that held during it, oldest first. */
export function readAcceptancesOf(session: Session, run: number): Promise<AcceptedViolation[]> {
  return session.all<AcceptedViolation>(
    `SELECT a.fingerprint, a.rule, v.severity, s.name AS project, a.kind, a.uid, coalesce(v.name, '') AS name, a.path,
       coalesce(v.message, '') AS message, a.reason, a.accepted_by AS "by", a.accepted_at AS "at"
     FROM hookdrift.acceptance a JOIN hookdrift.scan s ON s.project_id = a.project_id AND s.run = $1
       LEFT JOIN hookdrift.violation v ON v.id = (SELECT max(l.id) FROM hookdrift.violation l
         WHERE l.project_id = a.project_id AND l.fingerprint = a.fingerprint AND l.from_run <= $1)
     WHERE a.accepted_in <= $1 AND (a.revoked_in IS NULL OR a.revoked_in > $1)
       AND (a.ended_in IS NULL OR a.ended_in > $1) ORDER BY a.id`,
    [run],
  )
}

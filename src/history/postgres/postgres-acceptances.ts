import type { AcceptedViolation } from '../../model/violation.ts'
import type { Acceptance, Acceptances, NewAcceptance } from '../acceptances.ts'
import { acceptanceColumns, type StoredAcceptance, toAcceptance } from '../stored-acceptance.ts'
import type { PostgresDatabase, Session } from './connect.ts'
import { type SharedProcess, writeBetweenRuns } from './lease.ts'
import { projectIdsOf } from './project-ids.ts'
import { revokeRows } from './revoke-rows.ts'

export function postgresAcceptances(db: PostgresDatabase, owner: SharedProcess): Acceptances {
  return {
    acceptances: () => readAcceptances(db),
    async accept(acceptances) {
      await writeBetweenRuns(db, owner, {
        subject: 'the acceptance',
        work: (session) => writeAcceptances(session, acceptances),
        async isRecorded(session, last) {
          const rows = new Map((await readAcceptances(session)).map((row) => [row.id, row]))
          return acceptances.every(({ fingerprint, at, by }, index) => {
            const row = rows.get(last + index + 1)
            return row?.fingerprint === fingerprint && row.at === at && row.by === by
          })
        },
      })
    },
    revokeAcceptances: (ids, signature) => revokeRows(db, owner, { table: 'acceptance', ids, ...signature }),
  }
}

/** Returns the last id before theirs. */
async function writeAcceptances(session: Session, acceptances: readonly NewAcceptance[]): Promise<number> {
  const last = (await session.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.acceptance')) ?? 0
  const projects = acceptances.map(({ project }) => project)
  const ids = await projectIdsOf(session, projects)
  const texts = (['fingerprint', 'rule', 'kind', 'uid', 'path', 'reason', 'at', 'by'] as const).map((name) =>
    acceptances.map((acceptance) => acceptance[name]),
  )
  await session.run(
    `INSERT INTO hookdrift.acceptance (id, project_id, project, fingerprint, rule, kind, uid, path, reason, accepted_at,
       accepted_by, accepted_as, value_digest)
     SELECT $1 + a.place, a.project_id, a.project, a.fingerprint, a.rule, a.kind, a.uid, a.path, a.reason, a.at, a.by,
       a.os_user, a.value_digest
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
       $10::text[], $11::text[], $12::text[], $13::text[]) WITH ORDINALITY
       AS a (project_id, project, fingerprint, rule, kind, uid, path, reason, at, by, os_user, value_digest, place)`,
    [
      ...[last, ids, projects.map(({ name }) => name), ...texts],
      acceptances.map(({ osUser }) => osUser ?? null),
      acceptances.map(({ valueDigest }) => valueDigest),
    ],
  )
  return last
}

async function readAcceptances(session: Session): Promise<Acceptance[]> {
  const rows = await session.all<StoredAcceptance>(
    `SELECT ${acceptanceColumns}
     FROM hookdrift.acceptance a JOIN hookdrift.project p ON p.id = a.project_id ORDER BY a.id`,
  )
  return rows.map(toAcceptance)
}

/** Acceptances of the projects of a run that held during it, oldest first. */
export function readAcceptancesOf(session: Session, run: number): Promise<AcceptedViolation[]> {
  return session.all<AcceptedViolation>(
    `SELECT a.fingerprint, a.rule, v.severity, s.name AS project, a.kind, a.uid, coalesce(v.name, '') AS name, a.path,
       coalesce(v.message, '') AS message, a.reason, a.accepted_by AS by, a.accepted_at AS at
     FROM hookdrift.acceptance a JOIN hookdrift.scan s ON s.project_id = a.project_id AND s.run = $1
       LEFT JOIN hookdrift.violation v ON v.id = (SELECT max(l.id) FROM hookdrift.violation l
         WHERE l.project_id = a.project_id AND l.fingerprint = a.fingerprint AND l.from_run <= $1)
     WHERE a.accepted_in <= $1 AND (a.revoked_in IS NULL OR a.revoked_in > $1)
       AND (a.ended_in IS NULL OR a.ended_in > $1) ORDER BY a.id`,
    [run],
  )
}

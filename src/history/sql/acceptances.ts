import type { AcceptedViolation } from '../../model/violation.ts'
import type { Acceptance, AcceptanceEnding, Acceptances, ListedAcceptance, NewAcceptance } from '../acceptances.ts'
import type { Signature } from '../approvals.ts'
import type { HistoryReader } from '../reader.ts'
import { type HistoryBackend, writeBetweenRuns } from './backend.ts'
import { projectIdsOf } from './project-ids.ts'
import { underCurrentNames } from './scans.ts'
import type { Session, Transaction } from './session.ts'
import { revokeRows, type StoredSignature, withSignature } from './signatures.ts'

/** Every acceptance, revoked ones too, oldest first, each with the name that its project has by now. */
export function listAcceptances(history: HistoryReader): Promise<readonly ListedAcceptance[]> {
  return underCurrentNames(history, readAcceptances)
}

export function sqlAcceptances(backend: HistoryBackend): Acceptances {
  return {
    async accept(acceptances) {
      await writeBetweenRuns(backend, {
        subject: 'the acceptance',
        work: (transaction) => writeAcceptances(transaction, acceptances),
        async isRecorded(transaction, last) {
          const rows = new Map((await readAcceptances(transaction)).map((row) => [row.id, row]))
          return acceptances.every(({ fingerprint, at, by }, index) => {
            const row = rows.get(last + index + 1)
            return row?.fingerprint === fingerprint && row.at === at && row.by === by
          })
        },
      })
    },
    revokeAcceptances: (ids, signature) => revokeRows(backend, { table: 'acceptance', ids, ...signature }),
  }
}

/** An acceptance as it is read. */
export interface StoredAcceptance
  extends StoredSignature,
    Omit<Acceptance, 'project' | 'revoked' | 'ended' | keyof Signature> {
  readonly projectName: string
  readonly service: string
  readonly projectUid: string
  readonly endedAt: string | null
  readonly endedBy: AcceptanceEnding | null
}

/** SQL of the columns of an acceptance `a` of a project `p`. */
export const acceptanceColumns = `a.id, a.project AS "projectName", p.service, p.uid AS "projectUid", a.fingerprint, a.rule,
  a.kind, a.uid, a.path, a.reason, a.value_digest AS "valueDigest", a.accepted_at AS "at", a.accepted_by AS "by",
  a.accepted_as AS "osUser", a.accepted_in AS "acceptedIn", a.revoked_at AS "revokedAt", a.revoked_by AS "revokedBy",
  a.revoked_as AS "revokedAs", a.ended_at AS "endedAt", a.ended_by AS "endedBy"`

export function toAcceptance({
  projectName,
  service,
  projectUid,
  endedAt,
  endedBy,
  ...row
}: StoredAcceptance): Acceptance {
  return {
    ...withSignature(row),
    project: { name: projectName, service, uid: projectUid },
    ended: endedAt === null || endedBy === null ? undefined : { at: endedAt, by: endedBy },
  }
}

/** SQL of the number of the last committed run: rows of a draft are no one's to see. */
const lastRunSql = "(SELECT number FROM hookdrift.run WHERE state = 'committed' ORDER BY number DESC LIMIT 1)"

async function readAcceptances(session: Session): Promise<ListedAcceptance[]> {
  // Not a join: PostgreSQL would read all violations.
  const nameSql = `(SELECT v.name FROM hookdrift.violation v WHERE v.id = ${lastViolationSql(lastRunSql)})`
  const rows = await session.all<StoredAcceptance & Pick<ListedAcceptance, 'name'>>(
    `SELECT ${acceptanceColumns}, coalesce(${nameSql}, '') AS name
     FROM hookdrift.acceptance a JOIN hookdrift.project p ON p.id = a.project_id ORDER BY a.id`,
  )
  return rows.map(({ name, ...row }) => ({ ...toAcceptance(row), name }))
}

/** SQL of the row that the violation of an acceptance `a` last had by a run. */
function lastViolationSql(run: string): string {
  return `(SELECT max(l.id) FROM hookdrift.violation l
    WHERE l.project_id = a.project_id AND l.fingerprint = a.fingerprint AND l.from_run <= ${run})`
}

const acceptedColumns = [
  ...['id', 'project_id', 'project', 'fingerprint', 'rule', 'kind', 'uid', 'path', 'reason', 'value_digest'],
  ...['accepted_at', 'accepted_by', 'accepted_as'],
]

/** Returns the last id before theirs. */
async function writeAcceptances(transaction: Transaction, acceptances: readonly NewAcceptance[]): Promise<number> {
  const projects = await projectIdsOf(
    transaction,
    acceptances.map(({ project }) => project),
  )
  const last = (await transaction.value<number>('SELECT coalesce(max(id), 0) FROM hookdrift.acceptance')) ?? 0
  const rows = acceptances.map(({ project, fingerprint, rule, kind, uid, path, reason, ...rest }, index) => {
    const { valueDigest, at, by, osUser = null } = rest
    return [
      ...[last + index + 1, projects[index] ?? null, project.name, fingerprint, rule, kind, uid, path, reason],
      ...[valueDigest, at, by, osUser],
    ]
  })
  await transaction.insert('acceptance', acceptedColumns, rows)
  return last
}

/** Acceptances of the projects of a run that held during it, oldest first. */
export function readAcceptancesOf(session: Session, run: number): Promise<AcceptedViolation[]> {
  return session.all<AcceptedViolation>(
    `SELECT a.fingerprint, a.rule, v.severity, s.name AS project, a.kind, a.uid, coalesce(v.name, '') AS name, a.path,
       coalesce(v.message, '') AS message, a.reason, a.accepted_by AS "by", a.accepted_at AS "at"
     FROM hookdrift.acceptance a JOIN hookdrift.scan s ON s.project_id = a.project_id AND s.run = $1
       LEFT JOIN hookdrift.violation v ON v.id = ${lastViolationSql('$1')}
     WHERE a.accepted_in <= $1 AND (a.revoked_in IS NULL OR a.revoked_in > $1)
       AND (a.ended_in IS NULL OR a.ended_in > $1) ORDER BY a.id`,
    [run],
  )
}

import type { Kind, Listing } from '../../model/resource.ts'
import { readProjects, readStableContext } from '../read-documents.ts'
import type { RunInputs } from '../reader.ts'
import type { Session } from './connect.ts'
import { readChanges } from './read-run.ts'
import { validAtSql } from './sql-fragments.ts'

interface RunRow extends Pick<RunInputs, 'configurationDigest' | 'sealKeyId' | 'failOn'> {
  readonly rules: string | null
  readonly projects: string | null
}

interface OfProject {
  readonly service: string
  readonly project: string
}

/** In a snapshot. */
export async function readRunInputs(session: Session, run: number): Promise<RunInputs | undefined> {
  const row = await session.get<RunRow>(
    `SELECT configuration_digest AS "configurationDigest", seal_key_id AS "sealKeyId", fail_on AS "failOn",
       (SELECT body FROM hookdrift.document WHERE sha256 = rules_document) AS rules,
       (SELECT body FROM hookdrift.document WHERE sha256 = projects_document) AS projects
     FROM hookdrift.run WHERE number = $1 AND state = 'committed'`,
    [run],
  )
  if (row === undefined) return undefined
  return {
    ...row,
    rules: readStableContext(row.rules).rules,
    projects: readProjects(row.projects),
    changes: await readChanges(session, run),
    withheldRemovals: await readWithheldRemovals(session, run),
    unreferenced: await readUnreferenced(session, run),
  }
}

async function readWithheldRemovals(session: Session, run: number): Promise<RunInputs['withheldRemovals']> {
  const rows = await session.all<OfProject & { listing: Listing; uids: string }>(
    `SELECT p.service, p.uid AS project, h.listing, h.uids
     FROM hookdrift.withheld_removal h JOIN hookdrift.project p ON p.id = h.project_id
     WHERE h.run = $1 ORDER BY p.uid, h.listing`,
    [run],
  )
  return rows.map(({ service, project, listing, uids }) => ({
    project: { service, uid: project },
    listing,
    uids: JSON.parse(uids) as string[],
  }))
}

async function readUnreferenced(session: Session, run: number): Promise<RunInputs['unreferenced']> {
  const rows = await session.all<OfProject & { kind: Kind; uid: string }>(
    `SELECT p.service, p.uid AS project, u.kind, u.uid
     FROM hookdrift.unreferenced u JOIN hookdrift.project p ON p.id = u.project_id
     WHERE ${validAtSql('u', '$1')} ORDER BY p.uid, u.kind, u.uid`,
    [run],
  )
  return rows.map(({ service, project, kind, uid }) => ({ project: { service, uid: project }, kind, uid }))
}

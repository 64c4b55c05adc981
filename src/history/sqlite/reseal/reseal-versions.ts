import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { AuditError } from '../../../model/errors.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import type { Kind } from '../../../model/resource.ts'
import type { Resealer, Resealing } from '../../resealing.ts'
import { cachedStatement } from '../cached-statement.ts'
import { inOrderOfLength, replaceSecrets } from './replace-secrets.ts'

export interface ResealedResource {
  readonly project: number
  readonly kind: Kind
  readonly uid: string
}

interface VersionRow {
  readonly id: number
  readonly name: string
  readonly body: string
  readonly facts: string
  readonly digest: string
  readonly keyId: string
}

/**
 * Reseals every version of a resource. Adds the secrets that were in clear to `found`; returns the number of rewritten
 * rows.
 */
export function resealVersions(
  db: Database,
  resource: ResealedResource,
  resealing: Resealing,
  found: Set<string>,
): number {
  const { kind, uid } = resource
  let rewritten = 0
  for (const id of idsOf(db, 'version', resource)) {
    const row = cachedStatement<[number], VersionRow>(
      db,
      `SELECT v.id, v.name, v.body, v.facts, v.digest, r.seal_key_id AS keyId
       FROM version v JOIN run r ON r.number = v.from_run WHERE v.id = ?`,
    ).get(id)
    if (row === undefined) continue
    // The row gets a new digest, so it must match the old one.
    if (hash('sha256', row.body + row.facts) !== row.digest)
      throw altered(db, `the body of ${kind} ${uid} (version ${id})`)
    const resealer = resealing.under(row.keyId)
    const body = resealBody(kind, row.body, resealer, found)
    const facts = resealFacts(kind, row.facts, resealer, found)
    const name = resealer.name(kind, row.name)
    if (body === row.body && facts === row.facts && name === row.name) continue
    // Keeps the version of its normal form: a new scan may give another body.
    cachedStatement<unknown[], never>(
      db,
      'UPDATE version SET name = ?, body = ?, facts = ?, digest = ? WHERE id = ?',
    ).run(name, body, facts, hash('sha256', body + facts), id)
    rewritten += 1
  }
  return rewritten
}

/** Reseals a stored body. */
export function resealBody(kind: Kind, body: string, resealer: Resealer, found: Set<string>): string {
  const attributes: unknown = JSON.parse(body)
  if (!isJsonObject(attributes)) return canonicalJson(resealer.seal(body))
  return canonicalJson(resealer.attributes(kind, attributes, (secret) => found.add(secret)))
}

/** The names of facts are JSON Pointers, which may quote secrets. */
function resealFacts(kind: Kind, facts: string, resealer: Resealer, found: ReadonlySet<string>): string {
  if (facts === '') return facts
  const secrets = inOrderOfLength(found)
  const members = Object.entries<Json>(JSON.parse(facts)).map(([path, value]) => {
    const moved = resealer.part(kind, { path, value: null }).path
    return [replaceSecrets(moved, secrets, resealer.seal), value] as const
  })
  return canonicalJson(Object.fromEntries(members))
}

/** Ids of a table's rows about a resource. */
export function idsOf(db: Database, table: 'version' | 'violation' | 'change', resource: ResealedResource): number[] {
  const sql = `SELECT id FROM ${table} WHERE project_id = @project AND kind = @kind AND uid = @uid ORDER BY id`
  return cachedStatement<ResealedResource, number>(db, sql).pluck().all(resource) as number[]
}

export function altered(db: Database, what: string): AuditError {
  return AuditError.failure(`the history ${db.name} was not upgraded: ${what} does not match its digest`, {
    advice:
      'it was damaged before, and is unchanged: restore the last backup that verifies, see `hookdrift docs keep-the-history`',
  })
}

import type { Database } from 'better-sqlite3'
import type { Json } from '../../../model/json.ts'
import { type Kind, maskedSeal } from '../../../model/resource.ts'
import { fingerprintOf } from '../../../model/violation.ts'
import type { ResealedPart, Resealer, Resealing } from '../../resealing.ts'
import { cachedStatement } from '../cached-statement.ts'
import { inOrderOfLength, replaceSecrets } from './replace-secrets.ts'
import { idsOf, type ResealedResource, resealVersions } from './reseal-versions.ts'
import type { Rewording } from './rewording.ts'

/**
 * Reseals versions, violations and changes, one resource in memory at a time. Secrets found in its bodies are also
 * replaced in its violations and changes. Returns the number of rewritten rows.
 */
export function resealResources(db: Database, resealing: Resealing, rewording: Rewording): number {
  let rewritten = 0
  for (let resource = nextResource(db); resource !== undefined; resource = nextResource(db, resource)) {
    const found = new Set<string>()
    rewritten += resealVersions(db, resource, resealing, found)
    const secrets = inOrderOfLength(found)
    const quoting = (resealer: Resealer, text: string) => replaceSecrets(text, secrets, resealer.seal)
    rewritten += resealViolations(db, resource, { resealing, rewording, quoting })
    rewritten += resealChanges(db, resource, { resealing, quoting })
  }
  return rewritten
}

const first: ResealedResource = { project: 0, kind: 'endpoint', uid: '' }

function nextResource(db: Database, after = first): ResealedResource | undefined {
  const next = (table: string) => `SELECT * FROM (SELECT project_id, kind, uid FROM ${table}
    WHERE (project_id, kind, uid) > (@project, @kind, @uid) ORDER BY project_id, kind, uid LIMIT 1)`
  return cachedStatement<ResealedResource, ResealedResource>(
    db,
    `SELECT project_id AS project, kind, uid FROM (${['version', 'violation', 'change'].map(next).join(' UNION ALL ')})
     ORDER BY project_id, kind, uid LIMIT 1`,
  ).get(after)
}

interface Quoting {
  readonly resealing: Resealing
  /** Replaces the secrets that were found in the resource's bodies. */
  quoting(resealer: Resealer, text: string): string
}

interface StoredViolationRow {
  readonly fingerprint: string
  readonly rule: string
  readonly path: string
  readonly name: string
  readonly message: string
  readonly fromRun: number
  readonly toRun: number | null
  readonly keyId: string
  readonly service: string
  readonly projectUid: string
}

function resealViolations(
  db: Database,
  resource: ResealedResource,
  { resealing, rewording, quoting }: Quoting & { readonly rewording: Rewording },
): number {
  const { kind, uid } = resource
  let rewritten = 0
  for (const id of idsOf(db, 'violation', resource)) {
    const row = cachedStatement<[number], StoredViolationRow>(
      db,
      `SELECT x.fingerprint, x.rule, x.path, x.name, x.message, x.from_run AS fromRun, x.to_run AS toRun,
              r.seal_key_id AS keyId, p.service, p.uid AS projectUid
       FROM violation x JOIN run r ON r.number = x.from_run JOIN project p ON p.id = x.project_id WHERE x.id = ?`,
    ).get(id)
    if (row === undefined) continue
    const resealer = resealing.under(row.keyId)
    const name = resealer.name(kind, row.name)
    const message = quoting(resealer, resealer.text(row.message))
    const path = row.path === '' ? '' : quoting(resealer, resealer.part(kind, { path: row.path, value: null }).path)
    if (name === row.name && message === row.message && path === row.path) continue
    const project = { name: '', service: row.service, uid: row.projectUid }
    const place = { rule: row.rule, severity: 'info', kind, uid, name, path, message } as const
    // With masked paths, several places would get one fingerprint.
    const isMoved = path !== row.path && resealer.hasKey
    const fingerprint = isMoved ? fingerprintOf(project, place) : row.fingerprint
    cachedStatement<unknown[], never>(
      db,
      'UPDATE violation SET name = ?, message = ?, path = ?, fingerprint = ? WHERE id = ?',
    ).run(name, message, path, fingerprint, id)
    for (const run of [row.fromRun, row.toRun]) {
      rewording.add(run, row.message, message)
      rewording.add(run, row.name, name)
      rewording.add(run, row.path, path)
      rewording.add(run, row.fingerprint, fingerprint)
    }
    rewritten += 1
  }
  return rewritten
}

function resealChanges(db: Database, resource: ResealedResource, { resealing, quoting }: Quoting): number {
  const { kind } = resource
  let rewritten = 0
  for (const id of idsOf(db, 'change', resource)) {
    const row = cachedStatement<[number], { name: string; fields: string; keyId: string }>(
      db,
      `SELECT c.name, c.fields, r.seal_key_id AS keyId FROM change c JOIN run r ON r.number = c.run WHERE c.id = ?`,
    ).get(id)
    if (row === undefined) continue
    const resealer = resealing.under(row.keyId)
    const name = resealer.name(kind, row.name)
    // A run wrote it.
    const changes = JSON.parse(row.fields) as readonly FieldRow[]
    const fields = JSON.stringify(changes.map((change) => resealChange(kind, change, resealer, quoting)))
    if (name === row.name && fields === row.fields) continue
    cachedStatement<unknown[], never>(db, 'UPDATE change SET name = ?, fields = ? WHERE id = ?').run(name, fields, id)
    rewritten += 1
  }
  return rewritten
}

interface FieldRow {
  readonly path: string
  readonly before: Json
  readonly after: Json
}

function resealChange(kind: Kind, change: FieldRow, resealer: Resealer, quoting: Quoting['quoting']): FieldRow {
  const { path } = change
  const [before, after] = [change.before, change.after].map((value) => resealer.part(kind, { path, value }))
  if (before === undefined || after === undefined) return change
  const at = [before, after].reduce((a, b) => (a.path.length <= b.path.length ? a : b)).path
  // Where only one side is sealed as a part of its parent, its value belongs to another path.
  const sideOf = (part: ResealedPart) =>
    part.path === before.path && part.path === after.path ? part.value : maskedSeal
  return { ...change, path: quoting(resealer, at), before: sideOf(before), after: sideOf(after) }
}

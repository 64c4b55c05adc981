import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import type { Kind } from '../../../model/resource.ts'
import type { Resealer, Resealing } from '../../resealing.ts'
import { cachedStatement } from '../cached-statement.ts'
import { inPages } from './in-pages.ts'
import { mapTexts } from './json-texts.ts'
import { altered, resealBody } from './reseal-versions.ts'
import type { Rewording } from './rewording.ts'

interface ApprovedRow {
  readonly approval: number
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly body: string
  readonly keyId: string
}

interface WalkRow {
  readonly project: number
  readonly listing: string
  readonly run: number
  readonly reason: string
}

/** Reseals resources that were approved from files. Returns the number of rewritten rows, as the functions below do. */
export function resealApprovals(db: Database, resealing: Resealing): number {
  const approved = db.prepare<[number, string, string], ApprovedRow>(
    `SELECT approval_id AS approval, kind, uid, name, body, seal_key_id AS keyId FROM approved_resource
     WHERE (approval_id, kind, uid) > (?, ?, ?) ORDER BY approval_id, kind, uid LIMIT 100`,
  )
  const update = db.prepare(
    'UPDATE approved_resource SET name = ?, body = ? WHERE approval_id = ? AND kind = ? AND uid = ?',
  )
  let rewritten = 0
  const rows = inPages<ApprovedRow>((after) => approved.all(after?.approval ?? 0, after?.kind ?? '', after?.uid ?? ''))
  for (const row of rows) {
    const resealer = resealing.under(row.keyId)
    const body = resealBody(row.kind, row.body, resealer, new Set())
    const name = resealer.name(row.kind, row.name)
    if (body !== row.body || name !== row.name)
      rewritten += update.run(name, body, row.approval, row.kind, row.uid).changes
  }
  return rewritten + mapColumn(db, 'approval', 'note', resealing.uncompared.text)
}

/** Reseals the reasons of walks and the texts of notices. */
export function resealWalks(db: Database, resealing: Resealing, rewording: Rewording): number {
  const { reason } = resealing.uncompared
  const walks = db.prepare<[number, number, string], WalkRow>(
    `SELECT project_id AS project, listing, run, reason FROM walk
     WHERE reason IS NOT NULL AND (run, project_id, listing) > (?, ?, ?) ORDER BY run, project_id, listing LIMIT 500`,
  )
  const update = db.prepare('UPDATE walk SET reason = ? WHERE project_id = ? AND listing = ? AND run = ?')
  let rewritten = 0
  for (const row of inPages<WalkRow>((after) =>
    walks.all(after?.run ?? 0, after?.project ?? 0, after?.listing ?? ''),
  )) {
    const now = reason(row.reason)
    if (now === row.reason) continue
    rewording.add(row.run, row.reason, now)
    rewritten += update.run(now, row.project, row.listing, row.run).changes
  }
  return rewritten + mapColumn(db, 'notice', 'text', resealing.uncompared.text)
}

/** Reseals the rules and projects of runs. A document is named by its digest, to which runs refer. */
export function resealDocuments(db: Database, resealing: Resealing): number {
  let rewritten = 0
  for (const id of db.prepare<[], number>('SELECT id FROM document ORDER BY id').pluck().all()) {
    const row = cachedStatement<[number], { sha256: string; body: string }>(
      db,
      'SELECT sha256, body FROM document WHERE id = ?',
    ).get(id)
    if (row === undefined) continue
    if (hash('sha256', row.body) !== row.sha256) throw altered(db, `document ${row.sha256.slice(0, 12)}…`)
    const body = canonicalJson(mapTexts(JSON.parse(row.body), resealing.uncompared.text))
    if (body === row.body) continue
    const sha256 = hash('sha256', body)
    db.prepare('DELETE FROM document WHERE id = ?').run(id)
    db.prepare('INSERT INTO document (sha256, body) VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING').run(sha256, body)
    for (const column of ['rules_document', 'projects_document']) {
      db.prepare(`UPDATE run SET ${column} = ? WHERE ${column} = ?`).run(sha256, row.sha256)
    }
    rewritten += 1
  }
  return rewritten
}

/** Reseals notifications, delivered ones too. They keep their ids. */
export function resealNotifications(db: Database, resealing: Resealing, rewording: Rewording): number {
  const resealer = resealing.uncompared
  let rewritten = mapColumn(db, 'notification', 'error', resealer.reason)
  for (const id of db.prepare<[], string>('SELECT id FROM notification ORDER BY id').pluck().all()) {
    const row = cachedStatement<[string], { run: number | null; body: string }>(
      db,
      'SELECT run, body FROM notification WHERE id = ?',
    ).get(id)
    if (row === undefined) continue
    const reword = (text: string) => resealer.text(rewording.apply(row.run, text))
    const body = JSON.stringify(resealMessage(JSON.parse(row.body), reword, resealer))
    if (body === row.body) continue
    db.prepare('UPDATE notification SET body = ? WHERE id = ?').run(body, id)
    rewritten += 1
  }
  return rewritten
}

const textMembers = new Set(['title', 'verdict', 'text', 'path', 'fingerprint', 'reason'])

function resealMessage(value: Json, reword: (text: string) => string, resealer: Resealer): Json {
  if (Array.isArray(value)) return value.map((item) => resealMessage(item, reword, resealer))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([member, inner]) => {
    if (member === 'name' && typeof inner === 'string') return [member, nameIn(value, reword(inner), resealer)]
    return [member, textMembers.has(member) ? mapTexts(inner, reword) : resealMessage(inner, reword, resealer)]
  })
  return Object.fromEntries(members)
}

function nameIn({ kind }: { readonly [member: string]: Json }, name: string, resealer: Resealer): string {
  // Hookdrift wrote it.
  return typeof kind === 'string' ? resealer.name(kind as Kind, name) : resealer.text(name)
}

/** Changes the texts of a column that are never compared, row by row. */
function mapColumn(
  db: Database,
  table: 'approval' | 'notice' | 'notification',
  column: string,
  change: (text: string) => string,
): number {
  const rows = db.prepare<[number], { id: number; text: string }>(
    `SELECT rowid AS id, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL AND rowid > ? ORDER BY rowid LIMIT 500`,
  )
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`)
  let rewritten = 0
  for (const { id, text } of inPages<{ id: number; text: string }>((after) => rows.all(after?.id ?? 0))) {
    const now = change(text)
    if (now !== text) rewritten += update.run(now, id).changes
  }
  return rewritten
}

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Pool } from 'undici'

/**
 * The least that any program on these libraries has to do to keep what a service lists: read each page, write each item
 * as canonical JSON, digest it, and store what differs from the stored row. It checks, seals, compares and evaluates
 * nothing.
 */
interface FloorOrder {
  readonly url: string
  readonly key: string
  readonly projects: readonly string[]
  readonly database: string
  readonly concurrency: number
}

type Value = string | number | boolean | null | Value[] | { [name: string]: Value }
type Item = { readonly uid: string } & { [name: string]: Value }
interface Page {
  readonly data: {
    readonly content: readonly Item[]
    readonly pagination: { readonly has_next_page: boolean; readonly next_page_cursor: string }
  }
}
type Row = readonly [uid: string, digest: string, body: string]

const { url, key, projects, database, concurrency }: FloorOrder = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
)
const rowsPerTransaction = 1000
const needsEscape = /[\u0000-\u001f"\\\ud800-\udfff]/
const headers = { accept: 'application/json', authorization: `Bearer ${key}` }
const pool = new Pool(url, { connections: concurrency, pipelining: 1 })
const db = new Database(database)
db.pragma('page_size = 16384')
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.exec(`CREATE TABLE IF NOT EXISTS item (
  listing TEXT NOT NULL, uid TEXT NOT NULL, digest TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (listing, uid)
) STRICT`)
const stored = db.prepare<[string], { uid: string; digest: string }>('SELECT uid, digest FROM item WHERE listing = ?')
const put = db.prepare('INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?)')

const left = projects.values()
await Promise.all(Array.from({ length: concurrency }, walkProjects))
db.close()
await pool.close()

async function walkProjects(): Promise<void> {
  for (const project of left) {
    for (const listing of ['endpoints', 'subscriptions']) await walk(`/api/v1/projects/${project}/${listing}`)
  }
}

async function walk(path: string): Promise<void> {
  const known = new Map(stored.all(path).map(({ uid, digest }) => [uid, digest]))
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { content, pagination } = await readPage(path, cursor)
    for (const item of content) {
      const body = canonical(item)
      const digest = hash('sha256', body)
      if (known.get(item.uid) !== digest) rows.push([item.uid, digest, body])
    }
    if (rows.length >= rowsPerTransaction || !pagination.has_next_page) store(path, rows.splice(0))
    if (!pagination.has_next_page) return
    cursor = pagination.next_page_cursor
  }
}

async function readPage(path: string, cursor: string): Promise<Page['data']> {
  const page = cursor === '' ? '' : `&next_page_cursor=${cursor}`
  const answer = await pool.request({ method: 'GET', path: `${path}?perPage=1000${page}`, headers })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
  return (JSON.parse(text) as Page).data
}

function store(listing: string, rows: readonly Row[]): void {
  if (rows.length === 0) return
  db.exec('BEGIN IMMEDIATE')
  for (const [uid, digest, body] of rows) put.run(listing, uid, digest, body)
  db.exec('COMMIT')
}

/** JSON with its members sorted. */
function canonical(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += (text === '' ? '' : ',') + canonical(item)
    return `[${text}]`
  }
  for (const name of sortNames(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${quoted(name)}:${canonical(value[name] ?? null)}`
  }
  return `{${text}}`
}

/** Most texts need no escape, and to find that out is quicker than to ask the engine. */
function quoted(text: string): string {
  return text.length < 5000 && !needsEscape.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** By insertion, in place: an item has a dozen members, in order for the most part. */
function sortNames(names: string[]): string[] {
  for (let at = 1; at < names.length; at++) {
    const name = names[at] ?? ''
    let to = at
    for (; to > 0 && (names[to - 1] ?? '') > name; to--) names[to] = names[to - 1] ?? ''
    names[to] = name
  }
  return names
}

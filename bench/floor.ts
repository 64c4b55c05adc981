import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import stringify from 'safe-stable-stringify'
import { Pool } from 'undici'

/**
 * The least that any program on these libraries has to do to keep what a service lists: read each page, write each
 * item as canonical JSON, digest it, and store what was not stored before. It checks, seals, compares and evaluates nothing.
 */
interface FloorOrder {
  readonly url: string
  readonly key: string
  readonly projects: readonly string[]
  readonly database: string
  readonly concurrency: number
}

const { url, key, projects, database, concurrency }: FloorOrder = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
)
const headers = { accept: 'application/json', authorization: `Bearer ${key}` }
const pool = new Pool(url, { connections: concurrency })
const db = new Database(database)
db.pragma('page_size = 16384')
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.exec('CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, body TEXT NOT NULL)')
const insert = db.prepare('INSERT INTO item (digest, body) VALUES (?, ?) ON CONFLICT DO NOTHING')
const storePage = db.transaction((items: readonly object[]) => {
  for (const item of items) {
    const body = stringify(item) ?? ''
    insert.run(hash('sha256', body), body)
  }
})

const left = projects.values()
const worker = async () => {
  for (const project of left) {
    for (const listing of ['endpoints', 'subscriptions']) await walk(`/api/v1/projects/${project}/${listing}`)
  }
}
await Promise.all(Array.from({ length: concurrency }, worker))
db.close()
await pool.close()

async function walk(path: string): Promise<void> {
  let cursor = ''
  for (;;) {
    const query = new URLSearchParams({ perPage: '1000', ...(cursor === '' ? {} : { next_page_cursor: cursor }) })
    const answer = await pool.request({ method: 'GET', path: `${path}?${query}`, headers })
    const { content, pagination } = (JSON.parse(await answer.body.text()) as Page).data
    storePage(content)
    if (!pagination.has_next_page) return
    cursor = pagination.next_page_cursor
  }
}

interface Page {
  readonly data: {
    readonly content: readonly object[]
    readonly pagination: { readonly has_next_page: boolean; readonly next_page_cursor: string }
  }
}

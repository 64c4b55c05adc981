import { cutPage, readPageQuery } from '../../src/demo/page.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import type { JsonObject } from '../../src/model/json.ts'

export const lists = ['endpoints', 'sources', 'subscriptions'] as const
export type List = (typeof lists)[number]

/** Rows are listed by their keys, the highest first. */
interface Row {
  readonly key: string
  readonly item: Item
}

interface Item extends JsonObject {
  readonly uid: string
  readonly name: string
}

type Rows = Readonly<Record<List, readonly Row[]>>

/** Something that happens while a list is walked: at which request for it, and on which side of its answer. */
export interface Happening {
  readonly list: List
  readonly request: number
  readonly side: 'before' | 'after'
  readonly what: 'insert' | 'delete' | 'update' | 'move' | 'shuffle'
  /** Of the row, from 0 to below 1. */
  readonly share: number
  /** Where a row is inserted or moved to. */
  readonly key: string
}

export interface ChurnCase {
  readonly index: number
  readonly uid: string
  readonly rows: Rows
  readonly pageSize: number
  readonly happenings: readonly Happening[]
}

/** A project while it is walked. */
export class ChurnedProject {
  readonly #case: ChurnCase
  readonly #rows: Map<List, readonly Row[]>
  readonly #requests = new Map<List, number>()
  #isQuiet = true
  /** uids of rows that something happened to. */
  readonly touched = new Set<unknown>()
  /** How often pages of this walk showed a uid, by list. */
  readonly #shown = new Map<List, Map<unknown, number>>()

  constructor(one: ChurnCase) {
    this.#case = one
    this.#rows = new Map(lists.map((list) => [list, one.rows[list]]))
  }

  begin(isQuiet: boolean): void {
    this.#isQuiet = isQuiet
    this.#requests.clear()
    this.#shown.clear()
  }

  uidsOf(list: List): ReadonlySet<unknown> {
    return new Set(this.#rowsOf(list).map(({ item }) => item.uid))
  }

  /** Rows that were there all the time. */
  stableOf(list: List): ReadonlySet<unknown> {
    const uids = this.#case.rows[list].map(({ item }) => item.uid)
    return new Set(uids.filter((uid) => !this.touched.has(uid)))
  }

  shownOf(list: List): Map<unknown, number> {
    return this.#shown.get(list) ?? new Map()
  }

  get pageSize(): number {
    return this.#case.pageSize
  }

  answer(list: List, parameters: URLSearchParams): JsonObject {
    const request = this.#requests.get(list) ?? 0
    this.#requests.set(list, request + 1)
    const now = this.#isQuiet ? [] : this.#case.happenings.filter((one) => one.list === list && one.request === request)
    for (const one of now) if (one.side === 'before') this.#happen(one)
    const rows = this.#rowsOf(list).map(({ key, item }) => ({ uid: key, item }))
    const { content, pagination } = cutPage(rows, readPageQuery(parameters))
    const items = content.map(({ item }) => item)
    if (now.some(({ what }) => what === 'shuffle')) items.reverse()
    const shown = this.shownOf(list)
    for (const { uid } of items) shown.set(uid, (shown.get(uid) ?? 0) + 1)
    this.#shown.set(list, shown)
    for (const one of now) if (one.side === 'after') this.#happen(one)
    return { content: items, pagination }
  }

  #rowsOf(list: List): readonly Row[] {
    return (this.#rows.get(list) ?? []).toSorted((left, right) => (left.key < right.key ? 1 : -1))
  }

  #happen({ list, what, share, key }: Happening): void {
    const rows = this.#rowsOf(list)
    const at = Math.floor(share * rows.length)
    const row = rows[at]
    if (row === undefined || what === 'shuffle') return
    const uid = what === 'insert' ? `R${key}` : row.item.uid
    this.touched.add(uid)
    const changed: Readonly<Record<Exclude<Happening['what'], 'shuffle'>, readonly Row[]>> = {
      insert: [...rows, { key, item: { ...row.item, uid, name: uid } }],
      delete: rows.toSpliced(at, 1),
      update: rows.with(at, { key: row.key, item: { ...row.item, name: `${row.item.name} again` } }),
      move: rows.with(at, { key, item: row.item }),
    }
    this.#rows.set(list, changed[what])
  }
}

export function drawCase(seed: string, index: number): ChurnCase {
  const random = createRandom(`churn/${seed}/${index}`)
  const uid = `PROJECT-${index}`
  const endpoints = drawRows(random, 1 + random.below(12), (name) => ({
    uid: name,
    project_id: uid,
    name,
    url: random.chance(0.5) ? 'http://plain.example.com/' : 'https://a.example.com/',
    status: 'active',
    secrets: [{ uid: 'S', value: 'not-a-real-secret-of-an-endpoint', created_at: '2026-11-01T00:00:00Z' }],
    authentication: null,
    http_timeout: 30,
  }))
  const sources = drawRows(random, random.below(9), (name) => ({
    uid: name,
    project_id: uid,
    name,
    type: 'http',
    is_disabled: random.chance(0.5),
    verifier: null,
  }))
  const subscriptions = drawRows(random, random.below(12), (name) => ({
    uid: name,
    project_id: uid,
    name,
    type: 'api',
    endpoint_metadata: null,
    source_metadata: null,
    retry_config: { type: 'linear', duration: 10, retry_count: random.pick([3, 500]) },
  }))
  const rows = { endpoints, sources, subscriptions }
  const pageSize = 1 + random.below(4)
  const happenings = lists.flatMap((list) => {
    const pages = Math.ceil(rows[list].length / pageSize)
    return Array.from({ length: pages === 0 ? 0 : random.below(5) }, () => drawHappening(random, list, pages))
  })
  return { index, uid, rows, pageSize, happenings }
}

export function describeHappening({ list, request, side, what, share, key }: Happening): string {
  return `${side} page ${request + 1} of ${list}: ${what} at ${share.toFixed(2)}, ${key}`
}

function drawRows(random: Random, count: number, make: (uid: string) => Item): readonly Row[] {
  return Array.from({ length: count }, () => keyOf(random)).map((key) => ({ key, item: make(`R${key}`) }))
}

function keyOf(random: Random): string {
  return random.hex(12)
}

function drawHappening(random: Random, list: List, pages: number): Happening {
  return {
    list,
    request: random.below(pages),
    side: random.pick(['before', 'after']),
    what: random.pick(['insert', 'insert', 'delete', 'delete', 'update', 'move', 'shuffle']),
    share: random.bits() / 0x1_0000_0000,
    key: keyOf(random),
  }
}

import { readFileSync } from 'node:fs'
import type { Random } from '../../src/demo/random.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import { recording } from '../../test/demo/recordings.ts'
import { type RecordedExchange, readExchanges } from '../../test/service/replay-server.ts'

export const pagedLists = ['endpoints', 'sources', 'subscriptions'] as const
export type PagedList = (typeof pagedLists)[number]

/** A project as it was recorded: some of its items, closed under what they refer to. */
export interface RecordedWorld {
  readonly uid: string
  readonly project: JsonObject
  readonly lists: Readonly<Record<PagedList, readonly JsonObject[]>>
  readonly eventTypes: readonly JsonObject[]
  /** Filter rows by the uid of the subscription. */
  readonly filters: ReadonlyMap<string, readonly JsonObject[]>
}

interface RecordedProject {
  readonly uid: string
  project: JsonObject | undefined
  readonly lists: Readonly<Record<PagedList, Map<string, JsonObject>>>
}

const recordings = ['acme-1-before', 'acme-2-after', 'older-release', 'older-release-upgraded', 'traps'] as const

/** Draws some items of a recorded project, enough for three pages of each list. `uid`: of the project from then on. */
export function drawWorld(random: Random, uid: string): RecordedWorld {
  const [first, ...others] = recordedProjects()
  if (first === undefined) throw new Error('nothing is recorded')
  const recorded = random.pick([first, ...others])
  const all = (list: PagedList) => random.shuffled([...recorded.lists[list].values()])
  const subscriptions = all('subscriptions').slice(0, 6)
  const referred = (member: string) => new Set(subscriptions.map((item) => uidOf(item[member])))
  const drawn = (list: PagedList, uids: ReadonlySet<unknown>, least: number) => {
    const items = all(list)
    const wanted = items.filter(({ uid }) => uids.has(uid))
    return [...wanted, ...items.filter(({ uid }) => !uids.has(uid)).slice(0, Math.max(0, least - wanted.length))]
  }
  const endpoints = drawn('endpoints', referred('endpoint_metadata'), 6)
  const sources = drawn('sources', referred('source_metadata'), 5)
  const { eventTypes, rows } = recordedFilters()
  const renamed = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(recorded.uid, uid))
  return {
    uid,
    project: renamed(recorded.project ?? {}),
    lists: renamed({ endpoints, sources, subscriptions }),
    eventTypes,
    filters: new Map(
      subscriptions.map(({ uid }) => {
        const list = rows[random.below(rows.length)] ?? []
        return [String(uid), list.map((row) => ({ ...row, subscription_id: uid ?? null }))]
      }),
    ),
  }
}

function uidOf(value: unknown): unknown {
  return isJsonObject(value) ? value.uid : undefined
}

let projects: readonly RecordedProject[] | undefined

function recordedProjects(): readonly RecordedProject[] {
  projects ??= recordings.flatMap((name) => [...projectsIn(recording(name)).values()])
  return projects
}

/** Projects with endpoints, subscriptions and settings; of an item that was read several times, its last state. */
function projectsIn(exchanges: readonly RecordedExchange[]): ReadonlyMap<string, RecordedProject> {
  const found = new Map<string, RecordedProject>()
  for (const { request, response } of exchanges) {
    const [, uid, list] = /^\/api\/v1\/projects\/(\w+)(?:\/(\w+))?(?:\?|$)/.exec(request.path) ?? []
    if (response.status !== 200 || request.method !== 'GET' || uid === undefined) continue
    const project = found.get(uid) ?? {
      uid,
      project: undefined,
      lists: { endpoints: new Map(), sources: new Map(), subscriptions: new Map() },
    }
    const { data } = JSON.parse(response.body)
    if (list === undefined) project.project = data
    for (const name of pagedLists) {
      if (name !== list) continue
      for (const item of data.content ?? []) if (item.project_id === uid) project.lists[name].set(item.uid, item)
    }
    found.set(uid, project)
  }
  for (const [uid, { project, lists }] of found) {
    if (project === undefined || lists.endpoints.size < 4 || lists.subscriptions.size < 4) found.delete(uid)
  }
  return found
}

let filters:
  | { readonly eventTypes: readonly JsonObject[]; readonly rows: readonly (readonly JsonObject[])[] }
  | undefined

function recordedFilters() {
  if (filters !== undefined) return filters
  const file = new URL('../../test/service/recordings/filters.jsonl', import.meta.url)
  const read = readExchanges(readFileSync(file, 'utf8')).filter(
    ({ request, response }) => request.method === 'GET' && response.status === 200,
  )
  const dataAt = (path: RegExp) =>
    read.filter(({ request }) => path.test(request.path)).map(({ response }) => JSON.parse(response.body).data)
  filters = { eventTypes: dataAt(/\/event-types$/).at(-1), rows: dataAt(/\/filters$/) }
  return filters
}

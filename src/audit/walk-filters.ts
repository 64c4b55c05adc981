import type { ActiveViolation } from '../history/history.ts'
import { type FilterReading, type FilterReadings, takeInventory } from '../inventory/take-inventory.ts'
import { chunks } from '../model/chunks.ts'
import { type Clock, isoTime } from '../model/clock.ts'
import type { FilterCoverage, ProjectCoverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import { filtersOf } from '../service/read-filters.ts'
import type { KeyAcceptance, ProjectAccess, Traffic } from '../service/service-client.ts'
import { isStop, ServiceFault } from '../service/service-fault.ts'
import { count } from '../text/count.ts'
import { describeFault } from './describe-fault.ts'
import type { ProjectContext } from './project-context.ts'
import type { AuditedProject, PageRead } from './project-scan.ts'
import { findChanged } from './stage-resources.ts'
import type { TakenPage } from './taken-page.ts'

/**
 * Reads the filter rows of a project's subscriptions, page by page as these are listed: one request each, because no
 * release lists them together and nothing marks a change of them. A run reads at most as many as the configuration
 * allows: new subscriptions first, changed ones and those with a violation about their rows, then those whose rows were
 * read longest ago. The rows of a subscription are whole or unknown.
 */
export interface FilterWalk {
  /** Reads rows for pages of subscriptions, and adds them to these. `traffic`: of the walk that lists them. */
  readFor(pages: AsyncIterable<TakenPage>, traffic: Traffic): AsyncGenerator<TakenPage>
  /** How long it has taken so far. */
  durationMs(): number
  /** What it proved. `list`: what the walk of the subscriptions proved. */
  coverage(list: ProjectCoverage): FilterCoverage
  /** Notes for the next run what was read. */
  stage(list: ProjectCoverage): Promise<void>
}

interface FilterWalkTools {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly acceptance: KeyAcceptance
  readonly onPage: (project: AuditedProject, page: PageRead) => void
}

/** Items that are held until it is decided whose rows are read: where not all can be read, the list is read first. */
const mostHeld = 20_000
/** After so many subscriptions whose rows could not be read, the others are not asked for. */
const mostFaults = 5
const readAtOnce = 100
const comparedAtOnce = 100

export async function openFilterWalk(
  project: AuditedProject,
  context: ProjectContext,
  { clock, signal, acceptance, onPage }: FilterWalkTools,
): Promise<FilterWalk | undefined> {
  const { ref, client, listings, filtersPerRun } = project
  if (listings.filters === 'off') return undefined
  const { draft } = context
  const now = isoTime(context.now)
  const before = decodeReadings(await draft.filterReadings(ref))
  const isRequired = listings.filters === 'required'
  const most = isRequired ? Number.POSITIVE_INFINITY : filtersPerRun
  const traffic: Traffic = { requests: 0, retries: 0, waitedMs: 0 }
  const access: ProjectAccess = { projectUid: ref.uid, key: project.key, filters: {}, signal, traffic, acceptance }

  const listed = new Set<string>()
  const read = new Set<string>()
  let due = 0
  let durationMs = 0
  let faults = 0
  let firstFault: ServiceFault | undefined
  /** Whether the service offers rows; undefined until it has shown some, or shown that it has none. */
  let isOffered: boolean | undefined
  /** How many subscriptions it answered not to have. */
  let denied = 0

  const fail = (fault: ServiceFault) => {
    // Rows of another subscription prove that answers are mixed up: nothing of the project is kept.
    if (fault.kind === 'foreign') throw fault
    firstFault ??= fault
    const isFinal = isStop(fault.kind) || ['refused_key', 'forbidden', 'not_found'].includes(fault.kind)
    faults += isFinal ? mostFaults : 1
  }

  const readOne = async (uid: string): Promise<FilterReading> => {
    if (isOffered === false || faults >= mostFaults || signal.aborted) return 'unread'
    try {
      const rows = await client.filters(uid, access)
      if (rows !== undefined) {
        isOffered = true
        read.add(uid)
        return rows
      }
      firstFault ??= new ServiceFault(
        'not_found',
        `${filtersOf(uid, project.key)}: the service has no such subscription`,
      )
      denied += 1
      // One may have been deleted since it was listed.
      if (isOffered === undefined && denied > 1) isOffered = false
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      if (error.kind === 'not_offered' && isOffered === undefined) {
        isOffered = false
        firstFault = error
      } else fail(error)
    }
    return 'unread'
  }

  /** Whose rows are read, of subscriptions that were listed one after the other. */
  const choose = async (
    items: readonly JsonObject[],
  ): Promise<{ chosen: ReadonlySet<string>; changed: ReadonlySet<string> }> => {
    const uids = items.map(uidOf)
    const left = most - due
    if (uids.length <= left) return { chosen: new Set(uids), changed: new Set() }
    const changed = await changedAmong(items)
    const unread = uids.filter((uid) => !before.has(uid))
    const known = await draft.known(ref, 'subscription', unread)
    const accused = new Set(
      (await draft.activeViolations(ref, 'subscription', uids)).filter(isAboutFilters).map(({ uid }) => uid),
    )
    const isFirst = (uid: string) => changed.has(uid) || accused.has(uid) || !(before.has(uid) || known.has(uid))
    // Of a list that is too long to be held, each part has its share; what comes first may take more.
    const share = Math.ceil((most * (listed.size + uids.length)) / Math.max(before.size, listed.size + uids.length))
    const first = uids.filter(isFirst)
    const others = uids.filter((uid) => !isFirst(uid))
    const readAt = (uid: string) => before.get(uid) ?? ''
    others.sort((a, b) => (readAt(a) < readAt(b) ? -1 : readAt(a) > readAt(b) ? 1 : 0))
    const chosen = first.slice(0, left)
    const room = Math.max(0, Math.min(left, share - due) - chosen.length)
    return { chosen: new Set([...chosen, ...others.slice(0, room)]), changed }
  }

  /** Subscriptions of which the list shows something else than is known. */
  const changedAmong = async (items: readonly JsonObject[]): Promise<ReadonlySet<string>> => {
    const changed = new Set<string>()
    for (const some of chunks(items, comparedAtOnce)) {
      const { listed } = takeInventory('subscriptions', some, context.sealer)
      for (const uid of await findChanged(context, 'subscription', listed)) changed.add(uid)
    }
    return changed
  }

  const readRows = async (items: readonly JsonObject[]): Promise<FilterReadings> => {
    const startedAt = clock.now()
    const { chosen, changed } = await choose(items)
    due += chosen.size
    for (const item of items) listed.add(uidOf(item))
    const rows = new Map<string, FilterReading>()
    const waiting = [...chosen]
    while (waiting.length > 0) {
      // Whether there are rows at all is asked once, not several times at once.
      const some = waiting.splice(0, isOffered === undefined ? 1 : readAtOnce)
      const askedAt = clock.now()
      const had = read.size
      const answers = await Promise.all(some.map(readOne))
      for (const [at, uid] of some.entries()) rows.set(uid, answers[at] ?? 'unread')
      if (read.size > had)
        onPage(project, { listing: 'filters', items: read.size - had, durationMs: clock.now() - askedAt })
    }
    // Rows that were known of a changed subscription may be others now.
    for (const uid of changed) if (!chosen.has(uid) && before.has(uid)) rows.set(uid, 'unread')
    // Where no rows were ever seen and none are offered, nothing is unknown.
    if (isOffered === false) for (const uid of rows.keys()) if (!before.has(uid)) rows.delete(uid)
    durationMs += clock.now() - startedAt
    return rows
  }

  const status = (list: ProjectCoverage): Pick<FilterCoverage, 'status' | 'cause' | 'reason'> => {
    const { cause, reason } = list
    // Nothing of the project is kept.
    if (cause === 'foreign') return { status: 'failed', cause, reason }
    const isListed = list.status === 'complete' || list.status === 'suspect'
    const isAbsent = isOffered === false || (isOffered === undefined && denied > 0 && faults === 0)
    if (isAbsent && !isRequired && isListed)
      return { status: 'skipped', cause: 'not_offered', reason: reasonOf(undefined) }
    const unread = due - read.size
    if (unread > 0) {
      const about = `${unread} of ${count(due, 'subscription')} whose filters were due: not read; the first`
      const kind = firstFault?.kind ?? 'stopped'
      // Who was stopped has not failed.
      const isPartial = read.size > 0 || isStop(kind)
      return { status: isPartial ? 'partial' : 'failed', cause: kind, reason: reasonOf(about) }
    }
    if (isListed) return { status: 'complete', cause: null, reason: null }
    // Those of subscriptions that were not listed were not read either, for the same reason.
    return { status: list.status === 'failed' ? 'failed' : 'partial', cause, reason }
  }

  const reasonOf = (about: string | undefined) => {
    const first = firstFault === undefined ? 'the run was stopped' : describeFault(firstFault, project)
    return about === undefined ? first : `${about}: ${first}`
  }

  return {
    async *readFor(pages, walk) {
      const isHeld = before.size >= most
      for await (const held of windowsOf(pages, isHeld ? mostHeld : 0)) {
        traffic.waitedMs = walk.waitedMs
        const filters = await readRows(held.flatMap(({ items }) => items))
        walk.waitedMs = Math.max(walk.waitedMs, traffic.waitedMs)
        for (const page of held) yield { ...page, filters }
      }
    },
    durationMs: () => durationMs,
    coverage(list) {
      const times = [...listed]
        .map((uid) => (read.has(uid) ? now : before.get(uid)))
        .filter((time) => time !== undefined)
      const { requests, retries } = traffic
      return {
        listing: 'filters',
        ...status(list),
        filter: null,
        pages: 0,
        items: list.cause === 'foreign' ? 0 : read.size,
        of: listed.size,
        oldestAt: times.reduce<string | null>(
          (oldest, time) => (oldest === null || time < oldest ? time : oldest),
          null,
        ),
        requests,
        retries,
        durationMs: Math.round(durationMs),
      }
    },
    async stage(list) {
      if (read.size === 0 && list.status !== 'complete') return
      const isGone = (uid: string) => list.status === 'complete' && list.filter === null && !listed.has(uid)
      const readings = new Map([...before].filter(([uid]) => !isGone(uid)))
      for (const uid of read) readings.set(uid, now)
      if (readings.size > 0 || before.size > 0) await draft.stageFilterReadings(ref, encodeReadings(readings))
    },
  }
}

/** Pages until they hold so many items; a list that breaks off still shows what came before. */
async function* windowsOf(pages: AsyncIterable<TakenPage>, most: number): AsyncGenerator<readonly TakenPage[]> {
  let held: TakenPage[] = []
  let items = 0
  try {
    for await (const page of pages) {
      held.push(page)
      items += page.items.length
      if (items < most) continue
      yield held
      held = []
      items = 0
    }
  } catch (error) {
    if (!(error instanceof ServiceFault) || error.kind === 'foreign') throw error
    if (held.length > 0) yield held
    throw error
  }
  if (held.length > 0) yield held
}

function uidOf({ uid }: JsonObject): string {
  return String(uid)
}

function isAboutFilters({ path }: Pick<ActiveViolation, 'path'>): boolean {
  return path === '/filters' || path.startsWith('/filters/')
}

/** When rows were read, by the uid of the subscription. Hookdrift wrote it: [[time, [uid, …]], …]. */
function decodeReadings(body: string | undefined): ReadonlyMap<string, string> {
  const times = body === undefined ? [] : (JSON.parse(body) as readonly (readonly [string, readonly string[]])[])
  return new Map(times.flatMap(([time, uids]) => uids.map((uid) => [uid, time] as const)))
}

function encodeReadings(readings: ReadonlyMap<string, string>): string {
  const byTime = Map.groupBy(readings.keys(), (uid) => readings.get(uid) ?? '')
  return JSON.stringify([...byTime].sort(([a], [b]) => (a < b ? -1 : 1)))
}

import { type FilterReading, type FilterReadings, takeInventory } from '../gateway/inventory/take-inventory.ts'
import { filtersOf } from '../gateway/service/read-filters.ts'
import type { ProjectAccess } from '../gateway/service/service-client.ts'
import { isStop, ServiceFault } from '../gateway/service/service-fault.ts'
import type { ActiveViolation } from '../history/staged.ts'
import { parseStored } from '../history/stored-body.ts'
import type { FilterCoverage, ProjectCoverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { isoTime } from '../model/time.ts'
import type { AuditedProject } from './audited-project.ts'
import { findChanged } from './compare-resources.ts'
import { describeFault } from './describe-fault.ts'
import type { OpenRun } from './open-run.ts'
import type { Page, ProjectScan } from './project-scan.ts'

/** Items that are held until it is decided whose rows are read: where not all can be read, the list is read first. */
const mostHeld = 20_000
/** After so many subscriptions whose rows could not be read, the others are not asked for. */
const mostFaults = 5
const readAtOnce = 100

/**
 * Reads the filter rows of a project's subscriptions, page by page as these are listed: one request each, because no
 * release lists them together and nothing marks a change of them. A run reads at most as many as the configuration
 * allows: new subscriptions first and changed ones, then for a half of the rest those with a violation about their rows,
 * then those whose rows were read longest ago. The rows of a subscription are whole or unknown.
 */
export class FilterWalk {
  readonly #scan: ProjectScan
  readonly #project: AuditedProject
  readonly #run: Pick<OpenRun, 'clock' | 'onPage'>
  /** With traffic of its own. */
  readonly #access: ProjectAccess
  /** When rows were read before this run, by the uid of the subscription. */
  readonly #before: ReadonlyMap<string, string>
  /** Of how many subscriptions rows are read. */
  readonly #most: number
  /** Whether no rows are to be read: what an earlier run read of them is unknown now. */
  readonly #isOff: boolean
  readonly #listed = new Set<string>()
  readonly #read = new Set<string>()
  #due = 0
  #durationMs = 0
  #faults = 0
  #firstFault: ServiceFault | undefined
  /** Whether the service offers rows; undefined until it has shown some, or shown that it has none. */
  #isOffered: boolean | undefined
  /** How many subscriptions it answered not to have. */
  #denied = 0

  /** undefined where no rows are to be read, and none were. */
  static open(
    scan: ProjectScan,
    project: AuditedProject,
    run: Pick<OpenRun, 'clock' | 'onPage'>,
    access: ProjectAccess,
  ): FilterWalk | undefined {
    const before = decodeReadings(scan.before.rows)
    if (project.listings.filters === 'off' && before.size === 0) return undefined
    return new FilterWalk(scan, project, run, access, before)
  }

  private constructor(
    scan: ProjectScan,
    project: AuditedProject,
    run: Pick<OpenRun, 'clock' | 'onPage'>,
    access: ProjectAccess,
    before: ReadonlyMap<string, string>,
  ) {
    this.#scan = scan
    this.#project = project
    this.#run = run
    this.#access = { ...access, filters: {}, traffic: { requests: 0, retries: 0 } }
    this.#before = before
    this.#isOff = project.listings.filters === 'off'
    this.#most = project.listings.filters === 'required' ? Number.POSITIVE_INFINITY : project.filtersPerRun
  }

  /** How long it has taken so far. */
  get durationMs(): number {
    return this.#durationMs
  }

  /** When the rows of a subscription were read before this run: ISO 8601, UTC. */
  lastReadAt(uid: string): string | undefined {
    return this.#before.get(uid)
  }

  /** Reads rows for pages of subscriptions, and adds them to these. */
  async *readFor(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const isHeld = !this.#isOff && this.#before.size >= this.#most
    for await (const { held, isLast } of windowsOf(pages, isHeld ? mostHeld : 0)) {
      const items = held.flatMap((page) => page.items)
      const filters = await this.#readRows(items, isLast)
      for (const page of held) yield { ...page, filters }
    }
  }

  /** What it proved; undefined where no rows were to be read. `list`: what the walk of the subscriptions proved. */
  coverage(list: ProjectCoverage): FilterCoverage | undefined {
    if (this.#isOff) return undefined
    const now = isoTime(this.#scan.now)
    const isForeign = list.cause === 'foreign'
    const times = [...this.#listed]
      .map((uid) => (this.#read.has(uid) && !isForeign ? now : this.#before.get(uid)))
      .filter((time) => time !== undefined)
    return {
      listing: 'filters',
      ...this.#status(list),
      filter: null,
      pages: 0,
      items: isForeign ? 0 : this.#read.size,
      of: this.#listed.size,
      oldest_at: times.reduce<string | null>(
        (oldest, time) => (oldest === null || time < oldest ? time : oldest),
        null,
      ),
      ...this.#access.traffic,
      duration_ms: Math.round(this.#durationMs),
    }
  }

  /** What the next run gets; undefined where it has that already. */
  left(list: ProjectCoverage): string | undefined {
    if (this.#read.size === 0 && list.status !== 'complete') return undefined
    const { now } = this.#scan
    const isGone = (uid: string) => list.status === 'complete' && list.filter === null && !this.#listed.has(uid)
    const readings = new Map([...this.#before].filter(([uid]) => !isGone(uid)))
    for (const uid of this.#read) readings.set(uid, isoTime(now))
    return readings.size === 0 && this.#before.size === 0 ? undefined : encodeReadings(readings)
  }

  async #readRows(items: readonly JsonObject[], isLast: boolean): Promise<FilterReadings> {
    const { clock, onPage } = this.#run
    const startedAt = clock.now()
    const { chosen, changed } = this.#choose(items, isLast)
    this.#due += chosen.size
    for (const item of items) this.#listed.add(uidOf(item))
    const rows = new Map<string, FilterReading>()
    const waiting = [...chosen]
    while (waiting.length > 0) {
      // Whether there are rows at all is asked once, not several times at once.
      const batch = waiting.splice(0, this.#isOffered === undefined ? 1 : readAtOnce)
      const askedAt = clock.now()
      const had = this.#read.size
      const answers = await Promise.all(batch.map((uid) => this.#readOne(uid)))
      for (const [at, uid] of batch.entries()) rows.set(uid, answers[at] ?? 'unread')
      const fresh = this.#read.size - had
      if (fresh > 0) onPage(this.#project, { listing: 'filters', items: fresh, durationMs: clock.now() - askedAt })
    }
    // Rows that were known may be others now.
    for (const uid of changed) if (!chosen.has(uid) && this.#before.has(uid)) rows.set(uid, 'unread')
    // Where no rows were ever seen and none are offered, nothing is unknown.
    if (this.#isOffered === false) for (const uid of rows.keys()) if (!this.#before.has(uid)) rows.delete(uid)
    this.#durationMs += clock.now() - startedAt
    return rows
  }

  /**
   * Whose rows are read, of subscriptions that were listed one after the other. `changed`: whose rows may be others than
   * an earlier run read.
   */
  #choose(
    items: readonly JsonObject[],
    isLast: boolean,
  ): { readonly chosen: ReadonlySet<string>; readonly changed: ReadonlySet<string> } {
    const uids = items.map(uidOf)
    if (this.#isOff) return { chosen: new Set(), changed: new Set(uids) }
    const remaining = this.#most - this.#due
    if (uids.length <= remaining) return { chosen: new Set(uids), changed: new Set() }
    const { versions, violations } = this.#scan.before
    const before = this.#before
    const changed = this.#changedAmong(items)
    const isKnown = (uid: string) => versions.find('subscription', uid) !== undefined
    const accused = new Set(violations.filter(isAboutFilters).map(({ uid }) => uid))
    const isFirst = (uid: string) => changed.has(uid) || !(before.has(uid) || isKnown(uid))
    // Of a list that is too long to be held, each part has its share; what comes first may take more.
    const listed = this.#listed.size + uids.length
    const share = isLast ? this.#most : Math.ceil((this.#most * listed) / Math.max(before.size, listed))
    const readAt = (uid: string) => before.get(uid) ?? ''
    const inTurn = uids
      .filter((uid) => !isFirst(uid))
      .sort((a, b) => (readAt(a) < readAt(b) ? -1 : readAt(a) > readAt(b) ? 1 : 0))
    const first = uids.filter(isFirst).slice(0, remaining)
    // Where there are many of them, the turn of the others comes all the same.
    const nearlyFirst = inTurn.filter((uid) => accused.has(uid)).slice(0, Math.floor((remaining - first.length) / 2))
    const chosen = new Set([...first, ...nearlyFirst])
    const others = inTurn.filter((uid) => !chosen.has(uid))
    const room = Math.max(0, Math.min(remaining, share - this.#due) - chosen.size)
    return { chosen: new Set([...chosen, ...others.slice(0, room)]), changed }
  }

  /** Subscriptions of which the list shows something else than is known. */
  #changedAmong(items: readonly JsonObject[]): ReadonlySet<string> {
    const { listed } = takeInventory('subscriptions', items, this.#scan.sealer)
    return new Set(findChanged(this.#scan, 'subscription', listed))
  }

  async #readOne(uid: string): Promise<FilterReading> {
    const access = this.#access
    if (this.#isOffered === false || this.#faults >= mostFaults || access.signal.aborted) return 'unread'
    try {
      const rows = await this.#project.client.filters(uid, access)
      if (rows !== undefined) {
        this.#isOffered = true
        this.#read.add(uid)
        return rows
      }
      const denial = `${filtersOf(uid, access.key)}: the service has no such subscription`
      this.#firstFault ??= new ServiceFault('not_found', denial)
      this.#denied += 1
      // One may have been deleted since it was listed.
      if (this.#isOffered === undefined && this.#denied > 1) this.#isOffered = false
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error
      if (error.kind === 'not_offered' && this.#isOffered === undefined) {
        this.#isOffered = false
        this.#firstFault = error
      } else this.#fail(error)
    }
    return 'unread'
  }

  #fail(fault: ServiceFault): void {
    // Rows of another subscription prove that answers are mixed up: nothing of the project is kept.
    if (fault.kind === 'foreign') throw fault
    this.#firstFault ??= fault
    const isFinal = isStop(fault.kind) || ['refused_key', 'forbidden', 'not_found'].includes(fault.kind)
    this.#faults += isFinal ? mostFaults : 1
  }

  #status(list: ProjectCoverage): Pick<FilterCoverage, 'status' | 'cause' | 'reason'> {
    const { cause, reason } = list
    // Nothing of the project is kept.
    if (cause === 'foreign') return { status: 'failed', cause, reason }
    const isListed = list.status === 'complete' || list.status === 'suspect'
    const isDenied = this.#isOffered === undefined && this.#denied > 0 && this.#faults === 0
    const isAbsent = this.#isOffered === false || isDenied
    const isRequired = this.#project.listings.filters === 'required'
    if (isAbsent && !isRequired && isListed) {
      return { status: 'skipped', cause: 'not_offered', reason: this.#describeFirstFault() }
    }
    const unread = this.#due - this.#read.size
    if (unread > 0) {
      const about = `${unread} of ${count(this.#due, 'subscription')} whose filters were due: not read; the first`
      const kind = this.#firstFault?.kind ?? 'stopped'
      // Who was stopped has not failed.
      const isPartial = this.#read.size > 0 || isStop(kind)
      return {
        status: isPartial ? 'partial' : 'failed',
        cause: kind,
        reason: `${about}: ${this.#describeFirstFault()}`,
      }
    }
    if (isListed) return { status: 'complete', cause: null, reason: null }
    // Those of subscriptions that were not listed were not read either, for the same reason.
    return { status: list.status === 'failed' ? 'failed' : 'partial', cause, reason }
  }

  #describeFirstFault(): string {
    return this.#firstFault === undefined ? 'the run was stopped' : describeFault(this.#firstFault, this.#project)
  }
}

/** Pages until they hold so many items; a list that breaks off still shows what came before. */
async function* windowsOf(
  pages: AsyncIterable<Page>,
  most: number,
): AsyncGenerator<{ readonly held: readonly Page[]; readonly isLast: boolean }> {
  let held: Page[] = []
  let items = 0
  try {
    for await (const page of pages) {
      held.push(page)
      items += page.items.length
      if (items < most) continue
      yield { held, isLast: false }
      held = []
      items = 0
    }
  } catch (error) {
    if (!(error instanceof ServiceFault) || error.kind === 'foreign') throw error
    if (held.length > 0) yield { held, isLast: true }
    throw error
  }
  if (held.length > 0) yield { held, isLast: true }
}

function uidOf({ uid }: JsonObject): string {
  return String(uid)
}

function isAboutFilters({ kind, path }: Pick<ActiveViolation, 'kind' | 'path'>): boolean {
  return kind === 'subscription' && (path === '/filters' || path.startsWith('/filters/'))
}

/** When rows were read, by the uid of the subscription. Hookdrift wrote it: [[time, [uid, …]], …]. */
function decodeReadings(body: string | undefined): ReadonlyMap<string, string> {
  const times = body === undefined ? [] : parseStored<readonly (readonly [string, readonly string[]])[]>(body)
  return new Map(times.flatMap(([time, uids]) => uids.map((uid) => [uid, time] as const)))
}

function encodeReadings(readings: ReadonlyMap<string, string>): string {
  const byTime = Map.groupBy(readings.keys(), (uid) => readings.get(uid) ?? '')
  return JSON.stringify([...byTime].sort(([a], [b]) => (a < b ? -1 : 1)))
}

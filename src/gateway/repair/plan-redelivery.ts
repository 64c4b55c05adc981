import { count } from '../../model/text/count.ts'

/** What an endpoint did not get, and what is known of it. */
export interface LostDeliveries {
  readonly uid: string
  /** As sentences name it. */
  readonly name: string
  /** The same for endpoints whose windows begin and end alike. */
  readonly window: string
  /** Deliveries of the window that ended without arriving. */
  readonly failed: readonly FailedDelivery[]
  /** Events of which no delivery was made. */
  readonly undelivered: readonly string[]
  /** Events of which a delivery arrived since, or is still tried; undefined where that could not be read. */
  readonly reached: ReadonlySet<string> | undefined
  /** Deliveries of the window that are still tried. */
  readonly pending: number
  /** The endpoint's status; `gone`: it was deleted. */
  readonly status: string
  /** Whether it takes what the deliveries of the window carry: they have their headers from when they were made. */
  readonly headers: 'accepted' | 'changed' | 'expired' | 'unknown'
  /** Whether the service switches an endpoint off after the last attempt of a delivery, whether it arrived or not. */
  readonly isSwitchedOff: boolean
  /** Why requests would fail again, as a sentence: something has to be put back first. */
  readonly blocked: string | undefined
  /** Commands that put back what decides which events it gets. */
  readonly restoring: readonly string[]
}

export interface FailedDelivery {
  readonly eventId: string
  readonly subscriptionId: string
  readonly status: 'Failure' | 'Discarded'
}

/**
 * The endpoints that get an event if it is replayed now. `nowhere`: it names an endpoint that was deleted, and the worker
 * gives up on it. undefined: not known.
 */
export type ReachOf = (eventId: string) => readonly string[] | 'nowhere' | undefined

/** What brings an endpoint what it did not get: all of it once, and nothing that arrived. */
export interface Redelivery {
  /** One request for the deliveries of these endpoints, of which this one is the first. */
  readonly retry: {
    readonly endpoints: readonly string[]
    readonly statuses: readonly FailedDelivery['status'][]
    readonly deliveries: number
  } | null
  /** A request for each event, and other endpoints that get it again. */
  readonly replay: { readonly events: readonly string[]; readonly alsoReaches: readonly string[] } | null
  /** Uids of endpoints that must be activated before: of all that these requests serve. */
  readonly activate: readonly string[]
  /** Sentences. */
  readonly reasons: readonly string[]
}

/**
 * Plans what brings the endpoints of a project what they did not get. A retry of a delivery goes to one endpoint, with the
 * headers of then. A replay of an event makes new deliveries, for all endpoints that match now. So what one endpoint gets
 * by a replay must not be retried for another one.
 */
export function planRedelivery(rows: readonly LostDeliveries[], reachOf: ReachOf): readonly Redelivery[] {
  const ways = rows.map((row) => firstWay(row, reachOf))
  for (;;) {
    const replayed = new Set(ways.flatMap(({ replay }) => replay))
    const gets = (event: string, uid: string) => replayed.has(event) && reachOf(event)?.includes(uid) !== false
    const next = ways.find(
      ({ isRetried, row }) => isRetried && row.failed.some(({ eventId }) => gets(eventId, row.uid)),
    )
    if (next === undefined) break
    next.isRetried = false
    addReplay(next, next.row.failed, reachOf)
    next.reasons.push(
      'Some of its events are replayed for another endpoint and reach it by that: the others are replayed, too.',
    )
  }
  const carriers = new Map<string, Way>()
  for (const way of ways) for (const event of way.replay) if (!carriers.has(event)) carriers.set(event, way)
  return ways.map((way) => concludeWay(way, ways, carriers, reachOf))
}

/** How an endpoint gets what it lost, while that is decided. */
interface Way {
  readonly row: LostDeliveries
  isRetried: boolean
  replay: string[]
  readonly reasons: string[]
}

function firstWay(row: LostDeliveries, reachOf: ReachOf): Way {
  const { failed, undelivered, reached, pending, status, headers, isSwitchedOff, blocked } = row
  const way: Way = { row, isRetried: false, replay: [], reasons: [] }
  if (pending > 0) way.reasons.push(`${are(pending, 'delivery', 'deliveries')} still tried: Convoy goes on by itself.`)
  if (failed.length + undelivered.length === 0) return way
  if (status === 'gone') {
    way.reasons.push(deleted)
    return way
  }
  if (blocked !== undefined) {
    way.reasons.push(blocked)
    return way
  }
  if (reached === undefined) {
    way.reasons.push(unread)
    return way
  }
  const arrived = failed.filter(({ eventId }) => reached.has(eventId)).length
  const isTwice = new Set(failed.map((one) => `${one.eventId} ${one.subscriptionId}`)).size < failed.length
  if (failed.length > 0 && headers !== 'accepted') way.reasons.push(whyReplayed[headers])
  else if (arrived > 0) way.reasons.push(`${of(arrived, 'failed delivery', 'failed deliveries')} ${arrivedSince}`)
  else if (isTwice) way.reasons.push(failedTwice)
  else if (isSwitchedOff && failed.some((one) => one.status === 'Failure')) way.reasons.push(switchedOff)
  else way.isRetried = failed.length > 0
  addReplay(way, way.isRetried ? [] : failed, reachOf)
  return way
}

const deleted =
  'The endpoint is deleted. A retry would turn each delivery that it touches into Discarded, those that arrived as well: none is printed.'
const unread =
  'What arrived after the window could not be read, so a request might deliver something twice: none is printed.'
const arrivedSince =
  'of events that arrived since. A retry would deliver them twice: the events of the others are replayed instead.'
const failedTwice =
  'Events of the window failed more than once. A retry would deliver them twice: they are replayed instead.'
const switchedOff =
  'The project switches an endpoint off after the last attempt of a delivery (`disable_endpoint`), also where that arrives. A retry of failed deliveries would end with the first one: the events are replayed instead.'
const whyReplayed = {
  changed:
    'Authentication was another one in the window. A delivery has its headers from when it was made, so a retry would be refused again: the events are replayed instead.',
  expired:
    'A delivery has its OAuth2 token from when it was made, so a retry may be refused: the events are replayed instead.',
  unknown:
    'Whether authentication is as it was in the window is not known, and a retry sends the headers of then: the events are replayed instead.',
} as const

/** Adds the events that are to be replayed for an endpoint: without what arrived, and without what would not reach it. */
function addReplay(way: Way, failed: readonly FailedDelivery[], reachOf: ReachOf): void {
  const { uid, undelivered, reached, restoring } = way.row
  const wanted = [...new Set([...failed.map(({ eventId }) => eventId), ...undelivered])].filter((event) => {
    return reached?.has(event) !== true && !way.replay.includes(event)
  })
  const left = { unmatched: 0, nowhere: 0, unnameable: 0 }
  for (const event of wanted) {
    const reach = reachOf(event)
    if (reach === 'nowhere') left.nowhere += 1
    else if (reach?.includes(uid) === false) left.unmatched += 1
    else if (!isPlainId(event)) left.unnameable += 1
    else way.replay.push(event)
  }
  if (left.unmatched > 0) {
    const how = restoring.length === 0 ? '' : ` (${restoring.map((command) => `\`${command}\``).join(', ')})`
    way.reasons.push(
      `${of(left.unmatched, 'event', 'events')} for which no subscription leads to it now: put that back${how}, audit, then ask again.`,
    )
  }
  if (left.nowhere > 0)
    way.reasons.push(
      `${of(left.nowhere, 'event', 'events')} that ${left.nowhere === 1 ? 'names' : 'name'} a deleted endpoint, too: Convoy delivers no replay of that.`,
    )
  if (left.unnameable > 0)
    way.reasons.push(
      `${of(left.unnameable, 'event', 'events')} whose ids no address can name: no request is printed for them.`,
    )
}

/** A text of the service that becomes a part of an address, and a word of a command. */
function isPlainId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)
}

function concludeWay(way: Way, ways: readonly Way[], carriers: ReadonlyMap<string, Way>, reachOf: ReachOf): Redelivery {
  const { row } = way
  const reasons = [...way.reasons]
  const events = way.replay.filter((event) => carriers.get(event) === way)
  for (const [carrier, shared] of Map.groupBy(way.replay, (event) => carriers.get(event))) {
    if (carrier !== undefined && carrier !== way)
      reasons.push(
        `${of(shared.length, 'event', 'events')} that ${isOrAre(shared.length)} replayed with those of ${carrier.row.name}.`,
      )
  }
  const alsoReaches = [...new Set(events.flatMap((event) => againOf(event, row.uid)))].sort()
  if (alsoReaches.length > 0)
    reasons.push(`Also reaches ${count(alsoReaches.length, 'other endpoint')}, which get them again.`)
  const isUnsure = events.filter((event) => reachOf(event) === undefined).length
  if (isUnsure > 0)
    reasons.push(`Which other endpoints get ${isUnsure === 1 ? '1 event' : `${isUnsure} events`} again is not known.`)
  const retry = way.isRetried ? retryOf(reasons) : null
  if (mustBeActive(way))
    reasons.push(`The endpoint is ${row.status}: activate it first, or all of it is discarded again.`)
  else if (row.status === 'paused' && way.isRetried)
    reasons.push('The endpoint is paused: a retry delivers all the same.')
  // Requests that several endpoints share come after the activation of all of them.
  const isServed = (each: Way) =>
    retry?.endpoints.includes(each.row.uid) || each.replay.some((event) => events.includes(event))
  const activate = ways.flatMap((each) => (isServed(each) && mustBeActive(each) ? [each.row.uid] : []))
  return { retry, replay: events.length === 0 ? null : { events, alsoReaches }, activate, reasons }

  /** Endpoints that get an event by a replay although they did not miss it. */
  function againOf(event: string, uid: string): readonly string[] {
    const reach = reachOf(event)
    if (reach === undefined || reach === 'nowhere') return []
    const isMissed = (other: string) => ways.some((each) => each.row.uid === other && each.replay.includes(event))
    return reach.filter((other) => other !== uid && !isMissed(other))
  }

  function retryOf(reasons: string[]): Redelivery['retry'] {
    const retried = ways.filter(({ isRetried }) => isRetried)
    const alike = retried.filter((each) => each.row.window === row.window)
    const [first] = alike
    if (first !== way && first !== undefined) {
      reasons.push(
        `Retried by the request of ${first.row.name}: Convoy runs one batch of retries in a project at a time.`,
      )
      return null
    }
    const before = retried.slice(0, retried.indexOf(way)).findLast((each) => each.row.window !== row.window)
    if (before !== undefined)
      reasons.push(
        `Send the retry when that of ${before.row.name} has ended: Convoy runs one batch in a project at a time.`,
      )
    const failed = alike.flatMap((each) => each.row.failed)
    return {
      endpoints: alike.map((each) => each.row.uid),
      statuses: (['Failure', 'Discarded'] as const).filter((status) => failed.some((one) => one.status === status)),
      deliveries: failed.length,
    }
  }
}

/** Whether what is sent would be discarded. A batch of retries does not check whether an endpoint is paused. */
function mustBeActive({ row, isRetried, replay }: Way): boolean {
  const isUsed = isRetried || replay.length > 0
  return isUsed && row.status !== 'active' && (row.status !== 'paused' || replay.length > 0)
}

function are(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several} ${isOrAre(number)}`
}

function isOrAre(number: number): string {
  return number === 1 ? 'is' : 'are'
}

/** `There are 3 events`. */
function of(number: number, one: string, several: string): string {
  return `There ${isOrAre(number)} ${number} ${number === 1 ? one : several}`
}

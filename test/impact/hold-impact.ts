import { expect } from 'vitest'
import { trafficOf } from '../../src/demo/deliveries.ts'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import type { DeliveryStatus } from '../../src/gateway/deliveries.ts'
import { command } from '../cli/run-in-process.ts'
import {
  type EventDrift,
  type EventHistory,
  type PrintedRequest,
  sendPrinted,
  type Truth,
  takenBy,
  truthOf,
} from './event-history.ts'

/** A row of `hookdrift impact --format json`, as far as it is held against the truth. */
interface ImpactRow {
  readonly kind: 'endpoint' | 'source'
  readonly uid: string
  readonly name: string
  readonly from: { readonly at: string }
  readonly to: { readonly at: string }
  readonly deliveries: Readonly<Record<DeliveryStatus, number | null>>
  readonly undelivered: number | null
  readonly first: readonly PrintedRequest[]
  readonly retry: (PrintedRequest & { readonly count: number }) | null
  readonly replay:
    | (PrintedRequest & { readonly count: number; readonly events: string[]; readonly also_reaches: string[] })
    | null
  readonly reasons: readonly string[]
}

/** How much of what was lost could be counted, and came back. */
export interface Held {
  readonly lost: number
  readonly regained: number
}

/**
 * Asks about each drift of a history what it cost, compares the answer with the truth, and sends the requests that it
 * prints: they must bring exactly what was lost, once, and nothing else.
 */
export async function holdImpact(history: EventHistory): Promise<readonly Held[]> {
  const held: Held[] = []
  const reached = new Set<string>()
  for (const drift of history.drifts) {
    const { requests } = history.service
    const before = requests.length
    const { code, stdout, stderr } = await ask(history, drift)
    expect(requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
    const label = `${history.seed}, ${drift.kind} of ${drift.name}`
    if (!drift.isSeen) {
      // Another drift, also one by the service, may have changed the same resource.
      const isSilent = history.drifts.every(({ name, isSeen }) => name !== drift.name || !isSeen) && !isRefusing(drift)
      if (isSilent) expect([label, code]).toEqual([label, 2])
      continue
    }
    expect([label, stderr, code === 0 || code === 3]).toEqual([label, stderr, true])
    const rows: ImpactRow[] = JSON.parse(stdout).rows
    for (const row of rows.filter(({ kind }) => kind === 'endpoint')) {
      // What a request for another endpoint brought it again does not belong to its own history.
      if (reached.has(row.uid)) continue
      held.push(await holdRow(history, drift, row))
      for (const uid of row.replay?.also_reaches ?? []) reached.add(uid)
    }
  }
  return held
}

async function holdRow(history: EventHistory, drift: EventDrift, row: ImpactRow): Promise<Held> {
  const { name, deliveries, undelivered, reasons } = row
  const window = { from: Date.parse(row.from.at), to: Math.min(Date.parse(row.to.at), history.now()) }
  const truth = truthOf(history, name, window)
  /** Says where a comparison fails. */
  const about = JSON.stringify({ seed: history.seed, drift, row, truth }, null, 1)
  const agrees = (said: unknown, is: unknown, what: string) => expect({ what, said }, about).toEqual({ what, said: is })
  for (const [status, count] of Object.entries(deliveries)) {
    // as: entries forget the type of keys.
    if (count !== null) agrees(count, truth.deliveries[status as DeliveryStatus], status)
  }
  if (window.from < history.service.behaviour.retainedFromMs) {
    // What is left may be counted, and never nothing.
    agrees([undelivered, ...Object.values(deliveries)].includes(0), false, 'a zero for what is deleted')
    agrees(
      reasons.some((reason) => reason.includes('may have deleted') || reason.includes('left no trace')),
      true,
      'that something is deleted',
    )
    return { lost: truth.lost.length, regained: 0 }
  }
  const isUnknown = undelivered === null || Object.values(deliveries).includes(null)
  if (undelivered !== null) agrees(undelivered, truth.undelivered.length, 'undelivered')
  agrees(isUnknown && reasons.length === 0, false, 'null without a reason')
  // The last change of the endpoint is then that the service switched it off, and what caused that is not asked about.
  if (drift.putBackAt === null && isRefusing(drift) && isInactive(history, row))
    return { lost: truth.lost.length, regained: 0 }
  const regained = await holdRequests(history, row, truth, agrees)
  const isOver = history.drifts.every((one) => one.name !== name || one.putBackAt !== null)
  // No release delivers a replay of an event that names a deleted endpoint, too.
  const isHopeless = reasons.some((reason) => reason.includes('a deleted endpoint, too'))
  if (isOver && !isUnknown && !isHopeless) agrees(regained, truth.lost.length, 'what came back')
  return { lost: truth.lost.length, regained }
}

/** Whether its receiver refuses deliveries, so that the service may switch the endpoint off. */
function isRefusing({ kind }: EventDrift): boolean {
  return kind === 'URL moved' || kind === 'authentication lost'
}

function isInactive({ world }: EventHistory, { name, uid }: ImpactRow): boolean {
  const { endpoints } = world.fleet.open(name === 'inner' ? world.incoming : world.outgoing)
  return endpoints.find((row) => row.uid === uid)?.status === 'inactive'
}

/** Sends what a row prints. Gives how many events came back. */
async function holdRequests(
  history: EventHistory,
  { name, uid, first, retry, replay, reasons }: ImpactRow,
  truth: Truth,
  agrees: (said: unknown, is: unknown, what: string) => void,
): Promise<number> {
  const { world } = history
  const names = Object.keys(world.endpoints)
  const before = new Map(names.map((each) => [each, takenBy(world.received, each)]))
  const numbers = numbersOf(history)
  if (retry !== null || replay !== null) for (const request of first) await sendPrinted(history, request)
  // This release has no request that activates an endpoint: a person does it on the dashboard.
  if (first.length === 0 && reasons.some((reason) => reason.includes('activate it first')))
    setEndpointStatus(world.fleet, { project: name === 'inner' ? world.incoming : world.outgoing, uid }, 'active')
  if (retry !== null) agrees(await sendPrinted(history, retry), 200, 'retry')
  for (const id of replay?.events ?? []) {
    if (replay !== null) agrees(await sendPrinted(history, replay, { EVENT_ID: id }), 200, 'replay')
  }
  const replayed = new Set(replay?.events.map((id) => numbers.get(id)))
  let regained = 0
  for (const each of names) {
    const had = before.get(each)
    const now = takenBy(world.received, each)
    const isPending = (n: number) => each === name && truth.pending.includes(n)
    const fresh = [...now].filter(([n, times]) => times > (had?.get(n) ?? 0) && !isPending(n))
    const again = fresh.filter(([n]) => had?.has(n)).map(([n]) => n)
    const several = fresh.filter(([n, times]) => times > (had?.get(n) ?? 0) + 1)
    agrees(several, [], `what ${each} got several times`)
    if (each === name) {
      regained = fresh.length
      agrees(again, [], 'what came again')
      agrees(
        fresh.flatMap(([n]) => (truth.lost.includes(n) ? [] : n)),
        [],
        'what was not lost',
      )
      agrees((retry?.count ?? 0) + (replay?.count ?? 0), fresh.length, 'count of requests')
    } else {
      agrees(
        fresh.flatMap(([n]) => (replayed.has(n) ? [] : n)),
        [],
        `what ${each} got`,
      )
      if (again.length > 0) agrees(replay?.also_reaches.includes(world.endpoints[each] ?? ''), true, `also ${each}`)
    }
  }
  return regained
}

/** Events by their ids. */
function numbersOf({ world }: EventHistory): ReadonlyMap<string, number> {
  const all = [world.outgoing, world.incoming].flatMap((project) => [
    ...trafficOf(world.fleet).of(project).events.values(),
  ])
  return new Map(all.map(({ uid, data }) => [uid, Number(Object(data).n)]))
}

function ask({ directory, config, env }: EventHistory, { uid }: EventDrift) {
  return command(['impact', uid, '--config', config, '--format', 'json'], { cwd: directory, env })
}

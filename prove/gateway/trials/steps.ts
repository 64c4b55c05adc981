import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isEqual, isJsonObject, type Json, type JsonObject, valueAt } from '../../../src/model/json.ts'
import type { ReceivedRequest } from './receiver.ts'
import type { TriedProject } from './tried-project.ts'

/** A part of a trial: does something, or holds the gateway to something. Answers with what was wrong. */
export type Step = (project: TriedProject) => Promise<string | undefined>

/** How long the gateway may take for a delivery and its retries, and how long it must send nothing more. */
const patienceMs = 30_000
const quietMs = 4000

/** An event for one endpoint of an outgoing project. */
export function event(body: JsonObject = {}, to = 0): Step {
  return async (project) =>
    expectStatus(
      201,
      await project.send('POST', '/events', { endpoint_id: project.endpoints[to] ?? '', ...anEvent, ...body }),
    )
}

/** An event for every endpoint that takes its type. */
export const broadcast: Step = async (project) =>
  expectStatus(201, await project.send('POST', '/events/broadcast', anEvent))

/** An event for an address, which need not be one of an endpoint. `path`: below the receiver. */
export function dynamic(path: string): Step {
  return async (project) =>
    expectStatus(201, await project.send('POST', '/events/dynamic', { url: project.endpointUrl(0, path), ...anEvent }))
}

const anEvent = { event_type: 'order.paid', data: { amount: 12.99, order: 'A-7' } }

export interface IngestedEvent {
  readonly body?: Json
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What signs it. Default: the verifier of the source, as the claim has it. */
  readonly signedBy?: {
    readonly header: string
    readonly hash: string
    readonly encoding: 'hex' | 'base64'
    readonly secret: string
    /** What is before the signature in the header. */
    readonly prefix?: string
  }
  readonly isUnsigned?: true
  readonly message?: string
}

/** An event for a source, which the gateway must answer with a status. */
export function ingest(
  status: number,
  { body = { event: 'sale' }, query = '', headers = {}, signedBy, isUnsigned, message }: IngestedEvent = {},
): Step {
  return async (project) => {
    const [source] = project.sources
    if (source === undefined) return 'the project has no source'
    const text = JSON.stringify(body)
    const hmac = signedBy ?? (isJsonObject(source.verifier.hmac) ? source.verifier.hmac : undefined)
    const signed = hmac === undefined || isUnsigned ? {} : { [String(hmac.header)]: sign(text, hmac) }
    const answer = await project.gateway.send('POST', `/ingest/${source.mask}${query}`, text, { ...signed, ...headers })
    return expectStatus(status, answer, message)
  }
}

function sign(text: string, { hash, encoding, secret, prefix = '' }: JsonObject): string {
  const signature = createHmac(nodeHash(String(hash)), String(secret))
    .update(text)
    .digest(encoding === 'base64' ? 'base64' : 'hex')
  return `${prefix}${signature}`
}

/** `SHA3_256`: `sha3-256`. */
function nodeHash(hash: string): string {
  return hash.toLowerCase().replace(/_/g, '-')
}

/** From now on, endpoints answer with a status. */
export function endpointsAnswer(status: number): Step {
  return async (project) => {
    project.receiver.answer(project.uid, status)
    return undefined
  }
}

/** So many requests come to endpoints in all, and no more. `isRight`: what each must be like. */
export function arrives(
  count: number,
  isRight?: (request: ReceivedRequest, project: TriedProject) => string | undefined,
): Step {
  return async (project) => {
    const until = Date.now() + patienceMs
    while (project.received.length < count && Date.now() < until) await sleep(100)
    // A retry is taken from its queue every few seconds.
    await sleep(count === 0 ? 3 * quietMs : quietMs)
    const { received } = project
    if (received.length !== count) return `${received.length} requests arrived instead of ${count}`
    return isRight && received.map((request) => isRight(request, project)).find((fault) => fault !== undefined)
  }
}

/** The newest delivery comes to a status. */
export function deliveryIs(status: string, trials?: number): Step {
  return eventually(async (project) => {
    const [delivery] = await project.list('/eventdeliveries')
    if (delivery === undefined) return 'there is no delivery'
    if (delivery.status !== status) return `the delivery is ${delivery.status} instead of ${status}`
    const count = valueAt(delivery, '/metadata/num_trials')
    return trials === undefined || count === trials ? undefined : `it had ${count} trials instead of ${trials}`
  })
}

/** An item of the project comes to have a value, or one that is right. `path`: below the project. */
export function shows(
  path: (project: TriedProject) => string,
  pointer: string,
  value: Json | ((is: Json) => boolean),
): Step {
  return eventually(async (project) => {
    const is = valueAt(await project.read(path(project)), pointer) ?? null
    const isRight = typeof value === 'function' ? value(is) : isEqual(is, value)
    return isRight ? undefined : `${pointer} is ${JSON.stringify(is)}`
  })
}

/** A list of the project comes to have as many items. */
export function lists(path: string, count: number): Step {
  return eventually(async (project) => {
    const items = await project.list(path)
    return items.length === count ? undefined : `${path} has ${items.length} items instead of ${count}`
  })
}

/** A request below the project that must be answered with a status. */
export function request(
  method: string,
  path: (project: TriedProject) => string,
  status: number,
  { body, message }: { readonly body?: (project: TriedProject) => Json; readonly message?: string } = {},
): Step {
  return async (project) => expectStatus(status, await project.send(method, path(project), body?.(project)), message)
}

/** Changes settings of the project. */
export function configure(config: JsonObject): Step {
  return async (project) => {
    await project.configure(config)
    return undefined
  }
}

export const endpoint = (project: TriedProject, rest = ''): string => `/endpoints/${project.endpoints[0]}${rest}`
export const subscription = (project: TriedProject, rest = ''): string =>
  `/subscriptions/${project.subscriptions[0]}${rest}`
export const source = (project: TriedProject): string => `/sources/${project.sources[0]?.uid}`

function eventually(check: Step): Step {
  return async (project) => {
    const until = Date.now() + patienceMs
    let fault = await check(project)
    while (fault !== undefined && Date.now() < until) {
      await sleep(300)
      fault = await check(project)
    }
    return fault
  }
}

function expectStatus(
  expected: number,
  { status, message }: { readonly status: number; readonly message: string },
  text = '',
): string | undefined {
  if (status !== expected) return `answered ${status} instead of ${expected}: ${message}`
  return message.includes(text) ? undefined : `answered ${JSON.stringify(message)} instead of ${JSON.stringify(text)}`
}

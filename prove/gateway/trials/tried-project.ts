import { randomUUID } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json.ts'
import type { Configuration } from '../claim.ts'
import type { GatewayAnswer, GatewayClient } from './gateway-client.ts'
import type { ReceivedRequest, Receiver } from './receiver.ts'

/** A source of a project, with what an event for it must prove. */
export interface TriedSource {
  readonly uid: string
  readonly mask: string
  readonly verifier: JsonObject
}

/** A project on a running gateway that has what a claim has. */
export class TriedProject {
  readonly uid: string
  readonly gateway: GatewayClient
  /** Uids, in the order of the claim. */
  readonly endpoints: string[] = []
  readonly subscriptions: string[] = []
  readonly sources: TriedSource[] = []
  readonly receiver: Receiver

  private constructor(gateway: GatewayClient, receiver: Receiver, uid: string) {
    this.gateway = gateway
    this.receiver = receiver
    this.uid = uid
  }

  static async open({ gateway, organisation, receiver }: TrialBench, type: Configuration['type'] = 'outgoing') {
    const body = { name: randomUUID(), type, config: null }
    const { project } = await gateway.must('POST', `/api/v1/projects?orgID=${organisation}`, body)
    return new TriedProject(gateway, receiver, isJsonObject(project) ? String(project.uid) : '')
  }

  /** @throws Error where the gateway refuses a part of the configuration */
  async fill({
    type,
    config,
    endpoints = [{}],
    subscriptions,
    sources,
    eventTypes = [],
  }: Configuration): Promise<void> {
    const isIncoming = type === 'incoming'
    if (config !== undefined) await this.configure(config)
    for (const { name = '' } of eventTypes) await this.#must('POST', '/event-types', { name })
    for (const row of endpoints) await this.#createEndpoint(row)
    for (const row of sources ?? (isIncoming ? [{}] : [])) await this.#createSource(row)
    const pairs = Math.max(this.endpoints.length, isIncoming ? this.sources.length : 0)
    const everyPair: readonly SubscriptionOfClaim[] = Array.from({ length: pairs }, () => ({}))
    for (const row of subscriptions ?? everyPair) await this.#createSubscription(row, isIncoming)
  }

  /** What the endpoints of the project were sent. */
  get received(): readonly ReceivedRequest[] {
    return this.receiver.sentTo(this.uid)
  }

  /** Sends a request below the project. */
  send(method: string, path: string, body?: Json): Promise<GatewayAnswer> {
    return this.gateway.send(method, `/api/v1/projects/${this.uid}${path}`, body)
  }

  /** The first page of a listing of the project. */
  list(path: string): Promise<readonly JsonObject[]> {
    return this.gateway.list(`/api/v1/projects/${this.uid}${path}`)
  }

  /** An item of the project; `''`: the project itself. */
  read(path: string): Promise<JsonObject> {
    return this.#must('GET', path)
  }

  /** Changes settings, and sends all others as they are: an update replaces them whole. */
  async configure(config: object): Promise<void> {
    const { name, config: current } = await this.read('')
    const settings = { ...(isJsonObject(current) ? current : {}), ...config }
    await this.#must('PUT', '', { name: name ?? '', config: settings })
  }

  /** Without a licence, a gateway takes two projects. */
  async remove(): Promise<void> {
    await this.#must('DELETE', '')
  }

  /** `path`: where the first endpoint is, and so on, below the receiver. */
  endpointUrl(index: number, path = ''): string {
    return `${this.receiver.url}/${this.uid}/${index}${path}`
  }

  async #createEndpoint({
    uid: _,
    secrets,
    status,
    url = '',
    ...row
  }: NonNullable<Configuration['endpoints']>[number]) {
    const index = this.endpoints.length
    const { uid } = await this.#must('POST', '/endpoints', {
      name: `endpoint-${index}`,
      ...toJson(row),
      // The host of the receiver takes the place of the one in the claim.
      url: this.endpointUrl(index, url.replace(/^https?:\/\/[^/?#]*/, '')),
      ...(secrets?.[0] && { secret: secrets[0].value }),
    })
    this.endpoints.push(String(uid))
    if (status === 'paused') await this.#must('PUT', `/endpoints/${uid}/pause`)
  }

  async #createSource({ uid: _, verifier, is_disabled, ...row }: NonNullable<Configuration['sources']>[number]) {
    const sent = toJson({ name: `source-${this.sources.length}`, type: 'http', ...row })
    const proof = toJson(verifier ?? { type: 'noop' })
    const { uid, mask_id } = await this.#must('POST', '/sources', { ...sent, verifier: proof })
    // The request that creates a source does not take it.
    if (is_disabled) await this.#must('PUT', `/sources/${uid}`, { ...sent, verifier: proof, is_disabled })
    this.sources.push({ uid: String(uid), mask: String(mask_id), verifier: proof })
  }

  async #createSubscription({ endpoint, source, ...row }: SubscriptionOfClaim, isIncoming: boolean) {
    const index = this.subscriptions.length
    const { uid: _, retry_config, ...given } = row
    const { uid } = await this.#must('POST', '/subscriptions', {
      name: `subscription-${index}`,
      endpoint_id: this.endpoints[endpoint ?? index] ?? this.endpoints[0] ?? '',
      ...((isIncoming || source !== undefined) && {
        source_id: (this.sources[source ?? index] ?? this.sources[0])?.uid ?? '',
      }),
      ...toJson(given),
    })
    this.subscriptions.push(String(uid))
    if (!retry_config) return
    // The request that creates a subscription ignores it.
    const retries = { ...toJson(retry_config), duration: `${retry_config.duration}s` }
    await this.#must('PUT', `/subscriptions/${uid}`, { retry_config: retries })
  }

  #must(method: string, path: string, body?: Json): Promise<JsonObject> {
    return this.gateway.must(method, `/api/v1/projects/${this.uid}${path}`, body)
  }
}

/** Where trials are made. */
export interface TrialBench {
  readonly gateway: GatewayClient
  /** The key that it uses. */
  readonly key: string
  /** The uid of the organisation that gets the projects. */
  readonly organisation: string
  readonly receiver: Receiver
}

type SubscriptionOfClaim = NonNullable<Configuration['subscriptions']>[number]

/** A row as requests have it: what is null in a table is left out. */
function toJson(row: object): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

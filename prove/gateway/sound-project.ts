import { changeData, createSource, updateProject } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EventTypeRow, ProjectConfigRow, ProjectData, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'
import type { Kind } from '../../src/model/resource.ts'
import type { Configuration } from './claim.ts'

/** The most endpoints, subscriptions and sources that a claim may have. */
const mostRows = 8

/** What a resource is called in a claim: `0` is the first of its kind. */
export interface Place {
  readonly kind: Kind
  readonly index: number
}

/** A project that breaks no rule, until a claim's configuration is put into it. */
export class SoundProject {
  readonly uid: string
  readonly name: string
  readonly #fleet: SimulatedFleet
  readonly #config: ProjectConfigRow
  readonly #rows: ProjectData
  readonly #eventType: EventTypeRow
  readonly #places = new Map<string, Place>()

  constructor(fleet: SimulatedFleet, uid: string) {
    const project = fleet.project(uid)
    if (project === undefined) throw new Error(`the fleet has no project ${uid}`)
    this.uid = uid
    this.name = project.name
    this.#fleet = fleet
    this.#config = project.config
    for (let index = 0; index < mostRows; index++) createSource(fleet, uid, soundSource(uid, index))
    changeData(fleet, uid, (data) => ({ ...data, subscriptions: data.subscriptions.map(soundSubscription) }))
    this.#rows = fleet.open(uid)
    const [eventType] = this.#rows.eventTypes ?? []
    if (eventType === undefined) throw new Error(`the project ${uid} has no event type`)
    this.#eventType = eventType
  }

  placeOf(uid: string): Place | undefined {
    return uid === this.uid ? { kind: 'project', index: 0 } : this.#places.get(uid)
  }

  /** The same place keeps its uid from one configuration to the next. */
  configure({ type = 'outgoing', config, ...given }: Configuration): void {
    const isIncoming = type === 'incoming'
    const { endpoints: givenEndpoints = [{}], sources: givenSources = isIncoming ? [{}] : [], eventTypes = [] } = given
    const endpoints = this.#fill('endpoint', givenEndpoints, this.#rows.endpoints)
    const sources = this.#fill('source', givenSources, this.#rows.sources)
    const pairs = Math.max(endpoints.length, isIncoming ? sources.length : 0)
    const everyPair: NonNullable<Configuration['subscriptions']> = Array.from({ length: pairs }, () => ({}))
    const { subscriptions: givenSubscriptions = everyPair } = given
    const bound = givenSubscriptions.map(({ endpoint, source, ...row }, index) => ({
      endpoint_id: (endpoints[endpoint ?? index] ?? endpoints[0])?.uid ?? null,
      source_id: (isIncoming || source !== undefined ? (sources[source ?? index] ?? sources[0])?.uid : null) ?? null,
      ...row,
    }))
    const subscriptions = this.#fill('subscription', bound, this.#rows.subscriptions)
    changeData(this.#fleet, this.uid, ({ eventTypes: known = [] }) => {
      const named = eventTypes.map((row, index) => ({ ...this.#eventType, uid: `${this.uid}-${index}`, ...row }))
      const others = known.filter(({ name }) => !named.some((row) => row.name === name))
      return { endpoints, sources, subscriptions, eventTypes: [...named, ...others] }
    })
    updateProject(this.#fleet, this.uid, { ...this.#config, ...config })
  }

  #fill<Row extends { readonly uid: string }>(
    kind: Kind,
    given: readonly Partial<Row>[],
    sound: readonly Row[],
  ): Row[] {
    return given.map((change, index) => {
      const base = sound[index]
      if (base === undefined) throw new Error(`a claim has at most ${mostRows} resources of a kind`)
      const row = { ...base, ...change }
      this.#places.set(row.uid, { kind, index })
      return row
    })
  }
}

/** A fleet with a sound project for each type that is given, and nothing else. */
export function openSoundFleet(types: readonly ('outgoing' | 'incoming')[]): {
  readonly fleet: SimulatedFleet
  readonly projects: readonly SoundProject[]
} {
  const incoming = types.filter((type) => type === 'incoming').length
  const fleet = generateFleet({
    clean: true,
    projects: 2 * Math.max(incoming, types.length - incoming),
    incomingEvery: 2,
    endpointsPerProject: mostRows,
    sourcesPerProject: 0,
  })
  const free = Map.groupBy(fleet.projects(), ({ type }) => type)
  const uids = types.flatMap((type) => free.get(type)?.shift()?.uid ?? [])
  for (const { uid } of [...free.values()].flat()) fleet.remove(uid)
  return { fleet, projects: uids.map((uid) => new SoundProject(fleet, uid)) }
}

function soundSubscription(row: SubscriptionRow): SubscriptionRow {
  return { ...row, retry_config: null }
}

function soundSource(project: string, index: number): Partial<SourceRow> {
  const secret = `not-a-real-key-${project.toLowerCase()}-${index}-5b7e1c93a0d2f684`
  return {
    idempotency_keys: ['request.Header.X-Event-Id'],
    verifier: {
      type: 'hmac',
      hmac: { header: 'X-Signature', hash: 'SHA256', secret, encoding: 'hex' },
      basic_auth: null,
      api_key: null,
    },
  }
}

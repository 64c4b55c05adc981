import { createSealer } from '../inventory/sealer.ts'
import { type FilterReadings, takeInventory } from '../inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { cleanResources, overlaid } from './clean-resources.ts'
import { concludeFleetRules } from './conclude-fleet-rules.ts'
import { createEvaluator } from './evaluator.ts'
import type { Policy } from './policy.ts'
import type { PolicyTest } from './policy-test-schema.ts'

/** The result of a policy test. */
export interface TestOutcome {
  /** Places in `expect` of missing violations. */
  readonly missing: readonly number[]
  /** Unexpected violations. */
  readonly unexpected: readonly Finding[]
  /** Rules that could not evaluate, and why. */
  readonly failures: ReadonlyMap<string, string>
}

/** Seals of a test are only compared with each other. */
const sealer = createSealer(Buffer.alloc(32, 1))
const listingOf = {
  project: 'project',
  endpoint: 'endpoints',
  source: 'sources',
  event_type: 'event_types',
  subscription: 'subscriptions',
} as const

/** Evaluates the resources of a test as a complete run would. */
export function runPolicyTest(policy: Policy, test: PolicyTest): TestOutcome {
  const at = Date.parse(test.at)
  const [service = '', name = ''] = test.project.split('/')
  const project: ProjectRef = { name: test.project, service, uid: name }
  const { labels } = test
  const evaluator = createEvaluator(policy, at, () => labels).forProject(project)
  const resources = shownBy(test, at)
  const ofProject = [
    ...resources.flatMap((resource) => evaluator.evaluate(resource)),
    ...evaluator.conclude({ isComplete: () => true }),
  ]
  const evaluation = evaluator.outcome()
  const { findings, failures } = concludeFleetRules([{ project, labels, evaluation }], policy, at)
  const found = [...ofProject, ...findings.map(({ finding }) => finding)]
  const open = found.filter(({ waiver }) => waiver === undefined)
  return { ...compare(test, open), failures: new Map(Object.entries({ ...failures, ...evaluation.failures })) }
}

interface Item {
  readonly kind: keyof typeof listingOf
  readonly item: JsonObject
}

/** In the order of walking. */
function shownBy(test: PolicyTest, at: number): readonly Resource[] {
  const named = test.resources.map(({ kind, ...said }, index): Item => {
    const uid = said.uid ?? `${kind}-${index + 1}`
    // The content of a YAML file is JSON.
    return { kind, item: overlaid(cleanResources[kind](uid, at), { ...said, uid } as unknown as JsonObject) }
  })
  const all = test.companions ? withCompanions(named, at) : named
  return (['project', 'endpoint', 'source', 'event_type', 'subscription'] as const).flatMap((kind) => {
    const items = all.flatMap((each) => (each.kind === kind ? [asListed(each)] : []))
    return takeInventory(listingOf[kind], items, sealer, filterReadingsOf(items)).listed
  })
}

/** Filter rows that a test gives a subscription, as the service lists them; without any, they were never read. */
function filterReadingsOf(items: readonly JsonObject[]): FilterReadings {
  return new Map(
    items.flatMap(({ uid, filters }) =>
      typeof uid === 'string' && Array.isArray(filters) ? [[uid, filters.filter(isJsonObject)] as const] : [],
    ),
  )
}

/**
 * Adds the neighbours of a clean resource: a subscription without an endpoint gets one, an endpoint or a source without
 * a subscription gets one. A named neighbour that is missing stays missing: the test is about it.
 */
function withCompanions(items: readonly Item[], at: number): readonly Item[] {
  const aimed = items.map((each): Item => {
    const isAimed =
      each.kind !== 'subscription' || each.item.endpoint_uid !== undefined || each.item.device_uid !== undefined
    return isAimed ? each : { ...each, item: { ...each.item, endpoint_uid: companion } }
  })
  const targets = new Set(aimed.flatMap(({ item }) => [item.endpoint_uid, item.source_uid]))
  const lonely = aimed.filter(
    ({ kind, item }) => (kind === 'endpoint' || kind === 'source') && !targets.has(item.uid ?? null),
  )
  const subscriptions = lonely.map(({ kind, item: { uid = '' } }): Item => {
    const ends = kind === 'endpoint' ? { endpoint_uid: uid } : { endpoint_uid: companion, source_uid: uid }
    return { kind: 'subscription', item: { ...cleanResources.subscription(`to-${String(uid)}`, at), ...ends } }
  })
  const needsEndpoint = [...aimed, ...subscriptions].some(({ item }) => item.endpoint_uid === companion)
  const endpoint: Item = { kind: 'endpoint', item: cleanResources.endpoint(companion, at) }
  const all = [...aimed, ...subscriptions]
  return [...all, ...catalogued(all, at), ...(needsEndpoint ? [endpoint] : [])]
}

/** What clean subscriptions ask for, where a test shows a catalogue: what is missing there is a test's own subject. */
function catalogued(items: readonly Item[], at: number): readonly Item[] {
  if (!items.some(({ kind }) => kind === 'event_type')) return []
  return items.flatMap(({ kind, item: { uid = '' } }): Item[] => {
    if (kind !== 'subscription') return []
    return [{ kind: 'event_type', item: { ...cleanResources.event_type(String(uid), at), uid: `of-${String(uid)}` } }]
  })
}

const companion = 'companion'

/** A subscription names its neighbours by uid; the service shows them embedded. */
function asListed({ kind, item }: Item): JsonObject {
  if (kind !== 'subscription') return item
  const { endpoint_uid: endpoint = null, source_uid: source = null, device_uid: device = null, ...rest } = item
  const embedded = (uid: Json) => (uid === null ? null : { uid })
  return {
    endpoint_metadata: embedded(endpoint),
    source_metadata: embedded(source),
    device_metadata: embedded(device),
    ...rest,
  }
}

function compare({ expect, exact }: PolicyTest, found: readonly Finding[]): Omit<TestOutcome, 'failures'> {
  const left = [...found]
  const missing: number[] = []
  for (const [index, expected] of expect.entries()) {
    const at = left.findIndex((finding) => fits(expected, finding))
    if (at < 0) missing.push(index)
    else left.splice(at, 1)
  }
  return { missing, unexpected: exact ? left : [] }
}

function fits({ rule, uid, path, severity, message }: PolicyTest['expect'][number], finding: Finding): boolean {
  return (
    finding.rule === rule &&
    (uid === undefined || finding.uid === uid) &&
    (path === undefined || finding.path === path) &&
    (severity === undefined || finding.severity === severity) &&
    (message === undefined || finding.message.includes(message))
  )
}

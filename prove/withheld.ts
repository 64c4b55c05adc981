import { createRandom, type Random } from '../src/demo/random.ts'
import { openPostgresHistory } from '../src/history/postgres/postgres-history.ts'
import { isJsonObject, type JsonObject } from '../src/model/json.ts'
import { openAuditHarness, policyOf } from '../test/audit/audit-harness.ts'
import { Machines } from '../test/history/processes.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { drawWorld, type RecordedWorld } from './answers/recorded-world.ts'
import { bodyOf, serveWorld } from './answers/wire-answers.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'
import { checkTwins, type TwinRun } from './withheld/check-twins.ts'
import { asOlder, describeWithheld, type WithheldField, withheldFields, withhold } from './withheld/contract-fields.ts'
import { fillWorld } from './withheld/full-world.ts'

/**
 * Audits two projects that are the same, while answers of one of them do not show some values: from the first scan on or
 * later, in one resource or in more than a gap names, and with a listing that breaks off meanwhile. Then the values are
 * back. Each run is compared with the other project, which shows everything all the time. In some fleets nothing is
 * withheld but what older releases do not have and what may be left out when it is empty. `node prove/withheld.ts [fleets]
 * [seed]`; `--postgres`: with histories in PostgreSQL.
 */
const flag = 'postgres'
await using databases = process.argv.includes(`--${flag}`) ? await openDatabases() : undefined
// The processes that this one starts share its server.
if (databases !== undefined) process.env.HOOKDRIFT_TEST_POSTGRES = databases.url

// Without the rules across projects: the two share their secrets.
const policy = policyOf(
  'extends: [all]\nrules: { endpoint/auth-shared: off, endpoint/secret-shared: off, source/verifier-shared: off }\n',
)
const perFleet = 3
const contract = withheldFields()

await runCases({ script: import.meta.url, atOnce: 4, deadlineMs: 600_000, flags: [flag], prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const fields = createRandom(`withheld/${seed}`).shuffled(contract)
  const found: Breach[] = []
  for (let index = from; index < to; index++) {
    const random = createRandom(`withheld/${seed}/${index}`)
    const chosen = Array.from({ length: perFleet }, (_, at) => fields[(index * perFleet + at) % fields.length])
    const hasMany = random.chance(0.4)
    if (hasMany) chosen.push(random.pick([chosen[0], ...fields.filter(isFound)]))
    // One of each listing: a value that is not shown could hide what becomes of another one.
    const byListing = new Map(chosen.flatMap((field) => (field === undefined ? [] : [[field.listing, field] as const])))
    const { text, faults } = await auditTwins(random, [...byListing.values()], hasMany)
    found.push(...faults.map((fault) => ({ ...fault, index, shrunk: text, size: text.length })))
  }
  return found
}

/** What the one project shows in a run. */
type Showing = 'all' | 'some' | 'breaking off'

/** Whether rules find something in the field of each resource. */
function isFound({ listing, steps }: WithheldField): boolean {
  return listing === 'endpoints' && /^(?:url|status|http_timeout|rate_limit)$/.test(steps.join('.'))
}

async function auditTwins(random: Random, fields: readonly WithheldField[], hasMany: boolean) {
  const isOlder = random.chance(0.2)
  const world = fillWorld(drawWorld(random, 'PROJECT-ONE'), random, hasMany)
  const { less, withheld } = isOlder ? { less: olderOf(world), withheld: [] } : withholdIn(world, fields, random)
  const [broken = 'endpoints'] = random.shuffled(fields).map(({ listing }) => listing)
  const isFirst = isOlder || random.chance(0.5)
  const showings: readonly Showing[] = [...(isFirst ? [] : (['all'] as const)), 'some', 'breaking off', 'some', 'all']

  const twin: RecordedWorld = JSON.parse(JSON.stringify(world).replaceAll(world.uid, 'PROJECT-TWO'))
  await using ours = await serveWorld(world)
  await using theirs = await serveWorld({ ...twin, filters: world.filters })
  const database = await databases?.make({ empty: true })
  await using harness = openAuditHarness({
    projects: { one: world.uid, two: twin.uid },
    key: 'not-a-real-key',
    pageSize: 2,
    limits: { retries: 0 },
    listings: { sources: 'auto', project: 'auto', event_types: 'auto', filters: 'required' },
    ...(database && { openHistory: () => openPostgresHistory(database.server, new Machines().process(1)) }),
  })
  const runs: TwinRun[] = []
  for (const showing of showings) {
    ours.spoilBy((place, answer) => {
      if (showing === 'all') return answer
      if (showing === 'breaking off' && place.listing === broken) return { ...answer, status: 500 }
      return { ...answer, body: Buffer.from(JSON.stringify(bodyOf(place, less))) }
    })
    const report = await harness.audit({ url: ours.url, urls: { one: ours.url, two: theirs.url }, policy })
    runs.push({ showing, report })
  }
  const faults = await harness.withHistory((history) => checkTwins(runs, { history, withheld, isOlder, broken }))
  await database?.remove()
  const what = isOlder
    ? 'an older release'
    : withheld.map(({ field, uids }) => `${describeWithheld(field)} of ${uids.length}`)
  return { faults, text: `${what}, ${isFirst ? 'from the first scan on' : 'later'}; ${broken} break off` }
}

/** Of each field, in one of the resources that have it or in nearly all of them. */
function withholdIn(world: RecordedWorld, fields: readonly WithheldField[], random: Random) {
  let less = world
  const withheld = fields.flatMap((field) => {
    const { listing } = field
    const items = itemsOf(less, listing)
    const able = random.shuffled(items.filter((item) => withhold(item, field) !== undefined))
    // A listing in which no item shows a central field proves nothing at all.
    const some = new Set(able.slice(0, random.chance(0.5) ? 1 : Math.max(1, able.length - 1)))
    if (some.size === 0 || (field.isLater && some.size === able.length)) return []
    const changed = items.map((item) => (some.has(item) ? (withhold(item, field) ?? item) : item))
    less = withItems(less, listing, changed)
    return [{ field, uids: [...some].map(({ uid, subscription_id }) => String(subscription_id ?? uid)) }]
  })
  return { less: embedSources(less, world), withheld }
}

/** What a subscription embeds of a source is what the list shows of it. */
function embedSources(less: RecordedWorld, { lists: { sources: before } }: RecordedWorld): RecordedWorld {
  const { subscriptions, sources } = less.lists
  const embedded = subscriptions.map((item) => {
    const at = before.findIndex(({ uid }) => isJsonObject(item.source_metadata) && item.source_metadata.uid === uid)
    return at < 0 ? item : { ...item, source_metadata: sources[at] ?? null }
  })
  return withItems(less, 'subscriptions', embedded)
}

function itemsOf(world: RecordedWorld, listing: WithheldField['listing']): readonly JsonObject[] {
  if (listing === 'project') return [world.project]
  if (listing === 'event_types') return world.eventTypes
  return listing === 'filters' ? [...world.filters.values()].flat() : world.lists[listing]
}

function withItems(
  world: RecordedWorld,
  listing: WithheldField['listing'],
  items: readonly JsonObject[],
): RecordedWorld {
  if (listing === 'project') return { ...world, project: items[0] ?? world.project }
  if (listing === 'event_types') return { ...world, eventTypes: items }
  if (listing !== 'filters') return { ...world, lists: { ...world.lists, [listing]: items } }
  const rows = Map.groupBy(items, ({ subscription_id: of }) => String(of))
  return { ...world, filters: new Map([...world.filters.keys()].map((of) => [of, rows.get(of) ?? []])) }
}

function olderOf({ lists, filters, ...world }: RecordedWorld): RecordedWorld {
  const older = (kind: Parameters<typeof asOlder>[0]) => (item: JsonObject) => asOlder(kind, item)
  return {
    ...world,
    project: asOlder('project', world.project),
    lists: {
      endpoints: lists.endpoints.map(older('endpoint')),
      sources: lists.sources.map(older('source')),
      subscriptions: lists.subscriptions.map(older('subscription')),
    },
    eventTypes: world.eventTypes.map(older('event_type')),
    filters: new Map(
      [...filters].map(([of, rows]) => [of, rows.map(({ query: _, path: __, enabled_at: ___, ...row }) => row)]),
    ),
  }
}

import { expect, it } from 'vitest'
import { builtInFrameworkIds } from '../../src/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../../src/compliance/framework.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import { takeInventory } from '../../src/inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import type { Resource } from '../../src/model/resource.ts'
import type { ServiceClient } from '../../src/service/service-client.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { sealer } from '../inventory/inventory-fixture.ts'
import { evaluateFleet } from '../policy/evaluate-fleet.ts'
import { openAuditHarness, policyOf } from './audit-harness.ts'
import { ofProject } from './fleet-fixture.ts'
import { anEndpoint, aProject, aSecret, aSource, aSubscription } from './literal-service.ts'

/**
 * Random fleets whose values stay the same while answers leave some of them out. Which rules a value decides is found
 * by trying other values in its place, without a word of the program about what a rule read.
 */
const lists = ['endpoints', 'sources', 'subscriptions'] as const
type List = (typeof lists)[number]
type Fleet = Readonly<Record<List, readonly JsonObject[]>>
/** Members that answers leave out, by uid. */
type Gaps = ReadonlyMap<string, readonly string[]>

const policy = policyOf('extends: [all]')
const now = Date.parse('2026-11-21T03:00:00Z')

const secret = (value: string, more: JsonObject = {}) => aSecret('S', { value, ...more })
const strong = 'not-a-real-key-of-32-characters!'
const hmac = (hash: string, value: string) => ({
  type: 'hmac',
  hmac: { hash, header: 'x-sig', encoding: 'hex', secret: value },
})

const filter = { body: {}, headers: {}, query: {}, path: {}, is_flattened: false }

/** Values that rules distinguish, for fields that each release shows. */
const choices: Readonly<Record<List, Readonly<Record<string, readonly Json[]>>>> = {
  endpoints: {
    url: ['https://a.example/h', 'http://10.0.0.1/x', 'http://169.254.169.254/', 'https://u:p@b.example/', 'odd'],
    status: ['active', 'inactive', 'paused', 'odd'],
    secrets: [
      [secret(strong)],
      [],
      [secret('abc', { created_at: '2020-01-01T00:00:00Z' })],
      [secret(strong, { expires_at: '2026-01-01T00:00:00Z' })],
    ],
    authentication: [
      null,
      { type: 'api_key', api_key: { header_name: 'x-key', header_value: 'abc' } },
      { type: 'basic_auth', basic_auth: { username: 'u', password: 'password' } },
      {
        type: 'oauth2',
        oauth2: { url: 'http://10.0.0.2/token', client_id: 'c', authentication_type: 'shared_secret' },
      },
      { type: 'api_key', api_key: null },
    ],
    advanced_signatures: [true, false],
    failure_rate: [null, 90],
    http_timeout: [30, 900],
    rate_limit: [100, 0],
  },
  sources: {
    type: ['http', 'pub_sub', 'rest_api'],
    verifier: [
      hmac('SHA256', `${strong}v`),
      null,
      hmac('MD5', 'abc'),
      { type: 'basic_auth', basic_auth: { username: 'u', password: '' } },
    ],
    idempotency_keys: [['request.header.x'], []],
    is_disabled: [false, true],
    url: ['https://ingest.example/a', 'http://ingest.example/a'],
  },
  subscriptions: {
    endpoint_metadata: [null, { uid: 'E1' }, { uid: 'E2' }, { uid: 'gone' }],
    source_metadata: [null, { uid: 'S1', type: 'http', verifier: null }],
    delivery_mode: ['at_least_once', 'at_most_once'],
    filter_config: [
      { event_types: ['order.created'], filter },
      { event_types: ['*'], filter },
    ],
  },
}

/** The same for members within them, by the way that leads there. */
const innerChoices: typeof choices = {
  endpoints: {
    'authentication.api_key.header_value': [strong, 'abc'],
    'authentication.basic_auth.password': [strong, 'password'],
    'authentication.oauth2.url': ['https://a.example/token', 'http://10.0.0.2/token'],
    'secrets.0.expires_at': [null, '2026-01-01T00:00:00Z'],
    'secrets.0.value': [strong, 'abc'],
  },
  sources: {
    'verifier.hmac.hash': ['SHA256', 'MD5'],
    'verifier.hmac.secret': [`${strong}v`, 'abc'],
    'verifier.type': ['hmac', 'api_key', 'noop'],
  },
  subscriptions: {
    'filter_config.event_types': [['order.created'], ['*']],
    'filter_config.filter.body': [{}, { a: 1 }],
  },
}
const allChoices = (list: List) => ({ ...choices[list], ...innerChoices[list] })

/** Fields without which a listing is suspect. */
const central: Readonly<Record<List, readonly string[]>> = {
  endpoints: ['url', 'status', 'secrets', 'authentication'],
  sources: ['type', 'verifier'],
  subscriptions: ['endpoint_metadata', 'source_metadata'],
}

function randomFleet(random: Random, name: string): Fleet {
  const isClean = random.chance(0.5)
  const some = (list: List, field: string): Json => {
    const values = choices[list][field] ?? []
    // The first one breaks hardly a rule: most values are of this kind.
    return (isClean || random.chance(0.6) ? values[0] : values[random.below(values.length)]) ?? null
  }
  const made = (list: 'endpoints' | 'sources') =>
    Object.fromEntries(Object.keys(choices[list]).map((field) => [field, some(list, field)]))
  // A secret of its own, so that no two resources share one.
  const own = (at: number) => (isClean ? { secrets: [secret(`${strong}${name}${at}`)] } : {})
  const ownVerifier = (at: number) => (isClean ? { verifier: hmac('SHA256', `${strong}${name}v${at}`) } : {})
  const times = (most: number) => Array.from({ length: 1 + random.below(most) }, (_, at) => at + 1)
  const endpoints = times(4).map((at) => anEndpoint(`E${at}`, { ...made('endpoints'), ...own(at) }))
  const sources = times(3).map((at) => aSource(`S${at}`, { ...made('sources'), ...ownVerifier(at) }))
  const subscriptions = times(3).map((at) => {
    const endpoint = `E${1 + random.below(endpoints.length)}`
    return aSubscription(`B${at}`, endpoint, {
      source_metadata: random.chance(0.5) ? null : { uid: 'S1', type: 'http', verifier: null },
    })
  })
  return { endpoints, sources, subscriptions }
}

/** Leaves out nothing, members of some items, or one of all items of a listing. */
function randomGaps(random: Random, fleet: Fleet): Gaps {
  const gaps = new Map<string, string[]>()
  for (const list of lists) {
    const fields = Object.keys(allChoices(list))
    const [isWhole, isPart] = [random.chance(0.2), random.chance(0.4)]
    const whole = isWhole ? [fields[random.below(fields.length)] ?? ''] : []
    for (const item of fleet[list]) {
      const own = isPart ? fields.filter(() => random.chance(0.15)) : []
      const drawn = [...new Set([...whole, ...own.slice(0, 3)])]
      // What is within another one that is left out, or not there, cannot be left out.
      const missing = drawn.filter((way) => {
        const isWithin = drawn.some((other) => way.startsWith(`${other}.`))
        return !isWithin && isThere(item, way)
      })
      if (missing.length > 0) gaps.set(`${item.uid}`, missing)
    }
  }
  return gaps
}

function isThere(item: Json, way: string): boolean {
  let here: Json | undefined = item
  for (const step of way.split('.')) here = Array.isArray(here) ? here[Number(step)] : memberOf(here ?? null, step)
  return here !== undefined
}

function memberOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** A copy with another value at the end of a way; undefined: without it. */
function withValue(value: Json, [step = '', ...rest]: readonly string[], to: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === step ? withValue(one, rest, to) : one))
  if (!isJsonObject(value)) return value
  const { [step]: before, ...others } = value
  if (rest.length > 0) return before === undefined ? value : { ...value, [step]: withValue(before, rest, to) }
  return to === undefined ? others : { ...others, [step]: to }
}

function itemWith(item: JsonObject, way: string, to: Json | undefined): JsonObject {
  const changed = withValue(item, way.split('.'), to)
  return isJsonObject(changed) ? changed : item
}

function shownIn(fleet: Fleet, list: List, gaps: Gaps): JsonObject[] {
  return fleet[list].map((item) => without(item, gaps.get(`${item.uid}`) ?? []))
}

function without(item: JsonObject, members: readonly string[]): JsonObject {
  return members.reduce((one, way) => itemWith(one, way, undefined), item)
}

const project = { name: 'acme/x', service: 'acme', uid: 'x' }

function rulesFinding(resources: readonly Resource[]): Set<string> {
  const { of } = evaluateFleet(policy, now)
  return new Set(resources.flatMap((resource) => of(project).evaluate(resource)).map(({ rule }) => rule))
}

/** The item with each combination of values for what it does not show. */
function completions(list: List, item: JsonObject, members: readonly string[]): JsonObject[] {
  return members.reduce<JsonObject[]>(
    (items, member) =>
      items.flatMap((one) => (allChoices(list)[member] ?? []).map((value) => itemWith(one, member, value))),
    [item],
  )
}

const known = new Map<string, ReadonlySet<string>>()

/** Rules that find something with some values and not with all: what each value has found does not depend on the field. */
function undecided(found: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  const any = new Set(found.flatMap((rules) => [...rules]))
  return new Set([...any].filter((rule) => !found.every((rules) => rules.has(rule))))
}

/** Rules about one resource that find something in an item for some value of what it does not show. */
function rulesDecided(list: List, item: JsonObject, members: readonly string[]): ReadonlySet<string> {
  const bare = without({ ...item, uid: 'U', name: 'U' }, members)
  const key = JSON.stringify([list, bare])
  const before = known.get(key)
  if (before !== undefined) return before
  const found = undecided(
    completions(list, bare, members).map((one) => rulesFinding(takeInventory(list, [one], sealer).listed)),
  )
  known.set(key, found)
  return found
}

/** The same of the whole fleet, for rules across resources: each item with gaps by itself, all others as they are. */
async function rulesDecidedTogether(fleet: Fleet, gaps: Gaps): Promise<ReadonlySet<string>> {
  const decided = new Set<string>()
  for (const list of lists) {
    for (const item of fleet[list]) {
      const members = gaps.get(`${item.uid}`) ?? []
      if (members.length === 0) continue
      const found: ReadonlySet<string>[] = []
      for (const one of completions(list, item, members)) {
        const rules = new Set<string>()
        found.push(rules)
        const items = (of: List) => fleet[of].map((other) => (other === item ? one : other))
        const evaluator = evaluateFleet(policy, now)
        const ofProject = evaluator.of(project)
        for (const of of lists)
          for (const resource of takeInventory(of, items(of), sealer).listed) ofProject.evaluate(resource)
        for (const { rule } of ofProject.conclude({ isComplete: () => true })) rules.add(rule)
        for (const { finding } of evaluator.concludeFleet().findings) rules.add(finding.rule)
      }
      for (const rule of undecided(found)) decided.add(rule)
    }
  }
  return decided
}

const singular = { endpoints: 'endpoint', sources: 'source', subscriptions: 'subscription' } as const

/** What a run must say of the gaps of a project. */
function expectedNotices(fleet: Fleet, gaps: Gaps): string[] {
  return lists.flatMap((list) =>
    Object.keys(allChoices(list)).flatMap((member) => {
      const all = fleet[list].length
      const missing = fleet[list].filter(({ uid }) => gaps.get(`${uid}`)?.includes(member)).length
      const field = member.replace('_metadata', '_uid').replace('.0.', '[].')
      const kinds = `${singular[list]}${all === 1 ? '' : 's'}`
      if (missing === 0) return []
      if (missing === all) return [`none of ${all} ${kinds} shows ${field}`]
      return [`${missing} of ${all} ${kinds} ${missing === 1 ? 'shows' : 'show'} no ${field}`]
    }),
  )
}

/** Whether no item of a listing shows one of its central fields. */
function lacksCentral(items: readonly JsonObject[], list: List, gaps: Gaps): boolean {
  return central[list].some((field) => items.every(({ uid }) => gaps.get(`${uid}`)?.includes(field) === true))
}

/** A notice, as one for each of its fields. */
function linesOf(text: string): string[] {
  const [, start = text, fields = ''] = /^(.+ shows? (?:no )?)(.+) since run /.exec(text) ?? []
  return fields.split(', ').map((field) => start + field)
}

const projects = 50
const batches = 20

it.each(Array.from({ length: batches }, (_, batch) => [batch]))(
  'a thousand fleets that leave fields out: nothing is met, removed or resolved for it (batch %i)',
  async (batch) => {
    const random = createRandom(`unseen fields ${batch}`)
    const fleets = new Map(Array.from({ length: projects }, (_, at) => [`p${at}`, randomFleet(random, `p${at}`)]))
    const uids = Object.fromEntries([...fleets.keys()].map((name) => [name, `uid-${name}`]))
    let gapsOf = new Map<string, Gaps>()
    const nothing: Gaps = new Map()
    const between = (name: string, client: ServiceClient): ServiceClient => ({
      ...client,
      project: async () => ({ ...aProject, uid: `uid-${name}` }),
      async *pages(list: List) {
        const fleet = fleets.get(name)
        if (fleet === undefined) throw new Error(`no fleet ${name}`)
        yield { number: 1, items: shownIn(fleet, list, gapsOf.get(name) ?? nothing), requestId: null }
      },
    })
    await using harness = openAuditHarness({ projects: uids, key: 'k' })
    const make = () => new Map([...fleets].map(([name, fleet]) => [name, randomGaps(random, fleet)]))
    const [first, later] = [make(), make()]
    const whole = new Map<string, Gaps>()
    for (const [run, gaps] of [first, later, batch % 2 === 0 ? later : whole].entries()) {
      gapsOf = gaps
      const report = await harness.audit({ url: 'http://127.0.0.1:9', policy, between })
      const isWholeMissing = [...fleets].some(([name, fleet]) =>
        lists.some((list) => lacksCentral(fleet[list], list, gaps.get(name) ?? nothing)),
      )
      if (isWholeMissing) expect(report.verdict.exit_code).toBe(3)
      expect(report.drift.filter(({ change }) => change === 'removed')).toEqual([])
      expect(report.violations.filter(({ state }) => state === 'resolved')).toEqual([])
      for (const [at, [name, fleet]] of [...fleets].entries()) {
        const place = `batch ${batch}, ${name}, run ${run + 1}`
        const own = ofProject(report, `acme/${name}`)
        const missing = gaps.get(name) ?? nothing
        const said = own.notices.flatMap(({ code, text }) => (code === 'fields_unseen' ? linesOf(text) : []))
        const expected = expectedNotices(fleet, missing)
        expect(said.sort(), place).toEqual(expected.sort())
        for (const list of lists) {
          const isSuspect = lacksCentral(fleet[list], list, missing)
          expect(own.coverage.find(({ listing }) => listing === list)?.cause ?? null, place).toBe(
            isSuspect ? 'unseen_fields' : null,
          )
        }
        const decided = new Set(
          lists.flatMap((list) =>
            fleet[list].flatMap((item) => {
              const members = missing.get(`${item.uid}`)
              return members === undefined ? [] : [...rulesDecided(list, item, members)]
            }),
          ),
        )
        if (at % 25 === 0) for (const rule of await rulesDecidedTogether(fleet, missing)) decided.add(rule)
        const framework = builtInFramework(builtInFrameworkIds[at % builtInFrameworkIds.length] ?? 'soc2')
        const wrong = composeCompliance({ report: own, framework }).controls.flatMap(({ id, state, rules }) =>
          state === 'met' && rules.some((rule) => decided.has(rule.id)) ? [id] : [],
        )
        expect(wrong, place).toEqual([])
      }
    }
  },
)

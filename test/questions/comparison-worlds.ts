import fc from 'fast-check'
import type { CompleteScans } from '../../src/history/records.ts'
import type { CommittedRun } from '../../src/history/sql/runs.ts'
import type { ResourceAtRun } from '../../src/history/sql/state-at.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind } from '../../src/model/resource.ts'
import { compareStates, findProject } from '../../src/questions/compare.ts'
import type { ComparedRow, CompareQuery } from '../../src/questions/compared-row.ts'
import type { ScannedState } from '../../src/questions/compared-side.ts'
import { aCoverage } from '../history/samples.ts'

/** A project as the history knows it. */
export interface World {
  readonly resources: readonly {
    readonly kind: Kind
    readonly attributes: JsonObject & { readonly uid: string }
    readonly isUnreferenced?: true
  }[]
  /** Kinds that the last scan did not list completely. */
  readonly incomplete: readonly Kind[]
  readonly sealKeyId?: string
  /** How the walk of filter rows ended; absent: there was none. */
  readonly filters?: CoverageStatus
}

const run: CommittedRun = { number: 3, started_at: '2026-03-01T00:00:00.000Z', finished_at: '2026-03-01T00:01:00.000Z' }
const listingOf = {
  project: 'project',
  endpoint: 'endpoints',
  subscription: 'subscriptions',
  source: 'sources',
} as const

/** The project `payments` of a service, as its last scan left it. */
function stateOf(service: string, { incomplete, resources, sealKeyId = 'key', filters }: World): ScannedState {
  const complete: CompleteScans = Object.fromEntries(
    Object.entries(listingOf)
      .filter(([kind]) => !incomplete.some((each) => each === kind))
      .map(([kind, listing]) => [kind, { run: run.number, listing, filter: null }]),
  )
  return {
    scan: {
      project: { name: `${service}/payments`, service, uid: 'P' },
      run,
      coverage: filters === undefined ? [] : [{ ...aCoverage('subscriptions', filters), listing: 'filters' }],
      incompleteSince: undefined,
      isGone: false,
      hasDeparted: false,
    },
    complete,
    state: resources.map(({ kind, attributes, isUnreferenced = false }): ResourceAtRun => {
      const body = canonicalJson(kind === 'subscription' ? { filters: null, ...attributes } : attributes)
      const version = { fromRun: 1, digest: body, body, facts: '', sealKeyId, since: run.started_at }
      return { kind, uid: attributes.uid, name: String(attributes.name), ...version, isUnreferenced }
    }),
  }
}

/** What a comparison finds, without the secrets that are the same. */
export function compareWorlds(
  worlds: { readonly stage: World; readonly prod?: World },
  { a = 'stage', b = 'prod', ...options }: Partial<CompareQuery> = {},
) {
  const query = { run, a, b, matching: 'name', kind: undefined, hosts: [], ignored: [], limit: Infinity, ...options }
  const states = Object.entries(worlds).map(([service, world]) => stateOf(service, world))
  const scans = states.map(({ scan }) => scan)
  const [ofA, ofB] = [a, b].map((name) => states.find(({ scan }) => scan === findProject(scans, name)))
  if (ofA === undefined || ofB === undefined) throw new Error('no such world')
  const { answer, exitCode } = compareStates(ofA, ofB, query as CompareQuery)
  const rows = answer.rows.filter(({ change }) => change !== 'same_secret')
  const reasons = answer.rows.flatMap(({ change, reason }) => (change === 'same_secret' ? [reason] : []))
  return { rows, shared: answer.rows.length - rows.length, reasons, exitCode, more: answer.more }
}

export const linesOf = (rows: readonly ComparedRow[]) =>
  rows.map(({ project, kind, name, change, fields }) =>
    [project, change, kind, name, ...fields.map(({ path }) => path)].join(' '),
  )

const seals = fc.constantFrom('1', '2', '3').map((digit) => `sealed:${digit.repeat(32)}`)
const names = fc.constantFrom('orders', 'billing', 'crm', 'tax', '\x1b[2Jevil')
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

const endpoint = fc.record({
  name: names,
  owner_id: nullable(fc.constantFrom('tenant-1', 'tenant-2')),
  url: fc.constantFrom('https://a.stage.example.com/1', 'https://b.stage.example.com:8443/2', 'http://c.example/'),
  http_timeout: fc.nat(3),
  description: nullable(names),
  secrets: nullable(fc.dictionary(fc.constantFrom('S1', 'S2'), fc.record({ value: seals, created_at: names }))),
  authentication: nullable(
    fc.record({ type: fc.constant('api_key'), api_key: fc.record({ header_name: names, header_value: seals }) }),
  ),
})
const source = fc.record({ name: names, is_disabled: fc.boolean(), body_function: nullable(seals) })
const subscription = fc.record({ name: names, to: fc.nat(6), from: fc.nat(6), delivery_mode: names })
const incomplete = fc.subarray<Kind>(['endpoint', 'subscription', 'source', 'project'])

/** Names repeat, references may lead nowhere, texts are hostile. */
export const arbitraryWorld = fc
  .record({
    endpoints: fc.array(endpoint, { maxLength: 5 }),
    sources: fc.array(source, { maxLength: 3 }),
    subscriptions: fc.array(subscription, { maxLength: 4 }),
    retries: fc.nat(3),
    incomplete: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: incomplete }),
  })
  .map(({ endpoints, sources, subscriptions, retries, incomplete }): World => {
    const of = (kind: Kind, at: number, attributes: JsonObject) => ({
      kind,
      attributes: { uid: `${kind}-${at}`, ...attributes },
    })
    return {
      incomplete,
      resources: [
        of('project', 0, { name: 'payments', config: { strategy: { retry_count: retries } } }),
        ...endpoints.map((one, at) => of('endpoint', at, one)),
        ...sources.map((one, at) => of('source', at, one)),
        ...subscriptions.map(({ to, from, ...rest }, at) =>
          of('subscription', at, {
            ...rest,
            endpoint_uid: to === 0 ? null : `endpoint-${to - 1}`,
            source_uid: from === 0 ? null : `source-${from - 1}`,
          }),
        ),
      ],
    }
  })

/** The same project in another service: other uids, other secrets, another order. */
export function elsewhere({ resources, incomplete }: World): World {
  const text = JSON.stringify(resources)
    .replace(/"((?:project|endpoint|source|subscription)-\d+)"/g, '"other-$1"')
    .replace(/"S([12])":/g, '"T$1":')
    .replace(/("(?:header_value|value)":"sealed:)\d/g, '$1f')
  return { resources: JSON.parse(text).reverse(), incomplete }
}

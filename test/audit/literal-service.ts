import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { listRuns } from '../../src/history/sql/runs.ts'
import { gapsOfRules } from '../../src/model/gap.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { replayRuns } from '../replay/replay-runs.ts'
import { type Answer, key, listen, project } from '../service/fake-service.ts'
import { type AuditHarnessOptions, type AuditTurn, openAuditHarness } from './audit-harness.ts'
import { at, query, violationLines } from './fleet-fixture.ts'

/** What a service shows: objects, or JSON text, which is sent as it is. */
export interface Shown {
  project?: JsonObject | string
  endpoints?: readonly (JsonObject | string)[]
  subscriptions?: readonly (JsonObject | string)[]
  sources?: readonly (JsonObject | string)[]
  /** Filter rows by the uid of the subscription; a number is the status of an error. Without it, there is no such route. */
  filters?: Readonly<Record<string, readonly JsonObject[] | number | string | Answer>>
  eventTypes?: readonly (JsonObject | string)[]
}

/** A service of one project that answers what the test gives it, byte for byte, and a harness that audits it. */
export async function openLiteral(shown: Shown = {}, options: Pick<AuditHarnessOptions, 'startsAt' | 'limits'> = {}) {
  let now = shown
  const asked: string[] = []
  const { url } = await listen((request, response) => {
    const [, listing, uid] =
      /^\/api\/v1\/projects\/[^/]+(?:\/([\w-]+))?(?:\/([^/]+)\/filters)?/.exec(request.url ?? '') ?? []
    asked.push(request.url ?? '')
    if (uid !== undefined) return answerFilters(request, response, now.filters?.[decodeURIComponent(uid)], now)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"status":true,"message":"ok","data":${dataOf(listing, now)}}`)
  })
  const harness = openAuditHarness({ projects: { orders: project }, key, ...options })
  return {
    harness,
    url,
    /** What was asked for, in order. */
    asked,
    show(more: Shown) {
      now = { ...now, ...more }
    },
    withdraw(member: keyof Shown) {
      const { [member]: _, ...rest } = now
      now = rest
    },
    audit: (turn: Omit<AuditTurn, 'url'> = {}): Promise<Report> =>
      harness.audit({ url, listings: { filters: now.filters === undefined ? 'off' : 'auto' }, ...turn }),
    /** Audits after each step, and expects a replay of the runs to say what they said; gives their reports. */
    async replaysAs(policy: Policy, steps: readonly Shown[]): Promise<Report[]> {
      const reports: Report[] = []
      for (const step of steps) {
        now = { ...now, ...step }
        reports.push(await harness.audit({ url, listings: { filters: 'off' }, policy }))
      }
      await harness.withHistory(async (history) => {
        const runs = await listRuns(history)
        for (const [index, report] of reports.entries()) {
          const run = at(runs, index)
          const { report: replayed } = await replayRuns(history, { policy, runs: runs.slice(0, index + 1) })
          expect(violationLines(replayed), `run ${run.number}`).toEqual(violationLines(report))
          expect(replayed.projects[0]?.evaluated_by_rule).toEqual(report.projects[0]?.evaluated_by_rule)
          expect(gapsOfRules(replayed.gaps)).toEqual(gapsOfRules(report.gaps))
        }
      })
      return reports
    },
    query: <Row = Record<string, unknown>>(sql: string): Row[] => query<Row>(harness.file, sql),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  }
}

function answerFilters(
  request: IncomingMessage,
  response: ServerResponse,
  rows: NonNullable<Shown['filters']>[string] = 404,
  { filters }: Shown,
): void {
  if (filters === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
    response.end('404 page not found\n')
  } else if (typeof rows === 'function') {
    rows(request, response)
  } else if (typeof rows === 'number') {
    response.writeHead(rows, { 'content-type': 'application/json' })
    response.end('{"status":false,"message":"subscription not found"}')
  } else {
    response.writeHead(200, { 'content-type': 'application/json' })
    const data = typeof rows === 'string' ? rows : JSON.stringify(rows)
    response.end(`{"status":true,"message":"Filters retrieved successfully","data":${data}}`)
  }
}

function dataOf(listing: string | undefined, { project: self = aProject, ...lists }: Shown): string {
  if (listing === undefined) return textOf(self)
  if (listing === 'event-types') return `[${(lists.eventTypes ?? []).map(textOf).join(',')}]`
  const items = listing === 'endpoints' || listing === 'subscriptions' || listing === 'sources' ? lists[listing] : []
  const pagination = { per_page: 20, has_next_page: false, next_page_cursor: '' }
  return `{"content":[${(items ?? []).map(textOf).join(',')}],"pagination":${JSON.stringify(pagination)}}`
}

function textOf(item: JsonObject | string): string {
  return typeof item === 'string' ? item : JSON.stringify(item)
}

const stamps = { created_at: '2026-11-01T00:00:00Z', updated_at: '2026-11-01T00:00:00Z', deleted_at: null }

/** Settings as v26.7.3 shows them. */
const config: JsonObject = {
  max_payload_read_size: 51_200,
  replay_attacks_prevention_enabled: true,
  add_event_id_trace_headers: false,
  disable_endpoint: true,
  multiple_endpoint_subscriptions: false,
  search_policy: '720h',
  request_id_header: '',
  verify_dynamic_events: true,
  allow_unmatched_dynamic_urls: false,
  ssl: { enforce_secure_endpoints: true },
  ratelimit: { count: 5000, duration: 60 },
  strategy: { type: 'exponential', duration: 30, retry_count: 10 },
  signature: {
    header: 'X-Convoy-Signature',
    versions: [{ uid: 'V1', hash: 'SHA256', encoding: 'hex', created_at: '2026-11-01T00:00:00Z' }],
  },
  meta_event: { is_enabled: false, type: '', event_type: [], url: '', secret: '', pub_sub: null },
  circuit_breaker: {
    sample_rate: 30,
    error_timeout: 30,
    failure_threshold: 70,
    success_threshold: 5,
    minimum_request_count: 10,
    observability_window: 5,
    consecutive_failure_threshold: 10,
  },
}

/** All items here show all that the newest release shows. */
export const aProject: JsonObject = {
  ...stamps,
  uid: project,
  organisation_id: 'ORG-1',
  name: 'orders',
  type: 'outgoing',
  logo_url: '',
  statistics: null,
  retained_events: 0,
  config,
}

const { request_id_header: _, verify_dynamic_events: __, allow_unmatched_dynamic_urls: ___, ...olderConfig } = config

/** As a release of v25.9.1 to v26.6.4 shows it. */
export const anOlderProject: JsonObject = { ...aProject, config: olderConfig }

/** With other settings. */
export function aProjectWith(settings: JsonObject): JsonObject {
  return { ...aProject, config: { ...config, ...settings } }
}

export function anEndpoint(uid: string, more: JsonObject = {}): JsonObject {
  return {
    ...stamps,
    uid,
    project_id: project,
    name: uid,
    description: '',
    url: `https://${uid.toLowerCase()}.example/hooks`,
    status: 'active',
    content_type: 'application/json',
    advanced_signatures: true,
    rate_limit: 100,
    rate_limit_duration: 60,
    http_timeout: 30,
    authentication: null,
    secrets: [aSecret(`${uid}-secret`)],
    failure_rate: null,
    cb_state: null,
    period_failure_rate: null,
    success_count: null,
    failure_count: null,
    retry_count: null,
    ...more,
  }
}

/** A row of the filters of a subscription: it is on, and asks for nothing. */
export function aRow(subscription: string, eventType: string, more: JsonObject = {}): JsonObject {
  return {
    uid: `${subscription}-${eventType}`,
    subscription_id: subscription,
    event_type: eventType,
    body: {},
    headers: {},
    query: {},
    path: {},
    enabled_at: '2026-11-01T00:00:00Z',
    ...more,
  }
}

export function aSecret(uid: string, more: JsonObject = {}): JsonObject {
  return { ...stamps, uid, value: 'not-a-real-key-of-32-characters!', expires_at: null, ...more }
}

export function aSource(uid: string, more: JsonObject = {}): JsonObject {
  const verifier = {
    type: 'hmac',
    hmac: { hash: 'SHA256', header: 'x-sig', encoding: 'hex', secret: `not-real-${uid}` },
  }
  return {
    ...stamps,
    uid,
    project_id: project,
    mask_id: uid,
    name: uid,
    url: `https://ingest.example/${uid}`,
    type: 'http',
    provider: '',
    is_disabled: false,
    verifier,
    custom_response: { body: '', content_type: '' },
    provider_config: null,
    forward_headers: [],
    pub_sub: null,
    idempotency_keys: ['request.header.X-Event-Id'],
    event_type_location: '',
    body_function: null,
    header_function: null,
    ...more,
  }
}

export function aSubscription(uid: string, endpoint: string, more: JsonObject = {}): JsonObject {
  const filter = { body: {}, headers: {}, query: {}, path: {}, is_flattened: false }
  return {
    ...stamps,
    delivery_mode: 'at_least_once',
    function: null,
    device_metadata: null,
    uid,
    project_id: project,
    name: uid,
    type: 'api',
    endpoint_metadata: { uid: endpoint },
    source_metadata: null,
    filter_config: { event_types: ['order.created'], filter },
    ...more,
  }
}

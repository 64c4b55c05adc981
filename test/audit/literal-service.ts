import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { replayPolicy } from '../../src/replay/replay-policy.ts'
import { violationsOf } from '../replay/violations-of.ts'
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
          const replay = await replayPolicy(history, { policy, runs: runs.slice(0, index + 1), clock: () => 0 })
          const lines = violationsOf(replay, run).map(({ state, rule, uid }) => `${state} ${rule} ${uid}`)
          expect(lines.sort(), `run ${run.number}`).toEqual(violationLines(report))
          expect(replay.context.projects[0]?.evaluated_by_rule).toEqual(report.projects[0]?.evaluated_by_rule)
          expect(replay.context.projects[0]?.doubts).toEqual(report.projects[0]?.doubts)
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

export const aProject: JsonObject = {
  uid: project,
  name: 'orders',
  type: 'outgoing',
  config: { search_policy: '720h' },
}

export function anEndpoint(uid: string, more: JsonObject = {}): JsonObject {
  return {
    uid,
    project_id: project,
    name: uid,
    url: `https://${uid.toLowerCase()}.example/hooks`,
    status: 'active',
    rate_limit: 100,
    rate_limit_duration: 60,
    http_timeout: 30,
    authentication: null,
    secrets: [{ uid: `${uid}-secret`, value: 'not-a-real-key-of-32-characters!', created_at: '2026-11-01T00:00:00Z' }],
    ...more,
  }
}

export function aSource(uid: string, more: JsonObject = {}): JsonObject {
  const verifier = {
    type: 'hmac',
    hmac: { hash: 'SHA256', header: 'x-sig', encoding: 'hex', secret: `not-real-${uid}` },
  }
  return { uid, project_id: project, name: uid, type: 'http', is_disabled: false, verifier, ...more }
}

export function aSubscription(uid: string, endpoint: string, more: JsonObject = {}): JsonObject {
  const filter = { body: {}, headers: {}, query: {}, path: {}, is_flattened: false }
  return {
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

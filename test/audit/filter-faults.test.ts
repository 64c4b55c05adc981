import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { type Answer, answer, said } from '../service/fake-service.ts'
import { notHttp } from '../service/not-http-replies.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, aRow, aSubscription, openLiteral } from './literal-service.ts'

/** Newest first, as they are listed. */
const uids = ['s5', 's4', 's3', 's2', 's1']
const positions = [
  ['first', 's5'],
  ['middle', 's3'],
  ['last', 's1'],
] as const

const policy = policyOf(`
extends: []
rules:
  drift/filter-removed: {}
  drift/filter-widened: {}
  subscription/filter-diverges: {}
  subscription/filter-off: {}
  subscription/no-filter: {}
`)

const off = { enabled_at: null }
/** The rows of a subscription: one for every event, and one that is switched off. */
const rowsOf = (uid: string, more: JsonObject = {}) => [
  aRow(uid, '*', { body: { amount: { $gt: 10 } } }),
  aRow(uid, 'paid', { ...off, ...more }),
]
const allRows = Object.fromEntries(uids.map((uid) => [uid, rowsOf(uid)]))

/** An answer to the request for the rows of one subscription. */
type AnswerOf = (uid: string) => Answer

const envelope = (data: unknown) => ({ status: true, message: 'ok', data })
const always =
  (given: Answer): AnswerOf =>
  () =>
    given
const data =
  (make: (uid: string) => unknown): AnswerOf =>
  (uid) =>
    answer(200, envelope(make(uid)))
const row = (change: (row: JsonObject) => JsonObject): AnswerOf =>
  data((uid) => rowsOf(uid).map((each, at) => (at === 1 ? change(each) : each)))
/** The whole answer as text, changed. */
const text = (change: (text: string) => string | Uint8Array): AnswerOf => {
  return (uid) => answer(200, change(JSON.stringify(envelope(rowsOf(uid)))))
}
const half = (uid: string) => JSON.stringify(envelope(rowsOf(uid))).slice(0, 120)

function begin(response: ServerResponse, headers: Record<string, string | number> = {}): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/json', ...headers })
}

function writeForEver(response: ServerResponse): void {
  begin(response)
  const write = () => {
    while (!response.destroyed && response.write(' '.repeat(4_096)));
  }
  response.on('drain', write)
  write()
}

const without =
  (member: string) =>
  ({ [member]: _, ...rest }: JsonObject): JsonObject =>
    rest

const faults: Readonly<Record<string, readonly [AnswerOf, Report['coverage'][number]['cause']]>> = {
  'a reset': [always((_, response) => response.destroy()), 'network'],
  'a reset behind the head': [
    always((_, response) => void begin(response).write(' ', () => response.destroy())),
    'network',
  ],
  'a reset halfway': [
    (uid) => (_, response) => void begin(response).write(half(uid), () => response.destroy()),
    'network',
  ],
  'an end halfway': [(uid) => (_, response) => void begin(response).end(half(uid)), 'malformed'],
  'less than announced': [
    (uid) => (_, response) => {
      begin(response, { 'content-length': 1_000 }).write(half(uid), () => response.socket?.end())
    },
    'network',
  ],
  'no answer': [always(() => {}), 'timeout'],
  'a stop halfway': [(uid) => (_, response) => void begin(response).write(half(uid)), 'timeout'],
  'an answer without end': [always((_, response) => writeForEver(response)), 'malformed'],
  'an answer that is too large': [text((all) => all.padEnd(200_000)), 'malformed'],
  'an SSH banner': [always(({ socket }) => notHttp['an SSH banner']?.(socket)), 'malformed'],
  garbage: [always(({ socket }) => notHttp.garbage?.(socket)), 'malformed'],
  'a head without end': [always(({ socket }) => notHttp['a head that never ends']?.(socket)), 'malformed'],
  'a 201': [(uid) => answer(201, envelope(rowsOf(uid))), 'http'],
  'a 202': [(uid) => answer(202, envelope(rowsOf(uid))), 'http'],
  'a 203': [(uid) => answer(203, envelope(rowsOf(uid))), 'http'],
  'a 204': [always(answer(204, '')), 'http'],
  'a 206': [(uid) => answer(206, envelope(rowsOf(uid))), 'http'],
  'a 301': [always(answer(301, '', { location: 'http://elsewhere.example/' })), 'http'],
  'a 302': [always(answer(302, '', { location: '/login' })), 'http'],
  'a 307': [always(answer(307, '', { location: '/elsewhere' })), 'http'],
  'a 400': [always(said(400, 'something went wrong')), 'http'],
  'a 401': [always(said(401, 'unauthorized')), 'refused_key'],
  'a 403': [always(said(403, 'forbidden')), 'forbidden'],
  'a 410': [always(said(410, 'gone')), 'http'],
  'a 422': [always(said(422, 'no')), 'http'],
  'a 429': [always(said(429, 'too many requests', { 'retry-after': '1' })), 'rate_limited'],
  'a 500': [always(said(500, 'an internal error occurred')), 'http'],
  "a proxy's 502": [always(answer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' })), 'http'],
  'a 503 without a body': [always(answer(503, '')), 'http'],
  'a 504': [always(said(504, 'timeout')), 'http'],
  'an empty body': [always(answer(200, '')), 'malformed'],
  'a compressed body': [(uid) => answer(200, envelope(rowsOf(uid)), { 'content-encoding': 'gzip' }), 'malformed'],
  'invalid UTF-8': [text((all) => Buffer.from(all.replace('paid', '\xff'), 'latin1')), 'malformed'],
  'text behind the JSON': [text((all) => `${all} x`), 'malformed'],
  'a key twice': [text((all) => all.replace('"body"', '"headers":{},"body"')), 'malformed'],
  'half a surrogate pair': [text((all) => all.replace('paid', '\\ud83d')), 'malformed'],
  'nesting without end': [text((all) => all.replace('10', `${'['.repeat(90)}${']'.repeat(90)}`)), 'malformed'],
  'a status of false': [text((all) => all.replace('true', 'false')), 'malformed'],
  'no data': [always(answer(200, { status: true, message: 'ok' })), 'malformed'],
  'a page': [data((uid) => ({ content: rowsOf(uid), pagination: {} })), 'malformed'],
  'rows by their types': [
    data((uid) => Object.fromEntries(rowsOf(uid).map((each) => [each.event_type, each]))),
    'malformed',
  ],
  'a list of texts': [data(() => ['*', 'paid']), 'malformed'],
  'a row without a subscription': [row(without('subscription_id')), 'malformed'],
  'a row whose subscription is a number': [row((each) => ({ ...each, subscription_id: 1 })), 'malformed'],
  'a row without a type': [row(without('event_type')), 'malformed'],
  'a row of an empty type': [row((each) => ({ ...each, event_type: '' })), 'malformed'],
  'a row of a type without end': [row((each) => ({ ...each, event_type: 'x'.repeat(1_001) })), 'malformed'],
  'two rows of one type': [row((each) => ({ ...each, event_type: '*' })), 'malformed'],
  'too many rows': [
    data((uid) => Array.from({ length: 1_001 }, (_, at) => ({ subscription_id: uid, event_type: `t${at}` }))),
    'malformed',
  ],
}

let opened: Awaited<ReturnType<typeof openLiteral>> | undefined
afterEach(() => opened?.[Symbol.asyncDispose]())

async function open() {
  const limits = { retries: 2, maxBodyBytes: 100_000 }
  opened = await openLiteral(
    { endpoints: [anEndpoint('e')], subscriptions: uids.map((uid) => aSubscription(uid, 'e')), filters: allRows },
    { limits },
  )
  return opened
}

function rowsKnown({ query }: Awaited<ReturnType<typeof openLiteral>>): string {
  const rows = "SELECT uid, body -> '$.filters' AS rows FROM current_resource WHERE kind = 'subscription' ORDER BY uid"
  return JSON.stringify(query(rows))
}

const statesOf = ({ violations }: Report) =>
  Object.fromEntries(
    violations.filter(({ rule }) => rule === 'subscription/filter-off').map(({ uid, state }) => [uid, state]),
  )

describe.each(positions)('at the rows of the %s subscription', (_, uid) => {
  it.each(Object.entries(faults))(
    '%s removes and resolves nothing, and coverage says so',
    async (_name, [fault, cause]) => {
      const service = await open()
      const before = await service.audit({ policy })
      const known = rowsKnown(service)
      service.show({ filters: { ...allRows, [uid]: fault(uid) } })
      const isSilent = cause === 'timeout'
      const broken = await service.audit({
        timeoutAfter: () => (isSilent ? AbortSignal.timeout(100) : new AbortController().signal),
      })
      const walk = broken.coverage.find(({ listing }) => listing === 'filters')
      expect(broken.drift).toEqual([])
      expect(broken.notices.map(({ code }) => code)).toEqual(['fields_unseen'])
      expect(walk).toMatchObject({ status: expect.stringMatching(/^(partial|failed)$/), cause, of: 5 })
      expect(walk?.items).toBeLessThan(5)
      expect(rowsKnown(service)).toBe(known)
      expect(broken.verdict.exit_code).toBe(3)
      expect(statesOf(broken)).toMatchObject({ [uid]: 'unknown' })
      expect(Object.keys(statesOf(broken)).sort()).toEqual([...uids].sort())
      expect(Object.values(statesOf(broken)).filter((state) => state !== 'continuing' && state !== 'unknown')).toEqual(
        [],
      )

      service.show({ filters: allRows })
      const after = await service.audit()
      expect(after.drift).toEqual([])
      expect(after.coverage.map(({ status }) => status)).toEqual(before.coverage.map(() => 'complete'))
      expect(Object.values(statesOf(after))).toEqual(uids.map(() => 'continuing'))
    },
  )
})

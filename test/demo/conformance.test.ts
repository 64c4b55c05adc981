import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeData, deleteEndpoint } from '../../src/demo/edits.ts'
import { type ServiceOptions, type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { RecordedExchange } from '../service/replay-server.ts'
import { endpointRow, recordedFleet } from './recorded-fleet.ts'
import { recording } from './recordings.ts'

/** Compares the simulated service with every recording of the real one. */

let service: SimulatedService
afterEach(() => service.close())

const before = recording('acme-1-before')
const after = recording('acme-2-after')
const older = recording('older-release')
const upgraded = recording('older-release-upgraded')
const churn = recording('churn')
const payments = '01M7XVZ2T417WGWM74AAK885VQ'

const start = async (rows: readonly RecordedExchange[], options: ServiceOptions = {}) => {
  service = await startSimulatedService(recordedFleet(rows), options)
}

describe('the fleet of two projects, before the nine edits', () => {
  beforeEach(() => start(before))
  it.each(named(before))('%s', (_, exchange) => hold(exchange))
})

describe('the same fleet after the edits', () => {
  beforeEach(() => start(after))
  it.each(named(after))('%s', (_, exchange) => hold(exchange))
})

describe('the traps', () => {
  beforeEach(() => start(after))
  it.each(named(recording('traps')))('%s', (_, exchange) => hold(exchange))
})

describe('the versions of the interface', () => {
  beforeEach(() => start(before))
  it.each(named(recording('versions')))('%s', (_, exchange) => hold(exchange))
})

describe('an older release', () => {
  beforeEach(() => start(older, { release: 'older' }))
  it.each(named(older))('%s', (_, exchange) => hold(exchange))
})

describe('the older fleet after an upgrade of its service', () => {
  beforeEach(() => start(upgraded))
  it.each(named(upgraded))('%s', (_, exchange) => hold(exchange))

  it('is the older fleet in another shape', async () => {
    await start(older, { release: 'older' })
    service.behaviour.release = 'seed'
    for (const exchange of upgraded) await hold(exchange)
  })
})

it('a walk during which rows come and go answers as recorded', async () => {
  await start(after)
  for (const exchange of churn) {
    await hold(exchange)
    if (exchange.name === 'churn peek') churnOnce()
  }
})

describe('outages and limits', () => {
  beforeEach(async () => {
    await start(after, { now: () => 1_795_225_428_400 })
    churnOnce()
  })

  it.each(named(recording('outages')))('%s', async (name, exchange) => {
    service.behaviour.outage = outageOf(name)
    await hold(exchange)
  })

  it('limits as recorded, and recovers', async () => {
    for (const exchange of recording('rate-limit')) {
      service.behaviour.rateLimit = exchange.response.status === 429 ? { limit: 0, windowMs: 60_000 } : null
      await hold(exchange)
    }
  })

  it('names the end of the limit as a time', async () => {
    service.behaviour.outage = 'cache-down'
    const { headers } = await ask(recording('outages').find(({ name }) => name === 'cache down: endpoints'))
    expect(headers.get('retry-after')).toBe('1795225430')
    expect(headers.get('x-ratelimit-limit')).toBe('60000')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
  })
})

it('the list of projects answers as recorded', async () => {
  const exchanges = recording('discovery')
  await start(exchanges)
  const [ingest, refunds] = ['01M8050JPFGPCYZ3WFFV4RHQNG', '01M8050JSJ8GSGPERZD40HR9MT']
  const created = service.fleet.project(refunds)
  service.fleet.remove(refunds)
  for (const exchange of exchanges) {
    if (exchange.name === 'projects after one was deleted') service.fleet.remove(ingest)
    if (exchange.name === 'projects after one was created' && created !== undefined) service.fleet.add(created)
    service.behaviour.outage = exchange.name.endsWith('the database is down') ? 'database-down' : null
    // The dashboard's own operations are not simulated.
    if (!exchange.request.path.startsWith('/ui/')) await hold(exchange)
  }
})

describe('tests of source functions', () => {
  // The recorded service waits ten seconds for a function that never ends.
  beforeEach(() => start(before, { functionLimitMs: 2_000 }))
  it.each(named(recording('test-function')))('%s', (_, exchange) => hold(exchange))
})

function named(exchanges: readonly RecordedExchange[]): [string, RecordedExchange][] {
  return exchanges.map((exchange) => [exchange.name, exchange])
}

/** Sends a recorded request and compares all of the answer that a client could depend on. */
async function hold(exchange: RecordedExchange): Promise<void> {
  const { status, headers, body } = await ask(exchange)
  const recorded = exchange.response
  expect(status).toBe(recorded.status)
  expect(headers.get('content-type') ?? undefined).toBe(recorded.headers['content-type'])
  expect(headers.get('x-convoy-version')).toBe(recorded.headers['x-convoy-version'])
  if (recorded.headers['content-type']?.startsWith('text/html')) {
    // Only the beginning of the dashboard is simulated.
    expect(body.slice(0, 60)).toBe(recorded.body.slice(0, 60))
    return
  }
  if (recorded.body === '' || hasOwnWording(recorded.body)) {
    expect(opening(body)).toBe(opening(recorded.body))
  } else if (exchange.name.endsWith('random')) {
    expect(body.replace(/0\.\d+/, '0.5')).toBe(recorded.body.replace(/0\.\d+/, '0.5'))
  } else {
    // Byte for byte: order of keys, escapes and the line feed at the end included.
    expect(body).toBe(recorded.body)
  }
}

/** The engine that runs the functions words messages with a position or a limit. */
function hasOwnWording(body: string): boolean {
  return /(Error: |elapsed)/.test(body) && body.startsWith('{"status":false')
}

function opening(body: string): string {
  return body.replace(
    /(SyntaxError: SyntaxError: \(anonymous\): Line 1:|elapsed |at transform \(\\u003ceval\\u003e:1:).*/s,
    '$1',
  )
}

async function ask(
  exchange: RecordedExchange | undefined,
): Promise<{ status: number; headers: Headers; body: string }> {
  if (exchange === undefined) throw new Error('no such recording')
  const { method, path, headers, body } = exchange.request
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${service.url}${path}`, { method, headers: { ...type, ...headers }, ...sent })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** The changes after the recorded peek: three deletions, one of the cursor's own row, and a new row. */
function churnOnce(): void {
  for (const uid of ['01M7XVZ33J56HCXHAQBNMR0EXW', '01M7XVZ32FNNVA8MP7Q3MV8ADW', '01M7XVZ31WMV9SR5GKJ23M0AA9']) {
    deleteEndpoint(service.fleet, { project: payments, uid })
  }
  const [born] = JSON.parse(churn.at(-1)?.response.body ?? '').data.content
  changeData(service.fleet, payments, (data) => ({ ...data, endpoints: [endpointRow(born), ...data.endpoints] }))
}

function outageOf(name: string) {
  if (name.startsWith('database down')) return 'database-down'
  if (name.startsWith('cache down')) return 'cache-down'
  return name.includes('cannot be read') ? 'lists-unreadable' : null
}

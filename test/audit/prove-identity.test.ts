import { describe, expect, it } from 'vitest'
import type { AuditedProject } from '../../src/audit/audited-project.ts'
import type { Walk } from '../../src/audit/project-walk.ts'
import { proveIdentity } from '../../src/audit/prove-identity.ts'
import type { ServiceClient } from '../../src/gateway/service/service-client.ts'
import { ServiceFault } from '../../src/gateway/service/service-fault.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { Listing } from '../../src/model/resource.ts'

function walk(listing: Listing, items: number, status: CoverageStatus = 'complete', other: Partial<Walk> = {}): Walk {
  const reason = status === 'complete' ? null : `${listing} ${status}`
  const cause = status === 'complete' ? null : 'timeout'
  const counts = { pages: 1, requests: 1, retries: 0, duration_ms: 5 }
  return {
    coverage: { listing, status, cause, reason, filter: null, items, ...counts },
    lacksPromisedPage: false,
    ...other,
  }
}

/** What is decided of these walks when the service answers so about the project itself; `asked`: how often it was. */
async function decide(walks: readonly Walk[], answer: unknown = {}) {
  let asked = 0
  const refused = () => Promise.reject(new Error('only the project may be asked for'))
  const client: ServiceClient = {
    pages: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
    eventTypes: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
    project: async ({ projectUid, key, budget, traffic }) => {
      asked++
      expect([projectUid, key, budget, traffic]).toEqual([
        'p1',
        'not-a-real-key',
        { waitedMs: 0 },
        { requests: 0, retries: 0 },
      ])
      if (answer instanceof Error) throw answer
      return {}
    },
    filters: refused,
    deliveries: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
    events: () => ({ [Symbol.asyncIterator]: () => ({ next: refused }) }),
    projects: refused,
    missingFeatures: refused,
    testFunction: refused,
    close: async () => {},
  }
  const project: AuditedProject = {
    ref: { name: 'acme/payments', service: 'acme', uid: 'p1' },
    key: 'not-a-real-key',
    configuredAt: null,
    labels: {},
    filters: {},
    client,
    listings: { sources: 'auto', project: 'auto', event_types: 'auto', filters: 'auto' },
    filtersPerRun: 2000,
  }
  const { walks: decided, unproven } = await proveIdentity(project, walks, new AbortController().signal)
  const lines = decided.map(({ coverage }) => {
    const details = [coverage.reason, coverage.cause === 'foreign' ? 'foreign' : null].filter(
      (detail) => detail !== null,
    )
    return [coverage.listing, coverage.status, ...details].join(': ')
  })
  const causes = decided.map(({ coverage }) => coverage.cause)
  const lacking = decided.filter(({ lacksPromisedPage }) => lacksPromisedPage).length
  return { lines, causes, lacking, unproven: [...unproven], asked, isUntouched: decided === walks }
}

describe('the project that a key answers for', () => {
  it.each<[string, Walk[]]>([
    ['an item of any listing names the project', [walk('endpoints', 0), walk('subscriptions', 1)]],
    ['no list was empty', [walk('endpoints', 0, 'failed'), walk('subscriptions', 0, 'partial')]],
    ['a project itself was read', [walk('project', 1), walk('endpoints', 0)]],
    ['there is no walk', []],
  ])('is not requested when %s', async (_, walks) => {
    expect(await decide(walks, new Error('must not be asked'))).toMatchObject({
      asked: 0,
      unproven: [],
      isUntouched: true,
    })
  })

  it('is requested once when all lists are empty, and proven by the answer', async () => {
    const walks = [walk('endpoints', 0), walk('subscriptions', 0)]
    expect(await decide(walks)).toMatchObject({ asked: 1, unproven: [], isUntouched: true })
  })

  it('stays unproven for each empty list when the service does not offer projects', async () => {
    const walks = [walk('endpoints', 0), walk('subscriptions', 0, 'failed'), walk('sources', 0)]
    const { lines, unproven } = await decide(walks, new ServiceFault('not_offered', 'answered 404'))
    expect(unproven).toEqual(['endpoints', 'sources'])
    expect(lines).toEqual(['endpoints: complete', 'subscriptions: failed: subscriptions failed', 'sources: complete'])
  })

  it('stays unproven without a request when the walk of the project was skipped', async () => {
    const walks = [walk('project', 0, 'skipped'), walk('endpoints', 0)]
    expect(await decide(walks)).toMatchObject({ asked: 0, unproven: ['endpoints'] })
  })

  it('fails the empty lists when no answer comes', async () => {
    const walks = [walk('endpoints', 0), walk('subscriptions', 0, 'partial')]
    const { lines, unproven } = await decide(walks, new ServiceFault('timeout', 'timed out'))
    expect(unproven).toEqual([])
    expect(lines).toEqual([
      'endpoints: failed: empty, and the key could not be shown to belong to the project: timed out',
      'subscriptions: partial: subscriptions partial',
    ])
  })

  it.each([
    ['refused_key', 'answered 401', 'refused_key', 'answered 401'],
    [null, null, 'unproven', 'the project could not be read'],
  ] as const)(
    'fails the empty lists with the cause of the walk of the project: %s',
    async (cause, reason, why, said) => {
      const failed = walk('project', 0, 'failed')
      const walks = [{ ...failed, coverage: { ...failed.coverage, cause, reason } }, walk('endpoints', 0)]
      const { lines, causes, asked } = await decide(walks)
      expect(asked).toBe(0)
      expect(causes[1]).toBe(why)
      expect(lines[1]).toBe(
        `endpoints: failed: empty, and the key could not be shown to belong to the project: ${said}`,
      )
    },
  )

  it('is requested where only event types came, which do not name their project', async () => {
    const walks = [walk('endpoints', 0, 'failed'), walk('event_types', 3), walk('subscriptions', 0, 'failed')]
    expect(await decide(walks)).toMatchObject({ asked: 1, unproven: [], isUntouched: true })
    const { unproven } = await decide(walks, new ServiceFault('not_offered', 'answered 404'))
    expect(unproven).toEqual(['event_types'])
    const { lines } = await decide(walks, new ServiceFault('timeout', 'timed out'))
    expect(lines[1]).toBe(
      'event_types: failed: its items do not name their project, and the key could not be shown to belong to the project: timed out',
    )
  })

  it('is not proven by event types for lists that came back empty', async () => {
    const walks = [walk('endpoints', 0), walk('event_types', 3), walk('subscriptions', 0)]
    const { unproven, asked } = await decide(walks, new ServiceFault('not_offered', 'answered 404'))
    expect({ unproven, asked }).toEqual({ unproven: ['endpoints', 'event_types', 'subscriptions'], asked: 1 })
  })

  it('makes every walk foreign when an item belongs to another project', async () => {
    const foreign = walk('subscriptions', 0, 'failed')
    const walks = [
      walk('endpoints', 7),
      { ...foreign, coverage: { ...foreign.coverage, cause: 'foreign' as const, reason: 'of another project' } },
    ]
    expect(await decide(walks)).toEqual({
      lines: [
        'project: failed: of another project: foreign',
        'endpoints: failed: of another project: foreign',
        'sources: failed: of another project: foreign',
        'event_types: failed: of another project: foreign',
        'subscriptions: failed: of another project: foreign',
      ].sort(byListing),
      causes: Array.from({ length: 5 }, () => 'foreign'),
      lacking: 0,
      unproven: [],
      asked: 0,
      isUntouched: false,
    })
  })

  it('makes every walk foreign when another project answers, and keeps earlier reasons', async () => {
    const walks = [
      walk('endpoints', 0, 'complete', { lacksPromisedPage: true }),
      walk('subscriptions', 0, 'failed', { lacksPromisedPage: true }),
    ]
    const { lines, lacking } = await decide(walks, new ServiceFault('foreign', 'answers with another project'))
    expect(lacking).toBe(0)
    expect(lines).toContain('endpoints: failed: answers with another project: foreign')
    expect(lines).toContain('subscriptions: failed: subscriptions failed')
  })

  it("passes on an error that is not the service's fault", async () => {
    await expect(decide([walk('endpoints', 0)], new TypeError('a bug'))).rejects.toThrow('a bug')
  })
})

const order = ['project', 'endpoints', 'sources', 'event_types', 'subscriptions']
function byListing(a: string, b: string): number {
  return order.indexOf(a.split(':')[0] ?? '') - order.indexOf(b.split(':')[0] ?? '')
}

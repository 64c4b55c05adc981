import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { openFleetFixture } from './fleet-fixture.ts'

type List = readonly JsonObject[]

/** Lets the first endpoint show other secrets, or the project other versions of its signature. */
function rewriting(listing: 'endpoints' | 'project', change: (list: List) => List) {
  return (text: string) => {
    const { data, ...envelope } = JSON.parse(text)
    if (listing === 'project') data.config.signature.versions = change(data.config.signature.versions)
    else data.content[0].secrets = change(data.content[0].secrets)
    return JSON.stringify({ ...envelope, data })
  }
}

async function coverageWith(listing: 'endpoints' | 'project', change: (list: List) => List): Promise<Report> {
  await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 3 } })
  await fixture.audit()
  const path = listing === 'project' ? /\/projects\/\w+$/ : /\/endpoints/
  fixture.service.failNext({ path, times: Number.POSITIVE_INFINITY, how: 'rewrite', body: rewriting(listing, change) })
  return await fixture.audit()
}

const twice = (list: List): List => [...list, { ...list[0], value: 'another-not-a-real-secret' }]
const unnamed = (list: List): List => list.map(({ uid: _, ...entry }) => entry)
const many = (list: List): List => Array.from({ length: 1001 }, (_, n) => ({ ...list[0], uid: `s${n}` }))

describe('a list whose items have uids', () => {
  it.each([
    ['endpoints', twice, /^page 1: item 1 has two entries with one uid in secrets \(request id /],
    ['endpoints', (list: List) => twice(twice(list)), /^page 1: item 1 has two entries with one uid in secrets/],
    // The normal form names what has no uid by its place.
    ['endpoints', (list: List) => [{ uid: '#1' }, ...unnamed(list)], /has two entries with one uid in secrets/],
    ['endpoints', many, /^page 1: item 1 has more than 1000 entries in secrets/],
    ['project', twice, /^project: it has two entries with one uid in config\.signature\.versions/],
  ] as const)('%s: refuses one uid on two items %#', async (listing, change, reason) => {
    const { coverage, verdict, drift } = await coverageWith(listing, change)
    const walk = coverage.find((one) => one.listing === listing)
    expect(walk).toMatchObject({ status: 'failed', reason: expect.stringMatching(reason) })
    expect(coverage.filter(({ status }) => status !== 'complete')).toHaveLength(1)
    expect({ exit: verdict.exit_code, drift }).toEqual({ exit: 3, drift: [] })
  })

  it.each([
    ['several without a uid', (list: List) => [...unnamed(list), ...unnamed(list)]],
    ['a thousand', (list: List) => many(list).slice(1)],
    ['none', () => []],
  ] as const)('accepts %s', async (_title, change) => {
    const { coverage } = await coverageWith('endpoints', change)
    expect(coverage.filter(({ status }) => status !== 'complete')).toEqual([])
  })

  it('counts items over a whole page, also when the page is read in parts', async () => {
    await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 1 } })
    const more = (entries: number) => (text: string) => {
      const { data, ...envelope } = JSON.parse(text)
      // Without a value: what is under test is how many there are.
      const secrets = Array.from({ length: 1_000 }, (_, n) => ({ uid: `s${n}`, value: null }))
      const [first] = data.content
      const content = Array.from({ length: entries / 1_000 }, (_, n) => ({ ...first, uid: `e${n}`, secrets }))
      return JSON.stringify({ ...envelope, data: { ...data, content: [first, ...content] } })
    }
    const audit = async (entries: number) => {
      fixture.service.faults.length = 0
      fixture.service.failNext({ path: /\/endpoints/, times: 9, how: 'rewrite', body: more(entries) })
      const { coverage } = await fixture.audit({ policy: policyOf('extends: []') })
      return coverage.find(({ listing }) => listing === 'endpoints')
    }
    expect(await audit(100_000)).toMatchObject({
      status: expect.stringMatching(/^(partial|failed)$/),
      reason: expect.stringMatching(/^page 1: its items have more than 100000 secrets: ask for smaller pages/),
    })
    expect(await audit(2_000)).toMatchObject({ status: 'complete', reason: null })
  })
})

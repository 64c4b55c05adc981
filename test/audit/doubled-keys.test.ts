import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { openSite } from './a-site.ts'

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
  await using site = await openSite({ fleet: { endpointsPerProject: 3 } })
  await site.audit()
  const path = listing === 'project' ? /\/projects\/\w+$/ : /\/endpoints/
  site.service.failNext({ path, times: Number.POSITIVE_INFINITY, how: 'rewrite', body: rewriting(listing, change) })
  return await site.audit()
}

const twice = (list: List): List => [...list, { ...list[0], value: 'another-not-a-real-secret' }]
const unnamed = (list: List): List => list.map(({ uid: _, ...entry }) => entry)
const many = (list: List): List => Array.from({ length: 1001 }, (_, n) => ({ ...list[0], uid: `s${n}` }))

describe('a list of things that have a uid', () => {
  it.each([
    ['endpoints', twice, /^page 1: item 1 has two entries with one uid in secrets \(request id /],
    ['endpoints', (list: List) => twice(twice(list)), /^page 1: item 1 has two entries with one uid in secrets/],
    // The normal form names what has no uid by its place.
    ['endpoints', (list: List) => [{ uid: '#1' }, ...unnamed(list)], /has two entries with one uid in secrets/],
    ['endpoints', many, /^page 1: item 1 has more than 1000 entries in secrets/],
    ['project', twice, /^project: it has two entries with one uid in config\.signature\.versions/],
  ] as const)('%s: refuses one under two entries %#', async (listing, change, reason) => {
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
  ] as const)('takes %s', async (_title, change) => {
    const { coverage } = await coverageWith('endpoints', change)
    expect(coverage.filter(({ status }) => status !== 'complete')).toEqual([])
  })
})

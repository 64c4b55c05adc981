import { beforeAll, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../src/model/violation.ts'
import { noPlan } from '../../src/pages/page.ts'
import { aFinding, at, orders, payments } from '../history/samples.ts'
import { largeSites, someEndpoints } from './large-site.ts'

const openLargeSite = largeSites()

const scopes = { endpoint: { listing: 'endpoints', filter: null } } as const
const projects = Array.from({ length: 1203 }, (_, number) => `acme/p${String(number).padStart(4, '0')}`)
const owner = { owner_id: 'team' }

describe('a list that a page cannot hold', () => {
  const site = openLargeSite({
    ...noPlan,
    configured: async () => ({ expected: { named: projects, isDiscovered: () => false }, schedules: [], channels: [] }),
  })
  const accept = (first: number, number: number) =>
    site.history.accept(
      Array.from({ length: number }, (_, index) => {
        const finding = aFinding(`u${first + index}`)
        const { rule, kind, uid, path } = finding
        const fingerprint = fingerprintOf(payments, finding)
        return {
          project: payments,
          fingerprint,
          rule,
          kind,
          uid,
          path,
          reason: 'known',
          by: 'kim',
          at: at(10),
          valueDigest: null,
        }
      }),
    )
  const approve = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await site.history.approve([
        { project: orders, scopes, note: `n${time}`, by: 'kim', at: at(20 + time), state: { run: 1 } },
      ])
    }
  }
  beforeAll(async () => {
    await site.run(
      new Map([
        [payments, someEndpoints(120, 'p', owner)],
        [orders, someEndpoints(3, 'o', owner)],
      ]),
    )
    await site.run(
      new Map([
        [payments, someEndpoints(1100, 'q')],
        [orders, someEndpoints(230, 'r', owner)],
      ]),
    )
    await accept(0, 1100)
    await approve(231)
  })

  /** What each page of a list shows, following `rel=next`; `between` happens after the first page. */
  async function walk(first: string, pattern: RegExp, between = async () => {}) {
    const found: string[][] = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const { status, text, next } = await site.get(path)
      expect([path, status, site.faults]).toEqual([path, 200, []])
      const anchors = [...text.matchAll(/<a href="([^"]+)" rel="next">/g)].map(([, href = '']) =>
        href.replaceAll('&amp;', '&'),
      )
      expect([path, next === undefined || anchors.includes(next)]).toEqual([path, true])
      found.push([...text.matchAll(pattern)].map(([, name = '']) => name))
      if (found.length === 1) await between()
      path = next
    }
    return found
  }

  const named = /<th scope="row"><a href="\/resources\/([^?"]+)/g
  /** The pages of so many rows. */
  const pagesOf = (rows: number) =>
    Array.from({ length: Math.ceil(rows / 50) }, (_, at) => Math.min(50, rows - at * 50))

  it.each([
    {
      path: '/owners/team/endpoints',
      pattern: named,
      between: () => site.run(new Map([[orders, someEndpoints(150, 'a', owner)]])),
      rows: [...someEndpoints(3, 'o'), ...someEndpoints(230, 'r'), ...someEndpoints(120, 'p')].map(({ uid }) => uid),
    },
    {
      path: '/acceptances',
      pattern: /<th scope="row"><a href="\/violations\/([0-9a-f]{32})/g,
      between: () => accept(2000, 30),
      rows: 1100,
    },
    { path: '/worker', pattern: /<th scope="row">([^<]+)/g, rows: projects },
    {
      path: '/compare?from=1&to=2',
      pattern: named,
      rows: [...someEndpoints(230, 'r'), ...someEndpoints(1100, 'q')].map(({ uid }) => uid),
    },
    {
      path: '/baselines/differences',
      pattern: named,
      rows: [...someEndpoints(150, 'a'), ...someEndpoints(230, 'r')].map(({ uid }) => uid),
    },
    { path: '/baselines', pattern: /data-label="Remarks"><div>(n\d+)</g, between: () => approve(1), rows: 231 },
  ])('goes on from page to page: $path', async ({ path, pattern, between, rows }) => {
    const pages = await walk(path, pattern, between)
    expect(pages.map(({ length }) => length)).toEqual(pagesOf(typeof rows === 'number' ? rows : rows.length))
    if (typeof rows === 'number') expect(new Set(pages.flat()).size).toBe(rows)
    else expect(pages.flat()).toEqual(rows)
  })

  it.each([
    ...['/owners/team?after=x', '/waivers?before=x', '/worker?after=x', '/acceptances?after=9999'],
    ...['/compare?after=x', '/baselines?after=x', '/baselines?after=-1'],
  ])('refuses a place that is not in it: %s', async (path) => {
    expect([path, (await site.get(path)).status]).toEqual([path, 400])
  })
})

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

  it('goes on with the endpoints of an owner, while a run adds others', async () => {
    const uids = /<tr><th scope="row"><a href="\/resources\/([^?"]+)/g
    const pages = await walk('/owners/team', uids, () => site.run(new Map([[orders, someEndpoints(150, 'a', owner)]])))
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 100, 53])
    expect(pages.flat().toSorted()).toEqual(
      [...['o', 'p', 'r'].flatMap((prefix) => someEndpoints({ o: 3, p: 120, r: 230 }[prefix] ?? 0, prefix))].map(
        ({ uid }) => uid,
      ),
    )
  })

  it('goes on with acceptances, while people accept more', async () => {
    const pages = await walk(
      '/waivers',
      /<code>endpoint\/url-not-https<\/code><\/a> .*?\/violations\/([0-9a-f]{32})/g,
      () => accept(2000, 30),
    )
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 100])
    expect(new Set(pages.flat()).size).toBe(1100)
  })

  it('goes on with the projects of the worker', async () => {
    const pages = await walk('/worker', /<tr data-project="([^"]+)"/g)
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 203])
    expect(pages.flat()).toEqual(projects)
  })

  it('goes on with the changes between two runs', async () => {
    const pages = await walk('/compare?from=1&to=2', /data-change="added"><p>.*?\/resources\/([^?"]+)/g)
    expect(pages.map(({ length }) => length)).toEqual([500, 500, 330])
    expect(pages.flat()).toEqual([...someEndpoints(230, 'r'), ...someEndpoints(1100, 'q')].map(({ uid }) => uid))
  })

  it('goes on with what differs from approved states, and with past approvals', async () => {
    const pages = await walk('/baselines', /data-change="added"><p>.*?\/resources\/([^?"]+)/g)
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 100, 80])
    expect(pages.flat()).toEqual([...someEndpoints(150, 'a'), ...someEndpoints(230, 'r')].map(({ uid }) => uid))
    const { text } = await site.get('/baselines')
    const [, second = ''] = /<a href="([^"]*after-approval[^"]*)" rel="next">/.exec(text) ?? []
    const past = [...(text.split('id="past"')[1]?.matchAll(/data-label="Note">(n\d+)</g) ?? [])].map(([, note]) => note)
    const rest = await walk(second.replaceAll('&amp;', '&'), /data-label="Note">(n\d+)</g, () => approve(1))
    expect([past.length, ...rest.map(({ length }) => length)]).toEqual([100, 100, 30])
    expect(new Set([...past, ...rest.flat()]).size).toBe(230)
  })

  it.each([
    ...['/owners/team?after=x', '/waivers?before=x', '/worker?after=x', '/worker?after=x&after-state=odd'],
    ...['/compare?after=x', '/baselines?after=x', '/baselines?after-approval=0'],
  ])('refuses a place that is not in it: %s', async (path) => {
    expect([path, (await site.get(path)).status]).toEqual([path, 400])
  })
})

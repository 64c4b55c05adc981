import { beforeAll, describe, expect, it } from 'vitest'
import { listRuns } from '../../src/history/sql/runs.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { watchStatements } from '../history/changed-history.ts'
import { aVersion, orders, payments } from '../history/samples.ts'
import { largeSites, someEndpoints } from './large-site.ts'

const openLargeSite = largeSites()

const attack = `"><img src=x onerror=alert(1)>`

describe('a large site', () => {
  const site = openLargeSite()
  beforeAll(async () => {
    const sources = ['', attack].map((name, at) => aVersion(`s${at}`, {}, { kind: 'source', name }))
    await site.run(
      new Map([
        [payments, [...someEndpoints(2000, 'p'), ...sources]],
        [orders, someEndpoints(1530, 'o')],
      ]),
    )
  })

  /** The uids of a list, page by page; `between` happens after each page. */
  async function walk(first: string, pattern: RegExp, between: (page: number) => Promise<void> = async () => {}) {
    const found: string[][] = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const { status, text, next } = await site.get(path)
      expect([path, status, site.faults]).toEqual([path, 200, []])
      found.push([...text.matchAll(pattern)].map(([, uid = '']) => uid))
      await between(found.length)
      path = next
    }
    return found
  }
  const uidsOf = /<th scope="row"><a href="\/resources\/([^?"]+)/g

  it('lists all resources once and in order, fifty a page, while a run adds others', async () => {
    const wanted = (await readStateAt(site.history, orders, 1)).concat(await readStateAt(site.history, payments, 1))
    const pages = await walk('/resources', uidsOf, async (page) => {
      if (page === 3) await site.run(new Map([[orders, [...someEndpoints(75, 'a'), ...someEndpoints(75, 'z')]]]))
    })
    const isOfFirst = new Set(wanted.map(({ uid }) => uid))
    expect(pages.flat().filter((uid) => isOfFirst.has(uid))).toEqual(wanted.map(({ uid }) => uid))
    expect(new Set(pages.flat()).size).toBe(pages.flat().length)
    expect(pages.slice(0, -1).every(({ length }) => length === 50)).toBe(true)
    expect((await walk('/resources', uidsOf)).flat()).toHaveLength(wanted.length + 150)
  })

  it.each([
    ['/resources?kind=endpoint&project=acme/orders&run=1', 1530],
    ['/resources?kind=source', 2],
    ['/resources?q=NAME+OF+P0001', 100],
    ['/resources?state=all&run=1', 3532],
  ])('lists what passes the filters on all pages: %s', async (first, number) => {
    const uids = (await walk(first, uidsOf)).flat()
    expect([uids.length, new Set(uids).size]).toEqual([number, number])
  })

  it('says how many resources there are, and shows hostile names as text', async () => {
    expect((await site.get('/resources?run=1')).text).toContain(
      'role="status">3532 resources: 3530 endpoints, 2 sources. 50 on this page, others on the next ones.',
    )
    const { text } = await site.get('/resources?kind=source')
    expect(text).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('<img')
    const places = `after=${encodeURIComponent(attack)}&after-kind=source&after-project=acme/payments`
    expect((await site.get(`/resources?${places}`)).text).not.toContain('<img')
  })

  it('holds at most a page of resources, of any number', async () => {
    const { text } = await site.get('/resources?run=1')
    expect(Buffer.byteLength(text)).toBeLessThan(60_000)
  })

  it('says of a comparison how many changes there are and how many are shown', async () => {
    const { text } = await site.get('/compare?from=1&to=2')
    expect(text).toContain('50 on this page, 100 on the next ones.')
    expect((await site.get('/compare?from=1&to=2&project=acme/payments')).text).toContain('Nothing differs')
    await site.run(new Map([[payments, someEndpoints(700, 'x')]]))
    const large = (await site.get('/compare?from=2&to=3')).text
    expect(large).toContain('50 on this page, 650 on the next ones.')
    expect([...large.matchAll(uidsOf)]).toHaveLength(50)
    expect((await site.get('/runs/3')).text).toContain('… and 650 more changes')
  })

  it('lists all runs once, the latest first, while others are added', async () => {
    while ((await listRuns(site.history)).length < 120) await site.run()
    const numbers = /<tr><th scope="row"><a href="\/runs\/(\d+)/g
    const pages = await walk('/runs', numbers, async (page) => {
      if (page < 3) await site.run()
    })
    expect(pages.flat().map(Number)).toEqual(Array.from({ length: 120 }, (_, at) => 120 - at))
    const past = await walk('/runs?run=60', numbers)
    expect([past.flat().length, past.flat()[0]]).toEqual([60, '60'])
  })
})

it('a site without a run says so in place of each list', async () => {
  const site = openLargeSite()
  for (const path of ['/resources', '/runs', '/compare', '/baselines', '/projects/acme/payments']) {
    expect((await site.get(path)).text).toContain('Run <code>hookdrift audit</code>')
  }
  await site.run()
  expect((await site.get('/resources')).text).toContain('No such resource.')
  expect((await site.get('/compare')).text).toContain('The history has no run before run 1')
})

it('finds a name wherever it is', async () => {
  const site = openLargeSite()
  await site.run(new Map([[payments, someEndpoints(2100, 'p')]]))
  const [none, late] = [await site.get('/resources?q=nothing+has+this'), await site.get('/resources?q=p002050')]
  expect([none.text.includes('No such resource.'), none.next]).toEqual([true, undefined])
  expect(late.text).toContain('href="/resources/p002050')
})

it('reads the violations of a run once for each page, and what a framework needs not again', async () => {
  const site = openLargeSite()
  await site.run()
  const statements = watchStatements(site.history)
  for (const [path, mark, times] of [
    ['/worker', 'x.first_run AS "firstRun"', 2],
    ['/projects/acme/payments', 'x.first_run AS "firstRun"', 2],
    ['/compliance/soc2', 'FROM hookdrift.notice', 0],
  ] as const) {
    await site.get(path)
    const from = statements.length
    for (let round = 0; round < 2; round++) expect([path, (await site.get(path)).status]).toEqual([path, 200])
    const asked = statements.slice(from).filter((sql) => sql.includes(mark))
    expect([path, asked.length]).toEqual([path, times])
  }
})

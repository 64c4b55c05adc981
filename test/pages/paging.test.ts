import { afterAll, describe, expect, it } from 'vitest'
import { fillViolations } from '../../bench/fill-violations.ts'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import { listViolations } from '../../src/history/sql/list-violations.ts'
import { isOpen } from '../../src/model/violation.ts'
import { createSite } from '../../src/pages/site.ts'
import { readFirst } from '../../src/questions/choose-violations.ts'
import { openDirectory } from '../cli/start-process.ts'

describe('a long list of violations', async () => {
  const directory = openDirectory()
  const file = directory.file('hookdrift.db')
  fillViolations(file, 4000)
  const history = await openExistingHistory(readLocation(file, directory.path), {})
  afterAll(async () => {
    await history.close()
    directory[Symbol.dispose]()
  })

  const get = async (path: string) => {
    const faults: unknown[] = []
    const site = createSite({
      history: async () => history,
      now: () => Date.UTC(2026, 1, 1),
      version: '1.2.3',
      api: createApi({ config: 'hookdrift.yaml' }, { ...process, cwd: () => directory.path }, '1.2.3'),
      isHostOfPort: () => true,
      onFault: (error) => faults.push(error),
    })
    const answer = await site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
    const text = await answer.text()
    expect([answer.status, faults]).toEqual([200, []])
    const link = (rel: string) => new RegExp(`<a href="([^"]+)" rel="${rel}"`).exec(text)?.[1]?.replaceAll('&amp;', '&')
    const rows = [...text.matchAll(/<th scope="row"><a href="\/violations\/([0-9a-f]+)/g)].map(
      ([, fingerprint]) => fingerprint,
    )
    return { text, rows, next: link('next'), previous: link('prev') }
  }

  it.each([
    '/violations',
    '/violations?state=resolved&severity=high',
    '/violations?state=all&rule=endpoint%2Frule-1*',
    '/violations?run=50',
    '/violations?sort=age',
    '/violations?sort=age&state=all&rule=endpoint%2Frule-2',
  ])('is walked page by page, forth and back: %s', async (first) => {
    const pages = []
    for (let path: string | undefined = first; path !== undefined; ) {
      const page = await get(path)
      pages.push(page)
      path = page.next
    }
    expect(pages.length).toBeGreaterThan(2)
    const walked = pages.flatMap(({ rows }) => rows)
    const run = /run=50/.test(first) ? 50 : 100
    const listed = await listViolations(history, { run, resolvedAfter: /state=/.test(first) ? 0 : undefined })
    const isOfRule = (rule: string) =>
      !/rule=/.test(first) || (/rule-2/.test(first) ? rule === 'endpoint/rule-2' : rule.startsWith('endpoint/rule-1'))
    const chosen = listed.filter(
      ({ rule, state, severity }) =>
        isOfRule(rule) &&
        (/state=all/.test(first) || (/state=resolved/.test(first) ? state === 'resolved' : isOpen({ state }))) &&
        (!/severity/.test(first) || severity === 'high' || severity === 'critical'),
    )
    const byAge = ({ first_seen }: { readonly first_seen: string }) => Date.parse(first_seen)
    const most = Number.POSITIVE_INFINITY
    const wanted = await readFirst(history, chosen, /sort=age/.test(first) ? { most, sortKey: byAge } : { most })
    expect(walked).toEqual(wanted.map(({ fingerprint }) => fingerprint))
    const back = []
    for (let path = pages.at(-1)?.previous; path !== undefined; ) {
      const page = await get(path)
      back.unshift(...page.rows)
      path = page.previous
    }
    expect(back).toEqual(walked.slice(0, back.length))
    expect(walked.length - back.length).toBe(pages.at(-1)?.rows.length)
  })

  it('takes at most 60 kB a page', async () => {
    for (const path of ['/', '/violations', '/violations?state=all', '/violations?group-by=resource']) {
      const { text } = await get(path)
      expect([path, Buffer.byteLength(text) < 60_000]).toEqual([path, true])
    }
  })
})

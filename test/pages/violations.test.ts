import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDemoSite } from './demo-site.ts'

describe('the overview and the list of violations', () => {
  let site: Awaited<ReturnType<typeof openDemoSite>>
  beforeAll(async () => {
    site = await openDemoSite()
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const textOf = async (path: string) => {
    const answer = await site.get(path)
    expect([path, answer.status]).toEqual([path, 200])
    return answer.text()
  }
  const fingerprintsIn = (page: string) => [...page.matchAll(/<li id="v-([0-9a-f]{16})"/g)].map(([, found]) => found)

  it('show the violations of the command, in its order, by the same filters', async () => {
    for (const [query, options] of [
      ['', []],
      ['?severity=high', ['--severity', 'high']],
      ['?rule=endpoint/*&state=open', ['--rule', 'endpoint/*', '--open']],
      ['?project=demo/orders&kind=endpoint', ['--project', 'demo/orders', '--kind', 'endpoint']],
      ['?owner=tenant-0*&sort=age', ['--owner', 'tenant-0*', '--sort', 'age']],
    ] as const) {
      const { stdout } = await site.command('violations', '--format', 'json', ...options)
      const expected = JSON.parse(stdout).rows.map(({ fingerprint }: { fingerprint: string }) =>
        fingerprint.slice(0, 16),
      )
      const page = await textOf(`/violations${query}`)
      expect([query, fingerprintsIn(page)]).toEqual([query, expected])
      expect(page).toContain(`<b>${expected.length} violation`)
    }
  })

  it('find a violation by a text of its resource', async () => {
    const { rows } = JSON.parse((await site.command('violations', '--format', 'json')).stdout)
    const named = rows.filter(({ name }: { name: string }) => name === 'stock-010')
    expect(fingerprintsIn(await textOf('/violations?q=stock-010'))).toHaveLength(named.length)
    expect(named).not.toEqual([])
    expect(await textOf('/violations?q=nothing-like-it')).toContain('No violation fits this filter.')
  })

  it('group by rule with the number of each', async () => {
    const page = await textOf('/violations?group-by=rule')
    expect(page).toMatch(/rule=endpoint%2Furl-not-https[^>]*>endpoint\/url-not-https<\/a><\/th>.*<b>3<\/b>/)
  })

  it('refuse what no list has', async () => {
    for (const query of ['severity=worst', 'from-row=x', 'from-row=1000001', 'older-than=soon', 'since=99', 'x=1']) {
      expect([query, (await site.get(`/violations?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('show what is new, and the numbers of the command for each project', async () => {
    const page = await textOf('/')
    expect(page).toContain('New violations <span class="count">6</span>')
    expect(page).toContain('Changed since run 1 <span class="count">7</span>')
    const { rows } = JSON.parse((await site.command('status', '--format', 'json')).stdout)
    for (const { project, violations } of rows) {
      const [, row = ''] = new RegExp(`>${project}</a></th>(.*)</tr>`).exec(page) ?? []
      const shown = [...row.matchAll(/class="n[^>]*>(?:<[^>]*>)?(\d+)</g)].map(([, number]) => Number(number))
      expect([project, shown]).toEqual([project, Object.values(violations)])
    }
  })
})

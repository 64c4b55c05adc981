import { afterAll, describe, expect, it } from 'vitest'
import { openDemoSite } from './demo-site.ts'

describe('the lists', async () => {
  const site = await openDemoSite()
  afterAll(() => site[Symbol.asyncDispose]())

  const read = async (path: string) => {
    const answer = await site.get(path)
    const text = await answer.text()
    expect([path, answer.status]).toEqual([path, 200])
    return text
  }
  const { json } = site
  const textOf = (markup: string) =>
    markup
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()

  it('lists and counts what the command does, by the same options', async () => {
    for (const [query, options] of [
      ['', '--open'],
      ['state=active', ''],
      ['state=opened', '--state opened'],
      ['state=continuing&q=endpoint', '--state continuing --text endpoint'],
      ['state=waived', '--waived'],
      ['state=resolved', '--resolved'],
      ['state=all', '--open --resolved --waived --unknown'],
      ['severity=high', '--open --severity high'],
      ['max-severity=low', '--open --max-severity low'],
      ['severity=high&max-severity=high', '--open --severity high --max-severity high'],
      ['rule=endpoint/*', '--open --rule endpoint/*'],
      ['rule=drift/*&state=all', '--open --resolved --waived --unknown --rule drift/*'],
      ['kind=endpoint', '--open --kind endpoint'],
      ['owner=tenant-0*', '--open --owner tenant-0*'],
      ['overdue=true', '--open --overdue'],
      ['since=2', '--open --since 2'],
      ['sort=age', '--open --sort age'],
    ]) {
      const page = await read(`/violations?${query}`)
      const { rows } = await json(`violations ${options}`)
      const shown = [...page.matchAll(/<th scope="row"><a href="\/violations\/([0-9a-f]+)/g)].map(
        ([, fingerprint]) => fingerprint,
      )
      expect([query, shown]).toEqual([query, rows.slice(0, 50).map((row) => row.fingerprint)])
    }
  })

  it('finds texts, in any case', async () => {
    const { rows } = await json('violations --open')
    const word = 'AUTHENTICATION'
    const page = await read(`/violations?q=${word}`)
    const found = rows.filter((row) =>
      [row.message, row.name, row.uid, row.rule, row.path, row.project].some((text) =>
        text.toUpperCase().includes(word),
      ),
    )
    expect(page.match(/<th scope="row"><a href="\/violations\//g) ?? []).toHaveLength(found.length)
    expect(found.length).toBeGreaterThan(0)
  })

  it('counts groups', async () => {
    const { rows } = await json('violations --open')
    for (const by of ['rule', 'project', 'owner'] as const) {
      const page = await read(`/violations?group-by=${by}`)
      const groups = [...page.matchAll(/<tr><th scope="row">.*?data-label="all"[^>]*>(\d+)</gs)].map(([, total]) =>
        Number(total),
      )
      const wanted = [...Map.groupBy(rows, (row) => row[by] ?? '').values()].map(({ length }) => length)
      expect([by, groups.toSorted()]).toEqual([by, wanted.toSorted()])
    }
  })

  it('shows one violation by the beginning of its fingerprint, open, waived or resolved', async () => {
    const { rows } = await json('violations --open --resolved --waived --unknown')
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) {
      const page = await read(`/violations/${row.fingerprint.slice(0, 12)}`)
      expect(textOf(page)).toContain(row.rule)
      expect(page).toContain(row.fingerprint)
      expect(page).toContain(`data-state="${row.state}"`)
    }
    expect((await site.get('/violations/ffffff')).status).toBe(404)
    expect((await site.get('/violations/zz')).status).toBe(404)
  })

  it('says that no project, rule or owner fits a filter, and not that nothing violates it there', async () => {
    for (const [query, message] of [
      ...['', '&group-by=rule', '&state=all'].map((more) => [`project=acme/*${more}`, 'matches none of demo/orders']),
      ['rule=endpoint/url-not-http', 'did you mean endpoint/url-not-https?'],
    ]) {
      const answer = await site.get(`/violations?${query}`)
      expect([query, answer.status, await answer.text()]).toEqual([query, 400, expect.stringContaining(message ?? '')])
    }
    expect(await read('/violations?owner=ghost')).toContain('? No endpoint belongs to ghost.')
  })

  it('refuses unknown words, durations and cursors', async () => {
    for (const query of [
      'state=x',
      'severity=bad',
      'older-than=x',
      'after=1',
      'kind=x',
      'group-by=x',
      'overdue=no',
      'sort=name',
      'y=1',
    ]) {
      expect([query, (await site.get(`/violations?${query}`)).status]).toEqual([query, 400])
    }
  })

  it('travels in time', async () => {
    const page = await read('/violations?run=1&state=active')
    expect(page).not.toMatch(/">drift\//)
    expect(page).toContain('run=1')
    expect(await read('/?run=1')).toContain('New and changed in run 1')
  })
})

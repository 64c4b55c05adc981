import { afterAll, describe, expect, it } from 'vitest'
import { openDemoSite } from './demo-site.ts'

interface Row {
  readonly fingerprint: string
  readonly rule: string
  readonly severity: string
  readonly state: string
  readonly project: string
  readonly message: string
  readonly owner: string | null
  readonly waiver?: { readonly owner: string; readonly expires: string }
}

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
  const severities = ['critical', 'high', 'medium', 'low', 'info'] as const

  it('shows in the overview what the commands answer', async () => {
    const page = await read('/')
    const status = await json('status')
    const { rows: open, counts } = await json('violations --open')
    const count = (severity: string) => open.filter((row: Row) => row.severity === severity).length
    const figures = [...page.matchAll(/<li class="figure[^>]*>(.*?)<\/li>/gs)].map(([, figure = '']) => textOf(figure))
    expect(figures).toHaveLength(3)
    for (const [at, severity] of severities.slice(0, 3).entries()) {
      const isNew = open.filter((row: Row) => row.severity === severity && row.state === 'opened').length
      expect(figures[at]).toMatch(new RegExp(`^${count(severity)} ${severity}`))
      expect(figures[at]?.includes(`+${isNew} new`)).toBe(isNew > 0)
    }
    expect(page).toContain(`aria-label="${counts.total} open violations: `)
    const table = /aria-label="Projects">.*?<\/table>/s.exec(page)?.[0] ?? ''
    const cells = [...table.matchAll(/<tr data-project="([^"]*)">(.*?)<\/tr>/gs)].map(([, project, row = '']) => ({
      project,
      numbers: [...row.matchAll(/<td data-label="(\w+)"[^>]*>(.*?)<\/td>/gs)].map(([, , cell = '']) => textOf(cell)),
    }))
    expect(cells.map(({ project }) => project).sort()).toEqual(status.rows.map((row: Row) => row.project).sort())
    for (const { project, numbers } of cells) {
      const row = status.rows.find((one: Row) => one.project === project)
      const own = severities.map((severity) =>
        row.violations[severity] === 0 ? '·' : String(row.violations[severity]),
      )
      expect([project, ...numbers.slice(0, 5)]).toEqual([project, ...own])
      expect(numbers[5]?.slice(0, 10)).toBe(row.at.slice(0, 10))
    }
    const trend = await json('trend')
    const week = trend.weeks.at(-1)
    expect(page).toMatch(
      new RegExp(
        `opened ${week.opened} \\(<a href="/violations\\?state=open&amp;since=[^"]*">${week.opened} still open</a>\\), fixed ${week.fixed}, removed ${week.removed}, ended otherwise ${week.closed}<`,
      ),
    )
    const days = trend.rows.map(({ open }: { open: Record<string, number> }) =>
      severities.reduce((sum, one) => sum + (open[one] ?? 0), 0),
    )
    if (days.length >= 2)
      expect(page).toContain(`${days.at(0)} at first, ${days.at(-1)} at last, ${Math.max(...days)} at most`)
    const { rows: waived } = await json('violations --waived')
    expect(page.includes(`>${waived.length} waived<`)).toBe(waived.length > 0)
    const { rows: overdue } = await json('violations --open --overdue')
    expect(page.includes(`>${overdue.length} overdue<`)).toBe(overdue.length > 0)
    const byRule = Map.groupBy(open as Row[], ({ rule }) => rule)
    for (const [, rule = '', number] of page.matchAll(/rule=([^&"]*)[^"]*">(\d+) open</g)) {
      expect([rule, Number(number)]).toEqual([rule, byRule.get(decodeURIComponent(rule))?.length])
    }
    const runs = await json('runs')
    for (const { number, changes } of runs.rows) {
      const row = new RegExp(`>Run ${number}</a>.*?data-label="Changes"[^>]*>(.*?)</td>`, 's').exec(page)
      const shown = textOf(row?.[1] ?? '')
      expect([number, shown === '·' ? 0 : Number(shown)]).toEqual([
        number,
        typeof changes === 'number'
          ? changes
          : Object.values(changes as Record<string, number>).reduce((a, b) => a + b, 0),
      ])
    }
  })

  it('lists and counts what the command does, by the same options', async () => {
    for (const [query, options] of [
      ['', '--open'],
      ['state=active', ''],
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
      const shown = [...page.matchAll(/<li id="v-([0-9a-f]+)/g)].map(([, fingerprint]) => fingerprint)
      expect([query, shown]).toEqual([query, rows.slice(0, 50).map((row: Row) => row.fingerprint)])
    }
  })

  it('says what the command for a list cannot leave out', async () => {
    const footOf = async (query: string) => /<footer>\n<p>(.*?)<\/p>/.exec(await read(`/violations?${query}`))?.[1]
    expect(await footOf('state=opened')).toContain('It lists those that continue, too.')
    expect(await footOf('state=continuing&q=a')).toContain('It lists new ones, too, and violations of all texts.')
    expect(await footOf('state=open')).not.toContain('It lists')
  })

  it('finds texts, in any case', async () => {
    const { rows } = await json('violations --open')
    const word = 'AUTHENTICATION'
    const page = await read(`/violations?q=${word}`)
    const found = rows.filter((row: Row & { name: string; uid: string; path: string }) =>
      [row.message, row.name, row.uid, row.rule, row.path, row.project].some((text) =>
        text.toUpperCase().includes(word),
      ),
    )
    expect(page.match(/<li id="v-/g) ?? []).toHaveLength(found.length)
    expect(found.length).toBeGreaterThan(0)
  })

  it('counts groups', async () => {
    const { rows } = await json('violations --open')
    for (const by of ['rule', 'project', 'owner'] as const) {
      const page = await read(`/violations?group-by=${by}`)
      const groups = [...page.matchAll(/<tr><th scope="row">.*?data-label="all"[^>]*>(\d+)</gs)].map(([, total]) =>
        Number(total),
      )
      const wanted = [...Map.groupBy(rows as Row[], (row) => row[by] ?? '').values()].map(({ length }) => length)
      expect([by, groups.toSorted()]).toEqual([by, wanted.toSorted()])
    }
  })

  it('shows one violation by the beginning of its fingerprint, open, waived or resolved', async () => {
    const { rows } = await json('violations --open --resolved --waived --unknown')
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows as Row[]) {
      const page = await read(`/violations/${row.fingerprint.slice(0, 12)}`)
      expect(textOf(page)).toContain(row.rule)
      expect(page).toContain(row.fingerprint)
      expect(page).toContain(`data-state="${row.state}"`)
    }
    expect((await site.get('/violations/ffffff')).status).toBe(404)
    expect((await site.get('/violations/zz')).status).toBe(404)
  })

  it('says that no project, rule or owner fits a filter, and not that nothing violates it there', async () => {
    for (const query of ['project=acme/*', 'project=acme/*&group-by=rule', 'project=acme/*&state=all']) {
      const page = await read(`/violations?${query}`)
      expect(page).toContain('? No project that was scanned fits the filter: what is open there is unknown.')
      expect(page).not.toContain('No violation passes')
    }
    const page = await read('/violations?rule=endpoint/url-not-http')
    expect(page).toContain('? There is no rule &quot;endpoint/url-not-http&quot;, did you mean endpoint/url-not-https?')
    expect(await read('/violations?owner=ghost')).toContain('? No endpoint belongs to ghost.')
    expect(await read('/violations?rule=source/*&project=hookdrift/policy')).toContain(
      'No violation passes the filters',
    )
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
    expect(page).not.toContain('data-rule="drift/')
    expect(page).toContain('run=1')
    expect(await read('/?run=1')).toContain('New and changed in run 1')
  })
})

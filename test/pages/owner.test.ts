import { afterAll, describe, expect, it } from 'vitest'
import { dayMs } from '../../src/model/time.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { withWholeCommands } from './shell-words.ts'
import { openSiteOver, openStorySite, owner } from './story-site.ts'

describe('the lists of a history with due dates', async () => {
  const site = await openStorySite()
  afterAll(() => site[Symbol.asyncDispose]())

  const page = `/owners/${encodeURIComponent(owner)}`
  const read = (path: string) => site.read(path)
  const listed = (text: string) =>
    [...text.matchAll(/(?:<li id="v-|<th scope="row"><a href="\/violations\/)([0-9a-f]+)/g)].map(
      ([, fingerprint]) => fingerprint,
    )
  const ask = (options: string) => site.json(`violations ${options} --run ${site.run} --limit all`)

  it.each(['severity', 'age', 'due'])('come in the order of the command: %s', async (sort) => {
    for (const [query, options] of [
      ['state=open', '--open'],
      ['state=all', '--open --resolved --waived --unknown'],
    ]) {
      const { rows } = await ask(`${options} --sort ${sort}`)
      const text = await read(`/violations?${query}&sort=${sort}&run=${site.run}`)
      expect([query, listed(text)]).toEqual([query, rows.slice(0, 50).map((row) => row.fingerprint)])
      expect(text).toContain(sort === 'severity' ? '<option value="">severity</option>' : `--sort ${sort}`)
    }
  })

  it('leave out what is younger, or not overdue', async () => {
    for (const [query, options] of [
      ['older-than=6d', '--older-than 6d'],
      ['overdue=true', '--overdue'],
    ]) {
      const { rows, counts } = await ask(`--open ${options}`)
      expect(counts.total).toBeGreaterThan(2)
      const text = await read(`/violations?${query}&run=${site.run}`)
      expect([query, listed(text)]).toEqual([query, rows.map((row) => row.fingerprint)])
    }
  })

  it('name what is overdue of an owner first, and count what the command does', async () => {
    const { rows, counts } = await ask(`--open --owner '${owner}' --sort due`)
    const text = await read(`${page}?run=${site.run}`)
    expect(listed(text)).toEqual(rows.map((row) => row.fingerprint))
    expect(text).toContain(`role="status">${counts.total} violations`)
    for (const severity of ['critical', 'high', 'medium', 'low', 'info']) {
      const shown = counts.severities[severity] === 0 ? '\\?' : `${counts.severities[severity]}\\+`
      expect(text).toMatch(new RegExp(`<b>${shown}</b> <span class="label">${severity}`))
    }
    expect(withWholeCommands(text)).toContain('--owner &#39;team &lt;mine&gt;&#39; --sort due')
  })

  it('name the endpoints of an owner, as of any run', async () => {
    const { rows } = await site.json('state --kind endpoint --limit all')
    const own = rows.filter(({ attributes }) => attributes.owner_id === owner)
    const text = await read(page)
    expect(text).toContain('<h1>Owner team &lt;mine&gt;</h1>')
    expect(text).toContain(`Endpoints <span class="count">${own.length}</span>`)
    for (const { uid } of own) expect(text).toContain(`href="/resources/${uid}?project=`)
    expect((await site.get(`${page}?run=1`)).status).toBe(404)
    expect((await site.get('/owners/unknown')).status).toBe(404)
    expect((await site.get('/owners/%00')).status).toBe(400)
  })

  it('lead from a rule to all of its violations that the page counts', async () => {
    const text = await read('/rules/endpoint/url-not-https')
    expect(text).toContain('3 open, 1 waived, 1 not checked by the last scan; 5 shown.')
    const [, href = ''] = /href="([^"]*)">Filter and group them/.exec(text) ?? []
    expect(listed(await read(href.replaceAll('&amp;', '&'))).toSorted()).toEqual(listed(text).toSorted())
  })

  it('lead from every violation to its owner', async () => {
    const href = `<a href="${page}"`
    const [first] = (await ask(`--open --owner '${owner}'`)).rows
    for (const path of ['/', '/violations', `/violations/${first.fingerprint}`, `/rules/${first.rule}`]) {
      expect([path, (await read(path)).includes(href)]).toEqual([path, true])
    }
  })

  it('lead from what says that violations are overdue to these', async () => {
    const [row] = (await ask('--open --rule violation/overdue')).rows
    const page = await read(`/violations/${row.fingerprint}?run=${site.run}`)
    const [, href = ''] = / · policy <a href="([^"]*)"/.exec(page) ?? []
    const { counts } = await ask(`--open --overdue --project ${row.project}`)
    expect(await read(href.replaceAll('&amp;', '&'))).toContain(`role="status">${counts.total} violations:`)
  })

  it('say the same of what is due, a while after the run too', async () => {
    site.advance(3 * dayMs)
    const [first] = (await ask('--open --rule endpoint/url-not-https')).rows
    for (const path of ['/violations', `/violations/${first.fingerprint}`, '/rules/endpoint/url-not-https']) {
      expect([path, /OVERDUE by 24 h/.test(await read(path))]).toEqual([path, true])
    }
  })
})

it('has a page for an owner of whom only ended violations are left: lists of these lead there', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
  const { fixture } = made
  const policy = policyOf('extends: []\nrules: { endpoint/inactive: {} }')
  for (const row of [{ status: 'inactive', owner_id: 'former' }, { status: 'active' }, { owner_id: 'present' }]) {
    fixture.set(row)
    await fixture.audit({ policy })
  }
  await using site = await openSiteOver(made)
  expect(await site.read('/violations?state=resolved')).toContain('href="/owners/former"')
  const text = (await site.read('/owners/former')).replace(/<[^>]*>/g, ' ')
  expect(text).toContain('No endpoint names this owner now.')
  expect((await site.get('/owners/ghost')).status).toBe(404)
})

import { afterAll, describe, expect, it } from 'vitest'
import type { StatusRow } from '../../src/questions/status.ts'
import { openStorySite, owner } from './story-site.ts'

/** The bar of a page, up to its heading; empty without one. */
const barOf = (page: string) => /<div class="unscanned unseen"[\s\S]*?(?=<h1>)/.exec(page)?.[0] ?? ''

describe('pages of a history whose last run could not scan a project', async () => {
  const site = await openStorySite()
  await site.json('baseline', 'approve', '--run', '1', '--note', 'as agreed')
  const { rows }: { rows: readonly StatusRow[] } = await site.json('status')
  const nameOf = (isMeant: (row: StatusRow) => boolean) => rows.find(isMeant)?.project ?? ''
  const projects = { failed: nameOf(({ complete }) => !complete), whole: nameOf(({ complete }) => complete) }
  afterAll(async () => {
    expect(site.faults).toEqual([])
    await site[Symbol.asyncDispose]()
  })

  const read = (path: string) => site.read(path)

  it.each([
    ...['/compare', '/baselines', '/rules', '/waivers', '/worker', '/compliance', '/compliance/soc2'],
    ...['/compliance/soc2?from=30d', '/resources', '/violations', `/owners/${encodeURIComponent(owner)}`],
  ])('say so above their heading, and lead to the coverage of the run: %s', async (path) => {
    const bar = barOf(await read(path))
    expect(bar).toContain('? 1 of 3 projects was not scanned to the end.')
    expect(bar).toContain(projects.failed)
    const [, href = ''] = /href="([^"]*)">Coverage</.exec(bar) ?? []
    expect(href).toBe(`/runs/${site.run}#coverage`)
    expect(await read(href.replace('#coverage', ''))).toContain('id="coverage"')
  })

  it('stay at the run that they are as of', async () => {
    expect(barOf(await read(`/rules?run=${site.run}`))).toContain(`/runs/${site.run}?run=${site.run}#coverage`)
    for (const path of ['/rules', '/waivers', '/compare', '/compliance/soc2', '/resources']) {
      expect([path, barOf(await read(`${path}?run=${site.run - 1}`))]).toEqual([path, ''])
    }
  })

  it('are limited to the projects that a list is about', async () => {
    for (const path of ['/violations', '/resources', '/baselines', '/compare']) {
      expect([path, barOf(await read(`${path}?project=${projects.whole}`))]).toEqual([path, ''])
      const bar = barOf(await read(`${path}?project=${projects.failed}`))
      expect([path, bar]).toEqual([path, expect.stringContaining(projects.failed)])
    }
  })

  it('do not call empty what was not scanned', async () => {
    const nothing = `/violations?project=${projects.failed}&rule=endpoint/unheard-of`
    expect(await read(nothing)).toContain('? No violation passes the filters, in what was scanned.')
    expect(await read(`/compare?project=${projects.failed}`)).toContain('? Nothing differs in what both have scanned.')
  })

  it('say it once for all rules, each of which shows that there may be more', async () => {
    const page = await read('/rules')
    expect(page).not.toContain('not evaluated')
    expect(page).toMatch(/data-rule="endpoint\/url-not-https".*<td data-label="Open" class="n">\d+\+<\/td>/)
    expect(page).toContain('At least ')
  })

  it('say where a rule could not be evaluated, in one bar below its heading', async () => {
    const page = await read('/rules/endpoint/url-not-https')
    const bar = /<div class="unscanned[\s\S]*?<\/div>/g
    expect(page.match(bar)).toHaveLength(1)
    expect(page.indexOf('</h1>')).toBeLessThan(page.search(bar))
    expect(page).toContain('? The rule could not be evaluated everywhere in 1 project.')
    expect(page).toContain(`<li><b>Answers that break the contract:</b> ${projects.failed} (endpoints)</li>`)
    expect(page).toContain(`<a href="/runs/${site.run}#coverage">Coverage</a>`)
  })
})

import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest'
import type { ReportViolation } from '../../src/model/report.ts'
import type { StatusRow } from '../../src/questions/status.ts'
import { openStorySite, owner } from './story-site.ts'

/** The bar of a page, up to its heading; empty without one. */
const barOf = (page: string) => /<div class="unscanned unseen"[\s\S]*?(?=<h1>)/.exec(page)?.[0] ?? ''

describe('pages of a history whose last run could not scan a project', async () => {
  const site = await openStorySite()
  await site.json("baseline approve --run 1 --note 'as agreed'")
  const { rows }: { rows: readonly StatusRow[] } = await site.json('status')
  const nameOf = (isMeant: (row: StatusRow) => boolean) => rows.find(isMeant)?.project ?? ''
  const projects = { failed: nameOf(({ complete }) => !complete), whole: nameOf(({ complete }) => complete) }
  afterAll(() => site[Symbol.asyncDispose]())

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
    const nothing = `/violations?project=${projects.failed}&rule=source/unverified`
    expect(await read(nothing)).toContain('? No such violation. What could not be checked is unknown.')
    expect(await read(`/compare?project=${projects.failed}`)).toContain('? Nothing differs in what both runs scanned.')
  })

  it('say it once for all rules, each of which shows that there may be more', async () => {
    const page = await read('/rules')
    const [row] = />endpoint\/url-not-https<\/a>.*/.exec(page) ?? []
    expect(row).not.toContain('not evaluated')
    expect(row).toMatch(/<td data-label="Open" class="n">\d+\+<\/td>/)
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

describe('the pages of a project that the last run could not scan', () => {
  let site: Awaited<ReturnType<typeof openStorySite>>
  let project: string
  let unknown: readonly ReportViolation[]
  beforeAll(async () => {
    site = await openStorySite()
    const { rows }: { rows: readonly StatusRow[] } = await site.json('status')
    project = rows.find(({ complete }) => !complete)?.project ?? ''
    unknown = (await site.json(`violations --unknown --project ${project}`)).rows
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const read = (path: string) => site.read(path)
  const onEndpoint = () => {
    const found = unknown.find(({ kind, due_at }) => kind === 'endpoint' && due_at !== null)
    assert(found, 'an endpoint of the project has a violation')
    return found
  }
  const lastComplete = () => `<a href="/runs/${site.run - 1}">run ${site.run - 1}</a>`

  it('count ? with what was open then, and list that as of the last complete run', async () => {
    const page = await read(`/projects/${project}`)
    expect(unknown.length).toBeGreaterThan(0)
    expect(page).toContain(`<dt>Open</dt><dd>? (${unknown.length} then)</dd>`)
    expect(page).toContain('Open violations <span class="count">?</span>')
    const high = unknown.filter(({ severity }) => severity === 'high').length
    expect(page).toContain(`<b>?</b> <span class="label">high</span><span class="delta">${high} then</span>`)
    const section = /<h2 id="unknown">.*?<\/section>/s.exec(page)?.[0] ?? ''
    expect(section).toContain(`Run ${site.run} could not check these. As of ${lastComplete()},`)
    for (const { fingerprint } of unknown) expect(section).toContain(`<li id="v-${fingerprint}"`)
  })

  it('say each cause once, with the listings that it hit, above the numbers', async () => {
    const page = await read(`/projects/${project}`)
    const { coverage }: { coverage: { status: string; listing: string }[] } = await site.json(
      `status --project ${project}`,
    )
    const failed = coverage.filter(({ status }) => status === 'failed').map(({ listing }) => `${listing} FAILED`)
    expect(failed.length).toBeGreaterThan(1)
    expect(page.split(failed.join(', '))).toHaveLength(2)
    expect(page.indexOf(failed.join(', '))).toBeLessThan(page.indexOf('class="numbers"'))
    expect(page.match(/>next: /g)).toHaveLength(1)
    expect(page).toContain('<a href="#coverage">Coverage</a>')
    expect(page.split('id="coverage"')[1]).not.toContain('data-label="Reason"')
  })

  it('say that the state of a resource is as of the last complete scan, and since when what is wrong', async () => {
    const { uid, fingerprint } = onEndpoint()
    const page = await read(`/resources/${uid}`)
    expect(page).toContain(`? ${project} was not scanned to the end.`)
    expect(page).toContain(`? Its state is as of ${lastComplete()},`)
    const [row = ''] = new RegExp(`<li[^>]*><p>(?:(?!</li>).)*${fingerprint}(?:(?!</li>).)*</li>`).exec(page) ?? []
    expect(row).toMatch(/unknown, last seen .*, <b>OVERDUE by \d+ d<\/b>/)
    const [, before = ''] = (await read(`/resources/${uid}?run=${site.run - 1}`)).split('<section class="then"')
    expect(before).not.toContain('Its state is as of')
    expect(before).toMatch(/since [^<]*, (<b>OVERDUE|due in)/)
  })

  it('say of an unknown violation which walk was not complete, and why', async () => {
    const page = await read(`/violations/${onEndpoint().fingerprint}`)
    const [why = ''] = /<h2 id="unknown">Why it is unknown.*?(?=<h2)/s.exec(page) ?? []
    expect(why).toContain(`Run ${site.run} could not check it. Not complete: endpoints of ${project}.`)
    expect(why).toContain(`${project} endpoints FAILED; nothing seen`)
    expect(page.indexOf('class="unscanned')).toBeLessThan(page.indexOf('<h1>'))
    const { rows } = await site.json('violations --open')
    expect(await read(`/violations/${rows[0].fingerprint}`)).not.toContain('Why it is unknown')
  })
})

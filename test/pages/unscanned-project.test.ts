import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReportViolation } from '../../src/model/report.ts'
import type { StatusRow } from '../../src/questions/status.ts'
import { openStorySite } from './story-site.ts'

describe('the pages of a project that the last run could not scan', () => {
  let site: Awaited<ReturnType<typeof openStorySite>>
  let project: string
  let unknown: readonly ReportViolation[]
  beforeAll(async () => {
    site = await openStorySite()
    const { rows }: { rows: readonly StatusRow[] } = await site.json('status')
    project = rows.find(({ complete }) => !complete)?.project ?? ''
    unknown = (await site.json('violations', '--unknown', '--project', project)).rows
  })
  afterAll(async () => {
    expect(site.faults).toEqual([])
    await site[Symbol.asyncDispose]()
  })

  const read = (path: string) => site.read(path)
  const onEndpoint = () => {
    const found = unknown.find(({ kind, due_at }) => kind === 'endpoint' && due_at !== null)
    if (found === undefined) throw new Error('an endpoint of the project has a violation')
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
      'status',
      '--project',
      project,
    )
    const failed = coverage.filter(({ status }) => status === 'failed').map(({ listing }) => `${listing} FAILED`)
    expect(failed.length).toBeGreaterThan(1)
    expect(page.split(failed.join(', '))).toHaveLength(2)
    expect(page.indexOf(failed.join(', '))).toBeLessThan(page.indexOf('class="numbers"'))
    expect(page.match(/<dt>next<\/dt>/g)).toHaveLength(1)
    expect(page).toContain('<a href="#coverage">Coverage</a>')
    expect(page.split('id="coverage"')[1]).not.toContain('data-label="Reason"')
  })

  it('say that the state of a resource is as of the last complete scan, and since when what is wrong', async () => {
    const { uid, fingerprint } = onEndpoint()
    const page = await read(`/resources/${uid}`)
    expect(page).toContain(`? ${project} was not scanned to the end.`)
    expect(page).toContain(`? Its state is as of ${lastComplete()},`)
    const [row = ''] = new RegExp(`<li[^>]*><p>(?:(?!</li>).)*${fingerprint}(?:(?!</li>).)*</li>`).exec(page) ?? []
    expect(row).toMatch(/since .*, last seen .*: unknown now · <b class="bad">OVERDUE by \d+ d<\/b>/)
    const before = await read(`/resources/${uid}?run=${site.run - 1}`)
    expect(before).not.toContain('Its state is as of')
    expect(before).toMatch(/\d d, since [^<]*<b class="bad">OVERDUE|\d d, since [^<]* · due in/)
  })

  it('say of an unknown violation which walk was not complete, and why', async () => {
    const page = await read(`/violations/${onEndpoint().fingerprint}`)
    const [why = ''] = /<h2 id="unknown">Why it is unknown.*?(?=<h2)/s.exec(page) ?? []
    expect(why).toContain(`Run ${site.run} could not check it. Not complete: endpoints of ${project}.`)
    expect(why).toContain(`${project} endpoints FAILED; nothing seen`)
    expect(page.indexOf('class="unscanned')).toBeLessThan(page.indexOf('<h1>'))
    const { rows } = await site.json('violations', '--open')
    expect(await read(`/violations/${rows[0].fingerprint}`)).not.toContain('Why it is unknown')
  })
})

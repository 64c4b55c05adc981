import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDemoSite } from './demo-site.ts'

describe('the pages of runs, projects and resources', () => {
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

  it('show what happened to a resource, and the request that puts it back', async () => {
    const page = await textOf('/resources/billing-011-v2')
    expect(page).toContain('<h1>billing-011-v2</h1>')
    expect(page).toContain('drift/authentication-lost')
    expect(page).toMatch(/<th scope="row"><code>\/authentication<\/code><\/th>/)
    expect(page).toContain('curl --silent --show-error --fail-with-body --request PUT \\\n')
    expect(page).toContain('>billing-to-tenant-16-11</a>')
    expect(site.faults).toEqual([])
  })

  it('show a resource as of an earlier run', async () => {
    const page = await textOf('/resources/billing-011?run=1')
    expect(page).toContain('<h1>billing-011</h1>')
    expect(page).not.toContain('drift/authentication-lost')
  })

  it('show a removed resource as removed', async () => {
    expect(await textOf('/resources/billing-006')).toContain('<b>− Removed.</b> Run 2')
  })

  it('answer 404 for what is not there', async () => {
    for (const path of ['/resources/zz', '/projects/demo/zz', '/runs/3', '/runs/x', '/runs/1e0']) {
      expect([path, (await site.get(path)).status]).toEqual([path, 404])
    }
  })

  it('show the numbers of the commands', async () => {
    const { stdout } = await site.command('status', '--format', 'json')
    const { rows } = JSON.parse(stdout)
    expect(rows).toHaveLength(3)
    for (const { project, violations } of rows) {
      const page = await textOf(`/projects/${project}`)
      const shown = Object.keys(violations).map((severity) => [
        severity,
        Number(new RegExp(`<b>(\\d{1,9})</b> <span class="label">${severity}`).exec(page)?.[1]),
      ])
      expect(Object.fromEntries(shown)).toEqual(violations)
    }
  })

  it('list the runs, and show the report of each', async () => {
    const runs = await textOf('/runs')
    expect(runs).toContain('<a href="/runs/2">2</a>')
    expect(runs).toContain('✗ violations')
    const run = await textOf('/runs/2')
    expect(run).toContain('<a href="/violations?state=open&amp;run=2">37 open violations as of run 2</a>')
    expect(run).toContain('drift/authentication-lost')
  })
})

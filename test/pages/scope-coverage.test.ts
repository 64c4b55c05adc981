import { afterAll, describe, expect, it } from 'vitest'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { openDemoSite } from './demo-site.ts'

const demo = await openDemoSite()
afterAll(() => demo[Symbol.asyncDispose]())

const verdictIn = (page: string) => /<div class="verdict.*?<\/div>/s.exec(page)?.[0]

/** Asks as a reader of some projects. */
function readerOf(projects: readonly string[]) {
  const site = createSite(scopeSite(demo.options, projects))
  return async (path: string) =>
    (await site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })).text()
}

describe('pages for a reader none of whose projects was scanned', () => {
  it('call no run passed, clean or met', async () => {
    const ask = readerOf(['demo/none'])
    for (const path of ['/', '/?run=1', '/runs/1', '/runs/2']) {
      const page = await ask(path)
      expect([path, verdictIn(page)]).toEqual([path, expect.stringContaining('Nothing was scanned.')])
      expect([path, /Passed|no change/.exec(verdictIn(page) ?? '')]).toEqual([path, null])
      expect([path, page.includes('>complete<')]).toEqual([path, false])
    }
    const { verdict, coverage } = JSON.parse(await ask('/api/v1/report'))
    expect(verdict).toMatchObject({ exit_code: 3, text: 'Nothing was scanned.' })
    expect(coverage).toEqual([])
    expect(await ask('/compliance/soc2')).toContain('None of 6 controls with evidence could be assessed.')
    const { controls } = JSON.parse(await ask('/api/v1/report?framework=soc2'))
    const states = new Set(controls.map(({ state }: { state: string }) => state))
    expect([...states].sort()).toEqual(['not_assessed', 'not_covered'])
    expect(demo.faults).toEqual([])
  })

  it('say what was found where one was', async () => {
    const page = await readerOf(['demo/none', 'demo/orders'])('/runs/2')
    expect(verdictIn(page)).not.toContain('Nothing was scanned.')
  })
})

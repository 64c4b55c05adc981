import { afterAll, assert, beforeAll, describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { statingExtent } from '../../src/questions/as-of.ts'

import { isGap } from '../../src/report/gaps.ts'
import { everything, listRules as policy } from '../audit/discovery-fixture.ts'
import { openSite } from '../pages/open-site.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

/** Run 1 finds `acme/orders` and `acme/payments`. `acme/orders` vanishes, which a person accepts after run 2. */
describe('a project that left the fleet', () => {
  let history: HistoryFixture
  let site: Awaited<ReturnType<typeof openSite>>

  beforeAll(async () => {
    const sizes = { endpointsPerProject: 12, sourcesPerProject: 1 }
    history = await openHistoryFixture({
      fleet: generateFleet({ clean: true, projects: 2, incomingEvery: 0, ...sizes }),
    })
    const { fixture } = history
    const turn = { list: everything(fixture), policy }
    await fixture.audit(turn)
    await fixture.approve()
    fixture.fleet.remove(fixture.uidOf('orders'))
    const gone = await fixture.audit(turn)
    expect((await history.ask('violations')).stdout).toContain('INCOMPLETE SCAN')
    await fixture.accept(gone, 'project/vanished')
    await fixture.audit(turn)
    await fixture.audit(turn)
    await fixture.audit(turn)
    site = await openSite(history)
  })
  afterAll(() => site[Symbol.asyncDispose]())

  const questions = [
    ['violations'],
    ['violations', '--all'],
    ['status'],
    ['runs'],
    ['trend'],
    ['violations', '--by-cause'],
    ['waivers'],
    ['rules', '--run', '4'],
    ['query', 'SELECT count(*) FROM violations'],
    ['diff', '4', '5'],
  ]
  it.each(questions)('is not a gap in the fleet: %s %s', async (...question) => {
    expect((await history.ask(question)).stdout).not.toMatch(/INCOMPLETE|did not read/)
  })

  const paths = ['/', '/violations', '/resources', '/rules', '/trend', '/waivers', '/compare?from=4&to=5']
  it.each(paths)('is none on the page %s', async (path) => {
    const page = await (await site.get(path)).text()
    expect(page).not.toMatch(/not complete|in what could be checked|did not read/)
  })

  it('shows how it was last read when a question is about it alone', async () => {
    const { stdout } = await history.ask('status --listings --project acme/orders')
    expect(stdout).toMatch(/^INCOMPLETE SCAN: 4 of 4 listings not complete\./m)
    expect((await history.ask('violations --project acme/orders')).stdout).toContain('INCOMPLETE SCAN')
    expect((await history.ask('status --listings --incomplete')).stdout).toContain('acme/orders')
  })

  it.each([['violations'], ['state'], ['trend'], ['violations --by-cause']])(
    'is a gap of %s where it is named next to others',
    async (question) => {
      const { stdout } = await history.ask([...question.split(' '), '-p', 'acme/orders', '-p', 'acme/payments'])
      expect(stdout).toContain('INCOMPLETE SCAN: 4 of 8 listings not complete.')
    },
  )

  it('is a gap of the list of violations where it is named next to others', async () => {
    const page = await (await site.get('/violations?project=acme/orders&project=acme/payments')).text()
    expect(page).toContain('? No such violation. What could not be checked is unknown.')
  })

  it('is a gap of the comparison with approved baselines, of which one is its own', async () => {
    const { stdout } = await history.ask('baseline diff')
    expect(stdout).toContain('INCOMPLETE SCAN: 4 of 8 listings not complete.')
    expect(stdout).toContain('Nothing differs from the approved baseline in what was scanned; the rest is unknown.')
    const page = await (await site.get('/baselines')).text()
    expect(page).toContain('Nothing differs from the approved states in what was scanned; the rest is unknown.')
  })

  it('is a gap of a comparison with it', async () => {
    const { stdout } = await history.ask('compare acme/orders acme/payments')
    expect(stdout).toContain('INCOMPLETE SCAN: 4 of 8 listings not complete.')
  })

  it('has no resources among those of the fleet, which were all seen', async () => {
    expect((await history.ask('state')).stdout).not.toContain('acme/orders')
    expect((await history.ask('state -p acme/*')).stdout).not.toContain('acme/orders')
    expect((await history.ask('state -p orders')).stdout).toContain('acme/orders')
    const page = await (await site.get('/resources')).text()
    expect(page).toContain('/projects/acme/payments" class="short">acme/payments</a></div></td>')
    expect(page).not.toContain('acme/orders</a></div></td>')
  })
})

/** `acme/orders` is named in the configuration, vanishes, and a person accepts that: it is scanned again each time. */
describe('a project that is named', () => {
  it('is a gap as long as it is, also as of a run of other projects', async () => {
    await using fixture = (
      await openHistoryFixture({ fleet: generateFleet({ clean: true, projects: 2, incomingEvery: 0 }) })
    ).fixture
    const countGaps = () =>
      fixture.harness.withHistory(async (history) => {
        const run = await findLastRun(history)
        assert(run, 'there is no run')
        return statingExtent(run, await readLatestScans(history, run.number)).coverage?.filter(isGap).length
      })
    await fixture.audit({ policy })
    fixture.fleet.remove(fixture.uidOf('orders'))
    await fixture.accept(await fixture.audit({ policy }), 'project/vanished')
    await fixture.audit({ policy })
    expect(await countGaps()).toBe(4)
    await fixture.audit({ policy, only: ['acme/payments'] })
    expect(await countGaps()).toBe(4)
    await fixture.audit({ policy })
    expect(await countGaps()).toBe(4)
  })
})

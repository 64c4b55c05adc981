import { describe, expect, it } from 'vitest'
import { releases, type SimulatedRelease } from '../../src/demo/behaviour.ts'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { ServiceOptions } from '../../src/demo/simulated-service.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { type PrintedRow, sendTo } from './send-rows.ts'

/** A fleet with one endpoint. */
async function openEndpoint(service: ServiceOptions) {
  const history = await openHistoryFixture({ fleet: { endpointsPerProject: 1 }, service })
  const { fleet } = history.fixture
  const project = at(history.fixture.fleet.projects(), 0).uid
  const { uid } = at(fleet.open(project).endpoints, 0)
  const { audit } = history.fixture
  return {
    history,
    audit,
    status: () => at(fleet.open(project).endpoints, 0).status,
    /** Two audits with a status each. Returns the run of the first. */
    async change(then: string, now: string) {
      const runs: number[] = []
      for (const status of [then, now]) {
        changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, status }))
        runs.push((await audit()).run.number)
      }
      return `${runs[0]}`
    },
    async restore(...options: string[]) {
      const answer = await history.rows(['restore', uid, ...options])
      const rows: readonly PrintedRow[] = answer.rows
      const left: readonly { readonly path: string; readonly reason: string }[] = answer.left_to_you
      return { rows, left, text: (await history.ask(['restore', uid])).stdout.replace(/\s+/g, ' ') }
    },
    send: (rows: readonly PrintedRow[]) => sendTo(history.fixture, rows),
    [Symbol.asyncDispose]: () => history[Symbol.asyncDispose](),
  }
}

const lines = (rows: readonly PrintedRow[]) => rows.map(({ method, url }) => `${method} ${url.split('/').at(-1)}`)
const names = Object.keys(releases) as SimulatedRelease[]

describe.each(names)('at the release "%s", the printed requests', (release) => {
  const { hasActivate } = releases[release]

  it.each(['active', 'paused'])('make an inactive endpoint %s again, or leave it to the dashboard', async (then) => {
    await using endpoint = await openEndpoint({ release })
    const run = await endpoint.change(then, 'inactive')
    const { rows, left } = await endpoint.restore('--run', run)
    if (hasActivate) {
      expect([left, await endpoint.send(rows), endpoint.status()]).toEqual([[], rows.map(() => 202), then])
    } else {
      expect({ rows, left }).toEqual({ rows: [], left: [{ path: '/status', reason: expect.any(String) }] })
      expect(at(left, 0).reason).toContain('dashboard')
    }
  })

  it('are both printed where the settings of the project are not offered, with words that say which to send', async () => {
    const offers = { sources: true, project: false, eventTypes: false, projects: true, testFunction: true }
    await using endpoint = await openEndpoint({ release, offers })
    await endpoint.change('active', 'paused')
    const { rows, text } = await endpoint.restore()
    expect(lines(rows)).toEqual(['POST activate', 'PUT pause'])
    for (const { when } of rows) expect(text).toContain(when)
    expect(at(rows, 1).when).toContain('only if the request before was answered with 404')
    const [first = 0] = await endpoint.send(rows.slice(0, 1)).catch(() => [404])
    expect(first).toBe(hasActivate ? 202 : 404)
    if (first === 404) expect(await endpoint.send(rows.slice(1))).toEqual([202])
    expect(endpoint.status()).toBe('active')
  })
})

describe('after an upgrade', () => {
  it('the request is that of the release whose settings were seen last', async () => {
    await using endpoint = await openEndpoint({ release: 'seed' })
    await endpoint.change('active', 'paused')
    expect(lines((await endpoint.restore()).rows)).toEqual(['PUT pause'])
    endpoint.history.fixture.service.behaviour.release = 'later'
    await endpoint.audit()
    const { rows } = await endpoint.restore()
    expect(lines(rows)).toEqual(['POST activate'])
    expect([await endpoint.send(rows), endpoint.status()]).toEqual([[202], 'active'])
  })

  it('both are printed where the last scan could not read the settings', async () => {
    await using endpoint = await openEndpoint({ release: 'seed' })
    await endpoint.change('active', 'paused')
    endpoint.history.fixture.service.behaviour.offers.project = false
    await endpoint.audit()
    expect(lines((await endpoint.restore()).rows)).toEqual(['POST activate', 'PUT pause'])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const policy = policyOf('extends: []\nrules: { endpoint/timeout-high: { severity: high, max_seconds: 30 } }')

/**
 * Six runs, of which the first, which opened a violation, and the last are left. Before the last, an endpoint changed
 * twice, another one was removed after it changed, and a third one had another name.
 */
describe('a history whose runs were pruned', () => {
  let history: HistoryFixture
  let changed: string
  let removed: string

  beforeAll(async () => {
    history = await openHistoryFixture({ fleet: { projects: 1, incomingEvery: 0, endpointsPerProject: 3 } })
    const { fixture } = history
    const project = fixture.uidOf('payments')
    ;[changed, removed] = [0, 1].map((index) => at(fixture.dataOf('payments').endpoints, index).uid) as [string, string]
    const set = (uid: string, seconds: number) =>
      changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, http_timeout: seconds }))
    const seconds = [40, 41, 42, 42, 42, 42]
    for (const [index, timeout] of seconds.entries()) {
      set(changed, timeout)
      if (index === 1) set(removed, 20)
      if (index === 3) deleteEndpoint(fixture.fleet, { project, uid: removed })
      fixture.harness.advance(86_400_000)
      await fixture.audit({ policy })
    }
    await history.ask('prune --keep-last 1')
  })
  afterAll(() => history[Symbol.asyncDispose]())

  const changesOf = async (uid: string) => {
    const { rows } = await history.rows(`timeline ${uid}`)
    return rows.map(({ run, change, fields }) => [run, change, fields])
  }

  it('says of no resource that it was removed because its versions are gone', async () => {
    const fields = [{ path: '/http_timeout', before: 40, after: 42 }]
    expect(await changesOf(changed)).toEqual([
      [1, 'first_seen', []],
      [3, 'pruned', fields],
    ])
  })

  it('says that a resource is gone whose last versions are', async () => {
    expect(await changesOf(removed)).toEqual([
      [1, 'first_seen', []],
      [2, 'removed', []],
    ])
  })

  it('puts back the last state that is left and differs', async () => {
    const { state, rows } = await history.rows(`restore ${changed}`)
    expect(state).toMatchObject({ from_run: 1, basis: 'before_change' })
    expect(rows[0].body.http_timeout).toBe(40)
    const { stdout } = await history.ask(`restore ${changed}`)
    expect(stdout.replaceAll('\n', ' ')).toMatch(/back to its state from run 1, .* before its last change, in run 3\./)
  })
})

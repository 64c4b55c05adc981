import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint, deleteEndpoint } from '../../src/demo/edits.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const policy = policyOf(
  'extends: []\nrules: { endpoint/timeout-high: { severity: high, max_seconds: 30 }, drift/url-host-changed: high }',
)
const aboutKeptRuns = ['report --run 1', 'report --run 6', 'diff 1 6', 'state --run 1', 'violations --by-cause']

/**
 * Six runs, of which the first, which was approved, and the last are left. The first opened a violation, and the third
 * one of drift. Before the last, an endpoint changed twice, and another one was removed after it changed.
 */
describe('a history whose runs were pruned', () => {
  let history: HistoryFixture
  let changed: string
  let removed: string
  let drifted: string
  let before: readonly string[]

  beforeAll(async () => {
    history = await openHistoryFixture({ fleet: { projects: 1, incomingEvery: 0, endpointsPerProject: 3 } })
    const { fixture } = history
    const project = fixture.uidOf('payments')
    ;[changed = '', removed = '', drifted = ''] = fixture.dataOf('payments').endpoints.map(({ uid }) => uid)
    const set = (uid: string, seconds: number) =>
      changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, http_timeout: seconds }))
    const seconds = [40, 41, 42, 42, 42, 42]
    for (const [index, timeout] of seconds.entries()) {
      set(changed, timeout)
      if (index === 1) set(removed, 20)
      if (index > 1) fixture.set({ url: `https://evil.example/${index}` }, -1)
      if (index === 3) deleteEndpoint(fixture.fleet, { project, uid: removed })
      fixture.harness.advance(86_400_000)
      await fixture.audit({ policy })
      if (index === 0) await fixture.approve()
    }
    before = await answers()
    await history.ask('prune --keep-last 1')
  })
  afterAll(() => history[Symbol.asyncDispose]())

  const answers = () => Promise.all(aboutKeptRuns.map(async (line) => (await history.ask(line)).stdout))
  const changesOf = async (uid: string) => {
    const { rows } = await history.rows(`timeline ${uid}`)
    return rows.map(({ run, change, fields }) => [run, change, fields])
  }

  it('answers about kept runs as before, verifies, and says which runs were pruned', async () => {
    expect(await answers()).toEqual(before)
    expect((await history.ask('verify')).code).toBe(0)
    const { rows } = await history.rows('runs')
    expect(rows.map(({ number, state }) => `${number} ${state}`)).toEqual([
      '6 committed',
      ...[5, 4, 3, 2].map((run) => `${run} pruned`),
      '1 committed',
    ])
    expect((await history.ask('runs')).stdout).toContain('pruned: only what violations name is kept')
    for (const line of ['report --run 3', 'state --run 3', 'diff 3 6', `restore ${changed} --run 3`])
      expect(await history.ask(line)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/there is no committed run 3; .* were interrupted or pruned/),
      })
  })

  it('lists every change of a resource with a violation, also where no version of it is left', async () => {
    const timeout = (before: number) => [{ path: '/http_timeout', before, after: before + 1 }]
    expect(await changesOf(changed)).toEqual([
      [1, 'first_seen', []],
      [2, 'modified', timeout(40)],
      [3, 'modified', timeout(41)],
    ])
    const hosts = (await changesOf(drifted)).map(([run, change, [field]]) => [run, change, field?.after])
    expect(hosts).toEqual([
      [1, 'first_seen', undefined],
      ...[3, 4, 5, 6].map((run) => [run, 'modified', `https://evil.example/${run - 1}`]),
    ])
    const left = history.fixture.query('SELECT from_run FROM version WHERE uid = ? ORDER BY 1', drifted)
    // What the last run ended stays with it.
    expect(left).toEqual([1, 5, 6].map((from_run) => ({ from_run })))
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
    expect(stdout.replaceAll('\n', ' ')).toMatch(
      /back to its state from run 1, .* before its last change, in run 3; states in between were pruned\./,
    )
    expect((await history.rows(`restore ${drifted}`)).state).toMatchObject({ from_run: 1, basis: 'before_drift' })
  })
})

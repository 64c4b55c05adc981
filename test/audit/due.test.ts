import { describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { policyOf } from './audit-harness.ts'
import { at } from './fleet-fixture.ts'

const day = 86_400_000
const rules = 'extends: []\nrules: { endpoint/inactive: high, endpoint/timeout-high: low }\n'
const strict = policyOf(`${rules}due: { high: 2d }\n`)
const lenient = policyOf(`${rules}due: { high: 14d, low: 30d }\n`)

async function openFixture() {
  const history = await openHistoryFixture({ fleet: { projects: 1, incomingEvery: 0, endpointsPerProject: 4 } })
  const { fixture } = history
  const project = fixture.uidOf('payments')
  const set = (index: number, change: object) => {
    const { uid } = at(fixture.fleet.open(project).endpoints, index)
    changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, ...change }))
    return uid
  }
  return { ...history, set, [Symbol.asyncDispose]: () => history[Symbol.asyncDispose]() }
}

describe('due dates of a run', () => {
  it('are those of its policy, also when the report is made again under another one', async () => {
    await using history = await openFixture()
    const { fixture, set, rows } = history
    set(0, { status: 'inactive' })
    set(1, { http_timeout: '500s' })
    const first = await fixture.audit({ policy: strict })
    fixture.harness.advance(9 * day)
    const second = await fixture.audit({ policy: lenient })
    const third = await fixture.audit({ policy: policyOf(rules) })
    const seen = Date.parse(first.run.started_at)
    const dues = (report: { violations: readonly { due_at: string | null }[] }) =>
      report.violations.map(({ due_at }) => due_at)
    const sinceFirst = (ms: number) => new Date(seen + ms).toISOString()
    expect([dues(first), dues(second), dues(third)]).toEqual([
      [sinceFirst(2 * day), null],
      [sinceFirst(14 * day), sinceFirst(30 * day)],
      [null, null],
    ])
    for (const report of [first, second, third]) {
      expect(await rows('report', '--run', String(report.run.number))).toEqual(report)
    }
  })
})

describe('hookdrift violations', () => {
  it('shows due dates, lists what is overdue, and sorts by them', async () => {
    await using history = await openFixture()
    const { fixture, set, rows, ask } = history
    const slow = set(1, { http_timeout: '500s' })
    await fixture.audit({ policy: lenient })
    const off = set(0, { status: 'inactive' })
    // Commands compare with today.
    const { run } = await fixture.audit({ policy: policyOf(`${rules}due: { high: 1s, low: 3650d }\n`) })
    const uids = (answer: { rows: { uid: string }[] }) => answer.rows.map(({ uid }) => uid)
    const all = await rows('violations')
    expect(all.rows[0]).toMatchObject({ uid: off, due_at: new Date(Date.parse(run.started_at) + 1000).toISOString() })
    expect(uids(await rows('violations', '--sort', 'age'))).toEqual([slow, off])
    expect(uids(await rows('violations', '--sort', 'due'))).toEqual([off, slow])
    expect(uids(await rows('violations', '--overdue'))).toEqual([off])
    expect((await ask(['violations', '--format', 'csv'])).stdout).toContain(',due_at,')
    const shown = (await ask(['violations'])).stdout
    expect([/high .*OVERDUE by/.test(shown), /low .*due in \d+ d/.test(shown)]).toEqual([true, true])
  })
})

import { expect, it } from 'vitest'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { exitCodes } from '../../src/model/errors.ts'
import { compareStates } from '../../src/questions/compare.ts'
import { readScannedState } from '../../src/questions/compared-side.ts'
import { readDiff } from '../../src/questions/diff.ts'
import { anEndpoint, aRow, aSubscription, openLiteral, type Shown } from '../audit/literal-service.ts'

const whole: Shown = {
  endpoints: [anEndpoint('e1'), anEndpoint('e2')],
  subscriptions: [aSubscription('b1', 'e1')],
  filters: { b1: [aRow('b1', 'order.created')] },
}
const { url: _, authentication: __, ...hidden } = anEndpoint('e2')
const partly: Shown = { ...whole, endpoints: [anEndpoint('e1'), hidden] }

/** The state of one project after each of some answers, each taken for a project of its own. */
async function statesOf(...shown: readonly Shown[]) {
  return Promise.all(
    shown.map(async (answers, at) => {
      await using fixture = await openLiteral(answers)
      await fixture.audit()
      return fixture.harness.withHistory(async (history) => {
        const run = await findLastRun(history)
        if (run === undefined) throw new Error('no run')
        const [scan] = await readLatestScans(history, run.number)
        if (scan === undefined) throw new Error('no scan')
        const project = { name: `acme/p${at}`, service: 'acme', uid: `p${at}` }
        return { run, state: { ...(await readScannedState(history, scan, run)), scan: { ...scan, project } } }
      })
    }),
  )
}

const choices = { matching: 'name', kind: undefined, hosts: [], limit: 100, a: 'acme/p0', b: 'acme/p1' } as const

async function compared(first: Shown, second: Shown, ignored: readonly (readonly string[])[] = []) {
  const [a, b] = await statesOf(first, second)
  if (a === undefined || b === undefined) throw new Error('no states')
  const { answer, exitCode } = compareStates(a.state, b.state, { ...choices, run: a.run, ignored })
  const { verdict, counts, gaps } = answer.more as { verdict: string; counts: { equal: number }; gaps: unknown[] }
  return { exitCode, verdict, equal: counts.equal, gaps, remarks: answer.remarks, rows: answer.rows }
}

it('two projects that show the same are equal', async () => {
  expect(await compared(whole, whole)).toMatchObject({
    exitCode: exitCodes.clean,
    verdict: 'equal',
    equal: 4,
    gaps: [],
  })
})

it('a project is not equal to one that does not show a field', async () => {
  const { rows, remarks, ...said } = await compared(whole, partly)
  expect(said).toEqual({
    exitCode: exitCodes.incomplete,
    verdict: 'unknown',
    equal: 3,
    gaps: [
      { project: 'acme/p1', kind: 'endpoint', reason: '1 endpoint that shows no url' },
      { project: 'acme/p1', kind: 'endpoint', reason: '1 endpoint that shows no authentication' },
    ].toSorted((one, other) => (one.reason < other.reason ? -1 : 1)),
  })
  expect(rows.filter(({ change }) => change === 'unknown')).toMatchObject([
    { uid: 'e2', change: 'unknown', reason: 'unknown in one of the two: authentication, url' },
  ])
  expect(remarks).toContain('UNKNOWN: acme/p1: 1 endpoint that shows no url.')
})

it('nor to one of which no filter rows were read, unless they are ignored', async () => {
  const { filters: _, ...unread } = whole
  const { rows, ...said } = await compared(whole, unread)
  expect(said).toMatchObject({ exitCode: exitCodes.incomplete, verdict: 'unknown', equal: 3 })
  expect(rows.filter(({ change }) => change === 'unknown')).toMatchObject([
    { uid: 'b1', change: 'unknown', reason: 'unknown in one of the two: filters' },
  ])
  const ignored = await compared(whole, unread, [['filters']])
  expect(ignored).toMatchObject({ exitCode: exitCodes.clean, verdict: 'equal', equal: 4 })
})

it('a run that does not show a field does not agree with the one before', async () => {
  await using fixture = await openLiteral(whole)
  await fixture.audit()
  fixture.show(partly)
  await fixture.audit()
  const answer = await fixture.harness.withHistory(async (history) => {
    const [to] = [await findLastRun(history)]
    if (to === undefined) throw new Error('no run')
    const query = { from: { ...to, number: 1 }, to, projects: [], kind: undefined, withPatch: false, limit: 10 }
    return readDiff(history, query)
  })
  expect(answer.rows).toEqual([])
  expect(answer.more?.gaps).toMatchObject([
    { project: 'acme/orders', kind: 'endpoint', field: 'authentication', resources: 1 },
    { project: 'acme/orders', kind: 'endpoint', field: 'url', resources: 1 },
  ])
  expect(answer.unknown).toContain('acme/orders: not compared in full: 1 endpoint that shows no url.')
})

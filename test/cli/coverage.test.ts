import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { refusal } from './refusal.ts'

describe('hookdrift status --listings', () => {
  let history: HistoryFixture
  beforeAll(async () => {
    history = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 2 } })
    const { fixture } = history
    await fixture.audit()
    const [, second] = fixture.fleet.projects()
    fixture.service.failNext({ how: 'status', status: 400, path: new RegExp(`${second?.uid}/subscriptions`), times: 1 })
    await fixture.audit()
  })
  afterAll(() => history[Symbol.asyncDispose]())

  it('lists each walk of the last scans, with its reason where it is not complete', async () => {
    const { run, rows, coverage } = await history.rows('status --listings')
    expect(run.number).toBe(2)
    expect(rows.map(({ at, ...walk }) => walk)).toEqual(coverage)
    const { rows: gaps } = await history.rows('status --listings --incomplete')
    expect(gaps).toEqual(
      rows.filter(({ listing, status }) => {
        return listing === 'subscriptions' && status !== 'complete'
      }),
    )
    expect(gaps).toHaveLength(1)
    expect(gaps[0]).toMatchObject({ run: 2, reason: expect.stringContaining('400') })
  })

  it('answers as of a run, and for some projects', async () => {
    expect((await history.rows('status --listings --incomplete --run 1')).rows).toEqual([])
    const names = history.fixture.fleet.projects().map(({ name }) => `acme/${name}`)
    const { rows } = await history.rows(`status --listings --project ${names[0] ?? ''}`)
    expect(new Set(rows.map(({ project }) => project))).toEqual(new Set([names[0]]))
  })

  it('shows a table, and says what it knows where there is nothing to show', async () => {
    const { code, stdout } = await history.ask('status --listings')
    expect(code).toBe(0)
    expect(stdout).toContain('INCOMPLETE SCAN: 1 of')
    expect(stdout).toMatch(/^project +listing +status/m)
    // What a walk that showed nothing has is not none.
    expect(stdout).toMatch(/subscriptions +failed +2 .* \?$/m)
    const { stdout: records } = await history.ask('status --listings --format csv')
    expect(records).toMatch(/,subscriptions,failed,http,2,[^,]*,,,/)
    expect((await history.ask('status --listings --incomplete --run 1')).stdout).toContain('No walk to show')
  })

  it('is said on stderr next to CSV, which has no place for it', async () => {
    const said =
      /^hookdrift: incomplete scan: 1 of \d+ listings not complete; `hookdrift status .*--listings --incomplete` lists/
    for (const question of ['violations', 'state', 'status']) {
      expect((await history.ask([question, '--format', 'csv'])).stderr).toMatch(said)
      expect((await history.ask([question, '--format', 'csv', '--run', '1'])).stderr).toBe('')
    }
  })

  it('is said on stderr next to the report of a run in CSV, too', async () => {
    const { code, stderr } = await history.ask('report --format csv')
    expect(code).toBe(0)
    expect(stderr).toMatch(/^hookdrift: acme: .*400/)
    expect((await history.ask('report --format csv --run 1')).stderr).toBe('')
    expect((await history.ask('report --format json')).stderr).toBe('')
  })

  it.each([
    ['status --listings --run 9', 'there is no committed run 9'],
    ['status --listings --project acme/nowhere', 'matches none of'],
  ])('refuses %s', async (line, message) => {
    expect(await history.ask(line)).toEqual(refusal(message))
  })
})

import { describe, expect, it } from 'vitest'
import { mayMatchIn } from '../../src/config/choose-projects.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import { projectListOf } from '../../src/model/resource.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { watchStatements } from '../history/changed-history.ts'
import { aCoverage, aStart, at, orders, payments, walkAll } from '../history/samples.ts'
import { largeSites } from './large-site.ts'

const openLargeSite = largeSites()

const secret = 'payments and 4 more'

/** Sites over a run of two projects, and of a list of the projects of their service. */
async function openScopes(status: CoverageStatus) {
  const { history, options } = openLargeSite()
  const draft = await history.begin(aStart(at(1)))
  for (const project of [orders, payments]) await walkAll(draft, project)
  await draft.stageScan(projectListOf('acme'))
  const walk = { ...aCoverage('endpoints', status), listing: 'projects' as const, items: 41 }
  const coverage = status === 'complete' ? walk : { ...walk, reason: `list of projects: ${secret}` }
  await draft.stageWalk(projectListOf('acme'), coverage, undefined)
  await draft.commit(at(1.5), () => 1)
  return {
    history,
    as: (...projects: readonly string[]) => {
      const site = createSite(scopeSite(options, projects))
      return async (path: string) =>
        (await site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })).text()
    },
  }
}

const listIn = (report: string) =>
  JSON.parse(report).coverage.filter(({ listing }: { listing: string }) => listing === 'projects')

describe('a list of projects that was not read', () => {
  it.each([['acme/ord*'], ['orders'], ['*/orders'], ['ac*ders']])(
    'is shown to readers of %s, without what it held',
    async (pattern) => {
      const ask = (await openScopes('partial')).as(pattern)
      const report = await ask('/api/v1/report')
      expect(listIn(report)).toEqual([
        {
          project: 'acme/*',
          listing: 'projects',
          status: 'partial',
          cause: 'timeout',
          filter: null,
          reason: 'the list of projects was not read to its end: projects may be missing',
          pages: 0,
          items: 0,
          requests: 0,
          retries: 0,
          duration_ms: 0,
        },
      ])
      expect(JSON.parse(report).verdict.exit_code).toBe(3)
      for (const path of [
        '/',
        '/runs',
        '/runs/1',
        '/violations',
        '/api/v1/violations',
        '/feed.atom',
        '/compliance/soc2',
      ]) {
        const text = await ask(path)
        expect([path, text.includes(secret), text.includes('acme/payments')]).toEqual([path, false, false])
      }
      expect(await ask('/runs/1')).toContain('Incomplete')
      expect(await ask('/runs')).toContain('? incomplete')
      expect(listIn(await ask('/api/v1/violations'))).toHaveLength(1)
    },
  )

  it('is shown whole to readers of all that it may hold, and not to readers of another service', async () => {
    const scopes = await openScopes('failed')
    expect(listIn(await scopes.as('acme/*')('/api/v1/report'))).toMatchObject([{ items: 41 }])
    expect(listIn(await scopes.as('other/orders', 'acme/')('/api/v1/report'))).toEqual([])
  })

  it('makes no run clean for a reader none of whose projects was scanned', async () => {
    const ask = (await openScopes('failed')).as('acme/none')
    expect(JSON.parse(await ask('/api/v1/report')).verdict.exit_code).toBe(3)
    const { controls } = JSON.parse(await ask('/api/v1/report?framework=soc2'))
    expect(controls.some(({ state }: { state: string }) => state === 'met')).toBe(false)
  })
})

it('does not say to readers of some projects how many a list that was read has', async () => {
  const scopes = await openScopes('complete')
  const ask = scopes.as('acme/ord*')
  expect(listIn(await ask('/api/v1/report'))).toEqual([])
  expect(listIn(await ask('/api/v1/violations'))).toEqual([])
  expect(await ask('/runs')).toContain('scanned')
})

it('gives runs no verdict that counts what a reader may not know of, and reads them at once', async () => {
  const { as, history } = await openScopes('complete')
  const ask = as('acme/orders')
  const statements = watchStatements(history)
  expect(await ask('/runs')).not.toContain('violations</td>')
  expect(JSON.parse(await ask('/api/v1/runs')).rows).toMatchObject([
    { state: 'committed', exit_code: null, walks: 2, incomplete: 0 },
  ])
  // The coverage that the answer states is one; the rest does not grow with the runs.
  const read = (mark: string) => statements.filter((sql) => sql.includes(mark)).length
  expect([read('AS "incompleteRun"'), read('count(*) AS changes FROM hookdrift.change')]).toEqual([1, 2])
})

it.each([
  ['acme', ['acme/orders'], true],
  ['acme', ['orders'], true],
  ['acme', ['a*e/x', 'other/*'], true],
  ['acme', ['*'], true],
  ['acme', ['ac*'], true],
  ['acme', ['acme'], true], // a project of that name, of any service
  ['acme', ['acm/*', 'acmes/*', 'b*/acme'], false],
  ['acme', ['*/x'], true],
])('knows whether a project of %s may match %j: %s', (service, patterns, expected) => {
  expect(mayMatchIn(service, patterns)).toBe(expected)
})

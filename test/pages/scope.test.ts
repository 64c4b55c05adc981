import { afterAll, assert, describe, expect, it } from 'vitest'
import { mayMatchIn } from '../../src/config/choose-projects.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { readVersionsOf, searchResources } from '../../src/history/sql/resource-life.ts'
import { listEndedRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { identifyViolations } from '../../src/history/sql/violation-keys.ts'
import { readViolationsAt } from '../../src/history/sql/violations.ts'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import { projectListOf } from '../../src/model/resource.ts'
import { noPlan, type SitePlan } from '../../src/pages/page.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { answersOf, spansOf } from '../history/answers-of.ts'
import { watchStatements } from '../history/changed-history.ts'
import { aCoverage, aStart, at, orders, payments, walkAll } from '../history/samples.ts'
import { openDemoSite } from './demo-site.ts'
import { largeSites } from './large-site.ts'

const visible = 'demo/orders'

const demo = await openDemoSite()
await demo.command('baseline approve --run 1 --by me')
const open = await demo.json('violations --open')
for (const project of ['demo/orders', 'demo/payments']) {
  const { fingerprint } = open.rows.find((row) => row.project === project)
  await demo.command(`accept ${fingerprint} --reason 'known in ${project}' --by me`)
}
const plan: SitePlan = {
  ...noPlan,
  configured: async () => ({
    expected: { named: ['demo/orders', 'demo/payments', 'demo/secret-plans'], isDiscovered: () => false },
    channels: [{ name: 'secret-plans', type: 'slack' }],
    schedules: [
      { name: 'all', cron: '0 * * * *', timezone: 'UTC', projects: [], jitterMs: 0, runTimeoutMs: 0 },
      {
        name: 'some',
        cron: '0 * * * *',
        timezone: 'UTC',
        projects: ['orders', 'demo/secret-plans'],
        jitterMs: 0,
        runTimeoutMs: 0,
      },
      { name: 'others', cron: '0 * * * *', timezone: 'UTC', projects: ['demo/payments'], jitterMs: 0, runTimeoutMs: 0 },
    ],
  }),
  pool: async () => ({ workers: [{ name: 'w', walks: ['demo/payments'] }] }) as never,
}
const site = createSite(scopeSite({ ...demo.options, plan }, ['demo/ord*']))
const others = (await readLatestScans(demo.history, 2))
  .map(({ project }) => project)
  .filter(({ name }) => name !== visible)
const inside = await Promise.all(others.map((project) => readStateAt(demo.history, project, 2)))
const ofVisible = (await readStateAt(demo.history, await projectOf(visible), 2)).map(({ uid }) => uid)
const uids = inside
  .flat()
  .map(({ uid }) => uid)
  .filter((uid) => !ofVisible.includes(uid))
/** Names of projects that the reader may not know of, and all that is in them. What is found of a service is for all. */
const hidden = [...others.map(({ name }) => name).filter((name) => name !== 'demo/*'), 'secret-plans', ...uids]
expect(hidden.length).toBeGreaterThan(20)
afterAll(() => demo[Symbol.asyncDispose]())

async function projectOf(name: string) {
  const found = (await readLatestScans(demo.history, 2)).find(({ project }) => project.name === name)
  assert(found, `${name} was not scanned`)
  return found.project
}

const whole = { has: () => true, mayHaveOf: () => true }
const isOwn = ({ project, kind }: { readonly project: string; readonly kind: string }) =>
  project === visible || kind === 'service'
const own = { has: (name: string) => name === visible, mayHaveOf: () => true }

const ask = (path: string) => site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
const namesIn = (text: string) => hidden.filter((name) => text.includes(name))

describe('pages for readers of some projects', () => {
  it('leave out what is about all projects', async () => {
    expect((await ask('/notifications')).status).toBe(403)
    expect((await ask('/api/v1/notify')).status).toBe(403)
    expect(await (await ask('/')).text()).not.toContain('href="/notifications"')
    expect((await demo.get('/notifications')).status).toBe(200)
  })

  it('name the schedules of what the reader sees, and no workers', async () => {
    const text = await (await ask('/worker')).text()
    expect(text).toContain('data-schedule="all"')
    expect(text).toContain('data-schedule="some"')
    expect(text).not.toContain('data-schedule="others"')
    expect(text).not.toContain('id="workers"')
  })

  it('name the schedules of a project that the list of its service showed', async () => {
    const month = ((new Date(demo.options.now()).getUTCMonth() + 6) % 12) + 1
    const yearly = { cron: `0 0 1 ${month} *`, timezone: 'UTC', jitterMs: 0, runTimeoutMs: 0 }
    const discovered: SitePlan = {
      ...noPlan,
      configured: async () => ({
        expected: { named: [], isDiscovered: () => true },
        channels: [],
        schedules: [
          { ...yearly, name: 'of the service', projects: ['demo/*'] },
          { ...yearly, name: 'others', projects: ['demo/payments'] },
        ],
      }),
    }
    const now = () => demo.options.now() + 3 * 86_400_000
    const pages = createSite(scopeSite({ ...demo.options, plan: discovered, now }, ['demo/ord*']))
    const read = async (path: string) => (await pages.request(`http://localhost${path}`)).text()
    expect(await read('/projects/demo/orders')).toContain('Schedule of the service')
    const worker = await read('/worker')
    expect(worker).toContain('data-schedule="of the service"')
    expect(worker).not.toContain('data-schedule="others"')
    // It is due once a year, and not a day after its last scan.
    expect(worker).not.toContain('STALE')
  })

  it('are not taken for those of readers of other projects', async () => {
    const [mine, whole] = [await ask('/violations?run=1'), await demo.get('/violations?run=1')]
    expect(mine.headers.get('etag')).not.toBe(whole.headers.get('etag'))
  })
})

/** Answers in which no run says what it came to. */
function withoutVerdicts(answers: unknown): unknown {
  return JSON.parse(JSON.stringify(answers), (name, value) => (name === 'exitCode' ? null : value))
}

describe('a history of some projects', () => {
  it('answers as the whole one where every project is visible', async () => {
    const all = demo.history.within(whole)
    const some = uids.slice(0, 3)
    // A verdict counts what a reader may not know of.
    expect(withoutVerdicts(await answersOf(all, some))).toEqual(withoutVerdicts(await answersOf(demo.history, some)))
    expect(await listApprovals(all)).toEqual(await listApprovals(demo.history))
    expect(await listAcceptances(all)).toEqual(await listAcceptances(demo.history))
  })

  it('names nothing hidden in any answer, and leaves out nothing that is visible', async () => {
    const mine = demo.history.within(own)
    const [uid = ''] = uids
    const identity = { project: { name: 'demo/payments', service: 'demo', uid: 'x' }, kind: 'endpoint', uid } as const
    const answers = [
      await answersOf(mine, [uid]),
      await readRunRecord(mine, 1),
      await listApprovals(mine),
      await listAcceptances(mine),
      await searchResources(mine, '', 2),
      await readVersionsOf(mine, identity, 2),
    ]
    expect(namesIn(JSON.stringify(answers))).toEqual([])
    const whole = (await readViolationsAt(demo.history, 2)).filter(isOwn)
    expect(await readViolationsAt(mine, 2)).toEqual(whole)
    expect(whole.length).toBeGreaterThan(3)
    expect(await spansOf(mine, 0, 2)).toEqual((await spansOf(demo.history, 0, 2)).filter(isOwn))
    const first = whole[0]?.fingerprint ?? ''
    expect((await identifyViolations(mine, first.slice(0, 1), 2, 1)).length).toBe(1)
    expect((await identifyViolations(mine, '', 2, 1000)).length).toBe(
      new Set((await spansOf(mine, 0, 2)).map(({ fingerprint }) => fingerprint)).size,
    )
  })

  it('counts in its runs what is visible', async () => {
    const mine = demo.history.within(own)
    const { changes = [], coverage = [] } = (await readRunRecord(mine, 2)) ?? {}
    const [last] = (await listEndedRuns(mine, 1)).runs
    expect(last).toMatchObject({ walks: coverage.length, changes: changes.length, exitCode: null })
    expect(last?.walks).toBeLessThan((await listEndedRuns(demo.history, 1)).runs[0]?.walks ?? 0)
  })
})

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
      expect(await ask('/runs')).toMatch(/\d of \d listings? incomplete/)
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
  expect(await ask('/runs')).toContain('data-label="Walks" class="n">2<')
})

it('gives runs no verdict that counts what a reader may not know of, and reads them at once', async () => {
  const { as, history } = await openScopes('complete')
  const ask = as('acme/orders')
  const statements = watchStatements(history)
  expect(await ask('/runs')).not.toContain('Exit code')
  expect(JSON.parse(await ask('/api/v1/runs')).rows).toMatchObject([
    { state: 'committed', exit_code: null, walks: 2, incomplete: 0 },
  ])
  // The coverage that the page and the answer state, and that of its links; the rest does not grow with the runs.
  const read = (mark: string) => statements.filter((sql) => sql.includes(mark)).length
  expect([read('AS "incompleteRun"'), read('AS opened')]).toEqual([3, 2])
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

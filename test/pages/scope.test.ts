import { afterAll, describe, expect, it } from 'vitest'
import { apiEntries } from '../../src/cli/api/api-entries.ts'
import { scopedHistory } from '../../src/history/scoped-history.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { identifyViolations } from '../../src/history/sql/found-violations.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { readVersionsOf, searchResources } from '../../src/history/sql/resource-life.ts'
import { listEndedRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import { readStateAt } from '../../src/history/sql/state-at.ts'
import { readViolationsAt } from '../../src/history/sql/violations.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { answersOf, spansOf } from '../history/answers-of.ts'
import { openDemoSite } from './demo-site.ts'

const visible = 'demo/orders'

let demo: Awaited<ReturnType<typeof openDemoSite>>
let site: ReturnType<typeof createSite>
/** Names of projects that the reader may not know of, and all that is in them. */
demo = await openDemoSite()
await demo.command('baseline', 'approve', '--run', '1', '--by', 'me')
const open = JSON.parse((await demo.command('violations', '--open', '--format', 'json')).stdout)
for (const project of ['demo/orders', 'demo/payments']) {
  const { fingerprint } = open.rows.find((row: { project: string }) => row.project === project)
  await demo.command('accept', fingerprint, '--reason', `known in ${project}`, '--by', 'me')
}
const plan = {
  configured: async () => ({
    expected: { named: ['demo/orders', 'demo/payments', 'demo/secret-plans'], isFound: () => false },
    schedules: [
      { name: 'all', cron: '0 * * * *', timezone: 'UTC', projects: [], slackMs: 0 },
      { name: 'some', cron: '0 * * * *', timezone: 'UTC', projects: ['orders', 'demo/secret-plans'], slackMs: 0 },
      { name: 'others', cron: '0 * * * *', timezone: 'UTC', projects: ['demo/payments'], slackMs: 0 },
    ],
  }),
  pool: async () => ({ workers: [{ name: 'w', walks: ['demo/payments'] }] }) as never,
}
site = createSite(scopeSite({ ...demo.options, plan }, ['demo/ord*']))
const others = (await readLatestScans(demo.history, 2))
  .map(({ project }) => project)
  .filter(({ name }) => name !== visible)
const inside = await Promise.all(others.map((project) => readStateAt(demo.history, project, 2)))
const ofVisible = (await readStateAt(demo.history, await projectOf(visible), 2)).map(({ uid }) => uid)
const uids = inside
  .flat()
  .map(({ uid }) => uid)
  .filter((uid) => !ofVisible.includes(uid))
const hidden = [...others.map(({ name }) => name), 'secret-plans', ...uids]
expect(hidden.length).toBeGreaterThan(20)
afterAll(() => demo[Symbol.asyncDispose]())

async function projectOf(name: string) {
  const found = (await readLatestScans(demo.history, 2)).find(({ project }) => project.name === name)
  if (found === undefined) throw new Error(`${name} was not scanned`)
  return found.project
}

const whole = { isWhole: false, isVisible: () => true, seesService: () => true }
const own = { isWhole: false, isVisible: (name: string) => name === visible, seesService: () => true }

const ask = (path: string) => site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
const namesIn = (text: string) => hidden.filter((name) => text.includes(name))

describe('pages for readers of some projects', () => {
  it('name no other project and nothing in it, wherever links lead', async () => {
    const seen = new Set(['/'])
    const pages: [string, string][] = []
    for (const path of seen) {
      const text = await (await ask(path)).text()
      pages.push([path, text])
      for (const [, href = ''] of text.matchAll(/href="(\/[^"#]*)/g)) {
        // Rules have a page each, and are the same for all readers.
        if (seen.size < 400 && !href.startsWith('/rules/')) seen.add(href.replaceAll('&amp;', '&'))
      }
    }
    expect(pages.length).toBeGreaterThan(60)
    expect(pages.map(([path, text]) => [path, namesIn(`${path}${text}`)]).filter(([, names]) => names?.length)).toEqual(
      [],
    )
    expect(pages[0]?.[1]).toContain(visible)
    expect(demo.faults).toEqual([])
  })

  it('answer no differently for what is hidden and for what does not exist', async () => {
    const paths = ['/projects/demo/payments', `/resources/${uids[0]}`, '/violations?project=demo/payments']
    for (const path of paths) {
      const missing = path.replace(/[^/=]+$/, 'nowhere')
      const [asked, other] = [await ask(path), await ask(missing)]
      expect([path, asked.status]).toEqual([path, other.status])
      expect(namesIn((await asked.text()).replaceAll(path.split(/[/=]/).at(-1) ?? '', '')).length).toBe(0)
    }
  })

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

  it('are not taken for those of readers of other projects', async () => {
    const [mine, whole] = [await ask('/violations?run=1'), await demo.get('/violations?run=1')]
    expect(mine.headers.get('etag')).not.toBe(whole.headers.get('etag'))
  })
})

describe('the API for readers of some projects', () => {
  const required: Readonly<Record<string, string>> = {
    compare: '?a=demo/orders&b=demo/orders',
    diff: '?from=1&to=2',
    timeline: '?uid=UID',
    restore: '?uid=UID',
  }
  for (const [name] of Object.entries(apiEntries).filter(([, each]) => each.isOfAllProjects === undefined)) {
    it(`names no other project in ${name}`, async () => {
      const [{ uid } = { uid: '' }] = await readStateAt(demo.history, await projectOf(visible), 2)
      const answer = await ask(`/api/v1/${name}${(required[name] ?? '').replace('UID', uid)}`)
      expect(answer.status).toBe(200)
      expect(namesIn(await answer.text())).toEqual([])
    })
  }

  it('refuses to compare with, and to show, what is hidden', async () => {
    for (const path of ['compare?a=demo/orders&b=demo/payments', `timeline?uid=${uids[0]}`, `restore?uid=${uids[0]}`]) {
      expect([path, (await ask(`/api/v1/${path}`)).status]).toEqual([path, 400])
    }
  })
})

/** Answers in which no run says what it came to. */
function withoutVerdicts(answers: unknown): unknown {
  return JSON.parse(JSON.stringify(answers), (name, value) => (name === 'exitCode' ? null : value))
}

describe('a history of some projects', () => {
  it('answers as the whole one where every project is visible', async () => {
    const all = scopedHistory(demo.history, whole)
    const some = uids.slice(0, 3)
    // A verdict counts what a reader may not know of.
    expect(withoutVerdicts(await answersOf(all, some))).toEqual(withoutVerdicts(await answersOf(demo.history, some)))
    expect(await listApprovals(all)).toEqual(await listApprovals(demo.history))
    expect(await listAcceptances(all)).toEqual(await listAcceptances(demo.history))
  })

  it('names nothing hidden in any answer, and leaves out nothing that is visible', async () => {
    const mine = scopedHistory(demo.history, own)
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
    const whole = (await readViolationsAt(demo.history, 2)).filter(({ project }) => project === visible)
    expect(await readViolationsAt(mine, 2)).toEqual(whole)
    expect(whole.length).toBeGreaterThan(3)
    expect(await spansOf(mine, 0, 2)).toEqual(
      (await spansOf(demo.history, 0, 2)).filter(({ project }) => project === visible),
    )
    const first = whole[0]?.fingerprint ?? ''
    expect((await identifyViolations(mine, first.slice(0, 1), 2, 1)).length).toBe(1)
    expect((await identifyViolations(mine, '', 2, 1000)).length).toBe(
      new Set((await spansOf(mine, 0, 2)).map(({ fingerprint }) => fingerprint)).size,
    )
  })

  it('counts in its runs what is visible', async () => {
    const mine = scopedHistory(demo.history, own)
    const { changes = [], coverage = [] } = (await readRunRecord(mine, 2)) ?? {}
    const [last] = (await listEndedRuns(mine, 1)).runs
    expect(last).toMatchObject({ walks: coverage.length, changes: changes.length, exitCode: null })
    expect(last?.walks).toBeLessThan((await listEndedRuns(demo.history, 1)).runs[0]?.walks ?? 0)
  })

  it('is not written', async () => {
    await expect(scopedHistory(demo.history, whole).approve([])).rejects.toThrow('some projects only')
  })
})

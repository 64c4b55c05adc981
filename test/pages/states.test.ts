import { afterAll, describe, expect, it } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { readLocation } from '../../src/history/location.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { SiteHistory } from '../../src/pages/page.ts'
import { createSite, pages } from '../../src/pages/site.ts'
import { openChanged } from '../history/changed-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSiteOver, openStorySite, owner } from './story-site.ts'

const paths = pages.map(({ path }) => path)
const lists = paths.filter((path) => !path.includes(':'))

function siteOf(history: SiteHistory) {
  const faults: unknown[] = []
  const terminal = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: () => '/' }
  const site = createSite({
    history: async () => history,
    now: () => Date.UTC(2026, 10, 22),
    version: '1',
    isHostOfPort: () => true,
    api: createApi({ config: 'hookdrift.yaml' }, terminal, '1'),
    onFault: (error) => faults.push(error),
  })
  return async (path: string) => {
    const answer = await site.request(`http://localhost${path}`, { headers: { host: 'localhost' } })
    expect([path, faults]).toEqual([path, []])
    return { status: answer.status, text: await answer.text() }
  }
}

const newFile = temporaryDatabasePaths()

describe('pages of a first run that found nothing', async () => {
  const fixture = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 2 } })
  await fixture.fixture.audit()
  const { directory } = fixture.fixture.harness
  const file = fixture.fixture.harness.file
  const history = await openExistingHistory(readLocation(file, directory), {})
  afterAll(async () => {
    await history.close()
    await fixture[Symbol.asyncDispose]()
  })

  it.each(lists)('answer: %s', async (path) => {
    const { status, text } = await siteOf(history)(path)
    expect(status).toBe(200)
    expect(text).not.toMatch(/undefined|NaN|Infinity|\[object/)
  })

  it('say that nothing is open, and where nothing was compared yet', async () => {
    const get = siteOf(history)
    expect((await get('/')).text).toContain('No open violation of medium or above.')
    for (const path of ['/violations', '/violations?severity=high'])
      expect((await get(path)).text).toContain('<p class="empty">No such violation.</p>')
  })

  it('show 50 of 5,000 projects, those first that could not be scanned, in at most 60 kB', async () => {
    const many = openChanged(file, newFile(), (db) => {
      db.exec(`WITH RECURSIVE many (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM many WHERE at < 4999)
        INSERT INTO project (id, service, uid) SELECT 1000 + at, 'acme', 'many-' || at FROM many;
        DELETE FROM walk; DELETE FROM scan;
        INSERT INTO scan (run, project_id, name)
          SELECT 1, id, 'acme/project-' || (id - 1000) FROM project WHERE uid LIKE 'many-%';
        INSERT INTO walk (run, project_id, listing, status, cause, pages, items, requests, retries, duration_ms)
          SELECT 1, project_id, 'endpoints', CASE (project_id - 1000) % 5 WHEN 4 THEN 'failed' ELSE 'complete' END,
            CASE (project_id - 1000) % 5 WHEN 4 THEN 'timeout' END, 1, 2, 1, 0, 5 FROM scan`)
    })
    const { text } = await siteOf(many)('/')
    await many.close()
    expect(text).toContain('Projects <span class="count">50 of 5000, the worst first</span>')
    const shown = [...text.matchAll(/<tr data-project="acme\/project-(\d+)"/g)].map(([, number]) => Number(number))
    expect(shown).toHaveLength(50)
    expect(shown.filter((number) => number % 5 !== 4)).toEqual([])
    expect(text).toContain('1000 of 5000 projects were not scanned to the end.')
    expect(Buffer.byteLength(text)).toBeLessThan(60_000)
  })

  it('say that the history is empty before the first run', async () => {
    const get = siteOf(openSqliteHistory(newFile(), new Machines().process(100)))
    for (const path of lists) {
      const { status, text } = await get(path)
      expect([path, status]).toEqual([path, 200])
      expect(text).toContain('The history has no committed run: nothing was scanned.')
    }
  })
})

it('says of no rule, no run and no project that all is well after a scan that reached nothing', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
  const { fixture } = made
  fixture.set({ status: 'inactive' })
  await fixture.audit()
  fixture.service.failNext({ how: 'bad-json', path: /./, page: 1, times: 99 })
  await fixture.audit()
  await using site = await openSiteOver(made)
  const overview = await site.read('/')
  expect(overview).toContain('? No violation is open in what could be checked; the rest is unknown.')
  expect(overview).toContain('? The last 2 runs found no change in what was scanned; the rest is unknown.')
  const project = await site.read('/projects/acme/payments')
  expect(project).toContain(
    '? The last 2 runs that scanned it found no change in what was scanned; the rest is unknown.',
  )
})

it('does not say of a run that read nothing that a resource was not there', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  const { fixture } = made
  fixture.service.failNext({ how: 'bad-json', path: /\/endpoints/, page: 1, times: 5 })
  await fixture.audit()
  await fixture.audit()
  await using site = await openSiteOver(made)
  const text = (await site.read(`/resources/${fixture.endpointAt().uid}?from=1&to=2`)).replace(/<[^>]*>/g, '')
  expect(text).toContain('Before, run 1: not known, run 2 was the first to see it. After, run 2: as run 2 found it')
})

describe('pages after a scan that failed', async () => {
  const site = await openStorySite()
  afterAll(() => site[Symbol.asyncDispose]())

  it.each(['/', '/violations', '/violations?group-by=project', `/owners/${encodeURIComponent(owner)}`])(
    'say so before everything else: %s',
    async (path) => {
      const text = await (await site.get(path)).text()
      const [alarm, heading] = [text.indexOf('1 of 3 projects was not scanned to the end'), text.indexOf('<h1>')]
      expect(alarm).toBeGreaterThan(0)
      expect(alarm).toBeLessThan(heading)
    },
  )
})

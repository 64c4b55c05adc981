import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { updateEndpoint } from '../../src/demo/edits.ts'
import { readLocation } from '../../src/history/location.ts'
import { findLastRun } from '../../src/history/sql/runs.ts'
import { createSite } from '../../src/pages/site.ts'
import { readStatus } from '../../src/questions/status.ts'
import { at } from '../audit/fleet-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openSite } from './open-site.ts'

it('answers 304 until the next run', async () => {
  using directory = openDirectory()
  const env = { HOOKDRIFT_LOG: 'silent' }
  await command(`demo --keep ${directory.file('demo')}`, { cwd: directory.path, env })
  const history = await openExistingHistory(readLocation(directory.file('demo/hookdrift.db'), directory.path), {})
  const db = new Database(directory.file('demo/hookdrift.db'))
  await using _ = {
    async [Symbol.asyncDispose]() {
      db.close()
      await history.close()
    },
  }
  let now = 5_000_000
  const finish = db.prepare('UPDATE run SET finished_at = ? WHERE number = 2')
  const end = (await findLastRun(history))?.finished_at ?? ''
  const site = createSite({
    history: async () => history,
    now: () => now,
    version: '1.2.3',
    api: createApi(
      { config: directory.file('demo/hookdrift.yaml') },
      { stdout: process.stdout, stderr: process.stderr, env, cwd: () => directory.file('demo') },
      '1.2.3',
    ),
    isHostOfPort: () => true,
    onFault: (error) => expect(error).toBeUndefined(),
  })
  const get = (path: string, tag = '') =>
    site.request(`http://localhost${path}`, { headers: tag === '' ? {} : { 'if-none-match': tag } })

  for (const path of ['/', '/feed.atom', '/api/v1/violations?severity=high', '/api/v1/diff?from=1&to=2']) {
    const first = await get(path)
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^W\/"2-[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await get(path, `"other", ${tag}`)
    expect([again.status, again.headers.get('etag')]).toEqual([304, tag])
    // What a cache needs to know is with both.
    for (const answer of [first, again]) expect(answer.headers.get('vary')).toBe('Accept-Encoding')
    // A cache may have made it a strong one.
    expect((await get(path, tag.replace('W/', ''))).status).toBe(304)
    expect((await get(path, tag.replace('W/"', 'W/"x'))).status).toBe(200)
    // Another address, such as another filter, is another answer.
    expect((await get(path.includes('?') ? `${path}&limit=1` : `${path}?run=1`, tag)).status).toBe(200)
    finish.run('2027-01-01T00:00:00.000Z')
    now += 10_000
    expect((await get(path, tag)).status).toBe(200)
    finish.run(end)
    now += 10_000
  }
  for (const path of ['/style.css', '/script.js', '/copy.js']) {
    const first = await get(path)
    const tag = first.headers.get('etag') ?? ''
    expect([first.status, tag, first.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^W\/"[\w-]{22}"$/),
      'public, no-cache',
    ])
    const again = await get(path, tag)
    expect([again.status, await again.text(), again.headers.get('vary')]).toEqual([304, '', 'Accept-Encoding'])
    expect((await get(path, '"another"')).status).toBe(200)
  }
  for (const path of ['/api/v1/status', '/api/v1/accept', '/api/v1/violations?older-than=1d', '/api/v1/state?at=7d']) {
    const { headers } = await get(path)
    expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store'])
  }
  // What counts from now is another answer a second later, while no run comes.
  now = Date.parse(end) + 5000
  for (const path of [
    ...['/violations?since=228s', '/violations?older-than=30d', '/violations?overdue=true', '/resources?run=1s'],
    ...['/feed.atom?run=1s', '/violations?run=2&since=yesterday'],
  ]) {
    const { status, headers } = await get(path)
    expect([path, status, headers.get('etag'), headers.get('cache-control')]).toEqual([path, 200, null, 'no-store'])
  }
}, 60_000)

it('answers anew once runs were pruned, and leads to none of them', async () => {
  const opened = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  const { fleet, audit } = opened.fixture
  const project = at(fleet.projects(), 0).uid
  const { uid } = at(fleet.open(project).endpoints, 0)
  for (const url of ['https://a.example', 'http://a.example', 'https://a.example', 'https://b.example']) {
    updateEndpoint(fleet, { project, uid }, { name: 'a', url })
    await audit()
  }
  await using site = await openSite(opened)
  const page = async () => (await site.get(`/resources/${uid}`)).text()
  const tagOf = async () => (await site.get(`/api/v1/timeline?uid=${uid}`)).headers.get('etag')
  expect(await page()).toContain('href="/runs/2"')
  const tag = await tagOf()
  expect((await opened.ask('prune --keep-last 2')).code).toBe(0)
  site.advance(2000)
  expect(await page()).not.toContain('href="/runs/2"')
  expect(await tagOf()).not.toBe(tag)
})

it('says on every page that the history was moved, also to who has the page already, and not where', async () => {
  const opened = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  await opened.fixture.audit()
  await using site = await openSite(opened)
  const { headers } = await site.get('/resources')
  const { file, directory } = opened.fixture.harness
  const copied = await command(`history copy ${file} new-place.db`, { cwd: directory })
  expect(copied.code).toBe(0)
  site.advance(2000)
  const tag = headers.get('etag') ?? ''
  expect((await site.site.request('http://localhost/resources', { headers: { 'if-none-match': tag } })).status).toBe(
    200,
  )
  for (const path of ['/', '/resources', '/worker', '/violations?run=1']) {
    const page = await (await site.get(path)).text()
    expect(page).toContain('? This history was moved <time')
    expect(page).not.toContain('new-place')
  }
  const scoped = site.history.within({ has: () => true, mayHaveOf: () => true })
  const asked = { expected: undefined, projects: [], now: 0, limit: 9, dueAfter: () => 1 }
  for (const [history, isNamed] of [
    [site.history, true],
    [scoped, false],
  ] as const) {
    const status = JSON.stringify(await readStatus(history, asked))
    expect([status.includes('This history was moved to '), status.includes('new-place')]).toEqual([true, isNamed])
  }
})

import { afterAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { isoTime } from '../../src/model/time.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { aStart } from '../history/samples.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { openEventfulSite } from './eventful-site.ts'
import { openSite } from './open-site.ts'
import { withWholeCommands } from './shell-words.ts'
import { openSiteOver } from './story-site.ts'

it('the page of a run of some projects counts what its list of violations lists', async () => {
  const made = await openHistoryFixture({
    fleet: { projects: 2, endpointsPerProject: 4 },
  })
  const { fixture } = made
  for (const { uid } of fixture.fleet.projects()) {
    const place = { project: uid, uid: at(fixture.fleet.open(uid).endpoints, 0).uid }
    changeEndpoint(fixture.fleet, place, (row) => ({ ...row, url: 'http://a.example/hook' }))
  }
  const policy = policyOf('extends: []\nrules: { endpoint/url-not-https: high }')
  const report = await fixture.audit({ policy })
  await fixture.audit({ policy, only: [at(report.projects, 0).project] })
  await using site = await openSite(made)
  const page = await (await site.get('/runs/2')).text()
  const [, href = '', said] = /<a href="([^"]*)">(\d+) open violations? as of run 2/.exec(page) ?? []
  const list = await (await site.get(href.replaceAll('&amp;', '&'))).text()
  expect([said, /role="status">(\d+) violations?:/.exec(list)?.[1]]).toEqual(['2', '2'])
})

it('the list of runs as of one leads to what each run opened, as many as it says', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 3 } })
  const { fleet, audit } = made.fixture
  const project = at(fleet.projects(), 0).uid
  const { endpoints } = fleet.open(project)
  for (const changed of [endpoints.slice(0, 1), endpoints.slice(1)]) {
    for (const { uid } of changed) {
      changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, url: 'http://a.example/hook' }))
    }
    await audit({ policy: policyOf('extends: []\nrules: { endpoint/url-not-https: high }') })
  }
  await using site = await openSite(made)
  const runs = await (await site.get('/runs?run=2')).text()
  for (const [, href = '', opened] of runs.matchAll(/<a href="(\/violations[^"]*since=\d)">(\d+)</g)) {
    const list = await (await site.get(href.replaceAll('&amp;', '&'))).text()
    expect([href, /role="status">(\d+) violations?:/.exec(list)?.[1]]).toEqual([href, opened])
  }
  expect(runs.match(/since=\d/g)).toHaveLength(2)
})

it('the page of a run leads from a change to what it opened, also to what the page no longer lists', async () => {
  const made = await openHistoryFixture({
    fleet: { endpointsPerProject: 110 },
  })
  const { fleet, audit } = made.fixture
  const policy = policyOf('extends: []\nrules: { endpoint/url-not-https: high, endpoint/url-raw-ip: low }')
  await audit({ policy })
  const project = at(fleet.projects(), 0).uid
  for (const { uid } of fleet.open(project).endpoints) {
    changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, url: 'http://8.8.8.8/hook' }))
  }
  await audit({ policy })
  await using site = await openSite(made)
  const page = await (await site.get('/runs/2')).text()
  expect(page).toMatch(
    /… and 60 more violations; <code class="command">hookdrift violations --rule endpoint\/url-\S+<\/code> lists all/,
  )
  expect(page).toMatch(/… and 60 more changes; <code class="command">hookdrift diff 2<\/code> lists all/)
  const leads = [...page.matchAll(/New with it: .*<\/p>/g)].flatMap(([line]) =>
    [...line.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href),
  )
  expect(new Set(leads).size).toBe(100)
  expect((await site.get(leads.at(-1) ?? '')).status).toBe(200)
  expect(leads.filter((href) => href.startsWith('#') && !page.includes(`id="${href.slice(1)}"`))).toEqual([])
})

it('finds the runs next to one however many were interrupted in between, and compares the first with none', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 1 } })
  const { fixture } = made
  await fixture.audit()
  fixture.set({ description: 'another' })
  for (let run = 2; run < 60; run++) {
    fixture.harness.advance(60_000)
    await fixture.harness.withHistory((history) => history.begin(aStart(isoTime(fixture.harness.clock.now()))))
  }
  await fixture.audit()
  await using site = await openSiteOver(made)
  expect(await site.read('/runs/1')).toContain('<a href="/runs/60" rel="next">')
  expect(await site.read('/runs/60')).toContain('<a href="/runs/1" rel="prev">')
  expect(await site.read('/compare')).toContain('<p class="summary" role="status">1 row')
  const alone = await site.read('/compare?run=1')
  expect(alone).toContain('The history has no run before run 1 with which to compare it.')
  expect(alone).not.toContain('Nothing differs')
  expect(await site.read('/compare?from=60&to=1')).not.toContain('Violations that ended')
})

it('lists what runs opened since one by their numbers, also where the clock was set back in between', async () => {
  const made = await openHistoryFixture({ fleet: { endpointsPerProject: 2 } })
  const { fixture } = made
  const policy = policyOf('extends: []\nrules: { endpoint/url-not-https: high }')
  const opened = fixture.set({ url: 'http://a.example/hook' }, 1)
  await fixture.audit({ policy })
  fixture.harness.advance(-3_600_000)
  const uid = fixture.set({ url: 'http://b.example/hook' }, 0)
  await fixture.audit({ policy })
  const { rows } = await made.rows('violations --since 2')
  expect(rows.map((row) => row.uid)).toEqual([uid])
  await using site = await openSiteOver(made)
  const page = await site.read('/violations?since=2')
  expect([page.includes(uid), page.includes(opened)]).toEqual([true, false])
  const before = await site.read(`/violations/${at(rows, 0).fingerprint}?run=1`)
  expect(before).toContain('In run 1 it did not exist: run 2 opened it.')
})

describe('the pages of a past run', async () => {
  const site = await openEventfulSite()
  const [{ fingerprint: accepted, name }] = (await site.json('waivers list --acceptances')).rows
  afterAll(() => site[Symbol.asyncDispose]())

  const read = (path: string) => site.read(path)

  it('know no approval that came after it, and say where the command does', async () => {
    const first = await read('/baselines?run=1')
    expect(first).toContain('No baseline was approved by the end of run 1')
    expect(withWholeCommands(first)).toContain('hookdrift baseline show --all --run 1</code>')
    const second = await read('/baselines?run=2')
    expect(second).toContain('What differs from the approved states <span class="count">')
    expect(withWholeCommands(await read('/baselines/differences?run=2'))).toContain(
      'hookdrift baseline diff --run 2</code>',
    )
  })

  it('know no acceptance and no revocation that came after it', async () => {
    for (const [run, isAccepted, isRevoked] of [
      ['?run=2', false, false],
      ['?run=4', true, false],
      ['', true, true],
    ] as const) {
      const page = await read(`/violations/${accepted}${run}`)
      // As of the last run, that is the present.
      const violation = run === '?run=2' ? (/<section class="then".*?<\/section>/s.exec(page)?.[0] ?? '') : page
      expect([run, violation.includes('Accepted by kim'), violation.includes('Revoked by lee')]).toEqual([
        run,
        isAccepted,
        isAccepted,
      ])
      const [waivers, acceptances] = [await read(`/waivers${run}`), await read(`/acceptances${run}`)]
      const byKim = 'data-label="By"><div>kim'
      const ofKind = 'data-label="Kind"><div>acceptance'
      expect([run, waivers.includes(ofKind)]).toEqual([run, isAccepted && !isRevoked])
      expect([run, acceptances.includes(`>${name}</a>`)]).toEqual([run, isAccepted])
      expect([run, acceptances.includes(byKim), acceptances.includes('revoked')]).toEqual([run, isAccepted, isRevoked])
    }
  })

  it('count the runs by then', async () => {
    expect(await read('/runs?run=1')).toContain('role="status">1 row.')
    expect(await read('/runs?run=2')).toContain('role="status">2 rows.')
    expect(await read('/runs')).toContain('role="status">4 rows.')
  })

  it('show the present of a violation first, and what to do now', async () => {
    const [open] = (await site.json('violations --run 1 --open')).rows
    const page = await read(`/violations/${open.fingerprint}?run=1`)
    expect(withWholeCommands(page)).toContain(
      `hookdrift timeline ${open.uid} --project ${open.project} --kind endpoint --run 1`,
    )
    const [present = '', then = ''] = page.split('<section class="then"')
    expect(present).toMatch(/data-state="\w+"/)
    expect(then).toMatch(/^.*As of run 1, .*data-state="opened".*<\/section>/s)
    const changed = await read(`/resources/${open.uid}`)
    expect(changed).toContain('How to put it back')
    for (const path of [`/violations/${open.fingerprint}`, `/resources/${open.uid}`]) {
      const [now, past] = [await read(path), await read(`${path}?run=2`)]
      const actions = /--request PUT|put it back|hookdrift restore|a person decides/g
      expect([path, past.match(actions)]).toEqual([path, now.match(actions)])
    }
  })
  it('say which waivers ended', async () => {
    site.advance(9 * 86_400_000)
    const page = await read('/waivers')
    expect(page).toContain('data-label="State"><div>ended')
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })
})

it('names what people approved and accepted as its project was called then', async () => {
  const fleet = generateFleet({ clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 2 })
  const projects: Record<string, string> = { payments: at(fleet.projects(), 0).uid }
  const made = await openHistoryFixture({ fleet, harness: { projects } })
  const { fixture } = made
  const policy = policyOf('extends: []\nrules: { endpoint/url-not-https: high }')
  fixture.set({ url: 'http://a.example/hook' })
  const report = await fixture.audit({ policy })
  await fixture.approve()
  await fixture.accept(report, 'endpoint/url-not-https')
  await fixture.audit({ policy })
  const { payments = '' } = projects
  delete projects.payments
  projects.renamed = payments
  await fixture.audit({ policy })
  await using site = await openSiteOver(made)
  for (const path of ['/baselines', '/waivers']) {
    expect(await site.read(`${path}?run=2`)).toContain('acme/payments')
    expect(await site.read(`${path}?run=2`)).not.toContain('acme/renamed')
    expect(await site.read(path)).toContain('acme/renamed')
  }
  expect(await site.read('/baselines?run=2&project=acme/payments')).toContain(
    'Nothing differs from the approved states in what was scanned; the rest is unknown.',
  )
})

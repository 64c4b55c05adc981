import { describe, expect, it } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { Report } from '../../src/model/report.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { policyOf } from './audit-harness.ts'
import {
  addProject,
  changeProject,
  everything,
  listPath,
  listViolations,
  openDiscoveryFixture,
  listRules as policy,
  scannedProjects,
} from './discovery-fixture.ts'
import { coverageLines, driftLines, openFleetFixture } from './fleet-fixture.ts'

describe('the list of a service', () => {
  it('decides which projects are scanned, under the names that it gives', async () => {
    await using f = await openDiscoveryFixture()
    const report = await f.audit({ list: everything(f), policy })
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    expect(report.coverage[0]).toMatchObject({ listing: 'projects', status: 'complete', cause: null, items: 2 })
    expect(report.verdict.exit_code).toBe(1)
    expect(report.verdict.text).toContain('first scan')
    expect(report.notices).toEqual([])
  })

  it('is that of the organisation of a named project, unless the configuration names one', async () => {
    await using f = await openDiscoveryFixture()
    const report = await f.audit({ list: { named: ['acme/orders'], matches: [{ pattern: '*' }] }, policy })
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    expect(report.coverage[0]).toMatchObject({ status: 'complete', requests: 2 })
  })

  it('is read with the key of the service, and a key of a project reads one of them', async () => {
    await using f = await openDiscoveryFixture()
    const [orders, payments] = ['orders', 'payments'].map((name) => f.uidOf(name))
    const key = f.fleet.project(payments ?? '')?.key ?? ''
    const list = everything(f)
    const report = await f.audit({ list, policy, keys: { '*': key, orders: key, payments: key } })
    expect(report.coverage.map(({ project, status, cause }) => `${project} ${status} ${cause}`)).toEqual([
      'acme/* complete null',
      ...Array(4).fill('acme/orders failed foreign'),
      ...Array(4).fill('acme/payments complete null'),
    ])
    expect(report.verdict.exit_code).toBe(3)
    expect(orders).not.toBe(payments)
  })

  it('takes the projects that entries match, each with the labels of the first that fits', async () => {
    await using f = await openDiscoveryFixture()
    addProject(f.fleet, 'payouts')
    const matches = [
      { pattern: 'payo*', labels: { team: 'money' } },
      { pattern: 'pay*', labels: { team: 'shop' } },
    ]
    const report = await f.audit({ list: everything(f, { matches }), policy })
    expect(report.projects.map(({ project, labels }) => [project, labels])).toEqual([
      ['acme/payments', { team: 'shop' }],
      ['acme/payouts', { team: 'money' }],
    ])
  })

  it('leaves named projects as the configuration has them', async () => {
    await using f = await openDiscoveryFixture()
    const matches = [{ pattern: '*', labels: { found: 'yes' } }]
    const list = everything(f, { matches, named: ['acme/orders'] })
    const report = await f.audit({ list, policy, labels: { env: 'prod' } })
    expect(report.projects.map(({ project, labels }) => [project, labels])).toEqual([
      ['acme/orders', { env: 'prod' }],
      ['acme/payments', { found: 'yes' }],
    ])
  })
})

it('leaves a project to another service of the same URL that names it, and it is expected there alone', async () => {
  await using cli = await openCliFixture()
  const [payments] = cli.fleet.projects()
  const { url } = cli.service
  const all = `{ name: acme, url: "${url}", key: "\${ACME_KEY}", organisation: ${cli.fleet.organisationId}, projects: all }`
  const pay = `{ name: pay, url: "${url}/", key: "\${ACME_KEY}", projects: [{ id: ${payments?.uid}, name: payments }] }`
  const scanned = async (...services: string[]) => {
    cli.directory.write('hookdrift.yaml', `services:\n${services.map((one) => `  - ${one}\n`).join('')}`)
    const report: Report = JSON.parse((await cli.audit(['--format', 'json'])).stdout)
    expect(report.violations.filter(({ rule }) => rule === 'endpoint/secret-shared')).toEqual([])
    return scannedProjects(report)
  }
  expect(await scanned(all)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
  expect(await scanned(all, pay)).toEqual(['acme/*', 'acme/orders', 'pay/payments'])
  const status = ['status', '--config', cli.directory.file('hookdrift.yaml'), '--format', 'json']
  const { rows } = JSON.parse((await command(status, { cwd: cli.directory.path, env: cli.env })).stdout)
  expect(rows.map(({ project }: { project: string }) => project)).toEqual(['acme/*', 'acme/orders', 'pay/payments'])
})

describe('a project that comes, goes or is renamed', () => {
  it('is scanned at once, and a notice says that it is new', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    addProject(f.fleet, 'refunds')
    const report = await f.audit(turn)
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments', 'acme/refunds'])
    expect(report.notices).toEqual([
      {
        code: 'project_found',
        project: 'acme/refunds',
        listing: null,
        text: 'new in the list of projects: scanned for the first time',
      },
    ])
    expect((await f.audit(turn)).notices).toEqual([])
  })

  it('vanishes without a removal, until a person accepts it', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    const [uid, before] = [f.uidOf('orders'), f.fleet.project(f.uidOf('orders'))]
    f.fleet.remove(uid)
    const gone = await f.audit(turn)
    expect(listViolations(gone)).toEqual(['opened project/vanished acme/orders'])
    expect([gone.drift, gone.verdict.exit_code]).toEqual([[], 3])
    expect(gone.violations.filter(({ state }) => state === 'resolved')).toEqual([])

    await f.accept(gone, 'project/vanished')
    expect(listViolations(await f.audit(turn))).toEqual(['resolved accepted project/vanished acme/orders'])
    const left = await f.audit(turn)
    expect(scannedProjects(left)).toEqual(['acme/*', 'acme/payments'])
    expect(left.verdict.exit_code).toBe(0)

    if (before !== undefined) f.fleet.add(before)
    expect(scannedProjects(await f.audit(turn))).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
  })

  it('is followed again once anything of it is seen, however incomplete the scan is', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    const [uid, before] = [f.uidOf('orders'), f.fleet.project(f.uidOf('orders'))]
    f.fleet.remove(uid)
    await f.accept(await f.audit(turn), 'project/vanished')
    await f.audit(turn)
    if (before !== undefined) f.fleet.add(before)
    f.service.failNext({ how: 'status', status: 500, path: /\/endpoints/, times: Number.POSITIVE_INFINITY })
    expect((await f.audit(turn)).verdict.exit_code).toBe(3)
    const again = await f.audit(turn)
    expect([scannedProjects(again), again.notices]).toEqual([['acme/*', 'acme/orders', 'acme/payments'], []])
    f.service.faults.length = 0
    f.fleet.remove(uid)
    const gone = await f.audit(turn)
    expect([listViolations(gone), gone.verdict.exit_code]).toEqual([['opened project/vanished acme/orders'], 3])
  })

  it('comes back under the name of earlier runs and its entry, although the service renamed it meanwhile', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f, { matches: [{ pattern: 'ord*' }] }), policy }
    await f.audit(turn)
    const [uid, before] = [f.uidOf('orders'), f.fleet.project(f.uidOf('orders'))]
    f.fleet.remove(uid)
    await f.accept(await f.audit(turn), 'project/vanished')
    await f.audit(turn)
    await f.audit(turn)
    if (before !== undefined) f.fleet.add({ ...before, name: 'harmless' })
    const back = await f.audit(turn)
    expect(scannedProjects(back)).toEqual(['acme/*', 'acme/orders'])
    expect(back.notices).toMatchObject([
      {
        code: 'project_found',
        project: 'acme/orders',
        text: 'in the list of projects again: compared with its last scan',
      },
    ])
    expect((await f.audit(turn)).notices).toEqual([])
  })

  it('gives its name to the one that was made anew, once a person accepts that it is gone', async () => {
    await using f = await openDiscoveryFixture()
    const waived = policyOf(`{ extends: [], rules: { project/vanished: {}, endpoint/url-not-https: {} }, waivers: [
      { rule: endpoint/url-not-https, match: { project: acme/orders }, owner: o, reason: r, expires: 2099-01-01 }] }`)
    const naming = {
      schedules: [{ name: 'nightly', projects: ['acme/orders', 'payments'] }],
      notify: [{ name: 'ops', projects: ['ord*'] }],
    }
    const turn = { list: everything(f), policy: waived, naming }
    expect((await f.audit(turn)).notices).toEqual([])
    f.fleet.remove(f.uidOf('orders'))
    const uid = addProject(f.fleet, 'orders')
    const gone = await f.audit(turn)
    expect(scannedProjects(gone)).toEqual([`acme/*`, `acme/${uid}`, 'acme/orders', 'acme/payments'])
    const unknown = {
      code: 'project_unknown',
      text: 'for no project that is there: the waiver (policy.yaml:2), the schedule nightly (acme/orders), the channel ops (ord*)',
    }
    expect(gone.notices).toMatchObject([unknown, { code: 'project_found', project: `acme/${uid}` }])
    await f.accept(gone, 'project/vanished')
    expect((await f.audit(turn)).notices).toMatchObject([unknown])
    const renamed = await f.audit(turn)
    expect(scannedProjects(renamed)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    expect(renamed.notices).toMatchObject([
      {
        code: 'project_renamed',
        project: 'acme/orders',
        text: expect.stringMatching(`^${uid} has the name acme/orders`),
      },
    ])
    expect(renamed.drift).toEqual([])
    const again = await f.audit(turn)
    expect([scannedProjects(again), again.notices]).toEqual([scannedProjects(renamed), []])
  })

  it('comes back under its uid where another one has its name since', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    const [uid, before] = [f.uidOf('orders'), f.fleet.project(f.uidOf('orders'))]
    f.fleet.remove(uid)
    await f.accept(await f.audit(turn), 'project/vanished')
    await f.audit(turn)
    addProject(f.fleet, 'orders')
    expect(scannedProjects(await f.audit(turn))).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    if (before !== undefined) f.fleet.add(before)
    expect(scannedProjects(await f.audit(turn))).toEqual(
      ['acme/*', `acme/${uid}`, 'acme/orders', 'acme/payments'].sort(),
    )
  })

  it('leaves once a run has recorded that a person accepts it, also where the clock went back in between', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    f.fleet.remove(f.uidOf('orders'))
    const gone = await f.audit(turn)
    f.harness.advance(-3_600_000)
    await f.accept(gone, 'project/vanished')
    f.harness.advance(3_600_000)
    expect(listViolations(await f.audit(turn))).toEqual(['resolved accepted project/vanished acme/orders'])
    expect(scannedProjects(await f.audit(turn))).toEqual(['acme/*', 'acme/payments'])
  })

  it('is not gone while it answers, although the list does not have it', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    f.service.failNext({ how: 'rewrite', path: listPath, body: without(f.uidOf('orders')) })
    const report = await f.audit(turn)
    expect(listViolations(report)).toEqual([])
    expect(report.notices).toMatchObject([{ code: 'project_not_listed', project: 'acme/orders' }])
    expect(coverageLines(report).filter((line) => !line.endsWith('complete'))).toEqual([])
  })

  it('is gone when the list does not have it and it says nothing', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    f.service.failNext({ how: 'rewrite', path: listPath, body: without(f.uidOf('orders')) })
    f.service.failNext({ how: 'reset', path: new RegExp(f.uidOf('orders')), times: Number.POSITIVE_INFINITY })
    const report = await f.audit(turn)
    expect(listViolations(report)).toEqual(['opened project/vanished acme/orders'])
    expect(report.drift).toEqual([])
    f.service.faults.length = 0
    expect(listViolations(await f.audit(turn))).toEqual(['resolved fixed project/vanished acme/orders'])
  })

  it('keeps the name of earlier runs when the service renames it, and the drift says so', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f, { matches: [{ pattern: 'ord*' }] }), policy }
    await f.audit(turn)
    changeProject(f.fleet, f.uidOf('orders'), { name: 'harmless' })
    const report = await f.audit(turn)
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders'])
    expect(driftLines(report)).toEqual([`modified project ${f.uidOf('orders')} /name "orders" -> "harmless"`])
  })

  it('with blanks in its name keeps its entry when the service renames or loses it', async () => {
    await using f = await openDiscoveryFixture()
    const uid = addProject(f.fleet, 'team a refunds')
    const turn = { list: everything(f, { matches: [{ pattern: 'team a *', labels: { team: 'a' } }] }), policy }
    const labelled = ({ projects }: Report) => projects.map(({ project, labels }) => [project, labels])
    const known = [['acme/team-a-refunds', { team: 'a' }]]
    expect(labelled(await f.audit(turn))).toEqual(known)
    changeProject(f.fleet, uid, { name: 'harmless' })
    expect(labelled(await f.audit(turn))).toEqual(known)
    f.service.failNext({ how: 'html', path: listPath })
    expect(labelled(await f.audit(turn))).toEqual(known)
    f.fleet.remove(uid)
    const gone = await f.audit(turn)
    expect([labelled(gone), listViolations(gone)]).toEqual([known, ['opened project/vanished acme/team-a-refunds']])
  })

  it('keeps its entry when the configuration gives its name to another project', async () => {
    const fleet = generateFleet({ projects: 2, incomingEvery: 0, endpointsPerProject: 1 })
    const [payments, orders] = ['payments', 'orders'].map(
      (name) => fleet.projects().find((one) => one.name === name)?.uid,
    )
    await using f = await openFleetFixture({ fleet, harness: { projects: { orders: payments ?? '' } } })
    const turn = (named: readonly string[]) => ({
      list: everything(f, { matches: [{ pattern: 'ord*' }], named }),
      policy,
    })
    expect(scannedProjects(await f.audit(turn([])))).toEqual(['acme/*', 'acme/orders'])
    f.service.failNext({ how: 'html', path: listPath })
    expect(scannedProjects(await f.audit(turn(['acme/orders'])))).toEqual(['acme/*', `acme/${orders}`, 'acme/orders'])
  })

  it('gives its name to no other project', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    const uid = addProject(f.fleet, 'orders')
    expect(scannedProjects(await f.audit(turn))).toEqual(
      ['acme/*', `acme/${uid}`, 'acme/orders', 'acme/payments'].sort(),
    )
  })
})

describe('a list that proves nothing', () => {
  it('fails the first run, and the run is committed', async () => {
    await using f = await openDiscoveryFixture()
    f.service.behaviour.outage = 'database-down'
    const report = await f.audit({ list: everything(f), policy })
    expect(scannedProjects(report)).toEqual(['acme/*'])
    expect(report.coverage[0]).toMatchObject({ listing: 'projects', status: 'failed', cause: 'refused_key' })
    expect([report.verdict.exit_code, report.verdict.text]).toEqual([
      3,
      '1 of 1 listing incomplete; nothing was scanned.',
    ])
  })

  it('fails when the organisation cannot be found', async () => {
    await using f = await openDiscoveryFixture()
    f.service.failNext({ how: 'status', status: 500, path: /projects\/\w+$/, times: Number.POSITIVE_INFINITY })
    const report = await f.audit({ list: { named: ['acme/orders'], matches: [{ pattern: '*' }] }, policy })
    expect(report.coverage[0]).toMatchObject({ listing: 'projects', status: 'failed', cause: 'http' })
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders'])
  })

  it('scans what earlier runs scanned, with the labels of its entry', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f, { matches: [{ pattern: '*', labels: { env: 'prod' } }] }), policy }
    await f.audit(turn)
    f.service.failNext({ how: 'html', path: listPath, times: Number.POSITIVE_INFINITY })
    const report = await f.audit(turn)
    expect(report.projects.map(({ project, labels }) => [project, labels])).toEqual([
      ['acme/orders', { env: 'prod' }],
      ['acme/payments', { env: 'prod' }],
    ])
    expect(coverageLines(report).filter((line) => !line.endsWith('complete'))).toEqual(['*/projects failed'])
    expect(report.verdict.exit_code).toBe(3)
  })

  it('scans what only names of the service matched with the labels of its own last scan', async () => {
    await using f = await openDiscoveryFixture()
    const [shop, till] = ['shop (eu)', 'till (eu)'].map((name, at) =>
      addProject(f.fleet, name, `01${at}`.padEnd(26, '0')),
    )
    const turn = (env: string) => ({
      list: everything(f, { matches: [{ pattern: '* (eu)', labels: { env } }] }),
      policy,
    })
    await f.audit(turn('test'))
    await f.audit({ ...turn('prod'), only: [`acme/${shop}`] })
    f.service.failNext({ how: 'html', path: listPath })
    const { projects } = await f.audit(turn('prod'))
    expect(projects.map(({ project, labels }) => [project, labels])).toEqual([
      [`acme/${shop}`, { env: 'prod' }],
      [`acme/${till}`, { env: 'test' }],
    ])
  })

  it('never believes an empty list', async () => {
    await using f = await openDiscoveryFixture()
    const turn = { list: everything(f), policy }
    await f.audit(turn)
    f.service.failNext({ how: 'status', status: 200, body: empty, path: listPath, times: Number.POSITIVE_INFINITY })
    for (let run = 0; run < 3; run++) {
      const report = await f.audit({ ...turn, acceptsRemovals: run === 2 })
      expect(report.coverage[0]).toMatchObject({ listing: 'projects', status: 'suspect', cause: 'unproven' })
      expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
      expect(listViolations(report)).toEqual([])
    }
  })
})

const empty = { status: true, message: 'Projects fetched successfully', data: [] }

function without(uid: string): (body: string) => string {
  return (body) => {
    const envelope: { data: { uid: string }[] } = JSON.parse(body)
    return JSON.stringify({ ...envelope, data: envelope.data.filter((project) => project.uid !== uid) })
  }
}

import { describe, expect, it } from 'vitest'
import type { TimelineRow } from '../../src/questions/timeline.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { command } from '../cli/run-in-process.ts'
import { policyOf } from './audit-harness.ts'
import {
  addProject,
  everything,
  listPath,
  listViolations,
  openDiscoveryFixture,
  listRules as policy,
  scannedProjects,
} from './discovery-fixture.ts'
import type { FleetFixture } from './fleet-fixture.ts'

const list = { named: ['acme/orders', 'acme/payments'] }
const requestsOf = ({ service }: FleetFixture) => service.requests.filter(({ path }) => listPath.test(path)).length

describe('a project that the configuration does not name', () => {
  it('is found in the list of projects, until it is named', async () => {
    await using f = await openDiscoveryFixture()
    await f.audit({ list, policy })
    const uid = addProject(f.fleet, 'refunds')
    const report = await f.audit({ list })
    expect(listViolations(report)).toEqual([`opened project/unlisted acme/* ${uid}`])
    expect(report.violations.find(({ rule }) => rule === 'project/unlisted')).toMatchObject({
      kind: 'project',
      name: 'refunds',
      severity: 'low',
    })
    // The list that shows it is the proof.
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    const all = await f.audit({ list: everything(f) })
    expect(listViolations(all)).toEqual([`resolved fixed project/unlisted acme/* ${uid}`])
  })

  it('has a timeline of its violations, also where it was scanned before', async () => {
    await using f = await openDiscoveryFixture()
    await f.audit({ list, policy })
    const uid = addProject(f.fleet, 'refunds')
    await f.audit({ list })
    const timeline = async (uid: string) => {
      const args = ['timeline', uid, '--history', f.harness.file, '--format', 'json']
      const { code, stdout, stderr } = await command(args, { cwd: f.harness.directory })
      expect([code, stderr]).toEqual([0, ''])
      const { rows } = JSON.parse(stdout) as { rows: TimelineRow[] }
      return rows.map(({ project, name, change, violations }) => {
        return [project, name, change, ...violations.map(({ rule }) => rule)]
      })
    }
    expect(await timeline(uid)).toEqual([['acme/*', 'refunds', null, 'project/unlisted']])
    await f.audit({ list: { named: ['acme/payments'] } })
    const orders = await timeline(f.uidOf('orders'))
    expect(orders.at(0)?.slice(0, 3)).toEqual(['acme/orders', 'orders', 'first_seen'])
    expect(orders.at(-1)).toEqual(['acme/*', 'orders', null, 'project/unlisted'])
  })

  it('is not fixed by patterns that choose others', async () => {
    await using f = await openDiscoveryFixture()
    const uid = addProject(f.fleet, 'refunds')
    const [found] = (await f.audit({ list, policy })).violations.filter(({ rule }) => rule === 'project/unlisted')
    const others = everything(f, { named: ['acme/orders'], matches: [{ pattern: 'pay*' }] })
    const report = await f.audit({ list: others })
    expect(listViolations(report)).toEqual([`resolved policy project/unlisted acme/* ${uid}`])
    const [ended] = report.violations.filter(({ fingerprint }) => fingerprint === found?.fingerprint)
    expect(ended?.ended_by?.reason).toBe('the configuration chooses other projects by patterns')
  })

  it('is sealed and quoted like any other name', async () => {
    await using f = await openDiscoveryFixture()
    const key = ['sk', 'live', '4eC39HqLyjWDarjtT1zdp7dc'].join('_')
    addProject(f.fleet, `refunds ${key}`)
    const [found] = (await f.audit({ list, policy })).violations.filter(({ rule }) => rule === 'project/unlisted')
    expect(found?.name).toMatch(/^refunds sealed:[0-9a-f]{32}$/)
  })

  it('is not found with the key of a project, which reads its own alone', async () => {
    await using f = await openDiscoveryFixture()
    const uid = addProject(f.fleet, 'refunds')
    const personal = { list, policy }
    await f.audit(personal)
    const key = f.fleet.project(f.uidOf('orders'))?.key ?? ''
    const report = await f.audit({ ...personal, keys: { '*': key } })
    expect(listViolations(report)).toEqual([`unknown project/unlisted acme/* ${uid}`])
    expect(listViolations(await f.audit(personal))).toEqual([`continuing project/unlisted acme/* ${uid}`])
  })

  it('is not searched for where the rule is off, or where nothing else answers', async () => {
    await using f = await openDiscoveryFixture()
    addProject(f.fleet, 'refunds')
    await f.audit({ list, policy: policyOf('extends: []\n') })
    f.service.behaviour.outage = 'database-down'
    await f.audit({ list, policy })
    expect(requestsOf(f)).toBe(0)
  })

  it('costs two requests, and none is sent again', async () => {
    await using f = await openDiscoveryFixture()
    f.service.failNext({ how: 'status', status: 503, path: listPath })
    await f.audit({ list, policy })
    expect(requestsOf(f)).toBe(1)
  })

  it('is not one that the configuration names under another name of the same service', async () => {
    await using cli = await openCliFixture()
    const [payments, orders] = cli.fleet.projects()
    const service = (name: string, url: string, uid = '') =>
      `  - { name: ${name}, url: "${url}", key: "\${ACME_KEY}", projects: [{ id: ${uid} }] }\n`
    const { url } = cli.service
    cli.directory.write(
      'hookdrift.yaml',
      `services:\n${service('a', url, payments?.uid)}${service('b', `${url}/`, orders?.uid)}`,
    )
    const uid = addProject(cli.fleet, 'refunds')
    const { stdout } = await cli.audit(['--format', 'json'])
    expect(listViolations(JSON.parse(stdout))).toEqual([
      `opened project/unlisted a/* ${uid}`,
      `opened project/unlisted b/* ${uid}`,
    ])
  })

  it('is waived by its uid, and the waiver counts as used', async () => {
    await using f = await openDiscoveryFixture()
    const uid = addProject(f.fleet, 'refunds')
    const waiving = policyOf(`
extends: []
rules: { project/unlisted: {}, waiver/unused: {} }
waivers:
  - { rule: project/unlisted, match: { uid: "${uid}" }, owner: a team, reason: audited elsewhere, expires: 2027-03-31 }
`)
    const report = await f.audit({ list, policy: waiving })
    expect(report.violations.map(({ rule, state }) => [rule, state])).toEqual([['project/unlisted', 'waived']])
    // A list that says nothing cannot show that the waiver is not needed.
    f.service.failNext({ how: 'html', path: listPath })
    const silent = await f.audit({ list })
    expect(silent.violations.map(({ rule, state }) => [rule, state])).toEqual([['project/unlisted', 'unknown']])
  })
})

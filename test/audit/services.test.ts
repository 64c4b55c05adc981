import { describe, expect, it } from 'vitest'
import { updateSource } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { dayMs } from '../../src/model/time.ts'
import { policyOf } from './audit-harness.ts'
import { everything } from './discovery-fixture.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'

const rules = 'service/release-vulnerable: {}, service/url-not-https: {}'
const policy = policyOf(`{ extends: [], rules: { ${rules} } }`)

/** Three projects of one service, two of them with sources. */
function openServices() {
  return openFleetFixture({
    fleet: { projects: 4, incomingEvery: 2, endpointsPerProject: 2, sourcesPerProject: 2, clean: true },
  })
}

const linesOf = ({ violations }: Report) =>
  violations.map(({ state, resolution, rule, project, kind, uid }) =>
    [state, resolution ?? '', rule, project, kind, uid].filter((part) => part !== '').join(' '),
  )

const vulnerable = (state: string) => `${state} service/release-vulnerable acme/* service acme`
const plain = (state: string) => `${state} service/url-not-https acme/* service acme`

describe('what is found of a service', () => {
  it('is one violation, however many projects show it', async () => {
    await using fixture = await openServices()
    expect(linesOf(await fixture.audit({ policy }))).toEqual([vulnerable('opened')])
    expect(linesOf(await fixture.audit())).toEqual([vulnerable('continuing')])
    fixture.service.behaviour.release = 'later'
    expect(linesOf(await fixture.audit())).toEqual([vulnerable('resolved fixed')])
  })

  it('is found, and fixed, by a run of some projects, which decides nothing else', async () => {
    await using fixture = await openServices()
    const some = { only: ['acme/payments'] }
    expect(linesOf(await fixture.audit({ policy, ...some }))).toEqual([vulnerable('opened')])
    const [incoming] = fixture.fleet.projects().filter(({ type }) => type === 'incoming')
    const source = { project: incoming?.uid ?? '', uid: at(fixture.fleet.open(incoming?.uid ?? '').sources, 0).uid }
    updateSource(fixture.fleet, source, { url: 'http://hooks.example.com/ingest/x' })
    expect(linesOf(await fixture.audit())).toEqual([vulnerable('continuing'), plain('opened')])
    // A project without sources says nothing of their addresses.
    fixture.service.behaviour.release = 'later'
    updateSource(fixture.fleet, source, { url: 'https://hooks.example.com/ingest/x' })
    expect(linesOf(await fixture.audit(some))).toEqual([plain('continuing'), vulnerable('resolved fixed')])
    expect(linesOf(await fixture.audit())).toEqual([plain('resolved fixed')])
  })

  it('is unknown after a run of all projects that could not read what decides', async () => {
    await using fixture = await openServices()
    const [incoming] = fixture.fleet.projects().filter(({ type }) => type === 'incoming')
    const source = { project: incoming?.uid ?? '', uid: at(fixture.fleet.open(incoming?.uid ?? '').sources, 0).uid }
    updateSource(fixture.fleet, source, { url: 'http://hooks.example.com/ingest/x' })
    await fixture.audit({ policy })
    updateSource(fixture.fleet, source, { url: 'https://hooks.example.com/ingest/x' })
    fixture.service.failNext({ how: 'status', status: 500, path: /sources/, times: 100 })
    expect(linesOf(await fixture.audit())).toContain(plain('unknown'))
  })

  it('is waived by the name of the service, and accepted like any other violation', async () => {
    await using fixture = await openServices()
    const waiver =
      '{ rule: "service/*", match: { service: acme, kind: service }, owner: ann, reason: upgrade, expires: 2099-01-01 }'
    const waived = policyOf(`{ extends: [], rules: { ${rules}, waiver/unused: {} }, waivers: [${waiver}] }`)
    const { violations } = await fixture.audit({ policy: waived })
    expect(violations).toMatchObject([
      { rule: 'service/release-vulnerable', state: 'waived', waiver: { owner: 'ann' } },
    ])
  })

  it('is overdue once, where the list of the service decides which projects are scanned', async () => {
    await using fixture = await openServices()
    const dated = policyOf(`{ extends: [], rules: { ${rules}, violation/overdue: {} }, due: { high: 1d } }`)
    await fixture.audit({ policy: dated, list: everything(fixture) })
    fixture.harness.advance(2 * dayMs)
    const report = await fixture.audit({ list: everything(fixture) })
    expect(linesOf(report).filter((line) => line.includes('overdue'))).toEqual([
      'opened violation/overdue acme/* policy *',
    ])
  })

  it('counts as evaluated once for each service that it was said of', async () => {
    await using fixture = await openServices()
    const { projects } = await fixture.audit({ policy })
    const counts = projects.map(({ evaluated_by_rule: by }) => by['service/release-vulnerable'])
    expect(counts.toSorted()).toEqual([0, 0, 0, 1])
  })
})

import { expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { anEndpoint, openLiteral } from './literal-service.ts'

const policy = policyOf('extends: []\nrules: { endpoint/inactive: high, project/signature-broken: high }')

function gapsOf({ gaps }: Report) {
  return gaps.map(({ cause, listing, rule, since }) => `${cause} ${listing} ${rule} since ${since.run}`)
}

it('a listing that is not read to its end is a gap since the first run that did not', async () => {
  await using fixture = await openLiteral({ endpoints: [anEndpoint('e1')] })
  expect(gapsOf(await fixture.audit({ policy }))).toEqual([])
  fixture.show({ endpoints: ['{"uid": 5}'] })
  const [second, third] = [await fixture.audit({ policy }), await fixture.audit({ policy })]
  expect(gapsOf(second)).toEqual(['walk_incomplete endpoints null since 2'])
  expect(gapsOf(third)).toEqual(['walk_incomplete endpoints null since 2'])
  expect(third.gaps[0]).toMatchObject({
    since: { run: 2, at: second.run.started_at },
    text: expect.stringMatching(/^the walk of endpoints is failed: /),
  })
  expect(third.coverage[0]).not.toHaveProperty('since')
  fixture.show({ endpoints: [anEndpoint('e1')] })
  expect(gapsOf(await fixture.audit({ policy }))).toEqual([])
  fixture.show({ endpoints: ['{"uid": 5}'] })
  expect(gapsOf(await fixture.audit({ policy }))).toEqual(['walk_incomplete endpoints null since 5'])
})

it('a listing that the configuration does not request is a gap of the rules that need it, and leaves the exit code', async () => {
  await using fixture = await openLiteral({ endpoints: [anEndpoint('e1')] })
  const off = { listings: { project: 'off' }, policy } as const
  const first = await fixture.audit(off)
  expect(gapsOf(first)).toEqual(['listing_off project project/signature-broken since 1'])
  expect(first.verdict).toMatchObject({
    exit_code: 0,
    text: 'Scanned 1 resource, no open violation at medium or above, 1 rule could not evaluate everything, first scan.',
  })
  expect(gapsOf(await fixture.audit(off))).toEqual(['listing_off project project/signature-broken since 1'])
  expect(gapsOf(await fixture.audit({ policy }))).toEqual([])
})

it('a violation that would fail the run and that the answer hides exits with 3, for as long as it does', async () => {
  await using fixture = await openLiteral({ endpoints: [anEndpoint('e1', { status: 'inactive' }), anEndpoint('e2')] })
  expect((await fixture.audit({ policy })).verdict.exit_code).toBe(1)
  const { status: _, ...hidden } = anEndpoint('e1')
  fixture.show({ endpoints: [hidden, anEndpoint('e2')] })
  for (const _ of ['in this run', 'and in the next']) {
    const { verdict, violations } = await fixture.audit({ policy })
    expect(violations.map(({ state }) => state)).toEqual(['unknown'])
    expect(verdict).toMatchObject({
      exit_code: 3,
      text: 'Scanned 3 resources; no open violation at medium or above; 1 violation unknown; 1 rule could not evaluate everything; no drift.',
    })
  }
  const lenient = await fixture.audit({ policy, failOn: 'critical' })
  expect(lenient.verdict.exit_code).toBe(0)
})

it('not so one that a waiver accepted when it was seen last', async () => {
  const waived = policyOf(`extends: []
rules: { endpoint/inactive: high }
waivers: [{ rule: endpoint/inactive, match: { uid: e1 }, owner: lee, reason: moving, expires: 2027-01-31 }]
`)
  await using fixture = await openLiteral({ endpoints: [anEndpoint('e1', { status: 'inactive' }), anEndpoint('e2')] })
  expect((await fixture.audit({ policy: waived })).verdict).toMatchObject({ exit_code: 0, waived: 1 })
  const { status: _, ...hidden } = anEndpoint('e1')
  fixture.show({ endpoints: [hidden, anEndpoint('e2')] })
  const { verdict } = await fixture.audit({ policy: waived })
  expect(verdict).toMatchObject({ exit_code: 0, unknown: 1 })
})

it('a gap of 21 resources names twenty, and covers all of them', async () => {
  const size = 21
  const uids = Array.from({ length: size }, (_, at) => `e${at}`)
  await using fixture = await openLiteral({ endpoints: uids.map((uid) => anEndpoint(uid, { status: 'inactive' })) })
  await fixture.audit({ policy })
  const hidden = uids.map((uid) => {
    const { status: _, ...rest } = anEndpoint(uid)
    return rest
  })
  fixture.show({ endpoints: [...hidden, anEndpoint('whole')] })
  const { gaps, violations, projects } = await fixture.audit({ policy })
  const [gap] = gaps.filter(({ rule }) => rule === 'endpoint/inactive')
  expect(gap).toMatchObject({ resources: size, text: expect.stringContaining(`missed ${size} endpoints that show no`) })
  expect(gap?.uids).toHaveLength(20)
  const ofRule = violations.filter(({ rule }) => rule === 'endpoint/inactive')
  expect([ofRule.length, ...new Set(ofRule.map(({ state }) => state))]).toEqual([size, 'unknown'])
  expect(projects[0]?.evaluated_by_rule['endpoint/inactive']).toBe(1)
})

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { builtInFrameworkIds } from '../../src/report/compliance/built-in-frameworks.ts'
import { builtInFramework } from '../../src/report/compliance/framework.ts'
import { composeCompliance } from '../compliance/checked-compliance.ts'
import { policyOf } from './audit-harness.ts'
import { coverageLines, violationLines, walkOf } from './fleet-fixture.ts'
import { anEndpoint, aSource, aSubscription, openLiteral, type Shown } from './literal-service.ts'

const all = policyOf('extends: [all]')

type List = 'endpoints' | 'sources' | 'subscriptions'

const weak: JsonObject = {
  url: 'http://ep.example/x',
  authentication: { type: 'api_key', api_key: { header_name: 'x-key', header_value: 'x' } },
}
const fleet = {
  endpoints: [anEndpoint('EP-1', weak), anEndpoint('EP-2', { ...weak, status: 'inactive', secrets: [] })],
  sources: [aSource('SRC-1', { verifier: { type: 'noop' } }), aSource('SRC-2', { verifier: null })],
  subscriptions: [
    aSubscription('SUB-1', 'EP-1', { source_metadata: { uid: 'SRC-1', type: 'http', verifier: null } }),
    aSubscription('SUB-2', 'EP-2', { source_metadata: { uid: 'SRC-2', type: 'http', verifier: null } }),
  ],
} satisfies Shown

const required: readonly (readonly [list: List, field: string, member: string])[] = [
  ['endpoints', 'url', 'url'],
  ['endpoints', 'status', 'status'],
  ['endpoints', 'secrets', 'secrets'],
  ['endpoints', 'authentication', 'authentication'],
  ['sources', 'type', 'type'],
  ['sources', 'verifier', 'verifier'],
  ['subscriptions', 'endpoint_uid', 'endpoint_metadata'],
  ['subscriptions', 'source_uid', 'source_metadata'],
]

function without(item: JsonObject, member: string): JsonObject {
  const { [member]: _, ...rest } = item
  return rest
}

function lacking(list: List, member: string): Shown {
  return { [list]: fleet[list].map((item) => without(item, member)) }
}

const singular = { endpoints: 'endpoint', sources: 'source', subscriptions: 'subscription' } as const

function unseenNotices({ notices }: Report): string[] {
  return notices.flatMap(({ code, listing, text }) => (code === 'fields_unseen' ? [`${listing}: ${text}`] : []))
}

/** Controls that are met although one of their rules could not rely on a field. */
function wronglyMet(report: Report): string[] {
  const unsure = new Set(report.gaps.map(({ rule }) => rule))
  return builtInFrameworkIds
    .map(builtInFramework)
    .flatMap((framework) =>
      composeCompliance({ report, framework }).controls.flatMap(({ id, state, rules }) =>
        state === 'met' && rules.some((rule) => unsure.has(rule.id)) ? [`${framework.id}:${id}`] : [],
      ),
    )
}

describe('a required field that no item of a listing shows', () => {
  it.each(required)(
    '%s: %s makes the listing suspect from the first run on, in every run',
    async (list, field, member) => {
      await using fixture = await openLiteral({ ...fleet, ...lacking(list, member) })
      for (const run of [1, 2, 3]) {
        const report = await fixture.audit({ policy: all })
        expect(report.verdict.exit_code).toBe(3)
        expect(walkOf(report, list)).toMatchObject({
          status: 'suspect',
          cause: 'unseen_fields',
          reason: `none of 2 items shows ${field}, which every release shows: nothing is removed or resolved until it is seen again`,
        })
        expect(unseenNotices(report)).toEqual([
          `${list}: none of 2 ${singular[list]}s shows ${field} since run 1 (2026-11-21 03:01 UTC): rules that read it say nothing; no value of it is known (first: ${fleet[list][0]?.uid})`,
        ])
        expect(report.verdict.text).not.toContain('Passed')
        expect(wronglyMet(report), `run ${run}`).toEqual([])
        const ofFields = report.gaps.filter(({ cause, field }) => cause !== 'rows_unread' && field !== null)
        expect(ofFields.length).toBeGreaterThan(0)
        expect(new Set(ofFields.map(({ kind, field, cause }) => `${kind} ${field} ${cause}`))).toEqual(
          new Set([`${singular[list]} ${field} field_unseen`]),
        )
      }
      fixture.show(fleet)
      const seen = await fixture.audit()
      expect([unseenNotices(seen), walkOf(seen, list)?.status]).toEqual([[], 'complete'])
    },
  )

  it.each(required)('%s: %s removes and resolves nothing when it begins later', async (list, field, member) => {
    await using fixture = await openLiteral(fleet)
    const first = await fixture.audit({ policy: all })
    expect(coverageLines(first).filter((line) => !line.endsWith(' complete'))).toEqual([])
    fixture.show(lacking(list, member))
    for (const _ of [2, 3]) {
      const report = await fixture.audit()
      expect(report.verdict.exit_code).toBe(3)
      expect(walkOf(report, list)).toMatchObject({ status: 'suspect', cause: 'unseen_fields' })
      expect(unseenNotices(report)).toEqual([
        `${list}: none of 2 ${singular[list]}s shows ${field} since run 2 (2026-11-21 03:02 UTC): rules that read it say nothing; what is known of it is older (first: ${fleet[list][0]?.uid})`,
      ])
      expect(report.drift).toEqual([])
      expect(violationLines(report).filter((line) => line.startsWith('resolved') || line.startsWith('opened'))).toEqual(
        [],
      )
      expect(wronglyMet(report)).toEqual([])
    }
    fixture.show(fleet)
    const seen = await fixture.audit()
    expect(unseenNotices(seen)).toEqual([])
    expect(violationLines(seen)).toEqual(violationLines(first).map((line) => line.replace('opened', 'continuing')))
  })

  it('removes nothing, even where a person accepts removals', async () => {
    await using fixture = await openLiteral(fleet)
    await fixture.audit()
    fixture.show({ endpoints: [without(fleet.endpoints[0] ?? {}, 'url')], subscriptions: [] })
    for (const _ of [2, 3]) {
      const report = await fixture.audit({ acceptsRemovals: true })
      expect(walkOf(report, 'endpoints')?.cause).toBe('unseen_fields')
      expect(report.drift.filter(({ kind }) => kind === 'endpoint')).toEqual([])
    }
  })
})

describe('a required field that some items do not show', () => {
  const rules = policyOf(`
extends: []
rules:
  endpoint/auth-over-http: {}
  endpoint/url-not-https: {}
  endpoint/timeout-high: {}
  endpoint/url-duplicate: {}
  endpoint/secret-shared: {}
  source/unverified: {}
`)
  const slow = anEndpoint('EP-1', { ...weak, http_timeout: 600 })
  const shown = { endpoints: [slow, anEndpoint('EP-2'), anEndpoint('EP-3', weak)] }

  it('is said to be known of some, where others never showed it', async () => {
    await using fixture = await openLiteral(shown)
    await fixture.audit({ policy: rules })
    const fresh = without(anEndpoint('EP-4'), 'url')
    fixture.show({ endpoints: [without(slow, 'url'), ...shown.endpoints.slice(1), fresh] })
    expect(unseenNotices(await fixture.audit())).toEqual([
      'endpoints: 2 of 4 endpoints show no url since run 2 (2026-11-21 03:02 UTC): rules that read it say nothing about them; what is known of it in 1 of them is older (first: EP-1)',
    ])
  })

  it('silences the rules that read it there, in every run, and no others', async () => {
    await using fixture = await openLiteral(shown)
    await fixture.audit({ policy: rules })
    fixture.show({ endpoints: [without(slow, 'url'), ...shown.endpoints.slice(1)] })
    for (const _ of [2, 3, 4]) {
      const report = await fixture.audit()
      expect(unseenNotices(report)).toEqual([
        'endpoints: 1 of 3 endpoints shows no url since run 2 (2026-11-21 03:02 UTC): rules that read it say nothing about it; what is known of it is older (EP-1)',
      ])
      expect(walkOf(report, 'endpoints')?.status).toBe('complete')
      expect(violationLines(report).filter((line) => line.endsWith('EP-1'))).toEqual([
        'continuing endpoint/secret-shared EP-1',
        'continuing endpoint/timeout-high EP-1',
        'unknown endpoint/auth-over-http EP-1',
        'unknown endpoint/url-duplicate EP-1',
        'unknown endpoint/url-not-https EP-1',
      ])
      expect(report.projects[0]?.evaluated_by_rule).toEqual({
        'endpoint/auth-over-http': 2,
        'endpoint/url-duplicate': 2,
        'endpoint/url-not-https': 2,
      })
      const since = { run: 2, at: '2026-11-21T03:02:00.000Z' }
      const gapOf = (rule: string) => ({
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        cause: 'field_unseen',
        project: 'acme/orders',
        listing: null,
        rule,
        kind: 'endpoint',
        field: 'url',
        resources: 1,
        uids: ['EP-1'],
        since,
        text: `${rule} missed 1 endpoint that shows no url since run 2 (2026-11-21 03:02 UTC)`,
      })
      expect(report.gaps).toEqual(
        ['endpoint/auth-over-http', 'endpoint/url-duplicate', 'endpoint/url-not-https'].map(gapOf),
      )
    }
    fixture.show({ endpoints: [{ ...slow, url: 'https://ep.example/x' }, ...shown.endpoints.slice(1)] })
    const seen = await fixture.audit()
    expect(unseenNotices(seen)).toEqual([])
    expect(violationLines(seen)).toContain('resolved endpoint/auth-over-http EP-1')
  })

  it('decides no waiver: what was waived stays waived', async () => {
    const policy = policyOf(`
extends: []
rules: { endpoint/inactive: {}, waiver/unused: {} }
waivers:
  - { rule: endpoint/inactive, match: { uid: EP-2 }, path: /url, value: "http://ep.example/x", owner: o, reason: r, expires: 2027-03-31 }
`)
    await using fixture = await openLiteral(fleet)
    const [one = {}, two = {}] = fleet.endpoints
    expect(violationLines(await fixture.audit({ policy }))).toEqual(['waived endpoint/inactive EP-2'])
    fixture.show({ endpoints: [one, without(two, 'url')] })
    expect(violationLines(await fixture.audit())).toEqual(['waived endpoint/inactive EP-2'])
  })

  it('leaves a run that finds nothing without the word clean', async () => {
    await using fixture = await openLiteral({ endpoints: [without(anEndpoint('EP-1'), 'url'), anEndpoint('EP-2')] })
    const { verdict } = await fixture.audit({ policy: policyOf('extends: []\nrules: { endpoint/auth-over-http: {} }') })
    expect(verdict.text).toBe(
      'Scanned 3 resources, no open violation at medium or above, 1 rule could not evaluate everything, first scan.',
    )
  })

  it('says of a source that only subscriptions show what its copy does not', async () => {
    const stub = (uid: string, more: JsonObject) =>
      aSubscription(`SUB-${uid}`, 'EP-1', { source_metadata: { uid, ...more } })
    await using fixture = await openLiteral({
      endpoints: [anEndpoint('EP-1')],
      subscriptions: [stub('SRC-1', { type: 'http' }), stub('SRC-2', { type: 'http', verifier: null })],
    })
    const listings = { sources: 'off' } as const
    for (const _ of [1, 2]) {
      const report = await fixture.audit({ policy: rules, listings })
      expect(unseenNotices(report)).toEqual([
        'subscriptions: 1 of 2 sources shows no verifier since run 1 (2026-11-21 03:01 UTC): rules that read it say nothing about it; no value of it is known (SRC-1)',
      ])
      expect(walkOf(report, 'subscriptions')?.status).toBe('complete')
      expect(report.projects[0]?.evaluated_by_rule).toMatchObject({ 'source/unverified': 1 })
    }
  })
})

it('is said by a replay as the runs said it', async () => {
  const policy = policyOf(`
extends: []
rules: { endpoint/auth-over-http: {}, endpoint/inactive: {}, endpoint/timeout-high: {}, source/unverified: {}, subscription/target-not-active: {} }
custom:
  - { id: acme/tls, kind: subscription, assert: "endpoint.url.startsWith('https')", severity: high, message: plain }
`)
  await using fixture = await openLiteral(fleet)
  const [one = {}, two = {}] = fleet.endpoints
  await fixture.replaysAs(policy, [
    {},
    { endpoints: [without(one, 'url'), two] },
    { endpoints: [without(one, 'url'), without(two, 'status')] },
    lacking('endpoints', 'url'),
    { ...lacking('sources', 'verifier'), endpoints: fleet.endpoints },
    fleet,
  ])
})

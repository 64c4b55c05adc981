import { describe, expect, it } from 'vitest'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { coverageLines, violationLines } from './fleet-fixture.ts'
import { anEndpoint, aProjectWith, aSecret, aSource, aSubscription, openLiteral } from './literal-service.ts'

const policy = policyOf(`
extends: []
rules:
  endpoint/inactive: {}
  endpoint/rate-limit-ineffective: {}
  endpoint/secret-expired-active: {}
  endpoint/timeout-high: {}
  endpoint/url-not-https: {}
  project/tls-not-enforced: {}
  source/disabled: {}
  source/unverified: {}
`)

const disabled = aSource('SRC-1', { is_disabled: true })
const idle = anEndpoint('EP-1', { rate_limit_duration: 0 })

/** undefined: not shown. */
type Fields = Readonly<Record<string, Json | undefined>>

function noticesOf({ notices }: Report): string[] {
  return notices.map(({ listing, text }) => `${listing}: ${text}`).filter((text) => !text.includes('other fields'))
}

describe('a field of the contract with a wrong type', () => {
  it.each([1, 'TRUE', { on: true }])('%j is noted, and its resource is neither found nor gone', async (value) => {
    await using fixture = await openLiteral({ sources: [disabled] })
    expect(violationLines(await fixture.audit({ policy }))).toEqual(['opened source/disabled SRC-1'])

    fixture.show({ sources: [{ ...disabled, is_disabled: value }] })
    const report = await fixture.audit()
    expect(noticesOf(report)).toEqual([
      'sources: 1 source shows is_disabled as something other than a flag (SRC-1); rules that read it say nothing',
    ])
    expect(violationLines(report)).toEqual(['unknown source/disabled SRC-1'])
    expect(coverageLines(report).filter((line) => line.endsWith('complete'))).toHaveLength(4)
    expect(report.verdict.exit_code).toBe(0)
    expect(report.projects[0]?.evaluated_by_rule).toMatchObject({ 'source/disabled': 0 })
    expect(report.drift.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(['/is_disabled'])

    fixture.show({ sources: [aSource('SRC-1')] })
    const after = await fixture.audit()
    expect([noticesOf(after), violationLines(after)]).toEqual([[], ['resolved source/disabled SRC-1']])
  })

  it.each([
    ['rate_limit', 'much', 'a whole number', 'endpoint/rate-limit-ineffective'],
    ['rate_limit', 1.5, 'a whole number', 'endpoint/rate-limit-ineffective'],
    ['rate_limit', [0], 'a whole number', 'endpoint/rate-limit-ineffective'],
    ['rate_limit_duration', 'soon', 'a number of seconds', 'endpoint/rate-limit-ineffective'],
    ['http_timeout', true, 'a number of seconds', 'endpoint/timeout-high'],
  ])('%s: %j silences the rules that read it and no others', async (field, value, expected, silent) => {
    const bad = anEndpoint('EP-1', { url: 'http://ep-1.example/hooks', rate_limit_duration: 0, http_timeout: 600 })
    await using fixture = await openLiteral({ endpoints: [bad, anEndpoint('EP-2')] })
    const rules = ['endpoint/rate-limit-ineffective', 'endpoint/timeout-high', 'endpoint/url-not-https']
    expect(violationLines(await fixture.audit({ policy }))).toEqual(rules.map((rule) => `opened ${rule} EP-1`))

    fixture.show({ endpoints: [{ ...bad, [field]: value }, anEndpoint('EP-2')] })
    const report = await fixture.audit()
    const lines = rules.map((rule) => `${rule === silent ? 'unknown' : 'continuing'} ${rule} EP-1`)
    expect(violationLines(report)).toEqual(lines.sort())
    const notice = `endpoints: 1 endpoint shows ${field} as something other than ${expected} (EP-1)`
    expect(noticesOf(report)).toEqual([`${notice}; rules that read it say nothing`])
    expect(report.projects[0]?.evaluated_by_rule).toEqual({ [silent]: 1 })
  })

  it('is the whole list where it names an entry: no secret is gone, changed or mended by that', async () => {
    const rules = policyOf('extends: []\nrules: { endpoint/secret-weak: {}, drift/secret-changed: {} }')
    const weak = aSecret('SEC-1', { value: 'password123' })
    await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1', { secrets: [weak] })] })
    expect(violationLines(await fixture.audit({ policy: rules }))).toEqual(['opened endpoint/secret-weak EP-1'])

    fixture.show({ endpoints: [anEndpoint('EP-1', { secrets: [{ ...weak, uid: true }] })] })
    const report = await fixture.audit()
    expect(violationLines(report)).toEqual(['unknown endpoint/secret-weak EP-1'])
    const expected = 'a list of objects, each with a text as uid'
    expect(noticesOf(report)).toEqual([
      `endpoints: 1 endpoint shows secrets as something other than ${expected} (EP-1); rules that read it say nothing`,
    ])

    fixture.show({ endpoints: [anEndpoint('EP-1', { secrets: [weak] })] })
    expect(violationLines(await fixture.audit())).toContain('continuing endpoint/secret-weak EP-1')
  })

  it.each([1e308, true, 'none'])(
    'is all of a list, %j: what changed in the list before is not mended',
    async (value) => {
      const rules = policyOf('extends: []\nrules: { drift/secret-changed: {} }')
      const show = (secrets: Json) => fixture.show({ endpoints: [anEndpoint('EP-1', { secrets })] })
      const secret = aSecret('SEC-1', { value: 'not-a-real-key' })
      await using fixture = await openLiteral({
        endpoints: [anEndpoint('EP-1', { secrets: [aSecret('', { value: 'not-the-same-key' })] })],
      })
      await fixture.audit({ policy: rules })
      show([secret])
      const opened = ['drift/secret-changed EP-1', 'drift/secret-changed EP-1']
      expect(violationLines(await fixture.audit())).toEqual(opened.map((line) => `opened ${line}`))
      show(value)
      const report = await fixture.audit()
      expect(violationLines(report)).toEqual(opened.map((line) => `unknown ${line}`))
      expect(report.gaps).toMatchObject([{ rule: 'drift/secret-changed', field: 'secrets', cause: 'field_malformed' }])
      show([secret])
      const after = violationLines(await fixture.audit())
      expect(after.filter((line) => !line.startsWith('opened'))).toEqual(opened.map((line) => `continuing ${line}`))
    },
  )

  it('is a part of an object: what changed in the object is not mended', async () => {
    const rules = policyOf('extends: []\nrules: { drift/secret-changed: {} }')
    const oauth2 = { url: 'https://idp.example/token', client_id: 'cid', client_secret: 'not-a-real-key' }
    const show = (value: Json) => ({
      endpoints: [anEndpoint('EP-1', { authentication: { type: 'oauth2', oauth2: value } })],
    })
    await using fixture = await openLiteral(show(null))
    await fixture.audit({ policy: rules })
    fixture.show(show(oauth2))
    expect(violationLines(await fixture.audit())).toEqual(['opened drift/secret-changed EP-1'])
    fixture.show(show({ ...oauth2, client_secret: -1 }))
    expect(violationLines(await fixture.audit())).toEqual(['unknown drift/secret-changed EP-1'])
  })

  it.each([null, ''])('is an empty status, %j: an endpoint that says nothing of it is not active', async (status) => {
    const rules = policyOf('extends: []\nrules: { endpoint/inactive: {} }')
    const asleep = {
      endpoints: [anEndpoint('EP-1', { status: 'inactive' })],
      subscriptions: [aSubscription('SUB-1', 'EP-1')],
    }
    await using fixture = await openLiteral(asleep)
    await fixture.audit({ policy: rules })
    fixture.show({ ...asleep, endpoints: [anEndpoint('EP-1', { status })] })
    const report = await fixture.audit()
    expect(violationLines(report)).toEqual(['unknown endpoint/inactive EP-1'])
    expect(noticesOf(report)).toEqual([
      'endpoints: 1 endpoint shows status as something other than a value of the contract (EP-1); rules that read it say nothing',
    ])
  })

  it('is noted once for all its resources, with one example', async () => {
    const odd = (uid: string) => ({
      ...anEndpoint(uid, { rate_limit: 'x' }),
      secrets: ['a', 'b'].map((secret) => aSecret(secret, { expires_at: 'tomorrow' })),
    })
    const project = aProjectWith({ ssl: { enforce_secure_endpoints: 'maybe' }, strategy: 'linear' })
    await using fixture = await openLiteral({ endpoints: [odd('EP-1'), odd('EP-2'), anEndpoint('EP-3')], project })
    expect(noticesOf(await fixture.audit({ policy }))).toEqual([
      'project: 1 project shows config.ssl.enforce_secure_endpoints as something other than a flag (project-1); rules that read it say nothing',
      'project: 1 project shows config.strategy as something other than an object (project-1); rules that read it say nothing',
      'endpoints: 2 endpoints show rate_limit as something other than a whole number (first: EP-1); rules that read it say nothing',
      'endpoints: 2 endpoints show secrets[].expires_at as something other than a time (first: EP-1); rules that read it say nothing',
    ])
  })

  it('stays unknown while further scans do not show it', async () => {
    await using fixture = await openLiteral({ endpoints: [idle] })
    await fixture.audit({ policy })
    fixture.show({ endpoints: [{ ...idle, rate_limit: 'x' }] })
    await fixture.audit()
    const { rate_limit: _, ...silent } = idle
    fixture.show({ endpoints: [silent] })
    const report = await fixture.audit()
    expect(violationLines(report)).toEqual(['unknown endpoint/rate-limit-ineffective EP-1'])
    expect(noticesOf(report)).toEqual([
      expect.stringContaining('1 endpoint shows rate_limit as something other than a whole number'),
      expect.stringContaining('none of 1 endpoint shows rate_limit'),
    ])
  })

  it('opens no violation: a rule that read it finds nothing there', async () => {
    const loud = policyOf(`
extends: []
custom:
  - { id: acme/limit, kind: endpoint, assert: "resource.rate_limit > 5 || true == false", severity: high, message: none }
  - { id: acme/name, kind: endpoint, assert: "resource.name == 'x'", severity: high, message: other }
  - { id: acme/swallow, kind: endpoint, assert: "resource.http_timeout > 5 && false", severity: high, message: swallowed }
`)
    await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1', { rate_limit: 'x', http_timeout: 'y' })] })
    const report = await fixture.audit({ policy: loud })
    expect(violationLines(report)).toEqual(['opened acme/name EP-1'])
    expect(report.gaps.filter(({ cause }) => cause === 'rule_failed')).toEqual([])
    expect(report.projects[0]?.evaluated_by_rule).toEqual({ 'acme/limit': 0, 'acme/swallow': 0 })
  })
})

describe('a rule across resources', () => {
  it('counts as evaluated for none where it missed one of another kind that it needs', async () => {
    await using fixture = await openLiteral({
      endpoints: [anEndpoint('EP-1'), anEndpoint('EP-2')],
      subscriptions: [{ ...aSubscription('SUB-1', 'EP-1'), endpoint_metadata: 7 }],
    })
    const report = await fixture.audit({ policy: policyOf('extends: []\nrules: { endpoint/orphan: {} }') })
    expect(report.violations).toEqual([])
    expect(report.projects[0]?.evaluated_by_rule).toEqual({ 'endpoint/orphan': 0 })
  })
})

describe('a rule about changes', () => {
  const drift = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/function-changed: {}
  drift/rate-limit-lost: {}
  drift/secret-changed: {}
  drift/verification-weakened: {}
`)
  const apiKey = { type: 'api_key', api_key: { header_name: 'X', header_value: 'not-a-real-key' } }
  const hmac = { type: 'hmac', hmac: { hash: 'SHA256', header: 'X', secret: 'not-a-real-key', encoding: 'hex' } }
  const secret = aSecret('SEC-1', { value: 'not-a-real-key' })
  const part = { ...apiKey, api_key: { header_name: 'X', header_value: 5 } }
  const certificate = { client_cert: 'text', client_key: 'not-a-real-key' }
  // Others show every field, so that the listings are whole.
  const endpoint = (fields: Fields) => ({ endpoints: [anEndpoint('EP-1', fields as JsonObject), anEndpoint('EP-2')] })
  const source = (fields: Fields) => ({ sources: [aSource('SRC-1', fields as JsonObject), aSource('SRC-2')] })
  const silent = endpoint({ authentication: undefined })
  const lost = (state: string) => [`${state} drift/authentication-lost EP-1`, `${state} drift/secret-changed EP-1`]
  const weakened = (state: string) => [
    `${state} drift/secret-changed SRC-1`,
    `${state} drift/verification-weakened SRC-1`,
  ]

  it.each([
    {
      what: 'finds nothing where it comes and goes',
      shown: [{ authentication: null }, { authentication: 'text' }, { authentication: null }].map(endpoint),
      found: [[], [], []],
    },
    {
      what: 'calls no number a secret',
      shown: [{ rate_limit: 100 }, { rate_limit: 'x' }, { rate_limit: 100 }].map(endpoint),
      found: [[], [], []],
    },
    {
      what: 'is not a secret that came with the object around it',
      shown: [
        { authentication: null },
        { authentication: { type: 'basic_auth', basic_auth: { username: ['x'], password: '' } } },
      ].map(endpoint),
      found: [[], []],
    },
    {
      what: 'is a list in which a uid is a number: that was no secret that is gone',
      shown: [{ secrets: [{ ...secret, uid: 7 }] }, { secrets: [secret] }, { secrets: [] }].map(endpoint),
      found: [[], [], ['opened drift/secret-changed EP-1']],
    },
    {
      what: 'finds nothing where it is replaced by the first value that can be read',
      shown: [{ authentication: 'text' }, { authentication: apiKey }, { authentication: null }].map(endpoint),
      found: [[], [], lost('opened')],
    },
    {
      what: 'finds what was lost behind it, until that is back',
      shown: [
        { authentication: apiKey },
        { authentication: 'text' },
        { authentication: null },
        { authentication: 'text' },
        { authentication: null },
        { authentication: apiKey },
      ].map(endpoint),
      found: [[], [], lost('opened'), lost('unknown'), lost('continuing'), lost('resolved')],
    },
    {
      what: 'finds what was weakened behind it',
      shown: [{ verifier: hmac }, { verifier: 'text' }, { verifier: { type: 'noop' } }, { verifier: hmac }].map(source),
      found: [[], [], weakened('opened'), weakened('resolved')],
    },
    {
      what: 'finds the limit that is gone, and a secret that was replaced in the run that could not read the limit',
      shown: [
        { rate_limit: 100, secrets: [secret] },
        { rate_limit: 'x', secrets: [{ ...secret, value: 'another-key' }] },
        { rate_limit: 0, secrets: [{ ...secret, value: 'another-key' }] },
      ].map(endpoint),
      found: [
        [],
        ['opened drift/secret-changed EP-1'],
        ['continuing drift/secret-changed EP-1', 'opened drift/rate-limit-lost EP-1'],
      ],
    },
    {
      what: 'compares a program with the last that was one',
      shown: [{ body_function: 'a()' }, { body_function: 5 }, { body_function: 'a()' }, { body_function: null }].map(
        source,
      ),
      found: [[], [], [], ['opened drift/function-changed SRC-1']],
    },
    {
      what: 'finds what was lost behind one that no scan showed then',
      shown: [endpoint({ authentication: apiKey }), endpoint({ authentication: 'text' }), silent, endpoint({})],
      found: [[], [], [], lost('opened')],
    },
    {
      what: 'finds what was lost behind a part of it',
      shown: [{ authentication: apiKey }, { authentication: part }, { authentication: null }].map(endpoint),
      found: [[], [], lost('opened')],
    },
    {
      what: 'finds what was lost behind a part of it and then all of it',
      shown: [apiKey, part, 'text', null].map((authentication) => endpoint({ authentication })),
      found: [[], [], [], lost('opened')],
    },
    {
      what: 'finds what was lost behind all of it and then a part of it',
      shown: [apiKey, 'text', part, null].map((authentication) => endpoint({ authentication })),
      found: [[], [], [], lost('opened')],
    },
    {
      what: 'finds what was lost in the run that could not read another field of the rule, until that is back',
      shown: [{}, { rate_limit: 0, rate_limit_duration: 'x' }, { rate_limit: 0 }, { rate_limit: 0 }, {}].map(endpoint),
      found: [[], [], ...['opened', 'continuing', 'resolved'].map((state) => [`${state} drift/rate-limit-lost EP-1`])],
    },
    {
      what: 'finds no limit that was never read as a whole',
      shown: [{ rate_limit_duration: 'x' }, { rate_limit: 'x' }, { rate_limit: 0 }, { rate_limit: 0 }].map(endpoint),
      found: [[], [], [], []],
    },
    {
      what: 'finds authentication that was lost in the run that could not read the certificate',
      shown: [
        { authentication: apiKey, mtls_client_cert: certificate },
        { authentication: null, mtls_client_cert: 'text' },
        { authentication: null, mtls_client_cert: certificate },
      ].map(endpoint),
      found: [
        [],
        ['opened drift/authentication-lost EP-1', 'opened drift/secret-changed EP-1'],
        ['continuing drift/authentication-lost EP-1', 'continuing drift/secret-changed EP-1'],
      ],
    },
    ...[7, undefined].map((type) => ({
      what: `finds verification that was weakened in the run that showed the type as ${type}`,
      shown: [{ verifier: hmac }, { verifier: { type: 'noop' }, type }, { verifier: { type: 'noop' } }].map(source),
      found: [
        [],
        ['opened drift/secret-changed SRC-1'],
        ['continuing drift/secret-changed SRC-1', 'opened drift/verification-weakened SRC-1'],
      ],
    })),
  ])('$what', async ({ shown, found }) => {
    await using fixture = await openLiteral()
    const reports = await fixture.replaysAs(drift, shown)
    expect(reports.map(violationLines)).toEqual(found)
  })

  it('finds nothing in a source whose stub has a type that is a number', async () => {
    const subscribed = (type: Json) => ({
      subscriptions: [
        { ...aSubscription('SUB-1', 'EP-1'), source_metadata: aSource('SRC-1', { verifier: { ...hmac, type } }) },
      ],
    })
    const stubs = { policy: drift, listings: { sources: 'off' } } as const
    await using fixture = await openLiteral(subscribed('hmac'))
    await fixture.audit(stubs)
    fixture.show(subscribed(0))
    expect(violationLines(await fixture.audit(stubs))).toEqual([])
  })

  it.each([['x'], {}, 5, true, []].map((url) => [url]))('does not fail over a URL that is %j', async (url) => {
    const moved = { url: 'https://evil.example/hooks' }
    await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1'), anEndpoint('EP-2')] })
    const policy = policyOf('extends: []\nrules: { drift/url-host-changed: {} }\n')
    await fixture.audit({ policy })
    fixture.show({ endpoints: [anEndpoint('EP-1', moved), anEndpoint('EP-2', moved)] })
    await fixture.audit()
    fixture.show({ endpoints: [anEndpoint('EP-1', { url }), anEndpoint('EP-2', moved)] })
    const report = await fixture.audit()
    const rule = 'drift/url-host-changed'
    const failed = report.gaps.filter(({ cause }) => cause === 'rule_failed')
    expect([failed, violationLines(report)]).toEqual([[], [`continuing ${rule} EP-2`, `unknown ${rule} EP-1`]])
  })

  it('names the field that it could not compare', async () => {
    await using fixture = await openLiteral(endpoint({ authentication: apiKey }))
    await fixture.audit({ policy: drift })
    fixture.show(endpoint({ authentication: 'text' }))
    const report = await fixture.audit()
    const gap = { kind: 'endpoint', field: 'authentication', cause: 'field_malformed' }
    expect(report.gaps).toMatchObject([
      { ...gap, rule: 'drift/authentication-lost' },
      { ...gap, rule: 'drift/secret-changed' },
    ])
    expect(report.drift.flatMap(({ fields }) => fields)).toMatchObject([
      { path: '/authentication', after: expect.stringMatching(/^sealed:[0-9a-f]{32}$/) },
    ])
  })
})

describe('an approved baseline with a field of a wrong type', () => {
  it('is not what the resource is once that can be read', async () => {
    const unexpected = policyOf('extends: []\nrules: { drift/unexpected: {} }')
    const show = (rate_limit: Json) => ({ endpoints: [anEndpoint('EP-1', { rate_limit })] })
    await using fixture = await openLiteral(show('x'))
    await fixture.audit({ policy: unexpected })
    await fixture.harness.withHistory(async (history) => {
      const [run] = await listRuns(history)
      const signed = { by: 'eve', at: '2026-11-21T03:01:30Z', note: '' }
      if (run !== undefined) await history.approve(await approvalsOf(history, run, () => true, signed))
    })
    const found: string[][] = []
    for (const limit of ['x', 0, 'y', 0, 'x']) {
      fixture.show(show(limit))
      found.push(violationLines(await fixture.audit()))
    }
    const line = (state: string) => [`${state} drift/unexpected EP-1`]
    expect(found).toEqual([[], line('opened'), line('unknown'), line('continuing'), line('unknown')])
  })
})

describe('a waiver', () => {
  it('is not reported as unused when its resource cannot be read', async () => {
    const waived = policyOf(`
extends: []
rules: { endpoint/rate-limit-ineffective: {}, waiver/unused: {} }
waivers:
  - { rule: endpoint/rate-limit-ineffective, match: { uid: EP-1 }, owner: me, reason: known, expires: 2026-12-24 }
`)
    await using fixture = await openLiteral({ endpoints: [{ ...idle, rate_limit: 'x' }] })
    expect(violationLines(await fixture.audit({ policy: waived }))).toEqual([])
    fixture.show({ endpoints: [anEndpoint('EP-1')] })
    expect(violationLines(await fixture.audit()).join()).toMatch(/^opened waiver\/unused \w+$/)
  })
})

describe('a replay', () => {
  it('names the rules that could not compare a field in each run that shows it', async () => {
    const drift = policyOf('extends: []\nrules: { drift/authentication-lost: {}, drift/verification-weakened: {} }')
    const authentication = { type: 'api_key', api_key: { header_name: 'X', header_value: 'not-a-real-key' } }
    const malformed = {
      endpoints: [anEndpoint('EP-1', { authentication: 'text' })],
      sources: [aSource('SRC-1', { type: 7 })],
    }
    await using fixture = await openLiteral()
    const before = { endpoints: [anEndpoint('EP-1', { authentication })], sources: [aSource('SRC-1')] }
    const reports = await fixture.replaysAs(drift, [before, malformed, malformed, malformed])
    const none = { 'drift/authentication-lost': 0, 'drift/verification-weakened': 0 }
    expect(reports.map(({ projects }) => projects[0]?.evaluated_by_rule)).toEqual([{}, none, none, none])
  })

  it('reports malformed fields as the runs did', async () => {
    const all = policyOf(`
extends: []
rules: { endpoint/rate-limit-ineffective: {}, source/disabled: {}, endpoint/url-not-https: {}, drift/rate-limit-lost: {} }
custom:
  - { id: acme/limit, kind: endpoint, assert: resource.rate_limit * resource.rate_limit_duration > 0, severity: high, message: unlimited }
  - { id: acme/joined, kind: subscription, assert: endpoint.rate_limit * endpoint.rate_limit_duration > 0, severity: high, message: unlimited }
`)
    const subscriptions = [aSubscription('SUB-1', 'EP-1')]
    await using fixture = await openLiteral({ endpoints: [idle], sources: [disabled], subscriptions })
    const reports = await fixture.replaysAs(all, [
      {},
      { endpoints: [{ ...idle, rate_limit: 'x' }], sources: [{ ...disabled, is_disabled: 'yes' }] },
      { endpoints: [{ ...idle, rate_limit: 'x', description: 'another' }] },
      { sources: [disabled] },
      { endpoints: [anEndpoint('EP-1')] },
      {},
    ])
    const read = ['acme/joined SUB-1', 'acme/limit EP-1', 'endpoint/rate-limit-ineffective EP-1']
    const as = (state: string, lines: readonly string[]) => lines.map((line) => `${state} ${line}`)
    expect(reports.map(violationLines)).toEqual([
      [...as('opened', read), 'opened source/disabled SRC-1'],
      [...as('unknown', read), 'unknown source/disabled SRC-1'],
      [...as('unknown', read), 'unknown source/disabled SRC-1'],
      ['continuing source/disabled SRC-1', ...as('unknown', read)],
      ['continuing source/disabled SRC-1', ...as('resolved', read)],
      ['continuing source/disabled SRC-1'],
    ])
  })
})

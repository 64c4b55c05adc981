import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/model/json.ts'
import type { Facts, Kind, ProjectRef, Resource } from '../../src/model/resource.ts'
import { nameIn } from '../../src/policy/cel/compile.ts'
import { extensionFunctions } from '../../src/policy/cel/language.ts'
import { namedRules } from '../../src/policy/policy.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { evaluateFleet } from './evaluate-fleet.ts'

const project: ProjectRef = { name: 'acme/p', service: 'acme', uid: 'p' }
const now = Date.parse('2026-11-21T00:00:00Z')
const all = { isComplete: () => true }

function a(kind: Kind, attributes: JsonObject, uid = 'u1', facts: Facts = {}) {
  return { kind, uid, name: `the ${uid}`, attributes, volatile: {}, facts }
}

/** A policy of one rule, `a/b`. */
const rule = (assert: string, { kind = 'endpoint', ...more }: Readonly<Record<string, unknown>> = {}) =>
  policyOf(
    JSON.stringify({
      extends: [],
      custom: [{ id: 'a/b', kind, assert, severity: 'low', message: 'm', ...more }],
    }),
  )

const evaluatorOf = (policy: ReturnType<typeof policyOf>, labels = {}, clock?: () => number) =>
  evaluateFleet(policy, now, () => labels, clock)

/** `fails`, `holds` or why it could not be said. */
function verdict(assert: string, resource: Resource, labels = {}) {
  const evaluator = evaluatorOf(rule(assert, { kind: resource.kind }), labels)
  const found = evaluator.of(project).evaluate(resource)
  return evaluator.of(project).outcome().failures['a/b'] ?? (found.length > 0 ? 'fails' : 'holds')
}

const messages = (evaluator: ReturnType<typeof evaluatorOf>, resources: readonly Resource[], completeness = all) => [
  ...resources
    .flatMap((resource) => evaluator.of(project).evaluate(resource))
    .map(({ uid, message }) => `${uid} ${message}`),
  ...evaluator
    .of(project)
    .conclude(completeness)
    .map(({ uid, message }) => `${uid} ${message}`),
]

describe('a custom rule', () => {
  it('finds resources that break its assertion, with its message and severity', () => {
    const policy = rule("resource.owner_id.startsWith('tenant-')", {
      severity: 'high',
      message: 'owner {resource.owner_id} of {project.name} is not a tenant, {{really}}',
    })
    expect(
      evaluatorOf(policy)
        .of(project)
        .evaluate(a('endpoint', { owner_id: 'x' })),
    ).toEqual([
      {
        rule: 'a/b',
        severity: 'high',
        kind: 'endpoint',
        uid: 'u1',
        name: 'the u1',
        path: '',
        message: 'owner x of acme/p is not a tenant, {really}',
      },
    ])
    expect(
      evaluatorOf(policy)
        .of(project)
        .evaluate(a('endpoint', { owner_id: 'tenant-1' })),
    ).toEqual([])
  })

  it('cuts a long message, and writes no half of a character, which no history keeps', () => {
    const policy = rule('false', { message: `${'x'.repeat(999)}😀 {resource.owner_id.substring(0, 1)}` })
    expect(messages(evaluatorOf(policy), [a('endpoint', { owner_id: '' })])).toEqual([`u1 ${'x'.repeat(999)}\ufffd…`])
    const half = rule('false', { message: '{resource.owner_id.substring(0, 1)}' })
    expect(messages(evaluatorOf(half), [a('endpoint', { owner_id: '😀' })])).toEqual(['u1 \ufffd'])
  })

  it('is evaluated where `when` is true, and nowhere else', () => {
    const policy = rule('false', { when: "project.labels.env == 'prod'" })
    expect(evaluatorOf(policy, { env: 'prod' }).of(project).evaluate(a('endpoint', {}))).toHaveLength(1)
    expect(evaluatorOf(policy, { env: 'dev' }).of(project).evaluate(a('endpoint', {}))).toEqual([])
    expect(evaluatorOf(policy).of(project).evaluate(a('endpoint', {}))).toEqual([])
  })

  it('is configured, overridden and turned off by its id like any other rule', () => {
    const base = { custom: [{ id: 'a/b', kind: 'endpoint', assert: 'false', severity: 'low', message: 'm' }] }
    const severities = [
      { rules: { 'a/b': 'critical' } },
      { rules: { 'a/b': 'off' } },
      { rules: { 'a/b': { severity: 'high' } } },
      { overrides: [{ match: { uid: 'u1' }, rules: { 'a/b': 'info' } }] },
      { overrides: [{ match: { uid: 'u2' }, rules: { 'a/b': 'info' } }] },
    ].map((more) => {
      const policy = policyOf(JSON.stringify({ extends: [], ...base, ...more }))
      return evaluatorOf(policy).of(project).evaluate(a('endpoint', {}))[0]?.severity
    })
    expect(severities).toEqual(['critical', undefined, 'high', 'info', 'low'])
  })

  it('of an extended file is available to the file that extends it', async () => {
    const { readPolicy } = await import('../../src/policy/read-policy.ts')
    const files: Readonly<Record<string, string>> = {
      '/etc/policy.yaml': 'extends: [./base.yaml]\nrules: { a/b: high }\n',
      '/etc/base.yaml': 'custom: [{ id: a/b, kind: endpoint, assert: "false", severity: low, message: m }]\n',
    }
    const read = (twice: Readonly<Record<string, string>> = {}) =>
      readPolicy('/etc/policy.yaml', (file) => ({ ...files, ...twice })[file] ?? '')
    expect(evaluatorOf(read()).of(project).evaluate(a('endpoint', {}))[0]?.severity).toBe('high')
    const own = { '/etc/policy.yaml': `${files['/etc/policy.yaml']}${files['/etc/base.yaml']}` }
    expect(() => read(own)).toThrow('/etc/policy.yaml:3:16: `a/b` is defined already, in /etc/base.yaml:1:16')
  })

  it('is part of the digest by its logic, not by its texts', () => {
    const digest = (assert: string, more = {}) => rule(assert, more).digest
    expect(digest('1 == 1')).not.toBe(digest('1 == 2'))
    expect(digest('1 == 1', { when: 'true' })).not.toBe(digest('1 == 1'))
    expect(digest('1 == 1', { controls: ['soc2:CC6.1'], remediation: 'r' })).toBe(digest('1 == 1'))
  })

  it('repeats no credential of the policy, which the history would keep', () => {
    const address = 'https://bot:not-a-real-key@wiki.example'
    const policy = rule('false', {
      title: address,
      remediation: address,
      message: `see ${address}/{resource.owner_id}`,
    })
    expect(messages(evaluatorOf(policy), [a('endpoint', { owner_id: 'x' })])).toEqual([
      'u1 see https://sealed:masked@wiki.example/x',
    ])
    const [named] = namedRules(policy)
    expect(named?.rule).toMatchObject({
      title: 'https://sealed:masked@wiki.example',
      custom: { remediation: 'https://sealed:masked@wiki.example' },
    })
  })

  it('has a title, a remediation and controls of its own', () => {
    const policy = rule('true', { title: 'T', remediation: 'R', controls: ['soc2:CC6.1'] })
    expect(
      namedRules(policy).map(({ rule: { title, custom } }) => [title, custom?.remediation, custom?.controls]),
    ).toEqual([['T', 'R', ['soc2:CC6.1']]])
    const [untitled] = namedRules(rule('true', { message: 'owner {resource.owner_id} is none' }))
    expect(untitled?.rule.title).toBe('owner … is none')
  })

  it('is waived like any other rule', () => {
    const policy = (waived: string) =>
      policyOf(`
extends: []
custom: [{ id: a/b, kind: endpoint, assert: "false", severity: low, message: m }]
waivers: [{ rule: ${waived}, match: { uid: u1 }, owner: o, reason: r, expires: 2026-12-31 }]`)
    const [finding] = evaluatorOf(policy('a/b')).of(project).evaluate(a('endpoint', {}))
    expect(finding?.waiver).toMatchObject({ owner: 'o' })
    expect(() => policy('a/c')).toThrow('there is no rule `a/c`')
  })
})

describe('an expression', () => {
  const secret = (value: string) => a('endpoint', { secrets: { s1: { value } } }, 'u1', known)
  const known: Facts = { '/secrets/s1/value': { min_length: 24, weak: ['common'] } }
  const none = a('endpoint', { secrets: {} })

  it.each<[string, Resource, string]>([
    ['resource.http_timeout <= 60', a('endpoint', { http_timeout: 61 }), 'fails'],
    ['resource.http_timeout * 2 == 60', a('endpoint', { http_timeout: 30 }), 'holds'],
    ["resource.support_email == ''", a('endpoint', { support_email: null }), 'holds'],
    ['!resource.advanced_signatures', a('endpoint', { advanced_signatures: null }), 'holds'],
    ["resource.authentication.oauth2.url == ''", a('endpoint', { authentication: null }), 'holds'],
    ["resource.authentication.type == ''", a('endpoint', { authentication: { type: 'oauth2' } }), 'fails'],
    ["'a.b' in resource.filter_config.event_types", a('subscription', { filter_config: { event_types: [] } }), 'fails'],
    [
      'resource.filter_config.filter.body.amount > 3',
      a('subscription', { filter_config: { filter: { body: { amount: 4 } } } }),
      'holds',
    ],
    ["size(resource.secrets) == 1 && resource.secrets[0].uid == 's1'", secret('sealed:aa'), 'holds'],
    ["resource.name == 'the u1' && resource.uid == 'u1'", a('device', {}), 'holds'],
    ["host(resource.url) == 'a.example'", a('endpoint', { url: 'https://A.example:8443/x' }), 'holds'],
    ["host(resource.url) == ''", a('endpoint', { url: 'no address' }), 'holds'],
    ['!isPrivate(host(resource.url))', a('endpoint', { url: 'https://10.1.2.3/' }), 'fails'],
    ['!isPrivate(host(resource.url))', a('endpoint', { url: 'https://[::1]/' }), 'fails'],
    ['!isPrivate(host(resource.url))', a('endpoint', { url: 'https://a.example/' }), 'holds'],
    ['isPrivate(host(resource.url))', a('endpoint', { url: 'none' }), 'endpoint u1: isPrivate: not a host'],
    ["re(resource.url, '^https://[a-z]+')", a('endpoint', { url: 'https://a.example' }), 'holds'],
    ["re(resource.url, '^ftp:')", a('endpoint', { url: 'https://a.example' }), 'fails'],
    ['age(resource.created_at) > days(30)', a('endpoint', { created_at: '2026-10-21T00:00:00Z' }), 'holds'],
    ['age(resource.created_at) > days(32)', a('endpoint', { created_at: '2026-10-21T00:00:00Z' }), 'fails'],
    ['age(resource.created_at) < hours(1)', a('endpoint', { created_at: '2026-11-20T23:00:01Z' }), 'holds'],
    ['age(resource.created_at) > days(1)', a('endpoint', { created_at: null }), 'endpoint u1: age: no time is given'],
    ['until(resource.created_at) > hours(23)', a('endpoint', { created_at: '2026-11-22T00:00:00Z' }), 'holds'],
    ['resource.secrets.all(s, minLength(s.value) >= 24)', secret('sealed:aa'), 'holds'],
    ['resource.secrets.all(s, minLength(s.value) >= 32)', secret('sealed:aa'), 'fails'],
    ['resource.secrets.exists(s, isWeak(s.value))', secret('sealed:aa'), 'holds'],
    ['resource.secrets.all(s, isSet(s.value))', a('endpoint', { secrets: { s1: { value: null } } }), 'fails'],
    ['resource.secrets.all(s, isMasked(s.value))', secret('sealed:masked'), 'holds'],
    [
      'resource.secrets.all(s, minLength(s.value) > 8)',
      secret('sealed:masked'),
      'endpoint u1: minLength: the service masks the secret',
    ],
    ['resource.secrets.exists(s, sealedEqual(s.value, resource.secrets[0].value))', secret('sealed:aa'), 'holds'],
    ['resource.secrets.exists(s, isWeak(s.value))', none, 'fails'],
    [
      'resource.http_timeout > 1',
      a('endpoint', { http_timeout: 'x' }),
      'endpoint u1: http_timeout is not a whole number',
    ],
    [
      "resource.filter_config.filter.body.type == 'a'",
      a('subscription', { filter_config: { filter: { body: {} } } }),
      'subscription u1: No such key: type',
    ],
    ['resource.failure_rate > 10', { ...a('endpoint', {}), volatile: { failure_rate: 50 } }, 'holds'],
  ])('%s', (assert, resource, expected) => {
    expect(verdict(assert, resource)).toBe(expected)
  })

  it('is silent when it reads a field that the service does not show', () => {
    const assertions = [
      'resource.http_timeout > 60',
      'resource.http_timeout > 60 || false',
      '!resource.advanced_signatures && false',
      "resource.url != ''",
      'resource.secrets.exists(s, isWeak(s.value))',
      'resource.failure_rate > 10',
    ]
    expect(assertions.map((assert) => verdict(assert, a('endpoint', {})))).toEqual(assertions.map(() => 'holds'))
    expect(verdict('false && resource.http_timeout > 60', a('endpoint', {}))).toBe('fails')
    expect(verdict("resource.secrets.all(s, s.expires_at != '')", a('endpoint', { secrets: { s1: {} } }))).toBe('holds')
  })

  describe('about the filter rows of a subscription', () => {
    const subscription = (filters: JsonObject) => a('subscription', { filters })
    const paid = { 'invoice.paid': { body: { amount: { $gt: 10 } }, headers: {}, enabled_at: null } }

    it.each([
      ["resource.filters.all(f, f.event_type.startsWith('invoice.'))", subscription(paid), 'holds'],
      ["resource.filters.all(f, f.event_type != '*')", subscription({ '*': {} }), 'fails'],
      ['resource.filters.all(f, size(f.body) > 0)', subscription({ a: { body: {} } }), 'fails'],
      ["resource.filters.exists(f, 'amount' in f.body && f.body.amount['$gt'] == 10)", subscription(paid), 'holds'],
      ["resource.filters.all(f, f.enabled_at != '')", subscription(paid), 'fails'],
      ['size(resource.filters) > 0', subscription({}), 'fails'],
    ])('%s', (assert, resource, expected) => {
      expect(verdict(assert, resource)).toBe(expected)
    })

    it.each([
      ['were never read', a('subscription', {})],
      ['were due and not read', { ...a('subscription', {}), unseen: ['/filters'] }],
      ['do not show it', subscription({ a: { body: {} } })],
    ])('is silent where rows %s', (_, resource) => {
      expect(verdict("resource.filters.all(f, f.enabled_at != '') && false", resource)).toBe('holds')
    })
  })

  it('uses each custom function in a test above', async () => {
    const { readFile } = await import('node:fs/promises')
    const own = await readFile(import.meta.filename, 'utf8')
    for (const { signature } of extensionFunctions) expect(own).toContain(`${nameIn(signature)}(`)
  })
})

describe('a failure of a custom rule', () => {
  it('is noted once for the project, with the first resource, and costs no other finding', () => {
    const policy = rule("resource.authentication.type == 'x' || age(resource.created_at) > days(1)")
    const evaluator = evaluatorOf(policy)
    const shown = { authentication: null }
    const found = ['e1', 'e2', 'e3'].flatMap((uid) =>
      evaluator
        .of(project)
        .evaluate(a('endpoint', { ...shown, created_at: uid === 'e3' ? '2026-11-20T23:59:00Z' : null }, uid)),
    )
    expect(found.map(({ uid }) => uid)).toEqual(['e3'])
    expect(Object.entries(evaluator.of(project).outcome().failures)).toEqual([
      ['a/b', 'endpoint e1: age: no time is given'],
    ])
    expect(evaluator.needs.get('a/b')).toEqual({ kinds: ['endpoint'], scope: 'resource', isCustom: true })
  })

  it('in a message leaves a question mark and keeps the violation', () => {
    const policy = rule('false', { kind: 'subscription', message: 'type {resource.filter_config.filter.body.x}!' })
    const shown = { filter_config: { filter: { body: {} } } }
    expect(messages(evaluatorOf(policy), [a('subscription', shown)])).toEqual(['u1 type ?!'])
  })
})

describe('a custom rule across resources', () => {
  const joined = rule("source.type == 'http' && endpoint.status == 'active'", {
    kind: 'subscription',
    message: '{resource.name}: {endpoint.status} {source.type}',
  })
  const endpoint = a('endpoint', { status: 'paused' }, 'e1')
  const source = a('source', { type: 'http' }, 'q1')
  const subscription = (uid: string, attributes: JsonObject) => a('subscription', attributes, uid)

  it('sees the endpoint and the source of a subscription, also a source that comes later', () => {
    const s1 = subscription('s1', { endpoint_uid: 'e1', source_uid: 'q1' })
    const says = ['s1 the s1: paused http']
    expect(messages(evaluatorOf(joined), [endpoint, source, s1])).toEqual(says)
    expect(messages(evaluatorOf(joined), [endpoint, s1, source])).toEqual(says)
  })

  it('skips a subscription whose endpoint or source is missing', () => {
    const resources = [
      endpoint,
      source,
      subscription('s1', { endpoint_uid: 'e1', source_uid: null }),
      subscription('s2', { endpoint_uid: 'e9', source_uid: 'q1' }),
      subscription('s3', {}),
    ]
    expect(messages(evaluatorOf(joined), resources)).toEqual([])
  })

  it('needs the kinds that it reads', () => {
    expect(evaluatorOf(joined).needs.get('a/b')).toMatchObject({
      kinds: ['subscription', 'endpoint', 'source'],
      scope: 'project',
    })
  })

  it('sees how many subscriptions an endpoint has, once all were read', () => {
    const counted = rule('subscriptions == 1', { message: 'has {subscriptions}' })
    const resources = [a('endpoint', {}, 'e1'), a('endpoint', {}, 'e2'), subscription('s1', { endpoint_uid: 'e1' })]
    expect(messages(evaluatorOf(counted), resources)).toEqual(['e2 has 0'])
    expect(messages(evaluatorOf(counted), resources, { isComplete: () => false })).toEqual([])
    expect(messages(evaluatorOf(counted), [...resources, subscription('s2', {})])).toEqual([])
    expect(evaluatorOf(counted).needs.get('a/b')?.kinds).toEqual(['endpoint', 'subscription'])
  })

  it('keeps its findings when the evaluation of another rule fails at the end', () => {
    const counted = rule('subscriptions == 1 && age(resource.created_at) > days(1)', { message: 'has {subscriptions}' })
    const resources = [
      a('endpoint', { created_at: null }, 'e1'),
      a('endpoint', { created_at: null }, 'e2'),
      subscription('s1', { endpoint_uid: 'e1' }),
    ]
    const evaluator = evaluatorOf(counted)
    expect(messages(evaluator, resources)).toEqual(['e2 has 0'])
    expect(evaluator.of(project).outcome().failures['a/b']).toBe('endpoint e1: age: no time is given')
  })
})

describe('the cost of an expression', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)
  const subscription = (event_types: string[]) => a('subscription', { filter_config: { event_types } })
  const types = 'resource.filter_config.event_types'

  it.each([
    `${types}.exists(x, ${types}.exists(y, x == 'no' && y == 'no'))`,
    `!${types}.all(x, ${types}.all(y, x != y + 'no'))`,
    `${types}.filter(x, ${types}.exists_one(y, x == y)).size() == 0`,
    `${types}.map(x, ${types}.map(y, x + y)).size() == 0`,
    `${types}.exists(x, ${types}.map(y, x == y, y).size() > 1)`,
  ])('is limited in steps, and beyond them the result is unknown: %s', (assert) => {
    expect(verdict(assert, subscription(many(1000)))).toMatch(/takes more than 50000 steps .* the limit/)
    expect(verdict(assert, subscription(many(100)))).toMatch(/^(fails|holds)$/)
  })

  it('is limited in the characters and items that it reads', () => {
    expect(verdict("resource.name != ''", a('source', { name: 'x' }))).toBe('holds')
    expect(verdict("resource.body_function != ''", a('source', { body_function: 'x'.repeat(100_001) }))).toMatch(
      /longer than 100000 characters/,
    )
    expect(verdict(`size(${types}) > 1`, subscription(many(10_001)))).toMatch(/more than 10000 items/)
  })

  it('is limited in time, for all rules of a run together, and the rest is unknown', () => {
    let ms = 0
    const evaluator = evaluatorOf(rule("resource.status == 'active'"), {}, () => {
      ms += 10_000
      return ms
    })
    const found = Array.from({ length: 10 }, (_, index) =>
      evaluator.of(project).evaluate(a('endpoint', { status: '' }, `e${index}`)),
    )
    expect(found.flat().map(({ uid }) => uid)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6'])
    expect(evaluator.of(project).outcome().failures['a/b']).toMatch(
      /time that custom rules have together in a run was used up/,
    )
  })

  it.each([
    ['an expression of 2001 characters', `true${' '.repeat(2000)}`, /more than 2000 characters/],
    ['nested brackets', `${'('.repeat(100)}true${')'.repeat(100)}`, /too large: exceeded maxDepth/],
    ['a large tree', Array.from({ length: 260 }, () => 'true').join('||'), /too large: exceeded max(AstNodes|Depth)/],
    [
      'a long list',
      `[${many(300)
        .map(() => '1')
        .join(',')}].size() > 1`,
      /too large: exceeded maxListElements/,
    ],
  ])('is refused at load: %s', (_, assert, message) => {
    expect(() => rule(assert)).toThrow(message)
  })
})

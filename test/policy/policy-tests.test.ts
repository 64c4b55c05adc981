import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { policyTestSchema } from '../../src/policy/policy-test-schema.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { readPolicyTests } from '../../src/policy/read-policy-tests.ts'
import { runPolicyTest } from '../../src/policy/run-policy-test.ts'
import { packs } from '../../src/rules/engine/rule.ts'
import { policyOf } from '../audit/audit-harness.ts'

const config = join(import.meta.dirname, '../../config')
const readFile = (file: string) => readFileSync(file, 'utf8')
const packFiles = readdirSync(join(config, 'packs')).map((file) => `packs/${file}`)

/** What differs in a test of the `recommended` pack. */
function outcome(test: object, policy = policyOf('extends: [recommended]')) {
  const { missing, unexpected, failures } = runPolicyTest(policy, policyTestSchema.parse({ name: 'n', ...test }))
  return [
    ...missing.map((place) => `missing ${place}`),
    ...unexpected.map(({ rule, uid }) => `${rule} ${uid}`),
    ...failures.keys(),
  ]
}

describe('tests of policies that come with hookdrift', () => {
  it('exist for every pack', () => {
    expect(packFiles).toEqual(packs.map((pack) => `packs/${pack}.yaml`).sort())
  })

  it.each([...packFiles, 'policy.yaml'])('pass: %s', (name) => {
    const file = join(config, name)
    const policy = readPolicy(file, readFile)
    const tests = readPolicyTests(
      file,
      readFile,
      policy.allRules.map(({ id }) => id),
    )
    expect(tests.length).toBeGreaterThan(1)
    for (const { test } of tests) {
      expect([test.name, runPolicyTest(policy, test)]).toEqual([
        test.name,
        { missing: [], unexpected: [], failures: new Map() },
      ])
    }
  })
})

it('a policy names at most a hundred files of tests, and the error names the first beyond', () => {
  const names = Array.from({ length: 101 }, (_, index) => `  - ${index}.yaml\n`)
  const read = () => readPolicyTests('/policy.yaml', () => `tests:\n${names.join('')}`, [])
  expect(read).toThrow(
    '/policy.yaml:102:5: a policy names at most 100 files of tests, and this is one more: merge some of them',
  )
})

describe('a test of a policy', () => {
  const http = { kind: 'endpoint', uid: 'e1', url: 'http://a.receiver.acme' }
  const found = { rule: 'endpoint/url-not-https' }

  it('expects exactly the listed findings by default', () => {
    expect(outcome({ resources: [http], expect: [found] })).toEqual([])
    expect(outcome({ resources: [http], expect: [] })).toEqual(['endpoint/url-not-https e1'])
    expect(outcome({ resources: [http], expect: [], exact: false })).toEqual([])
    expect(outcome({ resources: [http], expect: [found, found] })).toEqual(['missing 1'])
  })

  it.each([
    [{ uid: 'e1', path: '/url', severity: 'high' }, true],
    [{ uid: 'e2' }, false],
    [{ path: '/uri' }, false],
    [{ severity: 'low' }, false],
    [{ message: 'no such words' }, false],
  ])('compares the listed members only: %o', async (more, holds) => {
    expect(outcome({ resources: [http], expect: [{ ...found, ...more }], exact: false })).toEqual(
      holds ? [] : ['missing 0'],
    )
  })

  it('merges its resources into clean ones, member by member; a list replaces a list', () => {
    const policy = policyOf(
      JSON.stringify({
        extends: [],
        custom: [
          {
            id: 'a/b',
            kind: 'subscription',
            assert: 'false',
            severity: 'low',
            message: '{resource.delivery_mode} {resource.type} {resource.filter_config.event_types}',
          },
        ],
      }),
    )
    const resources = [{ kind: 'subscription', uid: 's1', filter_config: { event_types: ['a', 'b'] } }]
    expect(outcome({ resources, expect: [{ rule: 'a/b', message: 'at_least_once api a, b' }] }, policy)).toEqual([])
  })

  it('gives a subscription its filter rows, as the service lists them', () => {
    const rows = (...filters: object[]) => [{ kind: 'subscription', uid: 's1', filters }]
    const event_type = 's1.created'
    expect(outcome({ resources: rows({ event_type, body: {} }), expect: [] })).toEqual([])
    expect(outcome({ resources: rows(), expect: [{ rule: 'subscription/no-filter' }] })).toEqual([])
    const off = [{ rule: 'subscription/filter-off', path: '/filters/s1.created/enabled_at' }]
    expect(outcome({ resources: rows({ event_type, body: {}, enabled_at: null }), expect: off })).toEqual([])
  })

  it('is evaluated at a time, or at the beginning of a date', () => {
    const secret = {
      uid: 'k1',
      value: 'k'.repeat(32),
      created_at: '2026-01-01T00:00:00Z',
      expires_at: '2026-05-01T00:00:00Z',
    }
    const next = { ...secret, uid: 'k2', expires_at: null }
    const expired = (at: string) =>
      outcome({ at, resources: [{ kind: 'endpoint', uid: 'e1', secrets: [secret, next] }], expect: [] }).filter(
        (found) => found.startsWith('endpoint/secret-expired'),
      )
    expect(expired('2026-05-01')).toEqual(expired('2026-05-01T00:00:00Z'))
    expect(expired('2026-06-01')).toEqual(['endpoint/secret-expired-active e1'])
    const { error } = policyTestSchema.safeParse({ name: 'n', at: '2026-06-01T00:00:00', resources: [], expect: [] })
    expect(error?.issues[0]?.message).toContain('a time with its zone')
  })

  it('adds clean companions to a single resource by default', () => {
    const all = policyOf('extends: [all]')
    const subscription = { kind: 'subscription', uid: 's1' }
    expect(outcome({ resources: [subscription], expect: [] }, all)).toEqual([])
    expect(outcome({ resources: [{ ...subscription, endpoint_uid: 'gone' }], expect: [] }, all)).toEqual([
      'subscription/target-missing s1',
    ])
    expect(outcome({ resources: [{ kind: 'endpoint', uid: 'e1' }], expect: [], companions: false }, all)).toEqual([
      'endpoint/orphan e1',
    ])
  })

  it('fails when a rule could not be evaluated because a field is malformed', () => {
    const policy = policyOf('extends: []\nrules: { endpoint/secret-missing: high, endpoint/url-not-https: high }')
    const resources = [{ kind: 'endpoint', uid: 'e1', secrets: 3 }]
    expect(outcome({ resources, expect: [] }, policy)).toEqual(['endpoint/secret-missing'])
    expect(outcome({ resources, expect: [], exact: false }, policy)).toEqual(['endpoint/secret-missing'])
  })

  it('fails when a rule could not be evaluated', () => {
    const policy = policyOf(
      'extends: []\ncustom:\n  - { id: a/b, kind: endpoint, assert: "age(\'x\') > days(1)", severity: low, message: m }',
    )
    expect(outcome({ resources: [{ kind: 'endpoint' }], expect: [] }, policy)).toEqual(['a/b'])
  })
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { readPolicyTests } from '../../src/policy/read-policy-tests.ts'
import { acmeEnv, configure, refusal } from './config-fixture.ts'

const labels = { env: 'prod' }
const configuration = {
  services: [
    {
      name: 'acme',
      url: 'https://hooks.example.com',
      key: '${ACME_KEY}',
      listings: { sources: 'auto' },
      limits: { retries: 1 },
      dialect: { parameters: { page_size: 'perPage' } },
      projects: [
        { id: 'p1', labels, filters: { endpoints: { owner: 'o' }, subscriptions: { name: 'n' } } },
        { match: 'pay*', labels },
      ],
      organisation: 'o1',
    },
  ],
  retention: { keep_last: 3 },
  serve: { tokens: [{ name: 'a', token: 'not-a-real-token-of-a-reader', projects: ['acme/p1'] }] },
  worker: { listen: '127.0.0.1:9464' },
  schedules: [{ name: 'hourly', cron: '0 * * * *' }],
  notify: [{ name: 'log', type: 'log', labels }],
}

const policy = {
  extends: ['recommended'],
  rules: { 'endpoint/timeout-high': { severity: 'low', max_seconds: 90 } },
  overrides: [{ match: { labels }, rules: { 'endpoint/url-not-https': 'off' } }],
  waivers: [
    {
      rule: 'endpoint/url-not-https',
      match: { labels },
      owner: 'o',
      reason: 'r',
      expires: '2026-12-31',
    },
  ],
  due: { critical: '2d' },
  custom: [{ id: 'acme/a', kind: 'endpoint', assert: 'true', message: 'm', remediation: 'r', severity: 'low' }],
}

const test = {
  tests: [{ name: 'finds it', labels, resources: [{ kind: 'endpoint', uid: 'e1', name: 'a' }], expect: [] }],
}

/** The same text with a member in each of its mappings, one at a time: by the path of the mapping. */
function* withMember(
  value: unknown,
  member: string,
  path = '',
  edit = (inner: string) => inner,
): Generator<[string, string]> {
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  const write = (inner: readonly string[]) => (Array.isArray(value) ? `[${inner.join()}]` : `{${inner.join()}}`)
  const text = ([key, one]: [string, unknown]) =>
    Array.isArray(value) ? JSON.stringify(one) : `${JSON.stringify(key)}:${JSON.stringify(one)}`
  if (!Array.isArray(value)) yield [path === '' ? 'the whole' : path, edit(write([...entries.map(text), member]))]
  for (const [at, [key, one]] of entries.entries()) {
    const around = (inner: string) => {
      const own = Array.isArray(value) ? inner : `${JSON.stringify(key)}:${inner}`
      return edit(write(entries.map((entry, other) => (other === at ? own : text(entry)))))
    }
    yield* withMember(one, member, `${path}/${key}`, around)
  }
}

function policyRefusal(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (thrown) {
    if (thrown instanceof AuditError) return thrown.message.split('\n')
    throw thrown
  }
  return []
}

const proto = '"__proto__": {"x": "y"}'

describe('a member __proto__', () => {
  it('has files without it that are right', () => {
    expect(refusal(JSON.stringify(configuration), { env: acmeEnv })).toEqual([])
    expect(policyRefusal(() => readPolicy('policy.yaml', () => JSON.stringify(policy)))).toEqual([])
    expect(policyRefusal(() => readPolicyTests('t.yaml', () => JSON.stringify(test), []))).toEqual([])
  })

  it.each([...withMember(configuration, proto)])('is refused in the configuration, at %s', (_, text) => {
    expect(refusal(text, { env: acmeEnv })).toContainEqual(expect.stringContaining('`__proto__` is'))
  })

  it.each([...withMember(policy, proto)])('is refused in the policy, at %s', (_, text) => {
    expect(policyRefusal(() => readPolicy('policy.yaml', () => text))).toContainEqual(
      expect.stringContaining('`__proto__` '),
    )
  })

  it.each([...withMember(test, proto)])('is refused in the tests of a policy, at %s', (_, text) => {
    expect(policyRefusal(() => readPolicyTests('t.yaml', () => text, []))).toContainEqual(
      expect.stringContaining('`__proto__` is'),
    )
  })

  it('is refused through an alias, too', () => {
    const [first, second] = JSON.stringify(configuration).split(JSON.stringify(labels))
    const text = `${first}&a {${proto}}${second}*a }] }] }`
    expect(refusal(text, { env: acmeEnv })).toEqual([
      expect.stringContaining('`__proto__` is reserved'),
      expect.stringContaining('`__proto__` is reserved'),
    ])
  })
})

it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
  'a label with the name of what every object has %s is a label like any other',
  (name) => {
    const [service] = configuration.services
    const configured = (value: unknown) =>
      JSON.stringify({ services: [{ ...service, projects: [{ id: 'p1', labels: { [name]: value } }] }] })
    const { services } = configure(configured('b'), { env: acmeEnv })
    expect(Object.entries(services[0]?.projects[0]?.labels ?? {})).toEqual([[name, 'b']])
    expect(refusal(configured({ x: 'y' }), { env: acmeEnv })).toEqual([expect.stringContaining('expected text')])
  },
)

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import { switchOf } from '../../src/policy/rule-switch.ts'
import { rules } from '../../src/rules/rules.ts'

/** Reads `/etc/policy.yaml` among files. */
function read(files: Readonly<Record<string, string>> | string) {
  const all = typeof files === 'string' ? { '/etc/policy.yaml': files } : files
  return readPolicy('/etc/policy.yaml', (file) => {
    const text = all[file]
    if (text === undefined) throw new Error(`ENOENT: ${file}`)
    return text
  })
}

/** What is refused, line by line. */
function refusal(files: Readonly<Record<string, string>> | string) {
  try {
    read(files)
  } catch (error) {
    if (error instanceof AuditError && error.kind === 'usage') return error.message.split('\n')
    throw error
  }
  throw new Error('it was let through')
}

const idsOf = ({ rules }: Policy) => rules.map(({ rule }) => rule.id)
/** `violation/overdue` is evaluated only where the policy has due dates. */
const packed = (pack: string, due = false) =>
  rules
    .filter(({ id, packs }) => packs.some((name) => name === pack) && (due || id !== 'violation/overdue'))
    .map(({ id }) => id)
const severityOf = ({ rules }: Policy, id: string) => rules.find(({ rule }) => rule.id === id)?.severity

/** What `endpoint/timeout-low` says of two seconds: contains its option. */
function saysOfTwo(policy: Policy): string[] {
  const bound = policy.rules.find(({ rule }) => rule.id === 'endpoint/timeout-low')?.bound
  if (bound?.scope !== 'resource') return []
  const attributes = { http_timeout: 2 }
  const resource = { kind: 'endpoint', uid: 's', name: '', attributes, volatile: {}, facts: {} } as const
  return [...bound.check(resource, 0)].map(({ message }) => message)
}

describe('a policy', () => {
  it('is the recommended pack without a file, and when a file names no pack', () => {
    const none = readPolicy(undefined, () => '')
    expect(idsOf(none)).toEqual(packed('recommended'))
    expect(idsOf(read('rules: {}'))).toEqual(packed('recommended'))
    expect(read('rules: {}').digest).toBe(none.digest)
    expect(none.rules.map(({ severity }) => severity)).toEqual(none.rules.map(() => undefined))
  })

  it('without packs evaluates only the rules that the file names', () => {
    expect(idsOf(read('extends: []'))).toEqual([])
    expect(idsOf(read('extends: []\nrules: { endpoint/inactive: {}, endpoint/timeout-low: low }'))).toEqual([
      'endpoint/inactive',
      'endpoint/timeout-low',
    ])
  })

  it.each(['tls', 'ssrf', 'secrets', 'delivery', 'standard-webhooks', 'all'])('extends the pack %s', (pack) => {
    expect(idsOf(read(`extends: [${pack}]`))).toEqual(packed(pack))
    expect(packed(pack).length).toBeGreaterThan(0)
  })

  it('combines packs', () => {
    const both = new Set([...packed('tls'), ...packed('ssrf')])
    expect(new Set(idsOf(read('extends: [tls, ssrf]')))).toEqual(both)
  })

  it('turns rules off, and changes severities', () => {
    const policy = read('rules: { endpoint/inactive: off, endpoint/url-not-https: critical }')
    expect(idsOf(policy)).toEqual(packed('recommended').filter((id) => id !== 'endpoint/inactive'))
    expect(severityOf(policy, 'endpoint/url-not-https')).toBe('critical')
  })

  it('turns a rule on by naming it', () => {
    expect(idsOf(read('rules: { endpoint/rate-limit-absent: {} }'))).toContain('endpoint/rate-limit-absent')
    expect(packed('recommended')).not.toContain('endpoint/rate-limit-absent')
  })

  it('sets options, and keeps the defaults of others', () => {
    const policy = read('extends: []\nrules:\n  endpoint/timeout-low: { severity: info, min_seconds: 9 }\n')
    expect(saysOfTwo(policy)).toEqual(['timeout is 2 s (policy: at least 9 s)'])
    expect(severityOf(policy, 'endpoint/timeout-low')).toBe('info')
    expect(saysOfTwo(read('extends: []\nrules: { endpoint/timeout-low: high }'))).toEqual([
      'timeout is 2 s (policy: at least 5 s)',
    ])
  })
})

describe('a policy that extends files', () => {
  it('is read in layers: later ones win, rule by rule and option by option', () => {
    const policy = read({
      '/etc/policy.yaml': 'extends: [./base/company.yaml, team.yaml]\nrules: { endpoint/url-not-https: low }\n',
      '/etc/base/company.yaml':
        'extends: [tls]\nrules:\n  endpoint/timeout-low: { severity: high, min_seconds: 5 }\n  endpoint/inactive: high\n',
      '/etc/team.yaml': 'extends: []\nrules:\n  endpoint/timeout-low: { min_seconds: 7 }\n  endpoint/inactive: off\n',
    })
    expect(idsOf(policy).sort()).toEqual([...packed('tls'), 'endpoint/timeout-low'].sort())
    expect(severityOf(policy, 'endpoint/url-not-https')).toBe('low')
    expect(severityOf(policy, 'endpoint/timeout-low')).toBe('high')
    expect(saysOfTwo(policy)).toEqual(['timeout is 2 s (policy: at least 7 s)'])
  })

  it('drops earlier options of a rule that is turned off', () => {
    const policy = read({
      '/etc/policy.yaml': 'extends: [./base.yaml]\nrules: { endpoint/timeout-low: {} }\n',
      '/etc/base.yaml': 'extends: []\nrules: { endpoint/timeout-low: off }\n',
    })
    expect(saysOfTwo(policy)).toEqual(['timeout is 2 s (policy: at least 5 s)'])
  })

  it('takes the rules of an extended file, and no pack unless one is named', () => {
    const policy = read({
      '/etc/policy.yaml': 'extends: [./base.yaml]\n',
      '/etc/base.yaml': 'rules: { endpoint/inactive: low }\n',
    })
    expect(idsOf(policy)).toEqual(['endpoint/inactive'])
  })

  it('reads a file that two others extend', () => {
    const policy = read({
      '/etc/policy.yaml': 'extends: [./a.yaml, ./b.yaml]\n',
      '/etc/a.yaml': 'extends: [./base.yaml]\n',
      '/etc/b.yaml': 'extends: [./base.yaml]\n',
      '/etc/base.yaml': 'extends: []\nrules: { endpoint/inactive: low }\n',
    })
    expect(idsOf(policy)).toEqual(['endpoint/inactive'])
  })

  it.each([
    ['itself', { '/etc/policy.yaml': 'extends: [tls, ./policy.yaml]\n' }, 'policy.yaml:1:16: '],
    [
      'one that extends it',
      { '/etc/policy.yaml': 'extends: [./a.yaml]\n', '/etc/a.yaml': 'rules: {}\nextends: [../etc/policy.yaml]\n' },
      'a.yaml:2:11: ',
    ],
  ])('is refused when it extends %s', (_, files, place) => {
    const [line, ...more] = refusal(files)
    expect(line).toContain(place)
    expect(line).toContain('a circle')
    expect(more).toEqual([])
  })

  it('is refused when an extended file is missing', () => {
    expect(refusal('extends: [./nowhere.yaml]')).toEqual([
      '/etc/policy.yaml:1:11: cannot read `./nowhere.yaml`: ENOENT: /etc/nowhere.yaml',
    ])
  })

  it('reports a mistake in an extended file at its place there', () => {
    const files = { '/etc/policy.yaml': 'extends: [./a.yaml]\n', '/etc/a.yaml': 'rules:\n  endpoint/inactive: bad\n' }
    expect(refusal(files)).toEqual([expect.stringMatching(/a\.yaml:2:22: /)])
  })
})

it('a mistake in a policy is reported together with all others', () => {
  const lines = refusal('rules:\n  endpoint/inactiv: off\n  endpoint/url-not-https: bad\n')
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['/etc/policy.yaml:2:3:', '/etc/policy.yaml:3:27:'])
})

describe('due durations', () => {
  const day = 86_400_000

  it('are merged severity by severity, later files win', () => {
    const files = {
      '/etc/policy.yaml': 'extends: [./company.yaml]\ndue: { high: 7d }\n',
      '/etc/company.yaml': 'due: { critical: 2d, high: 14d, low: 36h }\n',
    }
    expect(read(files).due).toEqual({ critical: 2 * day, high: 7 * day, low: 1.5 * day })
    expect(read('rules: {}').due).toEqual({})
  })

  it('switch on the rule about what is overdue, where its pack or the file has it', () => {
    expect(idsOf(read('due: { high: 14d }'))).toEqual(packed('recommended', true))
    expect(idsOf(read('extends: []\ndue: { high: 14d }'))).toEqual([])
    expect(idsOf(read('extends: []\nrules: { violation/overdue: low }'))).toEqual([])
    const named = read('extends: []\nrules: { violation/overdue: low }\ndue: { high: 14d }')
    expect([idsOf(named), severityOf(named, 'violation/overdue')]).toEqual([['violation/overdue'], 'low'])
  })

  it('are part of the digest, in any order and unit', () => {
    const digest = read('due: { critical: 2d, high: 14d }').digest
    expect(read('due: { high: 2w, critical: 48h }').digest).toBe(digest)
    expect(read('due: { critical: 2d, high: 15d }').digest).not.toBe(digest)
    expect(read('due: {}').digest).toBe(read('rules: {}').digest)
  })
})

describe('the digest of a policy', () => {
  const base = read('rules: { endpoint/timeout-low: { min_seconds: 5 } }').digest

  it('is a SHA-256 in hex', () => expect(base).toMatch(/^[0-9a-f]{64}$/))

  it.each([
    ['order, comments and spelling', '# of the company\nrules:\n  endpoint/timeout-low:\n    min_seconds: 5\n'],
    ['a default that is written out', 'extends: [recommended]\nrules: { endpoint/timeout-low: { min_seconds: 5 } }'],
    [
      'layers that come to the same',
      'extends: [tls, recommended, ssrf]\nrules: { endpoint/timeout-low: { min_seconds: 5 } }',
    ],
    [
      'a rule that is off anyway',
      'rules: { endpoint/timeout-low: { min_seconds: 5 }, endpoint/rate-limit-absent: off }',
    ],
  ])('is the same for %s', (_, text) => {
    expect(read(text).digest).toBe(base)
  })

  it.each([
    ['an option', 'rules: { endpoint/timeout-low: { min_seconds: 6 } }'],
    ['a severity', 'rules: { endpoint/timeout-low: { min_seconds: 5, severity: low } }'],
    ['a rule that is off', 'rules: { endpoint/timeout-low: { min_seconds: 5 }, endpoint/inactive: off }'],
    ['a rule that is on', 'rules: { endpoint/timeout-low: { min_seconds: 5 }, endpoint/rate-limit-absent: {} }'],
  ])('differs for %s', (_, text) => {
    expect(read(text).digest).not.toBe(base)
  })
})

const config = join(import.meta.dirname, '../../config')

it('the policy file has a working example', () => {
  const { rules } = readPolicy(join(config, 'policy.yaml'), (file) => readFileSync(file, 'utf8'))
  const ids = rules.map(({ rule }) => rule.id)
  expect(ids).toContain('endpoint/rate-limit-absent')
  expect(ids).not.toContain('project/retry-hammering')
})

describe('a former rule', () => {
  const instead = 'the service ignores what it is about: `subscription/settings-ignored` says so'

  it.each([
    ['in the rules of a policy', 'rules:\n  subscription/retry-few: { min_tries: 5 }\n', '/etc/policy.yaml:2:3'],
    [
      'in an override',
      'overrides:\n  - match: { kind: endpoint }\n    rules: { subscription/retry-few: off }\n',
      '/etc/policy.yaml:3:14',
    ],
    [
      'in a waiver',
      'waivers:\n  - { rule: subscription/retry-few, match: { uid: s1 }, owner: o, reason: r, expires: 2026-12-31 }\n',
      '/etc/policy.yaml:2:13',
    ],
  ])('is refused %s with what to write instead', (_, text, place) => {
    expect(() => read(text)).toThrow(`${place}: there is no rule \`subscription/retry-few\`, ${instead}`)
  })

  it('ends its violations with what became of it', () => {
    const resource = { kind: 'subscription', uid: 's1', name: 's', attributes: {}, volatile: {}, facts: {} } as const
    const target = { project: { service: 'acme', name: 'acme/p', uid: 'p' }, labels: {}, resource }
    expect(switchOf(read('rules: {}'), 'subscription/retry-few', target)).toEqual({
      isOff: true,
      ended_by: expect.objectContaining({ kind: 'rule_off', reason: `there is no such rule any longer: ${instead}` }),
    })
  })
})

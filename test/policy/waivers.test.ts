import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

function read(yaml: string, others: Readonly<Record<string, string>> = {}): Policy {
  return readPolicy('/etc/policy.yaml', (file) => others[file] ?? yaml, now)
}

/** A file with one waiver for everything of a kind; members as in YAML. */
function withWaiver(changes: Readonly<Record<string, string | undefined>> = {}) {
  const members = {
    rule: 'endpoint/inactive',
    match: '{ kind: endpoint }',
    owner: 'payments team',
    reason: 'moves in spring',
    expires: '2027-03-31',
    ...changes,
  }
  const lines = Object.entries(members).flatMap(([key, value]) => (value === undefined ? [] : `${key}: ${value}`))
  return `waivers:\n  - ${lines.join('\n    ')}\n`
}

/** What is refused, without the file's name. */
function refusal(changes: Readonly<Record<string, string | undefined>>) {
  try {
    read(withWaiver(changes))
  } catch (error) {
    if (error instanceof AuditError && error.kind === 'usage') {
      return error.message.split('\n').map((line) => line.replace('/etc/policy.yaml:', ''))
    }
    throw error
  }
  throw new Error('it was let through')
}

const termsOf = ({ waivers }: Policy) => waivers.map(({ terms }) => terms)

describe('waivers of a policy', () => {
  it.each([
    ['2027-03-31', '2027-04-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['2027-03-31T18:00+02:00', '2027-03-31T16:00:00.000Z'],
    ['2026-01-01', '2026-01-02T00:00:00.000Z'],
  ])('that expire on %s are valid until %s', (expires, until) => {
    const policy = readPolicy('policy.yaml', () => withWaiver({ expires }))
    expect(termsOf(policy)).toEqual([{ owner: 'payments team', reason: 'moves in spring', expires: until }])
  })

  it.each([
    [{ rule: 'endpoint/inactiv' }, ['2:11: there is no rule `endpoint/inactiv`, did you mean `endpoint/inactive`?']],
    [{ rule: "'endpoint/nothing-*'" }, ['2:11: no rule matches `endpoint/nothing-*`']],
    [{ owner: undefined }, [expect.stringMatching(/^2:5: .*owner.*missing|^2:5: .*owner/)]],
    [{ reason: "'  '" }, [expect.stringMatching(/^5:13: /)]],
    [{ expires: '2027-02-30' }, [expect.stringMatching(/^6:14: .*a date such as 2027-03-31/)]],
    [{ expires: '2027-03-31T18:00:00' }, [expect.stringMatching(/^6:14: .*a time with its zone/)]],
    [
      { expires: '2027-11-23' },
      ['6:14: 2027-11-23 is more than 366 days ahead: choose an earlier end, and review the violation then'],
    ],
    [{ expires: '2027-11-22T12:00:01Z' }, [expect.stringMatching(/^6:14: .*more than 366 days ahead/)]],
    [{ match: '{}' }, [expect.stringMatching(/^3:12: .*at least one of its keys/)]],
    [{ until: '2027-03-31' }, [expect.stringMatching(/^7:5: .*until/)]],
  ])('are refused at the line and column of the mistake: %j', (changes, lines) => {
    expect(refusal(changes)).toEqual(lines)
  })

  it('may end 366 days ahead, to the day and to the second', () => {
    for (const expires of ['2027-11-22', '2027-11-22T12:00:00Z']) {
      expect(read(withWaiver({ expires })).waivers).toHaveLength(1)
    }
  })

  it('never repeat a secret in the message about a mistake', () => {
    const path = '/authentication/basic_auth/password'
    const lines = refusal({ rule: 'endpoint/auth-weak', path, value: 'not-a-real-key' })
    expect(lines).toEqual([
      '8:12: name a secret by its seal, `sealed:…`, as reports show it: a policy never contains the secret',
    ])
    const sealed = `sealed:${'0'.repeat(32)}`
    expect(read(withWaiver({ rule: 'endpoint/auth-weak', path, value: sealed })).waivers).toHaveLength(1)
    expect(refusal({ path: '/secrets/k/value', value: '{ a: not-a-real-key }' }).join()).not.toContain('not-a-real-key')
  })

  it('of extended files add up', () => {
    const policy = read(`extends: [./base.yaml]\n${withWaiver()}`, { '/etc/base.yaml': withWaiver({ owner: 'base' }) })
    expect(termsOf(policy).map(({ owner }) => owner)).toEqual(['base', 'payments team'])
  })

  it("are part of the policy's digest", () => {
    const digests = [withWaiver(), withWaiver(), withWaiver({ expires: '2027-04-01' }), 'rules: {}'].map(
      (yaml) => read(yaml).digest,
    )
    expect(digests[0]).toBe(digests[1])
    expect(new Set(digests).size).toBe(3)
  })
})

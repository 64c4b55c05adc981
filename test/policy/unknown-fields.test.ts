import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { readPolicyTests } from '../../src/policy/read-policy-tests.ts'
import { rules } from '../../src/rules/rules.ts'

const file = '/etc/policy.yaml'

function refusal(text: string) {
  const readFile = (path: string) => {
    if (path !== file) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    return text
  }
  try {
    const ids = rules.map(({ id }) => id)
    readPolicyTests(file, readFile, ids)
  } catch (thrown) {
    if (!(thrown instanceof AuditError)) throw thrown
    return thrown.message.split('\n').map((line) => line.replace(`${file}:`, ''))
  }
  return []
}

const testOf = (resource: string, expected = '[]') =>
  `tests:\n  - name: t\n    resources: [${resource}]\n    expect: ${expected}\n`

describe('a policy test', () => {
  it.each([
    ['{ kind: endpoint, urll: x }', '3:35: there is no field `urll` of endpoint, did you mean `url`?'],
    [
      '{ kind: endpoint, authentication: { typ: api_key } }',
      '3:53: there is no field `typ` of authentication, did you mean `type`?',
    ],
    [
      '{ kind: endpoint, secrets: [{ uid: a, valu: b }] }',
      '3:55: there is no field `valu` of secrets, did you mean `value`?',
    ],
    ['{ kind: endpoint, source_uid: x }', expect.stringMatching(/^3:35: there is no field `source_uid` of endpoint/)],
  ])('with a field that no service shows is a mistake: %s', (resource, line) => {
    expect(refusal(testOf(resource))).toEqual([line])
  })

  it.each([
    '{ kind: subscription, uid: s, endpoint_uid: e, source_uid: a, filter_config: { event_types: ["*"] } }',
    '{ kind: source, verifier: { type: hmac, hmac: { secret: x } } }',
    '{ kind: project, name: p, config: { strategy: { type: linear } } }',
  ])('may use each field that a service shows: %s', (resource) => {
    expect(refusal(testOf(resource))).toEqual([])
  })

  it('is checked for all mistakes at once', () => {
    const expected = '[{ rule: endpoint/inactiv }, { rule: endpoint/inactive, severity: hig }]'
    expect(refusal(testOf('{ kind: endpoint, urll: x }', expected))).toEqual([
      '3:35: there is no field `urll` of endpoint, did you mean `url`?',
      expect.stringMatching(/^4:14: there is no rule `endpoint\/inactiv`, did you mean `endpoint\/inactive`\?$/),
      expect.stringMatching(/^4:79: severity is "hig", expected .*; did you mean `high`\?$/),
    ])
  })
})

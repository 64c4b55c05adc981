import { describe, expect, it } from 'vitest'
import type { ListedAcceptance } from '../../src/history/acceptances.ts'
import { chooseAcceptable, type Nameable } from '../../src/questions/choose-acceptable.ts'

function aViolation(fingerprint: string, other: Partial<Nameable> = {}): Nameable {
  const place = {
    project: 'acme/pay',
    kind: 'endpoint',
    uid: `01UID${fingerprint}`,
    name: 'checkout',
    path: '/url',
  } as const
  return { fingerprint: fingerprint.padEnd(32, '0'), rule: 'endpoint/url-not-https', ...place, ...other }
}

const first = aViolation('aaaaaa1')
const second = aViolation('aaaaaa2', { name: 'refunds' })
const policy = aViolation('bbbbbb', { kind: 'policy', rule: 'waiver/unused', name: 'old' })
const overdue = aViolation('cccccc', { kind: 'policy', rule: 'violation/overdue', name: '' })
const active = [first, second, policy, overdue]
const accepted: ListedAcceptance = {
  id: 1,
  project: { name: 'acme/pay', service: 'acme', uid: 'p' },
  fingerprint: first.fingerprint,
  rule: first.rule,
  kind: 'endpoint',
  uid: first.uid,
  name: first.name,
  path: '/url',
  reason: 'it moved',
  valueDigest: null,
  by: 'lee',
  at: '2026-11-24T01:00:00Z',
  acceptedIn: null,
  revoked: undefined,
  ended: undefined,
}

const refusal = (words: readonly string[], acceptances: readonly ListedAcceptance[] = [], among = active) => {
  try {
    return chooseAcceptable(among, words, acceptances)
  } catch (error) {
    const { message, advice = '', exitCode } = error as { message: string; advice?: string; exitCode: number }
    expect(exitCode).toBe(2)
    return `${message}\n${advice}`
  }
}

describe('a violation to accept', () => {
  it('is named by a fingerprint, by its beginning, or by a rule with a name, a uid or a beginning of one', () => {
    for (const words of [
      [first.fingerprint],
      ['aaaaaa1'],
      [first.rule, 'checkout'],
      [first.rule, first.uid],
      [first.rule, '01UIDaaaaaa1'],
      [first.rule, 'check'],
    ]) {
      expect(chooseAcceptable(active, words, [])).toEqual([first])
    }
    expect(chooseAcceptable(active, ['aaaaaa1', 'aaaaaa2', 'aaaaaa1'], [])).toEqual([first, second])
  })

  it.each([
    [['aaaaaa'], '2 active violations begin with "aaaaaa"'],
    [['aaaa'], 'no active violation has the fingerprint "aaaa"'],
    [['endpoint/url-not-https'], 'expected fingerprints, or a rule and the name or uid of one resource'],
    [['endpoint/url-not-https', 'a', 'b'], 'expected fingerprints, or a rule and the name or uid of one resource'],
    [['aaaaaa1', 'endpoint/orphan'], 'expected fingerprints, or a rule and the name or uid of one resource'],
    [['endpoint/orphan', 'checkout'], 'no violation of endpoint/orphan is active\n'],
    [['endpoint/url-not-htps', 'checkout'], 'endpoint/url-not-htps is active, did you mean endpoint/url-not-https?'],
    [['endpoint/url-not-https', 'other'], 'no active violation of endpoint/url-not-https is at a resource "other"'],
    [['waiver/unused', 'old'], 'a violation about a waiver cannot be accepted'],
    [['bbbbbb'], 'a violation about a waiver cannot be accepted'],
    [['cccccc'], 'a violation about a due date cannot be accepted'],
  ])('is not %j', (words, message) => {
    expect(refusal(words)).toContain(message)
  })

  const ofProject = (fingerprint: string, project: string, other: Partial<Nameable> = {}) =>
    aViolation(fingerprint, {
      rule: 'project/vanished',
      kind: 'project',
      name: '',
      uid: '',
      path: '',
      project,
      ...other,
    })
  const vanished = [
    ofProject('eeeeee1', 'acme/payments', { uid: '01P1', name: 'Payments EU' }),
    ofProject('eeeeee2', 'acme/orders', { uid: '01P2', name: 'payments' }),
    ofProject('eeeeee3', 'other/refunds'),
    ofProject('eeeeee4', 'acme/01P4', { uid: '01P4' }),
  ]
  it.each([
    ['its reference', 'acme/payments', 0],
    ['its own name, which another has at the service', 'payments', 0],
    ['its name at the service', 'Payments EU', 0],
    ['its uid', '01P2', 1],
    ['its name, without a resource', 'refunds', 2],
    ['the id that is its name', 'acme/01P4', 3],
  ])('of a project is named by %s', (_, name, index) => {
    expect(chooseAcceptable(vanished, ['project/vanished', name], [])).toEqual([vanished[index]])
  })

  it('is listed with the others where a name fits several', () => {
    const twins = Array.from({ length: 12 }, (_, at) => aViolation(`cccccc${String(at).padStart(2, '0')}`))
    const text = refusal([first.rule, 'checkout'], [], twins)
    expect(text).toContain('12 active violations of endpoint/url-not-https are at "checkout"')
    expect(text).toContain('    cccccc00  acme/pay endpoint "checkout" 01UIDcccccc00 at /url\n')
    expect(text).toMatch(/ {4}… and 2 more$/)
  })

  it('is not accepted twice, unless the first acceptance is over', () => {
    const before =
      'aaaaaa10 was accepted by lee on 2026-11-24: it moved\n`hookdrift accept --revoke aaaaaa10` takes it back'
    expect(refusal([first.fingerprint], [accepted])).toBe(before)
    // The run after it closed the violation.
    expect(refusal(['aaaaaa1'], [accepted], [second])).toBe(before.replace('aaaaaa10 was', 'aaaaaa1 was'))
    expect(refusal([first.rule, first.uid], [accepted], [second])).toBe(before)
    expect(refusal([first.rule, 'checkout'], [accepted], [second])).toBe(before)
    for (const over of [
      { revoked: { by: 'kim', at: '2026-11-25T00:00:00Z' } },
      { ended: { by: 'value_changed', at: '2026-11-25T00:00:00Z' } },
    ] as const) {
      expect(chooseAcceptable(active, ['aaaaaa1'], [{ ...accepted, ...over }])).toEqual([first])
    }
  })
})

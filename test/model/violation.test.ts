import { describe, expect, it } from 'vitest'
import { isCoverageComplete } from '../../src/model/coverage.ts'
import { type Finding, fingerprintOf, isAtLeast, severities } from '../../src/model/violation.ts'

const project = { name: 'acme/payments', service: 'acme', uid: 'p' }
const finding: Finding = {
  rule: 'endpoint/inactive',
  severity: 'high',
  kind: 'endpoint',
  uid: 'e',
  name: 'orders',
  path: '/status',
  message: 'disabled',
}

describe('a fingerprint', () => {
  it('is the same with another wording, severity, resource name or project name', () => {
    const other = { ...finding, severity: 'low', message: 'off', name: 'orders-v2' } as const
    expect(fingerprintOf({ ...project, name: 'acme/renamed' }, other)).toBe(fingerprintOf(project, finding))
    expect(fingerprintOf(project, finding)).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each([{ rule: 'endpoint/orphan' }, { kind: 'source' }, { uid: 'f' }, { path: '' }] as const)(
    'differs with %o',
    (difference) => {
      expect(fingerprintOf(project, { ...finding, ...difference })).not.toBe(fingerprintOf(project, finding))
    },
  )

  it('differs in another service or project', () => {
    expect(fingerprintOf({ ...project, service: 'other' }, finding)).not.toBe(fingerprintOf(project, finding))
    expect(fingerprintOf({ ...project, uid: 'q' }, finding)).not.toBe(fingerprintOf(project, finding))
  })
})

describe('severities', () => {
  it('are ordered worst first', () => {
    expect(severities.filter((severity) => isAtLeast(severity, 'medium'))).toEqual(['critical', 'high', 'medium'])
  })
})

describe('a run', () => {
  it.each([
    ['complete', true],
    ['skipped', true],
    ['partial', false],
    ['failed', false],
    ['suspect', false],
  ] as const)('with a walk that is %s is complete: %s', (status, isComplete) => {
    expect(isCoverageComplete([{ status: 'complete' }, { status }])).toBe(isComplete)
  })
})

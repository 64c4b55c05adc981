import { describe, expect, it } from 'vitest'
import { text } from '../../src/report/text.ts'
import { rules } from '../../src/rules/rules.ts'
import { aReport, aViolation } from './sample-reports.ts'

const plain = { colour: false, width: 200, full: false }
const nextOf = (...violations: readonly ReturnType<typeof aViolation>[]) => {
  const [, next = ''] = text(aReport({ violations }), plain).split('What next\n')
  return next.split('\n').filter((line) => line.includes('hookdrift '))
}

describe('What next', () => {
  it.each(rules.map(({ id }) => id))('proposes to accept a violation of %s only where it is drift', (rule) => {
    const next = nextOf(aViolation({ rule, severity: 'critical', state: 'opened' }))
    expect(next.length).toBeGreaterThan(0)
    expect(next.some((line) => line.includes('hookdrift accept '))).toBe(rule.startsWith('drift/'))
  })

  it('never proposes to accept the most severe one for that: a change next to it, by its name', () => {
    const worst = aViolation({
      rule: 'endpoint/url-metadata-address',
      severity: 'critical',
      fingerprint: 'a'.repeat(32),
    })
    const change = aViolation({
      rule: 'drift/rate-limit-lost',
      severity: 'medium',
      uid: '01M7XVZ2T417WGWM74AAK885VR',
      name: 'payouts',
      fingerprint: 'b'.repeat(32),
    })
    const accepting = nextOf(worst, change).filter((line) => line.includes('hookdrift accept '))
    expect(accepting).toEqual([expect.stringContaining('hookdrift accept bbbbbbbb --reason TEXT')])
    expect(accepting[0]).toContain('if the change of "payouts" was meant')
  })
})

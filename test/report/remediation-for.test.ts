import { describe, expect, it } from 'vitest'
import { remediationFor } from '../../src/report/remediation-for.ts'
import { reports } from './all-reports.ts'
import { aReport, aViolation } from './sample-reports.ts'

const endpoint = (uid: string, fingerprint = 'ab12') => ({ kind: 'endpoint', uid, fingerprint }) as const
const text =
  'Run `hookdrift restore UID --run 2`, or `hookdrift accept FINGERPRINT`: the UID of `hookdrift probe NAME`.'

describe('a remediation for violations', () => {
  it('names the resource and the violation in its commands, and nowhere else', () => {
    expect(remediationFor(text, [endpoint('export-012')])).toBe(
      'Run `hookdrift restore export-012 --run 2`, or `hookdrift accept ab12`: the UID of `hookdrift probe NAME`.',
    )
  })

  it('names the resource alone where several violations are about it, and neither of several resources', () => {
    expect(remediationFor(text, [endpoint('e1', 'a1'), endpoint('e1', 'b2')])).toContain(
      '`hookdrift restore e1 --run 2`, or `hookdrift accept FINGERPRINT`',
    )
    expect(remediationFor(text, [endpoint('e1'), endpoint('e2')])).toContain('`hookdrift restore UID --run 2`')
    expect(remediationFor(text, [])).toBe(text)
  })

  it('names a probe, whose name is its uid', () => {
    const probe = { kind: 'probe', uid: 'orders-body', fingerprint: 'ab12' } as const
    expect(remediationFor('Run `hookdrift probe NAME`.', [probe])).toBe('Run `hookdrift probe orders-body`.')
  })

  it('names nothing that a shell or a reader of Markdown would take for more than a word', () => {
    for (const uid of ['a; reboot', '$(id)', 'a`b', "it's", '', '-x']) {
      expect(remediationFor(text, [endpoint(uid)])).toContain('`hookdrift restore UID --run 2`')
    }
  })
})

describe('a report', () => {
  const rule = {
    id: 'endpoint/url-not-https',
    kind: 'endpoint',
    title: 'Deliveries are not encrypted',
    severity: 'high',
    remediation: '1. Run `hookdrift restore UID`. 2. Replay.',
    controls: [],
    needs: ['endpoint'],
  } as const
  const options = { colour: false, width: 100, full: true }

  it.each(['text', 'html', 'markdown', 'csv', 'ocsf'] as const)(
    'names the resource in the remediation that it shows for it: %s',
    (format) => {
      const shown = reports[format](aReport({ rules: [rule], violations: [aViolation({ uid: '01M7' })] }), options)
      expect(shown).toContain('hookdrift restore 01M7')
      expect(shown).not.toContain('restore UID')
    },
  )

  it.each(['text', 'html', 'markdown'] as const)('has a place for it where it shows one for several: %s', (format) => {
    const violations = [aViolation({ uid: '01M7' }), aViolation({ uid: '01M8' })]
    expect(reports[format](aReport({ rules: [rule], violations }), options)).toContain('hookdrift restore UID')
  })

  it('shows what backticks enclose in a message as code', () => {
    const violations = [aViolation({ message: 'removed (was an API key in `X-Api-Key`)' })]
    expect(reports.html(aReport({ violations }), options)).toContain('(was an API key in <code>X-Api-Key</code>)')
  })
})

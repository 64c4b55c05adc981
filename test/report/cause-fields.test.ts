import { expect, it } from 'vitest'
import { toReportCause } from '../../src/audit/compose-report.ts'
import type { ReportCause } from '../../src/model/report.ts'
import { html } from '../../src/report/html.ts'
import { text } from '../../src/report/text.ts'
import { aChange, aReport, aViolation } from './sample-reports.ts'

function wiped(resources: number): ReportCause {
  const names = Array.from({ length: resources }, (_, at) => `E${at}`)
  const fields = [
    { path: '/authentication', before: null, after: null },
    { path: '/description', before: 'checkout', after: null },
    { path: '/rate_limit', before: null, after: 0 },
  ]
  return {
    id: '17-f01c4302',
    change: 'modified',
    kind: 'endpoint',
    path: '/authentication',
    before: null,
    after: null,
    fields,
    resources,
    affected: names.map((uid) => ({ project: 'acme/payments', uid, name: uid, owner: null })),
    projects: ['acme/payments'],
    owners: [],
    severity: 'high',
    violations: [],
    rules: [],
    first_run: 17,
  }
}

const plain = { colour: false, width: 100, full: false }

it('a cause shows no value before as none where its resources lost different ones', () => {
  const report = aReport({ causes: [wiped(36)] })
  const shown = text(report, plain)
  expect(shown).toContain('/authentication different values → none')
  expect(shown).toContain('/description "checkout" → none')
  expect(shown).toContain('/rate_limit different values → 0')
  expect(html(report, plain)).toContain('<del>different values</del>')
})

it('a cause of which one resource is left still says that a value was lost', () => {
  const shown = text(aReport({ causes: [wiped(1)] }), plain)
  expect(shown).toContain('/authentication its value → none')
  expect(shown).toContain('/rate_limit none → 0')
})

it('the heading of what else changed fits the terminal', () => {
  const drift = (['added', 'removed', 'modified'] as const).map((change) => aChange({ change, fields: [] }))
  const shown = text(aReport({ causes: [wiped(36)], drift }), { ...plain, width: 80 })
  expect(shown).toContain('besides these causes: 1 added, 1 removed,\n1 modified\n')
})

it('a violation that follows from a cause is listed where it is unknown or waived: the cause does not say so', () => {
  const waiver = { owner: 'platform', reason: 'moves', expires: '2027-04-01T00:00:00.000Z' }
  const open = aViolation({ rule: 'drift/rate-limit-lost', uid: 'E0', state: 'continuing' })
  const unknown = aViolation({ rule: 'drift/authentication-lost', uid: 'E0', state: 'unknown' })
  const waived = aViolation({ rule: 'drift/description-changed', uid: 'E0', state: 'waived', waiver })
  const violations = [open, unknown, waived]
  const cause = { ...wiped(1), violations: violations.map(({ fingerprint }) => fingerprint) }
  const shown = text(aReport({ causes: [cause], violations }), plain)
  expect(shown).toMatch(
    /^Unknown, because the scan did not check them: 1 \(1 high\)\nHIGH +drift\/authentication-lost$/m,
  )
  expect(shown).toMatch(/^Waived: 1 violation, accepted by the policy$/m)
  expect(shown).not.toMatch(/^Open before/m)
})

it('the violations that follow from a cause are in one order, regardless of that of a database', () => {
  const [project, kind, uid] = ['acme/payments', 'source', 'S0'] as const
  const violationsAt = ['/verifier/hmac/secret', '/verifier/basic_auth/password'].map((path, at) => {
    return { project, kind, uid, path, rule: 'drift/secret-changed', severity: 'info' as const, fingerprint: `f${at}` }
  })
  const following = (violations: typeof violationsAt) =>
    toReportCause({
      ...{ id: '17-f01c4302', first_run: 17, kind, change: 'modified', fields: [] },
      resources: [{ project, uid, name: uid, owner: null, fields: [], violations }],
    }).violations
  expect(following(violationsAt)).toEqual(['f1', 'f0'])
  expect(following(violationsAt.toReversed())).toEqual(['f1', 'f0'])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import { type Severity, severities, type ViolationState, violationStates } from '../../src/model/violation.ts'
import { composeVerdict } from '../../src/report/verdict.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange } from './sample-reports.ts'

type Case = {
  walks?: CoverageStatus[]
  violations?: [Severity, ViolationState][]
  changes?: number
  failOn?: Severity
}

function verdictOf({ walks = ['complete'], violations = [], changes = 0, failOn = 'medium' }: Case) {
  return composeVerdict({
    coverage: walks.map((status) => ({
      project: 'acme/shop',
      status,
      cause: null,
      reason: null,
      items: status === 'complete' ? 62 : 0,
    })),
    violations: violations.map(([severity, state]) => ({ severity, state })),
    drift: Array.from({ length: changes }, () => aChange()),
    failOn,
  })
}

describe('the verdict', () => {
  it.each<[Case, number, string]>([
    [{ walks: ['complete', 'complete'] }, 0, 'Clean: 124 items, no open violation at medium or above, no drift.'],
    [{ changes: 9 }, 0, 'Clean: 62 items, no open violation at medium or above, 9 changes.'],
    [{ walks: ['complete', 'skipped'] }, 0, 'Clean: 62 items, no open violation at medium or above, no drift.'],
    [
      {
        violations: [
          ['low', 'opened'],
          ['info', 'continuing'],
        ],
        changes: 1,
      },
      0,
      'Clean: 62 items, no open violation at medium or above (1 low, 1 info), 1 change.',
    ],
    [
      { violations: [['critical', 'unknown']] },
      0,
      'Scanned 62 items, no open violation at medium or above, 1 violation unknown, no drift.',
    ],
    [
      {
        violations: [
          ['critical', 'waived'],
          ['critical', 'resolved'],
        ],
      },
      0,
      'Clean: 62 items, no open violation at medium or above, 1 violation waived, no drift.',
    ],
    [
      { violations: [['high', 'opened']], failOn: 'critical' },
      0,
      'Clean: 62 items, no open violation at critical (1 high), no drift.',
    ],
    [{ violations: [['medium', 'opened']] }, 1, '1 open violation (1 medium); no drift.'],
    [{ violations: [['info', 'continuing']], failOn: 'info' }, 1, '1 open violation (1 info); no drift.'],
    [
      {
        violations: [
          ['high', 'opened'],
          ['high', 'continuing'],
          ['low', 'opened'],
        ],
        changes: 2,
      },
      1,
      '3 open violations (2 high, 1 low), 2 at medium or above; 2 changes.',
    ],
    [{ walks: ['complete', 'failed', 'skipped'] }, 3, '1 of 2 walks incomplete; no open violation; no drift.'],
    [{ walks: ['suspect'] }, 3, '1 of 1 walk incomplete; no open violation; no drift.'],
    [
      {
        walks: ['partial', 'complete'],
        violations: [
          ['critical', 'opened'],
          ['high', 'unknown'],
        ],
      },
      3,
      '1 of 2 walks incomplete; 1 open violation (1 critical); 1 violation unknown; no drift.',
    ],
    [
      { walks: ['partial'], violations: [['low', 'opened']] },
      3,
      '1 of 1 walk incomplete; 1 open violation (1 low), none at medium or above; no drift.',
    ],
  ])('of %j exits with %i: %s', (given, exitCode, text) => {
    expect(verdictOf(given)).toMatchObject({ exit_code: exitCode, text })
  })

  it('names a bug that ended the audit of projects first, and each project once', () => {
    const walk = { status: 'failed', reason: null, items: 3 } as const
    const coverage = [
      { ...walk, project: 'acme/shop', cause: 'bug' },
      { ...walk, project: 'acme/shop', cause: 'bug' },
      { ...walk, project: 'acme/crm', cause: 'bug' },
      { ...walk, project: 'acme/erp', cause: 'timeout' },
    ] as const
    expect(composeVerdict({ coverage, violations: [], drift: [], failOn: 'medium' })).toMatchObject({
      exit_code: 4,
      text: 'a bug in hookdrift ended the audit of 2 projects; 4 of 4 walks incomplete; no open violation; no drift.',
    })
  })

  it('counts open violations by severity, the others by state, and changes by type', () => {
    const verdict = verdictOf({
      violations: [
        ...severities.flatMap((severity) =>
          violationStates.map((state): [Severity, ViolationState] => [severity, state]),
        ),
      ],
      changes: 2,
    })
    expect(verdict).toMatchObject({
      fail_on: 'medium',
      violations: { critical: 2, high: 2, medium: 2, low: 2, info: 2 },
      waived: 5,
      unknown: 5,
      resolved: 5,
      drift: { added: 0, removed: 0, modified: 2 },
    })
  })

  it('is never clean with incomplete coverage', () => {
    fc.assert(
      fc.property(arbitraryReport, ({ verdict, coverage }) => {
        const unseen = verdict.unknown > 0 || coverage.some(({ status }) => !['complete', 'skipped'].includes(status))
        if (unseen) expect(verdict.text).not.toMatch(/clean/i)
      }),
    )
  })
})

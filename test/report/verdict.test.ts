import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { ReportProject } from '../../src/model/report.ts'
import {
  type FailOn,
  type Severity,
  severities,
  type ViolationState,
  violationStates,
} from '../../src/model/violation.ts'
import { composeVerdict } from '../../src/report/verdict.ts'
import { tries } from '../thoroughness.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange } from './sample-reports.ts'

type Case = {
  walks?: CoverageStatus[]
  violations?: [Severity, ViolationState][]
  changes?: number
  failOn?: FailOn
  notCompared?: true
  doubts?: NonNullable<ReportProject['doubts']>
  approvedAt?: string
}

function verdictOf({ walks = ['complete'], violations = [], changes = 0, failOn = 'medium', ...past }: Case) {
  return composeVerdict({
    coverage: walks.map((status) => ({
      project: 'acme/shop',
      listing: 'endpoints',
      status,
      cause: null,
      reason: null,
      items: status === 'complete' ? 62 : 0,
      pages: status === 'failed' ? 0 : 1,
    })),
    violations: violations.map(([severity, state]) => ({
      project: 'acme/shop',
      severity,
      state,
      first_seen: state === 'opened' ? '2026-11-21T03:04:00.000Z' : '2026-11-19T22:15:00.000Z',
    })),
    projects: [
      {
        project: 'acme/shop',
        ...(past.notCompared ? { not_compared: ['endpoints'] } : {}),
        ...(past.doubts === undefined ? {} : { doubts: past.doubts }),
        ...(past.approvedAt === undefined ? {} : { approved_at: past.approvedAt }),
      },
    ],
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
      { doubts: { 'endpoint/inactive': [], 'endpoint/url-not-https': [] } },
      0,
      'Scanned 62 items, no open violation at medium or above, 2 rules could not evaluate everything, no drift.',
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
    [
      { walks: ['complete', 'failed', 'skipped'] },
      3,
      '1 of 2 walks incomplete; no open violation in what was scanned; no drift in what was scanned.',
    ],
    [
      { walks: ['suspect'] },
      3,
      '1 of 1 walk incomplete; no open violation in what was scanned; no drift in what was scanned.',
    ],
    [
      {
        walks: ['partial', 'complete'],
        violations: [
          ['critical', 'opened'],
          ['high', 'unknown'],
        ],
      },
      3,
      '1 of 2 walks incomplete; 1 open violation (1 critical); 1 violation unknown; no drift in what was scanned.',
    ],
    [
      { walks: ['partial'], violations: [['low', 'opened']] },
      3,
      '1 of 1 walk incomplete; 1 open violation (1 low), none at medium or above; no drift in what was scanned.',
    ],
    [{ walks: [] }, 3, 'Nothing was scanned.'],
    [{ walks: [], failOn: 'never' }, 3, 'Nothing was scanned.'],
    [{ walks: ['failed', 'failed'] }, 3, '2 of 2 walks incomplete; nothing was scanned.'],
    [
      { walks: ['failed'], violations: [['high', 'unknown']] },
      3,
      '1 of 1 walk incomplete; nothing was scanned; 1 violation unknown.',
    ],
    [{ notCompared: true }, 0, 'Clean: 62 items, no open violation at medium or above, first scan.'],
    [{ notCompared: true, violations: [['high', 'opened']] }, 1, '1 open violation (1 high); first scan.'],
    [
      { violations: [['critical', 'opened']], failOn: 'never' },
      0,
      'Clean: 62 items, open violations fail no run (1 critical), no drift.',
    ],
    [{ failOn: 'never' }, 0, 'Clean: 62 items, no open violation, no drift.'],
    [{ walks: ['failed'], failOn: 'never' }, 3, '1 of 1 walk incomplete; nothing was scanned.'],
    [
      {
        violations: [
          ['critical', 'continuing'],
          ['low', 'opened'],
        ],
        failOn: 'new',
      },
      0,
      'Clean: 62 items, no new violation at medium or above (open: 1 critical, 1 low), no drift.',
    ],
    [
      {
        violations: [
          ['high', 'continuing'],
          ['medium', 'opened'],
        ],
        failOn: 'new',
      },
      1,
      '2 open violations (1 high, 1 medium), 1 new at medium or above; no drift.',
    ],
    [
      { violations: [['high', 'continuing']], failOn: 'new', approvedAt: '2026-11-18T00:00:00.000Z' },
      1,
      '1 open violation (1 high), all new; no drift.',
    ],
    [
      {
        violations: [
          ['high', 'continuing'],
          ['high', 'opened'],
        ],
        failOn: 'new',
        approvedAt: '2026-11-20T00:00:00.000Z',
      },
      1,
      '2 open violations (2 high), 1 new at medium or above; no drift.',
    ],
  ])('of %j exits with %i: %s', (given, exitCode, text) => {
    expect(verdictOf(given)).toMatchObject({ exit_code: exitCode, text })
  })

  it('names a bug that ended the audit of projects first, and each project once', () => {
    const walk = { status: 'failed', items: 3, pages: 1 } as const
    const coverage = [
      { ...walk, project: 'acme/shop', cause: 'bug' },
      { ...walk, project: 'acme/shop', cause: 'bug' },
      { ...walk, project: 'acme/crm', cause: 'bug' },
      { ...walk, project: 'acme/erp', cause: 'timeout' },
    ] as const
    expect(composeVerdict({ coverage, violations: [], drift: [], failOn: 'medium' })).toMatchObject({
      exit_code: 4,
      text: 'a bug in hookdrift ended the audit of 2 projects; 4 of 4 walks incomplete; no open violation in what was scanned; no drift in what was scanned.',
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
      { numRuns: tries(100, { locally: 30 }) },
    )
  })
})

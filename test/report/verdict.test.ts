import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CoverageStatus } from '../../src/model/coverage.ts'
import type { Gap } from '../../src/model/gap.ts'
import type { NoticeCode } from '../../src/model/notice.ts'
import type { ReportDrift, ReportViolation } from '../../src/model/report.ts'
import {
  type FailOn,
  type Severity,
  severities,
  type ViolationState,
  violationStates,
} from '../../src/model/violation.ts'
import { describeNoDrift } from '../../src/report/gaps.ts'
import { composeVerdict, failsRunOf } from '../../src/report/verdict.ts'
import { tries } from '../thoroughness.ts'
import { aFailedRule, aGap } from './a-gap.ts'
import { arbitraryReport } from './arbitrary-report.ts'
import { aChange, aProject, aReport } from './sample-reports.ts'

type Case = {
  walks?: CoverageStatus[]
  violations?: [Severity, ViolationState][]
  changes?: number
  failOn?: FailOn
  notCompared?: true
  gaps?: readonly Gap[]
  rowsWalk?: CoverageStatus
  approvedAt?: string
  notice?: NoticeCode
}

const aWalk = { project: 'acme/shop', listing: 'endpoints', cause: null, reason: null, items: 0 } as const

function verdictOf({ walks = ['complete'], violations = [], changes = 0, failOn = 'medium', ...past }: Case) {
  return composeVerdict({
    coverage: [
      ...walks.map((status) => ({ ...aWalk, status, items: status === 'complete' ? 62 : 0 })),
      ...(past.rowsWalk === undefined ? [] : [{ ...aWalk, listing: 'filters' as const, status: past.rowsWalk }]),
    ].map((walk) => ({ ...walk, pages: walk.status === 'failed' ? 0 : 1 })),
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
        ...(past.approvedAt === undefined ? {} : { approved_at: past.approvedAt }),
      },
    ],
    gaps: past.gaps ?? [],
    drift: Array.from({ length: changes }, () => aChange()),
    notices: past.notice === undefined ? [] : [{ code: past.notice, project: 'acme/shop', listing: null, text: '' }],
    failOn,
  })
}

describe('the verdict', () => {
  it('of a run under another installation key does not say that nothing changed', () => {
    const notices = [{ code: 'seal_key_changed', project: 'acme/shop', listing: null, text: '' } as const]
    const none = 'Nothing changed since the last complete scan'
    expect(describeNoDrift(aReport({ notices }))).toBe(`${none}, in what could be compared.`)
    expect(describeNoDrift(aReport())).toBe(`${none}.`)
  })

  it.each<[Case, number, string]>([
    [{ walks: ['complete', 'complete'] }, 0, 'Passed: 124 resources, no open violation at medium or above, no drift.'],
    [{ changes: 9 }, 0, 'Passed: 62 resources, no open violation at medium or above, 9 changes.'],
    [{ walks: ['complete', 'skipped'] }, 0, 'Passed: 62 resources, no open violation at medium or above, no drift.'],
    [
      {
        violations: [
          ['low', 'opened'],
          ['info', 'continuing'],
        ],
        changes: 1,
      },
      0,
      'Passed: 62 resources, no open violation at medium or above (1 low, 1 info), 1 change.',
    ],
    [
      { violations: [['critical', 'unknown']] },
      3,
      'Scanned 62 resources; no open violation at medium or above; 1 violation unknown; no drift.',
    ],
    [
      {
        violations: [
          ['high', 'unknown'],
          ['low', 'unknown'],
        ],
      },
      3,
      'Scanned 62 resources; no open violation at medium or above; 2 violations unknown (1 at medium or above); no drift.',
    ],
    [
      { violations: [['low', 'unknown']] },
      0,
      'Scanned 62 resources, no open violation at medium or above, 1 violation unknown, no drift.',
    ],
    [
      {
        violations: [
          ['high', 'unknown'],
          ['high', 'opened'],
        ],
      },
      3,
      '1 open violation (1 high); 1 violation unknown; no drift.',
    ],
    [
      { violations: [['critical', 'unknown']], failOn: 'never' },
      0,
      'Scanned 62 resources, no open violation, 1 violation unknown, no drift.',
    ],
    [
      {
        gaps: [aGap('endpoint/inactive'), aGap('endpoint/url-not-https'), aGap('endpoint/inactive', { field: 'name' })],
      },
      0,
      'Scanned 62 resources, no open violation at medium or above, 2 rules could not evaluate everything, no drift.',
    ],
    [
      { notice: 'seal_key_changed' },
      0,
      'Scanned 62 resources, no open violation at medium or above, no drift in what could be compared.',
    ],
    [
      { notice: 'normal_form_changed', violations: [['medium', 'opened']] },
      1,
      '1 open violation (1 medium); no drift in what could be compared.',
    ],
    [{ notice: 'fields_changed' }, 0, 'Passed: 62 resources, no open violation at medium or above, no drift.'],
    [
      { gaps: [aFailedRule('acme/owner-known', 'age: not a time')] },
      0,
      'Scanned 62 resources, no open violation at medium or above, 1 rule could not evaluate everything, no drift.',
    ],
    [
      { gaps: [aGap('subscription/filter-off', { cause: 'rows_unread' })], rowsWalk: 'complete' },
      0,
      'Scanned 62 resources, no open violation at medium or above, 1 rule could not evaluate everything, no drift.',
    ],
    [
      { gaps: [aGap('subscription/filter-off', { cause: 'rows_unread' })], rowsWalk: 'skipped' },
      0,
      'Scanned 62 resources, no open violation at medium or above, 1 rule could not evaluate everything, no drift.',
    ],
    [
      {
        violations: [
          ['critical', 'waived'],
          ['critical', 'resolved'],
        ],
      },
      0,
      'Passed: 62 resources, no open violation at medium or above, 1 violation waived, no drift.',
    ],
    [
      { violations: [['high', 'opened']], failOn: 'critical' },
      0,
      'Passed: 62 resources, no open violation at critical (1 high), no drift.',
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
      '1 of 2 listings incomplete; no open violation in what was scanned; no drift in what was scanned.',
    ],
    [
      { walks: ['suspect'] },
      3,
      '1 of 1 listing incomplete; no open violation in what was scanned; no drift in what was scanned.',
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
      '1 of 2 listings incomplete; 1 open violation (1 critical); 1 violation unknown; no drift in what was scanned.',
    ],
    [
      { walks: ['partial'], violations: [['low', 'opened']] },
      3,
      '1 of 1 listing incomplete; 1 open violation (1 low), none at medium or above; no drift in what was scanned.',
    ],
    [{ walks: [] }, 3, 'Nothing was scanned.'],
    [{ walks: [], failOn: 'never' }, 3, 'Nothing was scanned.'],
    [{ walks: [], violations: [['high', 'continuing']] }, 3, 'Nothing was scanned; 1 open violation (1 high).'],
    [
      { walks: ['failed'], violations: [['high', 'continuing']] },
      3,
      '1 of 1 listing incomplete; 1 open violation (1 high).',
    ],
    [
      { walks: ['failed'], violations: [['high', 'continuing']], failOn: 'never' },
      3,
      '1 of 1 listing incomplete; 1 open violation (1 high).',
    ],
    [
      { violations: [['high', 'unknown']], gaps: [aGap('endpoint/inactive')] },
      3,
      'Scanned 62 resources; no open violation at medium or above; 1 violation unknown; 1 rule could not evaluate everything; no drift.',
    ],
    [{ failOn: 'new' }, 0, 'Passed: 62 resources, no new violation at medium or above, no drift.'],
    [
      { violations: [['high', 'continuing']], failOn: 'new', approvedAt: '2026-11-19T22:15:00.000Z' },
      0,
      'Passed: 62 resources, no new violation at medium or above (open: 1 high), no drift.',
    ],
    [{ walks: ['failed', 'failed'] }, 3, '2 of 2 listings incomplete; nothing was scanned.'],
    [
      { walks: ['failed'], violations: [['high', 'unknown']] },
      3,
      '1 of 1 listing incomplete; nothing was scanned; 1 violation unknown.',
    ],
    [{ notCompared: true }, 0, 'Passed: 62 resources, no open violation at medium or above, first scan.'],
    [{ notCompared: true, violations: [['high', 'opened']] }, 1, '1 open violation (1 high); first scan.'],
    [
      { violations: [['critical', 'opened']], failOn: 'never' },
      0,
      'Passed: 62 resources, open violations fail no run (1 critical), no drift.',
    ],
    [{ failOn: 'never' }, 0, 'Passed: 62 resources, no open violation, no drift.'],
    [{ walks: ['failed'], failOn: 'never' }, 3, '1 of 1 listing incomplete; nothing was scanned.'],
    [
      {
        violations: [
          ['critical', 'continuing'],
          ['low', 'opened'],
        ],
        failOn: 'new',
      },
      0,
      'Passed: 62 resources, no new violation at medium or above (open: 1 critical, 1 low), no drift.',
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
      text: 'a bug in hookdrift ended the audit of 2 projects; 4 of 4 listings incomplete; no open violation in what was scanned; no drift in what was scanned.',
    })
  })

  it.each([
    ['sigint', 130],
    ['sigterm', 143],
  ] as const)('of a run that %s interrupted exits with %i, regardless of what else went wrong', (cause, exitCode) => {
    const walk = { project: 'acme/shop', status: 'failed', items: 3, pages: 1 } as const
    const coverage = [
      { ...walk, cause: 'bug' },
      { ...walk, cause },
      { ...walk, status: 'complete', cause: null },
    ] as const
    const violations = [{ severity: 'critical', state: 'opened' }] as const
    expect(composeVerdict({ coverage, violations, drift: [], failOn: 'medium' }).exit_code).toBe(exitCode)
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
    const drift = (['added', 'added', 'added', 'removed', 'modified', 'modified'] as const).map((change) =>
      aChange({ change }),
    )
    const counted = composeVerdict({ coverage: [], violations: [], drift, failOn: 'medium' })
    expect(counted.drift).toEqual({ added: 3, removed: 1, modified: 2 })
  })

  it.each<[(string | null)[], string]>([
    [[null, null], '2 changes'],
    [['deploys', null], '2 changes (1 in a change window)'],
    [['deploys', 'nights'], '2 changes (in a change window)'],
  ])('of changes in the windows %j says: %s', (windows, text) => {
    const coverage = [{ project: 'acme/shop', status: 'complete', cause: null, items: 3, pages: 1 }] as const
    const drift = windows.map((window) => aChange({ window }))
    expect(composeVerdict({ coverage, violations: [], drift, failOn: 'medium' }).text).toBe(
      `Passed: 3 resources, no open violation at medium or above, ${text}.`,
    )
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

describe('a run that fails on what is new', () => {
  const resource = { project: 'acme/payments', kind: 'endpoint', uid: 'e1' } as const
  const announced = {
    ...resource,
    change: 'modified',
    fields: ['/url', '/description'].map((path) => ({ path, before: 'a', after: 'b' })),
    window: 'deploys',
  } as const
  const opened = { ...resource, path: '/url', severity: 'high', state: 'opened', first_seen: '2026-11-21' } as const

  it.each<[string, Partial<ReportViolation>, Partial<ReportDrift>, boolean]>([
    ['of what changed in a window', {}, {}, false],
    ['of a part of what changed', { path: '/url/host' }, {}, false],
    ['of the whole resource', { path: '' }, {}, false],
    ['of a resource that was added', { path: '/name' }, { change: 'added', fields: [] }, false],
    ['of a change outside of any window', {}, { window: null }, true],
    ['of a field that did not change', { path: '/name' }, {}, true],
    ['of another resource', { uid: 'e2' }, {}, true],
    ['of another kind', { kind: 'source' }, {}, true],
    ['of another project', { project: 'acme/crm' }, {}, true],
    ['below medium', { severity: 'low' }, { window: null }, false],
    ['that continues', { state: 'continuing' }, { window: null }, false],
  ])('counts a violation %s: %j %j %s', (_, violation, change, fails) => {
    const drift = [aChange({ ...announced, ...change })]
    const coverage = [{ project: 'acme/payments', status: 'complete', cause: null, items: 1, pages: 1 }] as const
    const violations = [{ ...opened, ...violation }]
    const verdict = composeVerdict({ coverage, violations, drift, failOn: 'new' })
    expect(verdict.exit_code).toBe(fails ? 1 : 0)
    expect(failsRunOf({ verdict, projects: [], drift })({ ...opened, ...violation })).toBe(fails)
  })

  it('counts a violation that was new since the approval, in any window', () => {
    const drift = [aChange(announced)]
    const projects = [aProject({ project: 'acme/payments', approved_at: '2026-11-20' })]
    const coverage = [{ project: 'acme/payments', status: 'complete', cause: null, items: 1, pages: 1 }] as const
    const violations = [{ ...opened, state: 'continuing' }] as const
    expect(composeVerdict({ coverage, violations, projects, drift, failOn: 'new' }).exit_code).toBe(1)
  })

  it('is the only one that windows matter to', () => {
    const coverage = [{ project: 'acme/payments', status: 'complete', cause: null, items: 1, pages: 1 }] as const
    const drift = [aChange(announced)]
    expect(composeVerdict({ coverage, violations: [opened], drift, failOn: 'medium' }).exit_code).toBe(1)
  })
})

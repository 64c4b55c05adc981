import { createHash } from 'node:crypto'
import { decidedAt, decidedBy } from '../../src/model/ending.ts'
import type { ReportProject } from '../../src/model/evaluation.ts'
import type { Note } from '../../src/model/note.ts'
import type { Notice } from '../../src/model/notice.ts'
import type { Report, ReportCoverage, ReportDrift, ReportViolation } from '../../src/model/report.ts'
import type { Trend } from '../../src/model/trend.ts'
import type { AcceptedViolation, FailOn } from '../../src/model/violation.ts'
import { composeVerdict } from '../../src/report/verdict.ts'
import { aGap } from './a-gap.ts'

/** How most tests have a report rendered. */
export const options = { colour: false, width: 80, full: true }

/** The smallest values of each kind, which differ by what a test sets. */

export function aReport(parts: Partial<Omit<Report, 'verdict'>> & { failOn?: FailOn } = {}): Report {
  const { failOn = 'medium', ...given } = parts
  const document = {
    schema: 'hookdrift.report/3',
    tool: { name: 'hookdrift', version: '0.1.0' },
    run: {
      number: 17,
      started_at: '2026-11-21T03:04:00.120Z',
      finished_at: '2026-11-21T03:04:12.480Z',
      state: 'committed',
    },
    digests: { policy: 'b'.repeat(64), configuration: 'c'.repeat(64), chain: null },
    coverage_of_fleet: { scanned: 1, known: 1 },
    coverage: [aWalk()],
    gaps: [],
    notices: [],
    drift: [],
    notes: [],
    causes: [],
    violations: [],
    accepted: [],
    projects: [],
    rules: [],
    ...given,
  } as const
  return { ...document, verdict: composeVerdict({ ...document, failOn }) }
}

export function aWalk(parts: Partial<ReportCoverage> = {}): ReportCoverage {
  return {
    project: 'acme/payments',
    listing: 'endpoints',
    status: 'complete',
    cause: (parts.status ?? 'complete') === 'complete' ? null : 'timeout',
    reason: null,
    filter: null,
    pages: 1,
    items: 3,
    requests: 1,
    retries: 0,
    duration_ms: 41,
    ...parts,
  }
}

export function aProject(parts: Partial<ReportProject> = {}): ReportProject {
  return {
    project: 'acme/payments',
    labels: {},
    configured_at: null,
    resources: { endpoint: 44 },
    evaluated_by_rule: {},
    ...parts,
  }
}

/** Two weeks in which the open violations become fewer; the last one has an incomplete run. */
export const aTrend: Trend = {
  from: '2026-11-07T03:04:00.120Z',
  to: '2026-11-21T03:04:00.120Z',
  weeks: [
    {
      from: '2026-11-07T03:04:00.120Z',
      to: '2026-11-14T03:04:00.120Z',
      opened: 12,
      fixed: 0,
      removed: 0,
      closed: 0,
      waived: 0,
      open: 12,
      runs: 7,
      incomplete: 0,
    },
    {
      from: '2026-11-14T03:04:00.120Z',
      to: '2026-11-21T03:04:00.120Z',
      opened: 1,
      fixed: 6,
      removed: 1,
      closed: 2,
      waived: 0,
      open: 4,
      runs: 7,
      incomplete: 1,
    },
  ],
  days: [12, 12, 12, 13, 10, 8, 4].map((high, at) => ({
    date: `2026-11-${15 + at}`,
    opened: 0,
    fixed: 0,
    removed: 0,
    closed: 0,
    waived: 0,
    runs: 1,
    incomplete: 0,
    open: { critical: 0, high, medium: 0, low: 0, info: 0 },
  })),
  all: { open: 4, oldest: '2026-11-07T03:04:00.120Z', fixed: 7, mean_time_to_fix_ms: 310_628_571 },
  notes: [],
  bySeverity: [
    { severity: 'critical', open: 0, oldest: null, fixed: 2, mean_time_to_fix_ms: 7_200_000 },
    { severity: 'high', open: 4, oldest: '2026-11-07T03:04:00.120Z', fixed: 5, mean_time_to_fix_ms: 432_000_000 },
  ],
}

/** 6,500 violations of 30 rules in 40 projects, with drift, notices, and resolved and waived violations. */
export function fleetReport(isFirst: boolean): Report {
  const projects = Array.from({ length: 40 }, (_, at) =>
    aProject({ project: `acme/p${at}`, ...(isFirst ? { not_compared: ['endpoints'] } : {}) }),
  )
  const many = (from: number, length: number, parts: Partial<ReportViolation>) =>
    Array.from({ length }, (_, at) => {
      const rule = Math.floor((at * 30) / length)
      return aViolation({
        rule: `endpoint/rule-${rule}`,
        severity: (['critical', 'high', 'medium', 'low', 'info'] as const)[Math.floor(rule / 6)] ?? 'info',
        project: `acme/p${at % 40}`,
        owner: `tenant-${at % 60}`,
        uid: ulidLike(from + at),
        name: `endpoint ${from + at}`,
        ...parts,
      })
    })
  const waiver = { owner: 'platform', reason: 'moves', expires: '2027-04-01T00:00:00.000Z' }
  return aReport({
    coverage: projects.map(({ project }) => aWalk({ project, items: 300 })),
    projects,
    drift: isFirst
      ? []
      : Array.from({ length: 400 }, (_, at) => aChange({ uid: ulidLike(at), name: `endpoint ${at}` })),
    notices: Array.from({ length: 40 }, () => notices).flat(),
    violations: [
      ...many(0, isFirst ? 6500 : 500, {}),
      ...(isFirst ? [] : many(500, 6000, { ...continuing, name: '' })),
      ...many(6500, 300, { ...continuing, state: 'resolved' }),
      ...many(7000, 300, { ...continuing, state: 'waived', waiver }),
    ],
    rules: Array.from({ length: 30 }, (_, at) => ({
      id: `endpoint/rule-${at}`,
      kind: 'endpoint',
      title: `Rule ${at}`,
      remediation: `remediation ${at}`,
      severity: 'high',
      controls: [],
      needs: ['endpoint'],
    })),
  })
}

export function aNote(parts: Partial<Note> = {}): Note {
  return {
    id: 1,
    at: '2026-11-21T02:50:00.000Z',
    text: 'deploy 4.2',
    ref: null,
    by: 'ada',
    projects: [],
    ...parts,
  }
}

export function aChange(parts: Partial<ReportDrift> = {}): ReportDrift {
  return {
    project: 'acme/payments',
    kind: 'endpoint',
    uid: '01M7XVZ2T417WGWM74AAK885VQ',
    name: 'orders',
    change: 'modified',
    fields: [],
    between: {
      after: '2026-11-21T02:45:00.000Z',
      before: '2026-11-21T03:00:41.000Z',
      after_run: 16,
      before_run: 17,
    },
    window: null,
    notes: [],
    repairs: [],
    ...parts,
  }
}

export function aViolation(parts: Partial<ReportViolation> = {}): ReportViolation {
  const violation = {
    rule: 'endpoint/url-not-https',
    severity: 'high',
    state: 'opened',
    resolution: null,
    ended_by: null,
    project: 'acme/payments',
    kind: 'endpoint',
    uid: '01M7XVZ2T417WGWM74AAK885VQ',
    name: 'orders',
    owner: 'tenant-01',
    path: '/url',
    message: 'sends to http://hooks.example.com, without TLS',
    first_seen: '2026-11-21T03:04:00.120Z',
    last_seen: '2026-11-21T03:04:00.120Z',
    due_at: null,
    ...parts,
  } as const
  const identity = [violation.rule, violation.project, violation.uid, violation.path].join(' ')
  return { fingerprint: createHash('md5').update(identity).digest('hex'), ...violation }
}

const walks: readonly ReportCoverage[] = [
  aWalk({ project: 'acme/invoices', listing: 'endpoints', items: 21 }),
  aWalk({ project: 'acme/invoices', listing: 'subscriptions', items: 19, pages: 2 }),
  aWalk({
    project: 'acme/invoices',
    listing: 'sources',
    status: 'skipped',
    cause: 'not_offered',
    reason: 'the service does not offer it (404)',
    items: 0,
    pages: 0,
  }),
  aWalk({ project: 'acme/payments', listing: 'endpoints', items: 44, pages: 3 }),
  aWalk({ project: 'acme/payments', listing: 'subscriptions', items: 40, pages: 3 }),
  aWalk({
    project: 'acme/payments',
    listing: 'sources',
    status: 'skipped',
    cause: 'not_offered',
    reason: 'the service does not offer it (404)',
    items: 0,
    pages: 0,
  }),
]

const notices: readonly Notice[] = [
  {
    code: 'fields_changed',
    project: 'acme/payments',
    listing: null,
    text: 'the service now shows delivery_mode, which it did not before; it is compared from the next run on',
  },
]

export function anAcceptance(parts: Partial<AcceptedViolation> = {}): AcceptedViolation {
  return {
    fingerprint: 'a9c4e1d2b3f40516273849506a7b8c9d',
    rule: 'drift/url-host-changed',
    severity: 'high',
    project: 'acme/payments',
    kind: 'endpoint',
    uid: '01M7XW3N8G0Q5R7T9V1X3Z5B7D',
    name: 'refunds',
    path: '/url',
    message: 'moved from hooks.old.example.com to hooks.new.example.com',
    reason: 'the receiver moved, ticket 4711',
    by: 'lee',
    at: '2026-11-20T09:30:00.000Z',
    ...parts,
  }
}

const continuing = { state: 'continuing', first_seen: '2026-11-19T22:15:00.000Z' } as const

const drift: readonly ReportDrift[] = [
  aChange({
    project: 'acme/invoices',
    kind: 'subscription',
    uid: '01M7Y0C5R2J3N9F6B8T4W1XKDE',
    name: 'monthly statements',
    change: 'added',
  }),
  aChange({
    name: 'orders',
    fields: [
      { path: '/advanced_signatures', before: true, after: false },
      { path: '/http_timeout', before: 30, after: 90 },
      {
        path: '/secrets/01M7XW0A3Q8ZK4N5V6B7C8D9EF/value',
        before: 'sealed:3fa1c2d49b0e8f7766554433221100ff',
        after: 'sealed:b81d07e29b0e8f7766554433221100ff',
      },
      {
        path: '/url',
        before: 'https://hooks.example.com/orders/created',
        after: 'http://hooks.example.net/orders/created',
      },
    ],
  }),
  aChange({ uid: '01M7XW9F3T5B7D9G2J4M6P8R0V', name: '', change: 'removed' }),
  aChange({
    kind: 'source',
    uid: '01M7XWB1K3M5Q7S9V2X4Z6B8D0',
    name: 'shop events',
    fields: [
      {
        path: '/body_function',
        before: `function transform(payload) {\n  // one event per line item\n  return payload.items.map((item) => ({ id: item.id, total: item.total }));\n}\n`,
        after: `function transform(payload) {\n  // one event per line item\n  return payload.items.map((item) => ({ id: item.id, total: item.total * 100 }));\n}\n`,
      },
      { path: '/verifier', before: { hmac: { hash: 'SHA256', header: 'X-Signature' }, type: 'hmac' }, after: null },
    ],
    referrers: ['01M7XX1A2B3C4D5E6F7G8H9J0K', '01M7XX2B3C4D5E6F7G8H9J0KAM'],
  }),
]

const violations: readonly ReportViolation[] = [
  aViolation({
    rule: 'drift/verification-weakened',
    severity: 'critical',
    kind: 'source',
    uid: '01M7XWB1K3M5Q7S9V2X4Z6B8D0',
    name: 'shop events',
    path: '/verifier',
    message: 'was verified with hmac SHA256 in the baseline and is not verified now',
  }),
  aViolation({}),
  aViolation({
    ...continuing,
    rule: 'endpoint/secret-all-expired',
    uid: '01M7XWC7H9K2M4P6R8T0V3X5Z7',
    name: 'ledger',
    path: '/secrets',
    message: 'all 2 active secrets have expired, the last on 2026-11-02; receivers can no longer rely on any of them',
  }),
  aViolation({
    ...continuing,
    rule: 'endpoint/timeout-high',
    severity: 'medium',
    path: '/http_timeout',
    message: 'timeout is 90 s (policy: at most 60 s)',
  }),
  aViolation({
    ...continuing,
    rule: 'probe/failed',
    severity: 'high',
    state: 'unknown',
    kind: 'probe',
    uid: 'orders-body',
    name: 'orders-body',
    path: '/outcome',
    message: 'the body function fails on payload order.json: TypeError: payload.items is undefined',
    last_seen: '2026-11-20T09:30:00.000Z',
  }),
  aViolation({
    ...continuing,
    state: 'waived',
    uid: '01M7XWD8J0L3N5Q7S9U1W4Y6A8',
    name: 'legacy',
    waiver: {
      owner: 'payments team',
      reason: 'the receiver moves to TLS with its next release',
      expires: '2027-04-01T00:00:00.000Z',
      ticket: 'OPS-4711',
    },
  }),
  aViolation({
    ...continuing,
    rule: 'endpoint/inactive',
    state: 'resolved',
    resolution: 'fixed',
    uid: '01M7XWE9K1M4P6R8T0V2X5Z7B9',
    name: 'refunds',
    path: '/status',
    message: 'is inactive: its events are being discarded',
  }),
  aViolation({
    ...continuing,
    rule: 'drift/authentication-lost',
    state: 'resolved',
    resolution: 'accepted',
    ended_by: decidedBy('baseline', { by: 'eve', at: '2026-11-20T15:13:00.000Z', reason: 'looks fine', run: 5 }),
    uid: '01M7XWF0M3P5R7T9V1X3Z5B7D9',
    name: 'checkout',
    path: '/authentication',
    message: 'authentication removed (was an API key in X-Api-Key)',
  }),
  aViolation({
    ...continuing,
    rule: 'endpoint/timeout-high',
    severity: 'medium',
    state: 'resolved',
    resolution: 'policy',
    ended_by: decidedAt('override', { reason: null, configuredAt: { file: 'policy.yaml', line: 12 } }),
    uid: '01M7XWG1N4Q6S8U0W2Y4A6C8E0',
    name: 'exports',
    path: '/http_timeout',
    message: 'timeout is 90 s (policy: at most 60 s)',
  }),
]

const probeNotRun = aGap('probe/failed', {
  ...({ cause: 'probe_not_run', kind: 'probe', field: null, uids: ['orders-body'] } as const),
  text: 'probe/failed missed 1 probe that did not run',
})

export const samples = {
  small: aReport({ coverage: walks, gaps: [probeNotRun], notices, drift, violations, accepted: [anAcceptance()] }),

  clean: aReport({ coverage: walks.filter(({ status }) => status === 'complete') }),

  incomplete: aReport({
    coverage: [
      aWalk({
        project: 'acme/billing',
        listing: 'endpoints',
        status: 'failed',
        cause: 'refused_key',
        reason: 'reading page 1: the service refused the key (401 unauthorized), request 01M7Y3; check ACME_KEY',
        pages: 0,
        items: 0,
      }),
      aWalk({
        project: 'acme/billing',
        listing: 'subscriptions',
        status: 'failed',
        cause: 'refused_key',
        reason: 'not tried: the key was refused',
        pages: 0,
        items: 0,
      }),
      ...walks.slice(0, 4),
      aWalk({
        listing: 'subscriptions',
        status: 'partial',
        reason: 'page 4 did not arrive within 30 s, 4 times in 60 s, request 01M7Y5',
        pages: 3,
        items: 3000,
      }),
      aWalk({
        project: 'acme/shop',
        status: 'suspect',
        cause: 'suspect_loss',
        reason: 'lost 41 of 120 resources (34 %); held back until a second walk shows the same',
        items: 79,
      }),
    ],
    drift: drift.slice(0, 1),
    violations: [
      aViolation({ ...continuing }),
      aViolation({
        ...continuing,
        project: 'acme/billing',
        state: 'unknown',
        uid: '01M7XWF0L2N5Q7S9U1W3Y6A8C0',
        name: 'dunning',
        last_seen: '2026-11-21T02:49:00.000Z',
      }),
    ],
  }),

  large: aReport({
    coverage: walks,
    drift: Array.from({ length: 61 }, (_, at) =>
      aChange({
        uid: ulidLike(at),
        name: `tenant ${at}`,
        fields: [{ path: '/status', before: 'active', after: 'paused' }],
      }),
    ),
    violations: Array.from({ length: 120 }, (_, at) =>
      aViolation({
        ...(at % 3 === 0 ? {} : continuing),
        severity: at < 4 ? 'critical' : at < 40 ? 'high' : 'low',
        uid: ulidLike(at),
        name: `tenant ${at}`,
        message: `sends to http://tenant-${at}.example.com/hooks, without TLS`,
      }),
    ),
  }),
} as const satisfies Record<string, Report>

function ulidLike(at: number): string {
  return `01M7Z${String(at).padStart(21, '0')}`
}

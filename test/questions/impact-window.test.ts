import { describe, expect, it } from 'vitest'
import type { ReportedChange, VersionSpan, ViolationSpan } from '../../src/history/sql/resource-life.ts'
import {
  type DriftSpan,
  driftOfChange,
  driftOfViolation,
  driftsOfResource,
  type ProjectRuns,
  type ResourceLife,
} from '../../src/questions/impact-window.ts'

const at = (run: number, minute = 0) =>
  `2026-11-21T${String(run).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000Z`
const times = new Map([1, 2, 3, 4, 5, 6, 7].map((run) => [run, { started_at: at(run), finished_at: at(run, 5) }]))
const runs: ProjectRuns = { times, complete: new Set([1, 2, 4, 5, 6, 7]) }

/** An endpoint by its statuses: each from a run on; null: gone. */
function life(
  states: readonly (readonly [run: number, status: string | null, name?: string])[],
  violations: readonly ViolationSpan[] = [],
): ResourceLife {
  const spans = states.map(([run, status, name = 'a'], place) => ({
    run,
    status,
    name,
    to: states[place + 1]?.[0] ?? null,
  }))
  const versions = spans.flatMap(({ run, status, name, to }): VersionSpan[] =>
    status === null
      ? []
      : [
          {
            name,
            fromRun: run,
            from: at(run),
            toRun: to,
            to: to === null ? null : at(to),
            digest: '',
            body: JSON.stringify({ name, status }),
            facts: '',
            sealKeyId: 'k',
            isAdded: false,
            isRemoved: false,
            isContinued: false,
          },
        ],
  )
  const changes = new Map(
    spans.slice(1).map(({ run }): [number, ReportedChange] => {
      const between = { after: at(run - 1), before: at(run, 5), after_run: run - 1, before_run: run }
      return [run, { name: 'a', change: 'modified', fields: [], at: at(run), isOfPrunedRun: false, between }]
    }),
  )
  return { kind: 'endpoint', versions, violations, changes }
}

const violation = (fromRun: number, toRun: number | null, more: Partial<ViolationSpan> = {}): ViolationSpan => ({
  fingerprint: 'f',
  rule: 'drift/x',
  severity: 'high',
  kind: 'endpoint',
  uid: 'u',
  name: 'a',
  path: '/status',
  message: '',
  state: 'open',
  resolution: toRun === null ? null : 'fixed',
  ended_by: null,
  isContinued: false,
  goesOn: false,
  fromRun,
  from: at(fromRun),
  toRun,
  to: toRun === null ? null : at(toRun),
  ...more,
})

const shown = (drift: DriftSpan | undefined) =>
  drift &&
  `${drift.from.isSeen ? '' : 'unseen '}${drift.from.run} ${drift.from.at.slice(11, 16)} – ${drift.to === undefined ? 'now' : `${drift.to.run} ${drift.to.at.slice(11, 16)}`}`

describe('the window of a violation', () => {
  const statuses = [
    [1, 'active'],
    [3, 'paused'],
  ] as const
  it.each<[string, ResourceLife, readonly ViolationSpan[], string]>([
    [
      'runs from the last run that saw the former value until now',
      life(statuses),
      [violation(3, null, { originRun: 2 })],
      '2 02:00 – now',
    ],
    [
      'ends with the run that saw the value put back',
      life([...statuses, [6, 'active']]),
      [violation(3, 6, { originRun: 2 })],
      '2 02:00 – 6 06:05',
    ],
    [
      'ends with the run that found it fixed in another way',
      life([...statuses, [6, 'inactive']]),
      [violation(3, 6, { originRun: 2 })],
      '2 02:00 – 6 06:05',
    ],
    [
      'goes on where a person accepted it',
      life(statuses),
      [violation(3, 5, { originRun: 2, resolution: 'accepted' })],
      '2 02:00 – now',
    ],
    [
      'begins at the change of its field, not at one before',
      life([
        [1, 'active'],
        [2, 'active', 'b'],
        [4, 'paused', 'b'],
      ]),
      [violation(4, null, { originRun: 1 })],
      '3 03:00 – now',
    ],
    [
      'ends at the change of its field, not at one before',
      life([...statuses, [4, 'paused', 'b'], [5, 'active', 'c']]),
      [violation(3, 5, { originRun: 2 })],
      '2 02:00 – 5 05:05',
    ],
    [
      'is the last one of a violation that came back',
      life([...statuses, [4, 'active'], [6, 'paused']]),
      [violation(3, 4, { originRun: 2 }), violation(6, null, { originRun: 5 })],
      '5 05:00 – now',
    ],
    [
      'goes on over the spans of one life',
      life(statuses),
      [
        violation(3, 4, { originRun: 2, goesOn: true, resolution: null }),
        violation(4, null, { originRun: 2, isContinued: true }),
      ],
      '2 02:00 – now',
    ],
    [
      'of a rule that compares with nothing begins with the change before it',
      life(statuses),
      [violation(3, null)],
      '2 02:00 – now',
    ],
    [
      'begins with the first run that saw the value, where none saw another',
      life([[2, 'paused']]),
      [violation(2, null)],
      'unseen 2 02:00 – now',
    ],
    [
      'begins with the last complete run that did not find it, where another resource changed',
      life([[1, 'paused']]),
      [violation(4, null)],
      '2 02:00 – now',
    ],
    [
      'ends with the run that found it fixed, where another resource changed',
      life([[1, 'paused']]),
      [violation(4, 6)],
      '2 02:00 – 6 06:05',
    ],
  ])('%s', (_, resource, spans, expected) => {
    expect(shown(driftOfViolation(resource, spans, runs))).toBe(expected)
  })
})

describe('the window of a resource', () => {
  const drift = [violation(3, null, { originRun: 2 })]
  it.each<[string, ResourceLife, readonly string[]]>([
    [
      'is that of its open drifts',
      life(
        [
          [1, 'active'],
          [3, 'paused'],
        ],
        drift,
      ),
      ['2 02:00 – now'],
    ],
    [
      'is that of its removal',
      life([
        [1, 'active'],
        [4, null],
      ]),
      ['3 03:00 – now'],
    ],
    [
      'is that of the last drift that was put right',
      life(
        [
          [1, 'active'],
          [3, 'paused'],
          [5, 'active'],
        ],
        [violation(3, 5, { originRun: 2 })],
      ),
      ['2 02:00 – 5 05:05'],
    ],
    [
      'is that of its last change',
      life([
        [1, 'active'],
        [3, 'paused'],
      ]),
      ['2 02:00 – now'],
    ],
    [
      'is that of the change before the last one, where that undid it',
      life([
        [1, 'active'],
        [3, 'paused'],
        [5, 'active'],
      ]),
      ['2 02:00 – 5 05:05'],
    ],
    [
      'is that of the last change, where that repeats what was undone',
      life([
        [1, 'active'],
        [3, 'paused'],
        [4, 'active'],
        [5, 'paused'],
      ]),
      ['4 04:00 – now'],
    ],
    [
      'is that of a later change, not of a drift before it',
      life(
        [
          [1, 'active'],
          [2, 'paused'],
          [3, 'active'],
          [5, 'active', 'b'],
        ],
        [violation(2, 3, { originRun: 1 })],
      ),
      ['4 04:00 – now'],
    ],
    ['is none where nothing changed', life([[1, 'active']]), []],
  ])('%s', (_, resource, expected) => {
    expect(driftsOfResource(resource, runs).map(shown)).toEqual(expected)
  })
})

it('the window of a change ends with the run that saw all of its fields as before', () => {
  const resource = life([
    [1, 'active', 'a'],
    [2, 'paused', 'b'],
    [3, 'active', 'b'],
    [4, 'active', 'a'],
  ])
  expect(shown(driftOfChange(resource, 2, ['/status'], runs))).toBe('1 01:00 – 3 03:05')
  expect(shown(driftOfChange(resource, 2, ['/status', '/name'], runs))).toBe('1 01:00 – 4 04:05')
  expect(
    shown(
      driftOfChange(
        life([
          [1, 'active'],
          [2, null],
          [4, 'active'],
        ]),
        2,
        'removed',
        runs,
      ),
    ),
  ).toBe('1 01:00 – 4 04:05')
})

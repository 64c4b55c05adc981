import { describe, expect, it } from 'vitest'
import { dueDate, isOverdue } from '../../src/model/violation.ts'

const day = 86_400_000
const due = { critical: 2 * day, high: 14 * day }
const open = {
  rule: 'endpoint/inactive',
  kind: 'endpoint',
  severity: 'high',
  state: 'continuing',
  first_seen: '2026-11-01T10:00:00.000Z',
} as const

describe('a due date', () => {
  it('is the first sighting and the duration of the severity', () => {
    expect(dueDate(open, due)).toBe('2026-11-15T10:00:00.000Z')
    expect(dueDate({ ...open, severity: 'critical', state: 'opened' }, due)).toBe('2026-11-03T10:00:00.000Z')
  })

  it('remains while a scan cannot say whether the violation is there', () => {
    expect(dueDate({ ...open, state: 'unknown' }, due)).toBe('2026-11-15T10:00:00.000Z')
  })

  it.each([
    ['without durations', open, undefined],
    ['of a severity without a duration', { ...open, severity: 'low' }, due],
    ['of a waived violation', { ...open, state: 'waived', waiver: {} }, due],
    ['of an unknown violation that was waived', { ...open, state: 'unknown', waiver: {} }, due],
    ['of a resolved violation', { ...open, state: 'resolved' }, due],
    ['of what is overdue itself', { ...open, rule: 'violation/overdue' }, due],
    ['of a violation about the policy', { ...open, kind: 'policy' }, due],
  ] as const)('is none %s', (_, violation, durations) => {
    expect(dueDate(violation, durations)).toBeNull()
  })

  it('has passed the millisecond after it', () => {
    const violation = { due_at: '2026-11-15T10:00:00.000Z' }
    const at = Date.parse(violation.due_at)
    expect([at - 1, at, at + 1].map((time) => isOverdue(violation, time))).toEqual([false, false, true])
    expect(isOverdue({ due_at: null }, at + 1)).toBe(false)
  })
})

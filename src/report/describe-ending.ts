import type { EndedBy } from '../model/ending.ts'
import type { ReportViolation } from '../model/report.ts'
import { showTime } from './text/show-time.ts'

type EndedState = Pick<ReportViolation, 'resolution' | 'ended_by'>

/**
 * How a violation ended, with who, when and why: `approved with the baseline of run 5 by eve on 2026-11-24 15:13 UTC:
 * looks fine`. Empty while it is active. It may quote a person.
 */
export function describeEnding(violation: EndedState): string {
  return describe(violation, ({ by, at }) => `${byWhom(by)}${at === null ? '' : ` on ${showTime(at)}`}`)
}

/** The same as a sentence. */
export function sentenceOfEnding(violation: EndedState): string {
  const text = describeEnding(violation)
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** The same without the time, so that what one person or line ended reads alike. */
export function summariseEnding(violation: EndedState): string {
  return describe(violation, ({ by }) => byWhom(by))
}

/** How many ended in which way: `1 fixed, 2 approved with the baseline of run 5 by eve: looks fine`. */
export function countEndings(violations: readonly EndedState[]): string {
  const inOrder = violations.toSorted((a, b) => rankOf(a) - rankOf(b))
  const groups = [...Map.groupBy(inOrder, summariseEnding)]
  const named = groups.slice(0, mostNamed).map(([how, { length }]) => `${length} ${how}`)
  const others = groups.slice(mostNamed).reduce((sum, [, { length }]) => sum + length, 0)
  return [...named, ...(others === 0 ? [] : [`${others} in other ways`])].join(', ')
}

/** More would be no summary. */
const mostNamed = 6

/** In a word or two, those that are gone first. */
export const endingNames = [
  'fixed',
  'removed',
  'approved',
  'accepted',
  'switched off',
  'no longer required',
  'expired',
  'ended',
] as const
export type EndingName = (typeof endingNames)[number]

/** How a violation ended, for a row that has no room, and for a group. */
export function nameEnding({ resolution, ended_by: by }: EndedState): EndingName {
  if (resolution === 'accepted') return by?.kind === 'baseline' ? 'approved' : 'accepted'
  if (resolution === 'policy') return isSwitchedOff(by) ? 'switched off' : 'no longer required'
  return resolution ?? 'ended'
}

function rankOf(violation: EndedState): number {
  return endingNames.indexOf(nameEnding(violation))
}

function isSwitchedOff(by: EndedBy | null): boolean {
  return by?.reason === null && (by.kind === 'rule_off' || by.kind === 'override')
}

function describe(violation: EndedState, signed: (by: EndedBy) => string): string {
  const { resolution, ended_by: by } = violation
  if (resolution === null) return 'ended'
  if (resolution === 'removed') return 'removed with its resource'
  if (by === null) return nameEnding(violation)
  const { kind, reason } = by
  const why = reason === null ? '' : `: ${reason}`
  const baseline = by.run === null ? 'a baseline' : `the baseline of run ${by.run}`
  switch (kind) {
    case 'acceptance':
      return `accepted${signed(by)}${why}`
    case 'baseline':
      return resolution === 'policy'
        ? `no longer compared with ${baseline}, revoked${signed(by)}`
        : `approved with ${baseline}${signed(by)}${why}`
    case 'expiry':
      return `expired by ${describePosition(by, 'the policy')}${why}`
    default: {
      const line = describePosition(by, 'the policy')
      const where = kind === 'override' ? `an override (${line})` : line
      return isSwitchedOff(by) ? `switched off by ${where}` : `no longer required by ${where}${why}`
    }
  }
}

function byWhom(by: string | null): string {
  return by === null ? '' : ` by ${by}`
}

function describePosition({ configured_at: position }: EndedBy, otherwise: string): string {
  return position === null ? otherwise : `${position.file}:${position.line}`
}

import type { EndedBy } from '../model/ending.ts'
import type { ReportViolation } from '../model/report.ts'
import { showTime } from './text/show-time.ts'

type Ended = Pick<ReportViolation, 'resolution' | 'ended_by'>

/**
 * How a violation ended, with who, when and why: `approved with the baseline of run 5 by eve on 2026-11-24 15:13 UTC:
 * looks fine`. Empty while it is active.
 */
export function describeEnding(violation: Ended): string {
  return describe(violation, ({ by, at }) => `${byWhom(by)}${at === null ? '' : ` on ${showTime(at)}`}`)
}

/** The same without the time, so that what one person or line ended reads alike. */
export function summariseEnding(violation: Ended): string {
  return describe(violation, ({ by }) => byWhom(by))
}

/** How a violation ended, in a word or two. */
export function nameEnding({ resolution, ended_by: by }: Ended): string {
  if (resolution === null) return 'ended'
  if (resolution === 'accepted') return by?.kind === 'baseline' ? 'approved' : 'accepted'
  if (resolution === 'policy')
    return by?.kind === 'rule_off' && by.reason === null ? 'switched off' : 'no longer required'
  return resolution
}

function describe({ resolution, ended_by: by }: Ended, signed: (by: EndedBy) => string): string {
  if (resolution === null) return ''
  if (resolution === 'fixed') return 'fixed'
  if (resolution === 'removed') return 'removed with its resource'
  if (by === null) return nameEnding({ resolution, ended_by: by })
  const { kind, reason } = by
  const why = reason === null ? '' : `: ${reason}`
  const baseline = by.run === null ? 'a baseline' : `the baseline of run ${by.run}`
  if (kind === 'acceptance') return `accepted${signed(by)}${why}`
  if (kind === 'expiry') return `expired${at(by, 'by')}${why}`
  if (kind === 'baseline') {
    return resolution === 'policy'
      ? `no longer compared with ${baseline}, revoked${signed(by)}`
      : `approved with ${baseline}${signed(by)}${why}`
  }
  const line = kind === 'override' ? at(by, 'by the override at') : at(by, 'by')
  return reason === null
    ? `switched off${line === '' ? ' by the policy' : line}`
    : `no longer required${line === '' ? ' by the policy' : line}${why}`
}

function byWhom(by: string | null): string {
  return by === null ? '' : ` by ${by}`
}

function at({ configured_at: place }: EndedBy, word: string): string {
  return place === null ? '' : ` ${word} ${place.file}:${place.line}`
}

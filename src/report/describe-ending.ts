import { type Decision, unsaid } from '../model/decision.ts'
import { isSwitchOff } from '../model/policy-facts.ts'
import type { ReportViolation } from '../model/report.ts'
import { formatExpiry } from '../model/time.ts'
import type { Waiver } from '../model/violation.ts'
import { showTime } from './text/show-time.ts'

type EndedState = Pick<ReportViolation, 'resolution' | 'ended_by'>

type SaidOfDecision = Partial<Decision> & Pick<Decision, 'kind' | 'by' | 'reason' | 'at' | 'configured_at'>

/**
 * What was decided, by whom, when, until when, why, and where it is written: `approved with the baseline of run 5 by eve
 * on 2026-11-24 15:13 UTC: looks fine`, `waived by payments until the end of 2026-12-20: moves (policy.yaml:5, OPS-7)`. It
 * may quote a person.
 */
export function describeDecision(decision: SaidOfDecision): string {
  const { kind, reason, until = null, match = null, ticket = null } = decision
  const line = describePosition(decision)
  const byPolicy = `by ${kind === 'override' ? `an override (${line ?? 'the policy'})` : (line ?? 'the policy')}`
  const isOff = isSwitchOff(decision)
  const done = {
    waiver: 'waived',
    acceptance: 'accepted',
    baseline: `approved with ${nameBaseline(decision)}`,
    rule_off: `${isOff ? 'switched off' : 'no longer required'} ${byPolicy}`,
    override: `${isOff ? 'switched off' : 'loosened'} ${byPolicy}`,
    expiry: `expired ${byPolicy}`,
    window: 'changes expected',
  }[kind]
  const what = match === null ? '' : ` for ${match}`
  const end = until === null ? '' : ` until ${formatExpiry(until)}`
  const why = isOff || reason === null ? '' : `: ${reason}`
  const where = [...(kind === 'waiver' && line !== undefined ? [line] : []), ...(ticket === null ? [] : [ticket])]
  return `${done}${what}${describeSignature(decision)}${end}${why}${where.length === 0 ? '' : ` (${where.join(', ')})`}`
}

/** `waived by payments until the end of 2026-12-20: moves (OPS-7)`. It may quote a person. */
export function describeWaiver(waiver: Waiver & { readonly match?: string }): string {
  const { owner, reason, expires, ticket, match = null } = waiver
  return describeDecision({ ...unsaid, kind: 'waiver', by: owner, reason, until: expires, ticket, match })
}

/** How a violation ended. Empty while it is active. */
export function describeEnding(violation: EndedState): string {
  const { resolution, ended_by: by } = violation
  if (resolution === null) return 'ended'
  if (resolution === 'removed') return 'removed with its resource'
  if (by === null) return nameEnding(violation)
  return resolution === 'policy' && by.kind === 'baseline'
    ? `no longer compared with ${nameBaseline(by)}, revoked${describeSignature(by)}`
    : describeDecision(by)
}

/** The same as a sentence. */
export function sentenceOfEnding(violation: EndedState): string {
  return asSentence(describeEnding(violation))
}

export function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** The same without the time, so that what one person or line ended reads alike. */
export function summariseEnding({ resolution, ended_by: by }: EndedState): string {
  return describeEnding({ resolution, ended_by: by && { ...by, at: null } })
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
  if (resolution === 'policy') return by !== null && isSwitchOff(by) ? 'switched off' : 'no longer required'
  return resolution ?? 'ended'
}

function rankOf(violation: EndedState): number {
  return endingNames.indexOf(nameEnding(violation))
}

function nameBaseline({ run = null }: Pick<SaidOfDecision, 'run'>): string {
  return run === null ? 'a baseline' : `the baseline of run ${run}`
}

/** Empty for what no person signed. */
function describeSignature({ by, at, kind }: SaidOfDecision): string {
  const when = kind === 'window' ? 'from' : 'on'
  return `${by === null ? '' : ` by ${by}`}${at === null ? '' : ` ${when} ${showTime(at)}`}`
}

/**
 * `lee, account root on host db1`: the name is what a person typed, account and host (`root on db1`) are what the
 * operating system said.
 */
export function describeSigner({ by, os_user: account }: { readonly by: string; readonly os_user: string | null }) {
  return account === null ? by : `${by}, ${nameAccount(account)}`
}

/** `root on db1` is `account root on host db1`. */
export function nameAccount(account: string): string {
  return `account ${account.replace(' on ', ' on host ')}`
}

/** `policy.yaml:12` */
export function describePosition({ configured_at: at }: Pick<Decision, 'configured_at'>): string | undefined {
  return at === null ? undefined : `${at.file}:${at.line}`
}

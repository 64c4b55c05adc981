import type { FileLocation } from './evaluation.ts'
import type { Resolution } from './violation.ts'

/** What ends a violation that is not mended. */
export const endingKinds = ['acceptance', 'baseline', 'rule_off', 'override', 'expiry'] as const
export type EndingKind = (typeof endingKinds)[number]

/**
 * Who or what ended a violation that is still there: a person who accepts it or approved a baseline that has it, or a
 * line of the policy. JSON, as reports and the history have it; a member without a value is null.
 */
export interface EndedBy {
  readonly kind: EndingKind
  /** The person. */
  readonly by: string | null
  /** What the person wrote; of a policy, what it says where the rule is still on. */
  readonly reason: string | null
  /** When the person decided: ISO 8601 in UTC. */
  readonly at: string | null
  /** Of a baseline, the run whose state was approved; null when it came from files. */
  readonly run: number | null
  /** The line of the policy that decided. */
  readonly configured_at: FileLocation | null
}

/** Why a violation ended. Only what a scan shows to be gone has no one to name. */
export interface Ending {
  readonly resolution: Resolution
  readonly endedBy: EndedBy | null
}

export const fixed: Ending = { resolution: 'fixed', endedBy: null }
export const removed: Ending = { resolution: 'removed', endedBy: null }

/** A decision of a person. `run`: of an approved baseline. */
export function decidedBy(kind: 'acceptance' | 'baseline', { by, at, reason, run }: PersonalDecision): EndedBy {
  return { kind, by, reason: reason === '' ? null : reason, at, run: run ?? null, configured_at: null }
}

export interface PersonalDecision {
  readonly by: string | null
  readonly at: string | null
  readonly reason: string | null
  readonly run?: number | undefined
}

/** A line of the policy. */
export function decidedAt(
  kind: 'rule_off' | 'override' | 'expiry',
  { reason, configuredAt }: { readonly reason: string | null; readonly configuredAt: FileLocation | null },
): EndedBy {
  return { kind, by: null, reason, at: null, run: null, configured_at: configuredAt }
}

/** As the history has it: hookdrift wrote the JSON. */
export function parseEndedBy(json: string): EndedBy {
  return JSON.parse(json)
}

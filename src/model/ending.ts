import type { z } from 'zod'
import { type Decision, decision, endingKinds } from './decision.ts'
import type { FileLocation } from './schema.ts'
import type { Resolution } from './violation.ts'

const { kind, run } = decision.shape

/**
 * Who or what ended a violation that is still there: a person who accepts it or approved a baseline that has it, or a
 * line of the policy.
 */
export const endedBy = decision
  .pick({ kind: true, by: true, reason: true, at: true, run: true, configured_at: true })
  .extend({ kind: kind.extract(endingKinds), run: run.nullable() })
  .describe('Who or what ended a violation that is not mended. A member without a value is null.')
export type EndedBy = z.infer<typeof endedBy>

/** Why a violation ended. Only what a scan shows to be gone has no one to name. */
export interface Ending {
  readonly resolution: Resolution
  readonly ended_by: EndedBy | null
}

export const fixed: Ending = { resolution: 'fixed', ended_by: null }
export const removed: Ending = { resolution: 'removed', ended_by: null }

/** A decision of a person. `run`: of an approved baseline. */
export function decidedBy(
  kind: 'acceptance' | 'baseline',
  { by, at, reason, run = null }: Pick<Decision, 'by' | 'at' | 'reason' | 'run'>,
): EndedBy {
  return { kind, by, reason: reason === '' ? null : reason, at, run, configured_at: null }
}

/** A line of the policy. */
export function decidedAt(
  kind: 'rule_off' | 'override' | 'expiry',
  { reason, configuredAt }: { readonly reason: string | null; readonly configuredAt: FileLocation | null },
): EndedBy {
  return { kind, by: null, reason, at: null, run: null, configured_at: configuredAt }
}

/** A violation that the policy no longer asks for; why. */
export function notRequired(reason: string, configuredAt: FileLocation | null = null): Ending {
  return { resolution: 'policy', ended_by: decidedAt('rule_off', { reason, configuredAt }) }
}

/** As the history has it: hookdrift wrote the JSON. */
export function parseEndedBy(json: string): EndedBy {
  return JSON.parse(json)
}

import { z } from 'zod'
import { type FileLocation, fileLocation, time } from './schema.ts'
import type { Resolution } from './violation.ts'

/** What ends a violation that is not mended. */
export const endingKinds = ['acceptance', 'baseline', 'rule_off', 'override', 'expiry'] as const

/**
 * Who or what ended a violation that is still there: a person who accepts it or approved a baseline that has it, or a
 * line of the policy.
 */
export const endedBy = z
  .object({
    kind: z
      .enum(endingKinds)
      .describe(
        'acceptance: a person accepted it. baseline: a person approved a baseline that has it, or revoked the one that it was found by. rule_off, override: the policy requires less. expiry: it was open for as long as its rule allows.',
      ),
    by: z.string().nullable().describe('The person.'),
    reason: z.string().nullable().describe('What the person wrote, or what the policy requires now.'),
    at: time.nullable().describe('When the person decided.'),
    run: z.int().min(1).nullable().describe('Of a baseline, the run whose state was approved.'),
    configured_at: fileLocation.nullable().describe('The line of the policy that decided.'),
  })
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

import { z } from 'zod'
import { fileLocation, time } from './schema.ts'

/** What ends a violation that is not mended. */
export const endingKinds = ['acceptance', 'baseline', 'rule_off', 'override', 'expiry'] as const

/**
 * What a person or the policy decided: to accept a violation, to approve a state, to ask less of a rule, or to expect
 * changes. Who, what, why, from when, until when, and where it is written.
 */
export const decision = z.object({
  kind: z
    .enum(['waiver', ...endingKinds, 'window'])
    .describe(
      'acceptance: a person accepted it. baseline: a person approved a baseline that has it, or revoked the one that it was found by. rule_off, override: the policy requires less. expiry: it was open for as long as its rule allows. window: a change window, or a time of one in which changes were made.',
    ),
  by: z.string().nullable().describe('The person; null where the policy names none.'),
  reason: z.string().nullable().describe('What the person wrote, or what the policy requires now.'),
  at: time.nullable().describe('When it was decided, or a change window opened; null where that is not known.'),
  until: time.nullable().describe('The instant at which it ends; null: no end.'),
  run: z.int().min(1).describe('Of a baseline, the run whose state was approved.'),
  configured_at: fileLocation.nullable().describe('The line of the policy that says so.'),
  match: z.string().nullable().describe('For which resources, in words; null for all.'),
  ticket: z.string(),
})
type DecisionMembers = z.infer<typeof decision>
export type Decision = Omit<DecisionMembers, 'run' | 'ticket'> & Nullable<Pick<DecisionMembers, 'run' | 'ticket'>>
type Nullable<Members> = { readonly [Name in keyof Members]?: Members[Name] | null | undefined }

/** What is not known of a decision, or does not apply to it. */
export const unsaid = { by: null, reason: null, at: null, until: null, configured_at: null, match: null }

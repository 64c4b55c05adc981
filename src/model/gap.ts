import { z } from 'zod'
import { count, kind, listOf, project, time, uid, walkedListing } from './schema.ts'

/** What follows from a gap, by its cause alone. */
interface GapConsequence {
  /** Whether a run that has such a gap may be called clean. */
  readonly isClean: boolean
  /** Whether the run exits with 3: always, if a violation that would fail it is unknown by that, or never. */
  readonly exits3: 'always' | 'if_lost' | 'never'
  /** Whether the rule says nothing of the whole project; otherwise of some resources. */
  readonly isWhole: boolean
  /** For the reference. */
  readonly says: string
}

/** Every reason why a rule could not say anything, and what follows from it: here, and nowhere else. */
export const gapCauses = {
  field_unseen: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'a field that the rule reads should have been shown, and was not',
  },
  field_malformed: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'a field that the rule reads has another type than the contract says, or a text that means nothing: an unknown word, an address that does not parse',
  },
  seal_key_changed: {
    isClean: false,
    exits3: 'never',
    isWhole: false,
    says: 'a secret that a drift rule compares was sealed under another installation key, or by an earlier version in another form, before',
  },
  rows_unread: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'no run has read the filter rows that the rule reads',
  },
  probe_not_run: {
    isClean: false,
    exits3: 'never',
    isWhole: false,
    says: 'a probe of the policy could not run, or was not to run',
  },
  selector_unknown: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'a waiver or an override of the policy selects by a field that is unknown: it applies to nothing new',
  },
  nothing_to_compare: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: true,
    says: 'what the rule compares with came empty',
  },
  walk_incomplete: {
    isClean: false,
    exits3: 'always',
    isWhole: false,
    says: "a listing, or the list of a service's projects, was not read to its end",
  },
  listing_off: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'the configuration does not request the listing that the rule evaluates',
  },
  listing_not_offered: {
    isClean: false,
    exits3: 'if_lost',
    isWhole: false,
    says: 'the service does not offer the listing that the rule evaluates',
  },
  rule_failed: { isClean: false, exits3: 'never', isWhole: true, says: 'the rule failed, or could not be evaluated' },
} as const satisfies Readonly<Record<string, GapConsequence>>

export type GapCause = keyof typeof gapCauses

/** In the order of the table. */
const causes = Object.keys(gapCauses) as [GapCause, ...GapCause[]]

export const gap = z
  .object({
    id: z.string().min(1).describe('The same as long as it lasts.'),
    cause: z.enum(causes).describe(causes.map((cause) => `${cause}: ${gapCauses[cause].says}`).join('; ')),
    project,
    listing: walkedListing.nullable(),
    rule: z.string().nullable(),
    kind: kind.nullable(),
    field: z.string().nullable().describe('Its path without uids: `secrets[].expires_at`.'),
    resources: count.describe('How many resources it is about.'),
    uids: listOf(uid).describe('The first twenty of them, to read: nothing decides from these.'),
    since: z.object({ run: z.int().min(1), at: time }).describe('The first run that could not know it, and its start.'),
    text: z.string().min(1).describe('The sentence that every output prints.'),
  })
  .describe('What a run could not know.')
export type Gap = z.infer<typeof gap>

/** How many uids a gap names. */
export const mostGapUids = 20

/** What rules could not evaluate, without the walks that show so by themselves. */
export function gapsOfRules<Of extends Pick<Gap, 'rule'>>(gaps: readonly Of[]): readonly Of[] {
  return gaps.filter(({ rule }) => rule !== null)
}

/** What a run could not know that a rule needs. */
export function gapsOfRule<Of extends Pick<Gap, 'rule'>>(gaps: readonly Of[], rule: string): readonly Of[] {
  return gaps.filter((gap) => gap.rule === rule)
}

/** Whether a rule said nothing of a whole project. */
export function isSilent({ cause }: Pick<Gap, 'cause'>): boolean {
  return gapCauses[cause].isWhole
}

/** Whether a rule said nothing of the whole project of any of some gaps. */
export function isSilenced(
  gaps: readonly Pick<Gap, 'cause' | 'rule' | 'project'>[],
  rule: string,
  of: string,
): boolean {
  return gaps.some((gap) => gap.rule === rule && gap.project === of && isSilent(gap))
}

/** How many rules could not evaluate every resource, by gaps with which no run is clean. */
export function countUnsureRules(gaps: readonly Pick<Gap, 'cause' | 'rule'>[]): number {
  return new Set(gaps.flatMap(({ cause, rule }) => (gapCauses[cause].isClean || rule === null ? [] : rule))).size
}

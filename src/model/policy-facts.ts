import { type Decision, unsaid } from './decision.ts'
import { matchesGlob } from './glob.ts'
import type { FileLocation } from './schema.ts'
import type { Waiver } from './violation.ts'

/** What a reader of a run needs to know of its policy besides the rules: where it asks for less than its packs do. */
export interface PolicyFacts {
  readonly packs: readonly string[]
  /** Rules that the policy switches off or overrides, sorted by rule; overrides in the order of the policy. */
  readonly exceptions: readonly PolicyException[]
  readonly waivers: readonly RecordedWaiver[]
  /** Fields that it leaves out of drift, sorted; absent for none. */
  readonly ignored?: readonly IgnoredField[]
  /** Its change windows, in the order of the policy; absent for none. */
  readonly windows?: readonly RecordedWindow[]
}

export interface RecordedWindow extends Pick<PolicyException, 'projects'> {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  /** Such as `2h`. */
  readonly duration: string
  readonly ticket?: string
}

export interface IgnoredField {
  /** A JSON Pointer, with `*` for any one step. */
  readonly path: string
  readonly configured_at: FileLocation | null
}

export interface PolicyException {
  readonly kind: 'rule_off' | 'override'
  readonly rule: string
  /** What it says of the rule: `off`, a severity, or `options`. */
  readonly setting: string
  /** For which resources, in words; null: for all, or not for this reader to know. */
  readonly match: string | null
  /** Patterns of the projects that it is for; null: all, or not for this reader to know. */
  readonly projects: readonly string[] | null
  readonly configured_at: FileLocation | null
}

/** Where the policy writes a waiver. */
export interface RecordedWaiver extends Waiver, Pick<PolicyException, 'projects'> {
  /** A rule, or several with `*`. */
  readonly rule: string
  readonly configured_at: FileLocation | null
}

export const unknownPolicy: PolicyFacts = { packs: [], exceptions: [], waivers: [] }

/** What a waiver decides about a violation of a rule. */
export function decisionOfWaiver({ owner, reason, expires, ticket }: Waiver, rule: string, { waivers }: PolicyFacts) {
  const [written, another] = waivers.filter(
    (one) =>
      matchesGlob(rule, one.rule) &&
      one.owner === owner &&
      one.reason === reason &&
      one.expires === expires &&
      one.ticket === ticket,
  )
  return {
    ...unsaid,
    kind: 'waiver' as const,
    rule,
    by: owner,
    reason,
    until: expires,
    // Of several that say the same, for other resources, it is not known which.
    configured_at: another === undefined ? (written?.configured_at ?? null) : null,
    ...(ticket === undefined ? {} : { ticket }),
  }
}

/** What the policy decides about a rule; that it is off needs no other words. */
export function decisionOfPolicy({ kind, rule, setting, match, configured_at }: PolicyException) {
  return { ...unsaid, kind, rule, reason: kind === 'override' ? describeSetting(setting) : null, match, configured_at }
}

/** When the policy expects changes; a time of a window in which some were made is a decision of its own. */
export function decisionOfWindow(window: RecordedWindow) {
  return { ...unsaid, kind: 'window' as const, reason: describeWindow(window), ticket: window.ticket }
}

/** `nightly: 0 22 * * * (UTC), open for 2h` */
export function describeWindow({ name, cron, timezone, duration }: RecordedWindow): string {
  return `${name}: ${cron} (${timezone}), open for ${duration}`
}

/** What an override says instead. */
function describeSetting(setting: string): string {
  if (setting === 'off') return switchedOff
  return setting === 'options' ? 'other options' : `severity ${setting}`
}

const switchedOff = 'switched off'

/** Whether a decision takes a rule away altogether. */
export function isSwitchOff({ kind, reason }: Pick<Decision, 'kind' | 'reason'>): boolean {
  return (kind === 'rule_off' || kind === 'override') && (reason === null || reason === switchedOff)
}

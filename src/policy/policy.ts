import type { Severity } from '../model/violation.ts'
import type { BoundRule, Rule } from '../rules/rule.ts'

/** Which rules judge, how severely, with which options. */
export interface Policy {
  /** SHA-256 of what it decides, in hex: two policies that judge alike have the same. */
  readonly digest: string
  readonly rules: readonly ActiveRule[]
}

export interface ActiveRule {
  readonly rule: Rule
  /** Replaces the severities that the rule gives; undefined: its own. */
  readonly severity: Severity | undefined
  readonly bound: BoundRule
}

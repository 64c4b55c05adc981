import type { Kind } from './resource.ts'
import type { Severity } from './violation.ts'

/** A rule that judged in a run. */
export interface JudgingRule {
  readonly id: string
  readonly kind: Kind
  readonly title: string
  /** What to do about its problems; empty when nothing general can be said. */
  readonly remediation: string
  /** What the policy rates it, overrides aside. */
  readonly severity: Severity
  /** As `framework:identifier`. */
  readonly controls: readonly string[]
  /** Kinds that must have been seen completely before its silence means anything. */
  readonly needs: readonly Kind[]
}

/** How much of a project was judged in a run. */
export interface Judged {
  /** Resources that were seen, by kind. */
  readonly resources: Readonly<Partial<Record<Kind, number>>>
  /** How many of its kind a rule judged, where overrides left some out. */
  readonly fewer: Readonly<Record<string, number>>
  /** Rules that could not judge here, and why. */
  readonly unjudged: Readonly<Record<string, string>>
}

/** A line of a file. */
export interface FilePlace {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** A project as a run found it configured, and how much of it was judged. */
export interface JudgedProject extends Judged {
  /** `service/project`. */
  readonly project: string
  readonly labels: Readonly<Record<string, string>>
  /** Where it is configured; null when that is no file. */
  readonly place: FilePlace | null
}

import type { Json, JsonObject } from './json.ts'

export const kinds = ['project', 'endpoint', 'subscription', 'source', 'device', 'probe', 'policy'] as const
export type Kind = (typeof kinds)[number]

/** What is walked. `endpoints` and `subscriptions` are required, the others are used where a service offers them. */
export const listings = ['project', 'endpoints', 'sources', 'subscriptions'] as const
export type Listing = (typeof listings)[number]

/** One project of one service, as a person names it and as the service knows it. */
export interface ProjectRef {
  /** `service/project`, as configured; unique within a configuration. */
  readonly name: string
  readonly service: string
  /** The service's own identifier of the project. */
  readonly uid: string
}

/**
 * The policy that judges, as the project of what is said of its parts. It belongs to no service, and every run that has
 * something to say of it looks at it.
 */
export const policyProject: ProjectRef = { name: 'hookdrift/policy', service: '', uid: 'policy' }

export function isPolicyProject({ service, uid }: Pick<ProjectRef, 'service' | 'uid'>): boolean {
  return service === policyProject.service && uid === policyProject.uid
}

/**
 * Something a project holds, in its normal form. Identity = project + kind + uid.
 *
 * An absent attribute was *not shown* by the service: unknown, compared with nothing. An attribute that was shown
 * and is empty is `null` (or `[]` for a list).
 */
export interface Resource {
  readonly kind: Kind
  readonly uid: string
  /** For people; empty when the service has none. */
  readonly name: string
  /** What is stored and compared: secrets sealed, sets sorted, lists of things with a uid keyed by it. */
  readonly attributes: JsonObject
  /** What rules may see but nobody stores or compares: counters, `updated_at`, `failure_rate`. */
  readonly volatile: JsonObject
  /** What rules need to know of sealed values, by JSON Pointer into the attributes. */
  readonly facts: Facts
  /**
   * JSON Pointers of attributes that the service showed as something of another type than its contract says. Their values
   * are kept and compared; what rules that read them would say is unknown. Absent where there are none.
   */
  readonly malformed?: readonly string[]
}

export type Facts = Readonly<Record<string, SecretFacts>>

/** What may be known of a secret without giving it away. */
export interface SecretFacts {
  /** Lower bound of the secret's length class in characters: 0, 8, 16, 24, 32, 48 or 64. */
  readonly min_length: number
  /** Reasons to call it weak whatever its length; sorted. */
  readonly weak: readonly Weakness[]
  /** An access key that its cloud lets run out by itself. */
  readonly temporary?: true
}

export const weaknesses = [
  'common',
  'equals-host',
  'equals-name',
  'equals-uid',
  'equals-user',
  'few-characters',
  'repetition',
] as const
export type Weakness = (typeof weaknesses)[number]

export const maskedSeal = 'sealed:masked'

/** Whether a value stands for a secret that the service masks itself: present, its value unknowable. */
export function isMasked(value: Json | undefined): boolean {
  return value === maskedSeal
}

import type { AttributesOf } from '../../gateway/fields.ts'
import type { Json } from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'

// What rules read, as the inventory leaves it. The types come from the wire schema; a waiver comes from the policy.

export type Endpoint = AttributesOf<'endpoint'>
export type Authentication = NonNullable<Endpoint['authentication']>
export type Subscription = AttributesOf<'subscription'>
export type FilterConfig = NonNullable<Subscription['filter_config']>
export type FilterRow = NonNullable<Subscription['filters']>[string]
/** What an event must look like, part by part: MongoDB-like conditions. */
export type EventFilter = Pick<FilterRow, 'body' | 'headers' | 'query' | 'path'>
export type Source = AttributesOf<'source'>
export type Verifier = NonNullable<Source['verifier']>
export type Queue = NonNullable<Source['pub_sub']>
export type Project = AttributesOf<'project'>
export type ProjectConfig = NonNullable<Project['config']>
/** How a test run of a function went. */
export type ProbeAttributes = AttributesOf<'probe'>

/** A waiver of the policy. `expires`: the instant from which it holds no more, ISO 8601 in UTC. */
export interface PolicyPart {
  readonly rule?: string
  readonly match?: string
  readonly owner?: string
  readonly reason?: string
  readonly expires?: string
  readonly ticket?: string | null
  /** Whether a violation needs it. Absent: too little was seen to say that none does. */
  readonly used?: boolean
}

export type AttributesByKind = { readonly [K in Exclude<Kind, 'policy'>]: AttributesOf<K> } & {
  readonly policy: PolicyPart
}

/** Secrets that sign: those that are not deleted. A secret past its expiry signs on until it is. */
export function activeSecrets({ secrets }: Endpoint): ActiveSecrets {
  if (secrets === null || secrets === undefined) return []
  if (last?.secrets !== secrets) {
    last = { secrets, active: Object.entries(secrets).filter(([, { deleted_at }]) => isNone(deleted_at)) }
  }
  return last.active
}

type ActiveSecrets = readonly (readonly [uid: string, secret: NonNullable<Endpoint['secrets']>[string]])[]

/** The list made last: the rules of an endpoint ask for the same one, one after the other. */
let last: { readonly secrets: Endpoint['secrets']; readonly active: ActiveSecrets } | undefined

/** The OAuth settings that deliveries use. */
export function oauthOf({ authentication }: Endpoint): Authentication['oauth2'] {
  return authentication?.type === 'oauth2' ? authentication.oauth2 : undefined
}

/** Objects that report what is read of them, with what they show. */
export const unwatched = new WeakMap<object, object>()

/**
 * Whether an object has no such member, or an empty one. For a rule that is about just that, where the service leaves the
 * member out when it has none: to this rule, what no scan has shown is missing. To every other rule it is unknown.
 */
export function lacks<Member extends string>(
  shown: { readonly [Name in Member]?: Json | undefined },
  member: Member,
): boolean {
  return !Object.hasOwn(unwatched.get(shown) ?? shown, member) || isNone(shown[member])
}

export function isNone(value: Json | undefined): boolean {
  return value === null || value === undefined || value === ''
}

import { isJsonObject, type Json, type JsonObject, memberOf, pointerStep } from './json.ts'

export const kinds = [
  'project',
  'endpoint',
  'subscription',
  'source',
  'event_type',
  'device',
  'probe',
  'service',
  'policy',
] as const
export type Kind = (typeof kinds)[number]

/** The listings that are walked. Only `endpoints` and `subscriptions` are offered by every service. */
export const listings = ['project', 'endpoints', 'sources', 'event_types', 'subscriptions'] as const
export type Listing = (typeof listings)[number]

/** Whether what is walked lists resources of its own. */
export function isListing(listing: WalkedListing): listing is Listing {
  return listing !== 'filters' && listing !== 'projects'
}

/** What is read: all that is read of a project, and the list of a service's projects. */
export const walkedListings = [...listings, 'filters', 'projects'] as const
export type WalkedListing = (typeof walkedListings)[number]

/** What a scan reads of a project: its listings, and the filter rows of its subscriptions, which belong to these. */
export type ProjectListing = Exclude<WalkedListing, 'projects'>

/** Characters of a uid at most. Those of services have 26 or 36; a longer one would fit into no index. */
export const longestUid = 500

/** One project of one service, by its configured name and its identifier in the service. */
export interface ProjectRef {
  /** `service/project`, as configured; unique within a configuration. */
  readonly name: string
  readonly service: string
  /** The service's own identifier of the project. */
  readonly uid: string
}

/** The list of a service's projects, as the project of its walk and of findings about it. */
export function projectListOf(service: string): ProjectRef {
  return { name: `${service}/*`, service, uid: '*' }
}

/** No identifier of a project has this character. */
export function isProjectList({ uid }: Pick<ProjectRef, 'uid'>): boolean {
  return uid === '*'
}

/** The same of a name alone. */
export function isProjectListName(name: string): boolean {
  return name.endsWith('/*')
}

/** The policy itself, as the project of notices and findings about it. It belongs to no service. */
export const policyProject: ProjectRef = { name: 'hookdrift/policy', service: '', uid: 'policy' }

/** No service is called so. */
export const policyService = 'hookdrift'

/** Whether a name is that of the policy, or of a list of projects: neither has resources. */
export function isWithoutResources(name: string): boolean {
  return name === policyProject.name || isProjectListName(name)
}

export function isPolicyProject({ service, uid }: Pick<ProjectRef, 'service' | 'uid'>): boolean {
  return service === policyProject.service && uid === policyProject.uid
}

/**
 * A resource of a project, in its normal form. Identity = project + kind + uid.
 *
 * An absent attribute was *not shown* by the service: unknown and not compared. An attribute that was shown and is
 * empty is `null` (or `[]` for a list).
 */
export interface Resource {
  readonly kind: Kind
  readonly uid: string
  /** For people; empty when the service has none. */
  readonly name: string
  /** Stored and compared: secrets sealed, sets sorted, lists of objects with a uid keyed by it. */
  readonly attributes: JsonObject
  /** Read by rules, but not stored or compared: counters, `updated_at`, `failure_rate`. */
  readonly volatile: JsonObject
  /** Facts about sealed values for rules, by JSON Pointer into the attributes. */
  readonly facts: Facts
  /**
   * JSON Pointers of attributes whose type breaks the contract. Their values are kept and compared; rules that read
   * them are not evaluated. Absent if there are none.
   */
  readonly malformed?: readonly string[]
  /**
   * JSON Pointers of members that the answer should have shown and did not. Their attributes are absent, or carried from
   * earlier scans; rules that read them are not evaluated. Absent if there are none.
   */
  readonly unseen?: readonly string[]
  /** Since when a field is malformed or not shown, by its path; absent if there are none. */
  readonly doubts?: FieldDoubts
}

/** Why rules cannot rely on a field: its type breaks the contract, or the answer did not show it. */
export type DoubtCause = 'malformed' | 'unseen'

/** By paths without the uids on the way, such as `secrets[].expires_at`. */
export type FieldDoubts = Readonly<Record<string, FieldDoubt>>

/** A type, not an interface, so that it is JSON for the compiler. */
export type FieldDoubt = {
  readonly cause: DoubtCause
  /** The first run that saw the field so, and its start (ISO 8601). */
  readonly run: number
  readonly at: string
}

/** JSON Pointers of the fields that were not shown. */
export function unseenIn(state: Pick<Resource, 'attributes' | 'doubts'>): readonly string[] {
  return doubtsIn(state).flatMap(({ path, cause }) => (cause === 'unseen' ? path : []))
}

/** JSON Pointers of fields in doubt; of an object with a uid, in each that the list has. */
export function doubtsIn<Doubt extends object>({
  attributes,
  doubts = {},
}: {
  readonly attributes: JsonObject
  readonly doubts?: Readonly<Record<string, Doubt>> | undefined
}): (Doubt & { readonly path: string })[] {
  return Object.entries(doubts).flatMap(([field, doubt]) =>
    [...pointersTo(field.split('.'), attributes, '')].map((path) => ({ ...doubt, path })),
  )
}

function* pointersTo([step, ...rest]: readonly string[], value: Json | undefined, pointer: string): Generator<string> {
  if (step === undefined) {
    yield pointer
    return
  }
  const name = step.replace(/\[\]$/, '')
  const member = isJsonObject(value) ? memberOf(value, name) : undefined
  const here = `${pointer}/${pointerStep(name)}`
  if (name === step) yield* pointersTo(rest, member, here)
  else if (isJsonObject(member)) {
    for (const uid of Object.keys(member)) yield* pointersTo(rest, memberOf(member, uid), `${here}/${pointerStep(uid)}`)
  } else if (Array.isArray(member)) yield here
}

/** Whether rules can rely on every field that a resource should have. */
export function isReadable({ malformed, unseen }: Pick<Resource, 'malformed' | 'unseen'>): boolean {
  return malformed === undefined && unseen === undefined
}

export type Facts = Readonly<Record<string, SecretFacts>>

/** What is known of a secret without revealing it. A type, not an interface, so that it is JSON for the compiler. */
export type SecretFacts = {
  /** Lower bound of its length class in characters, without `whsec_`; of Base64 behind that, in bytes. 0, 8, 16, 24, … */
  readonly min_length: number
  /** Reasons to call it weak at any length; sorted. */
  readonly weak: readonly Weakness[]
  /** An access key that its cloud expires by itself. */
  readonly temporary?: true
}

export const weaknesses = [
  'common',
  'digits',
  'equals-host',
  'equals-name',
  'equals-uid',
  'equals-user',
  'few-characters',
  'keyboard',
  'placeholder',
  'published',
  'repetition',
  'variable',
] as const
export type Weakness = (typeof weaknesses)[number]

export const maskedSeal = 'sealed:masked'

/** Whether the service itself masks this secret: present, with an unknown value. */
export function isMasked(value: Json | undefined): boolean {
  return value === maskedSeal
}

/** Whether a value is a text that was sealed whole, with its length: `sealed:… (212 characters)`. */
export function isSealedWhole(value: Json): boolean {
  return typeof value === 'string' && /^sealed:(?:[0-9a-f]{32}|masked) \(\d{1,12} characters\)$/.test(value)
}

/** Names a resource within its project: `kind uid`. */
export type ResourceKey = string & { readonly [isKeyOf]: 'resource' }

export function resourceKey({ kind, uid }: { readonly kind: Kind; readonly uid: string }): ResourceKey {
  // The one place where a text becomes a key.
  return `${kind} ${uid}` as ResourceKey
}

/** Names a project over time: a person may rename it, the service's uid stays. */
export function projectKey({ service, uid }: Pick<ProjectRef, 'service' | 'uid'>): string {
  return JSON.stringify([service, uid])
}

declare const isKeyOf: unique symbol

/**
 * The words in which the wire schema (`wire-schema.ts`) is written. Every leaf decides whether it holds a secret:
 * there is no leaf without a decision, so a new field cannot slip through undecided.
 */
export type Leaf =
  /**
   * Identifiers and enumerations, with the values that are known of an enumeration. No secret; one that was put there by
   * mistake is sealed by its form.
   */
  | { readonly type: 'text'; readonly values?: readonly string[] }
  /** Names, and text that a person wrote. Sealed within where it holds something that looks like a credential or random. */
  | { readonly type: 'prose' }
  /** A certificate, which is public and looks random. Whatever else stands there is sealed. */
  | { readonly type: 'certificate' }
  /** Program text. Literals and comments are sealed within it, but for harmless ones. */
  | { readonly type: 'code' }
  /** An address. Userinfo and token-like query values are sealed within it. */
  | { readonly type: 'url' }
  /** An address that is a credential in itself (chat webhooks): everything behind the host is sealed. */
  | { readonly type: 'secret-url' }
  /** A secret: sealed whole, facts kept. */
  | { readonly type: 'secret' }
  | { readonly type: 'integer' }
  /** A number of seconds; some releases write `"10s"`. */
  | { readonly type: 'seconds' }
  | { readonly type: 'flag' }
  /** RFC 3339; year 1 means "not filled". */
  | { readonly type: 'time' }
  /** A list of texts whose order means nothing. */
  | { readonly type: 'set' }
  /** A set of addresses, sealed within like any. */
  | { readonly type: 'addresses' }
  /** JSON of the user's own making (filters). Sealed where a name or a value looks secret; `names`: how its members are named. */
  | { readonly type: 'free'; readonly names?: 'parameters' }

export type Field = (Leaf | Struct | Keyed) & { readonly presence?: Presence }

/** An object with known members. */
export interface Struct {
  readonly type: 'struct'
  readonly members: Members
  /**
   * `collapse`: an object whose members are all empty says the same as no object, and an empty member says the same
   * as no member (releases disagree on how they write "none").
   */
  readonly collapse?: true
  /** It holds secrets: a member that nobody knows is sealed, whatever it looks like. */
  readonly guarded?: true
}

/** A list of objects that have a `uid`: kept as an object keyed by it, so that its order means nothing. */
export interface Keyed {
  readonly type: 'keyed'
  readonly members: Members
  readonly guarded?: true
}

export type Members = Readonly<Record<string, Field>>

/**
 * What the absence of a member says. Without a word: the service did not show it (unknown).
 * - `optional`: left out when empty
 * - `volatile`: changes by itself; seen by rules, neither stored nor compared
 * - `reference`: replaced by a reference or lifted; never an attribute
 */
export type Presence = 'optional' | 'volatile' | 'reference'

export const text: Field = { type: 'text' }
export const enumeration = (values: string): Field => ({ type: 'text', values: values.split(' ') })
export const prose: Field = { type: 'prose' }
export const certificate: Field = { type: 'certificate' }
export const code: Field = { type: 'code' }
export const url: Field = { type: 'url' }
export const secretUrl: Field = { type: 'secret-url' }
export const secret: Field = { type: 'secret' }
export const integer: Field = { type: 'integer' }
export const seconds: Field = { type: 'seconds' }
export const flag: Field = { type: 'flag' }
export const time: Field = { type: 'time' }
export const set: Field = { type: 'set' }
export const addresses: Field = { type: 'addresses' }
export const free: Field = { type: 'free' }
export const parameters: Field = { type: 'free', names: 'parameters' }

export const optional = (field: Field): Field => ({ ...field, presence: 'optional' })
export const volatile = (field: Field): Field => ({ ...field, presence: 'volatile' })
export const reference: Field = { type: 'free', presence: 'reference' }

/** An object that always stands there, with members of its own. */
export const struct = (members: Members): Field => ({ type: 'struct', members: inOrder(members) })
/** An object that may be "none" in several spellings. */
export const collapsing = (members: Members): Field => ({ type: 'struct', members: inOrder(members), collapse: true })
export const keyed = (members: Members): Field => ({ type: 'keyed', members: inOrder(members) })
/** An object or a list that holds secrets: what is unknown in it is sealed, and in all objects within it. */
export const guarded = (field: Field): Field => {
  if (field.type !== 'struct' && field.type !== 'keyed') return field
  const members = Object.entries(field.members).map(([name, member]) => [name, guarded(member)])
  return { ...field, members: Object.fromEntries(members), guarded: true }
}

/** Members in canonical order, so that what is built from them needs no sorting. */
export function inOrder(members: Members): Members {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

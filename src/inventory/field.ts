/**
 * The words of the wire schema (`wire-schema.ts`). Every leaf decides whether it is secret, so a new field cannot
 * remain undecided.
 */
export type Leaf =
  /**
   * An identifier, which may appear random: people know and select things by it. A secret that was put there by mistake
   * is sealed by its form alone, so docs/explanation/secrets.md lists every such field.
   */
  | { readonly type: 'text' }
  /** A word of a closed vocabulary, of which some values may be known. Anything that is not a short plain word is sealed. */
  | { readonly type: 'word'; readonly values?: readonly string[] }
  /** Names, and text that a person wrote. Credentials and random words in it are sealed. */
  | { readonly type: 'prose' }
  /** A certificate, which is public and appears random. Any other text there is sealed. */
  | { readonly type: 'certificate' }
  /** Program text. All literals and comments in it are sealed but harmless ones. */
  | { readonly type: 'code' }
  /** An address. Userinfo and token-like query values in it are sealed. */
  | { readonly type: 'url' }
  /** An address that is itself a credential (chat webhooks): everything after the host is sealed. */
  | { readonly type: 'secret-url' }
  /** A secret: sealed whole, with facts about it kept. `isAnything`: in any form, else a text or the bytes of one. */
  | { readonly type: 'secret'; readonly isAnything?: true }
  | { readonly type: 'integer' }
  /** A number of seconds; some releases write `"10s"`. */
  | { readonly type: 'seconds' }
  | { readonly type: 'flag' }
  /** RFC 3339; year 1 means "not filled". `isSwitch`: when something was switched on; null while it is off. */
  | { readonly type: 'time'; readonly isSwitch?: true }
  /** A list of texts in any order. */
  | { readonly type: 'set' }
  /** A set of addresses, each sealed as `url`. */
  | { readonly type: 'addresses' }
  /**
   * An object of the user (filters). Its secrets are sealed; `names`: the convention of its members' names. `isAnything`:
   * any JSON.
   */
  | { readonly type: 'free'; readonly names?: 'parameters'; readonly isAnything?: true }

export type Field = (Leaf | Struct | Keyed) & { readonly presence?: Presence }

/** An object with known members. */
export interface Struct {
  readonly type: 'struct'
  readonly members: Members
  /**
   * `collapse`: an object whose members are all empty equals no object, and an empty member equals no member (releases
   * write "none" in different ways).
   */
  readonly collapse?: true
  /** The object contains secrets: an unknown member is sealed in any case. */
  readonly guarded?: true
}

/**
 * A list of objects with a `uid`: kept as an object keyed by it, because its order means nothing. `by`: the member that
 * names them instead; such a name is prose, and means the same everywhere.
 */
export interface Keyed {
  readonly type: 'keyed'
  readonly by?: string
  readonly members: Members
  readonly guarded?: true
}

export type Members = Readonly<Record<string, Field>>

/**
 * What the absence of a member means. Default: the service did not show it (unknown).
 * - `optional`: left out when empty
 * - `required`: every release shows it, so an item without it is seen in part: rules that read it say nothing
 * - `volatile`: changes by itself; rules read it, but it is neither stored nor compared
 * - `reference`: replaced by a reference or lifted; never an attribute
 */
export type Presence = 'optional' | 'required' | 'volatile' | 'reference'

export const text: Field = { type: 'text' }
export const word: Field = { type: 'word' }
export const enumeration = (values: string): Field => ({ type: 'word', values: values.split(' ') })
export const prose: Field = { type: 'prose' }
export const certificate: Field = { type: 'certificate' }
export const code: Field = { type: 'code' }
export const url: Field = { type: 'url' }
export const secretUrl: Field = { type: 'secret-url' }
export const secret: Field = { type: 'secret' }
export const anySecret: Field = { type: 'secret', isAnything: true }
export const integer: Field = { type: 'integer' }
export const seconds: Field = { type: 'seconds' }
export const flag: Field = { type: 'flag' }
export const time: Field = { type: 'time' }
export const switchTime: Field = { type: 'time', isSwitch: true }
export const set: Field = { type: 'set' }
export const addresses: Field = { type: 'addresses' }
export const free: Field = { type: 'free' }
export const anything: Field = { type: 'free', isAnything: true }
export const parameters: Field = { type: 'free', names: 'parameters' }

export const optional = (field: Field): Field => ({ ...field, presence: 'optional' })
export const required = (field: Field): Field => ({ ...field, presence: 'required' })
export const volatile = (field: Field): Field => ({ ...field, presence: 'volatile' })
export const reference: Field = { type: 'free', presence: 'reference' }

/** An object that is always present, with members of its own. */
export const struct = (members: Members): Field => ({ type: 'struct', members: inOrder(members) })
/** An object whose "none" is written in several ways. */
export const collapsing = (members: Members): Field => ({ type: 'struct', members: inOrder(members), collapse: true })
export const keyed = (members: Members): Field => ({ type: 'keyed', members: inOrder(members) })
export const keyedBy = (by: string, members: Members): Field => ({ type: 'keyed', by, members: inOrder(members) })
/** An object or a list that contains secrets: unknown members are sealed, in it and in all objects within it. */
export const guarded = (field: Field): Field => {
  if (field.type !== 'struct' && field.type !== 'keyed') return field
  const members = Object.entries(field.members).map(([name, member]) => [name, guarded(member)])
  return { ...field, members: Object.fromEntries(members), guarded: true }
}

/** Members in canonical order, so that objects built from them need no sorting. */
export function inOrder(members: Members): Members {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

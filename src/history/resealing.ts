import type { Json, JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'

/** How rows of an earlier version are brought to today's form, so that nothing is left in clear that is sealed now. */
export interface Resealing {
  /** Of the program that does it. */
  readonly toolVersion: string
  /**
   * For rows whose seals were made under this installation key. Under another one, or none, what is found is masked:
   * present, its value unknowable, compared with nothing.
   */
  under(keyId: string): Resealer
  /** For texts that are compared with nothing, whichever key there is. */
  readonly uncompared: Resealer
}

export interface Resealer {
  /** Whether it seals with the key; it masks otherwise. */
  readonly hasKey: boolean
  seal(secret: string): string
  /** `found` hears each secret that was in clear. */
  attributes(kind: Kind, attributes: JsonObject, found: (secret: string) => void): JsonObject
  /** A value within a resource and its JSON Pointer. */
  part(kind: Kind, part: ResealedPart): ResealedPart
  name(kind: Kind, name: string): string
  /** Words of ours, or of a person. */
  text(text: string): string
  /** Words of ours that quote an answer of the service. */
  reason(text: string): string
}

export interface ResealedPart {
  readonly path: string
  readonly value: Json
}

/** What hears of a secret that somebody looks for. */
export interface OpenSecrets {
  /** JSON Pointers of what should be sealed in a body and is not. */
  inBody(kind: Kind, attributes: JsonObject): Iterable<string>
  inPart(kind: Kind, part: ResealedPart): boolean
  inName(kind: Kind, name: string): boolean
  inText(text: string): boolean
}

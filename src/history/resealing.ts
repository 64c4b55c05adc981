import type { Json, JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'

/** Rewrites rows of an earlier version so that every secret in them is sealed as today. */
export interface Resealing {
  /** Of the program that reseals. */
  readonly toolVersion: string
  /**
   * For rows whose seals were made with this installation key. Where that key is not available, secrets are masked: the
   * value is unknown and never compared.
   */
  under(keyId: string): Resealer
  /** For texts that are never compared, with any key. */
  readonly uncompared: Resealer
}

export interface Resealer {
  /** Whether it seals with the key; it masks otherwise. */
  readonly hasKey: boolean
  seal(secret: string): string
  /** Calls `found` with each secret that was in clear. */
  attributes(kind: Kind, attributes: JsonObject, found: (secret: string) => void): JsonObject
  /** A value within a resource and its JSON Pointer. */
  part(kind: Kind, part: ResealedPart): ResealedPart
  name(kind: Kind, name: string): string
  /** Text of hookdrift or of a person. */
  text(text: string): string
  /** Text of hookdrift that quotes an answer of the service. */
  reason(text: string): string
}

export interface ResealedPart {
  readonly path: string
  readonly value: Json
}

/** Detects secrets that are not sealed. */
export interface OpenSecrets {
  /** JSON Pointers of unsealed secrets in a body. */
  inBody(kind: Kind, attributes: JsonObject): Iterable<string>
  inPart(kind: Kind, part: ResealedPart): boolean
  inName(kind: Kind, name: string): boolean
  inText(text: string): boolean
}

import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Activation } from './activation.ts'
import type { BodyObject, Pieces, PlacedPlaceholder, Placeholder } from './pieces.ts'
import type { LeftToYou } from './write-body.ts'

/** Kinds that the service's requests write. */
const repairableKinds = ['endpoint', 'subscription', 'source', 'project'] as const
export type RepairableKind = (typeof repairableKinds)[number]

export function isRepairable(kind: Kind): kind is RepairableKind {
  return repairableKinds.some((one) => one === kind)
}

/** A request that puts fields back. hookdrift prints it and sends nothing. */
export interface RepairRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below the service's path prefix: `/projects/…`. */
  readonly path: Pieces
  /** Of the path, each once. */
  readonly pathPlaceholders: readonly PathPlaceholder[]
  /** null where the request has none. */
  readonly body: BodyObject | null
  /** Of the body. */
  readonly placeholders: readonly RequestPlaceholder[]
  /** What it does, as an imperative. */
  readonly purpose: string
  /** JSON Pointers of the fields that it puts back, without seals. */
  readonly restores: readonly string[]
  /** Where it is one of two ways and it is not known which the service takes: a sentence that says when. */
  readonly when: string | null
}

export interface RequestPlaceholder extends PlacedPlaceholder {
  /** What to fill in. */
  readonly hint: string
}

export interface PathPlaceholder extends Placeholder {
  /** What to fill in. */
  readonly hint: string
}

export interface Repair {
  readonly requests: readonly RepairRequest[]
  /** By path. */
  readonly left: readonly LeftToYou[]
  /** Sentences about what the requests do beyond that, or cannot know. */
  readonly notes: readonly string[]
}

export interface RepairCase {
  readonly kind: RepairableKind
  readonly projectUid: string
  readonly uid: string
  /** Attributes to put back. */
  readonly target: JsonObject
  /** Present attributes; undefined where the resource is gone. */
  readonly now: JsonObject | undefined
  /** JSON Pointers of what differs, sorted; not read where the resource is gone. */
  readonly changed: readonly string[]
  /** Resources that the target refers to and that are gone, by attribute: they have another uid once they are back. */
  readonly gone: readonly ('endpoint_uid' | 'source_uid')[]
  /** Names of placeholders that mean something else. */
  readonly reserved: readonly string[]
  /** How the service activates an endpoint; undefined where its answers do not show it. */
  readonly activation: Activation | undefined
}

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'
import type { BodyObject, BodyPlaceholder, Pieces, Placeholder } from './pieces.ts'
import type { ManualStep } from './write-body.ts'

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

export interface RequestPlaceholder extends BodyPlaceholder {
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
  readonly manualSteps: readonly ManualStep[]
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
  /** Whether the project is known to receive events from sources. */
  readonly isIncoming?: boolean
}

/**
 * How a release activates an endpoint. `switch`: `PUT …/pause` also wakes one that is paused, and nothing activates one
 * that is inactive (up to v26.6.2). `request`: `POST …/activate` wakes both (from v26.6.5 on).
 */
export type Activation = 'switch' | 'request'

/** Without them, an answer does not show all settings. */
const ofEveryRelease = ['ratelimit', 'signature', 'ssl', 'strategy']

/** v26.6.5 shows the first in every project, v26.7.0 and v26.7.1 the others. */
const sinceActivation = [
  'request_id_header',
  'sync_dynamic_event_ack',
  'verify_dynamic_events',
  'allow_unmatched_dynamic_urls',
]

/**
 * What stored answers show about it; undefined where they show neither. `project`: its attributes as a whole walk showed
 * them, undefined without one. v26.6.3 and v26.6.4, which were not tried, pass for older ones.
 */
export function activationOf(project: JsonObject | undefined, endpoint: JsonObject): Activation | undefined {
  // v26.7.3 shows it where it is set.
  if (typeof endpoint.teams_webhook_url === 'string') return 'request'
  const config = project?.config
  if (!isJsonObject(config)) return undefined
  const shows = (name: string) => Object.hasOwn(config, name)
  if (sinceActivation.some(shows)) return 'request'
  return ofEveryRelease.every(shows) ? 'switch' : undefined
}

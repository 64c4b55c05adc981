import { canonicalJson } from '../model/canonical-json.ts'
import { AuditError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import type { Facts, FieldDoubts, Kind } from '../model/resource.ts'

/** A version of a resource, with its attributes. */
export interface StoredBody {
  readonly name: string
  /** The run that wrote this version, and its start (ISO 8601). */
  readonly fromRun: number
  readonly since: string
  readonly attributes: JsonObject
  readonly facts: Facts
  /** Since when fields are malformed or not shown; absent if there are none. */
  readonly doubts?: FieldDoubts
  readonly sealKeyId: string
  readonly normaliser: number
}

/** A version as it is stored. */
export interface StoredVersion extends Pick<StoredBody, 'name' | 'fromRun' | 'since' | 'sealKeyId' | 'normaliser'> {
  /** Canonical JSON of the attributes. */
  readonly body: string
  /** Canonical JSON of facts and doubts; empty when there are none. */
  readonly facts: string
}

/** @throws AuditError.failure where its texts are not JSON */
export function readStoredVersion({ body, facts, ...version }: StoredVersion): StoredBody {
  const { name, fromRun, since, sealKeyId, normaliser } = version
  return { name, fromRun, since, sealKeyId, normaliser, attributes: parseStored(body), ...parseFacts(facts) }
}

/** A resource as runs of the past saw it. */
export type PastVersion = Pick<StoredBody, 'attributes' | 'doubts' | 'fromRun' | 'since' | 'sealKeyId'>

/** A resource as of a run. */
export interface VersionPoint {
  readonly kind: Kind
  readonly uid: string
  readonly run: number
}

/**
 * A text that a history keeps as JSON, such as the body of a version. Hookdrift wrote it: its type is what the caller says.
 * @throws AuditError.failure where it is not JSON
 */
export function parseStored<Stored>(text: string): Stored {
  try {
    return JSON.parse(text) as Stored
  } catch (cause) {
    throw damagedHistory('it contains a text that is not JSON', { cause })
  }
}

/**
 * The error to throw where rows are not as hookdrift wrote them. `what`: what is wrong, in words; `name`: of the history,
 * where it is known.
 */
export function damagedHistory(
  what: string,
  { name, cause }: { readonly name?: string; readonly cause?: unknown } = {},
): AuditError {
  return AuditError.failure(`the history ${name === undefined ? '' : `${name} `}is damaged: ${what}`, {
    advice: 'restore the last backup that verifies (`hookdrift docs keep-the-history`), or name another history',
    cause,
  })
}

/** Where a row to write has a key that is taken. */
export const heldTwiceAdvice = 'run `hookdrift verify`: if it finds no damage, please report this as a bug'

/** What a version stores in addition to the attributes. */
export interface VersionFacts {
  readonly facts: Facts
  readonly doubts?: FieldDoubts
}

/** Their text: canonical JSON, or empty without any. Facts are named by JSON Pointers, so no name is taken twice. */
export function writeFacts({ facts, doubts }: VersionFacts): string {
  if (doubts !== undefined) return canonicalJson({ ...facts, doubts })
  return Object.keys(facts).length === 0 ? '' : canonicalJson(facts)
}

export function parseFacts(text: string): VersionFacts {
  if (text === '') return { facts: {} }
  // Hookdrift wrote it as canonical JSON of these types.
  const parsed = parseStored<Record<string, unknown>>(text)
  if (parsed.doubts === undefined) return { facts: parsed as Facts }
  const { doubts, ...facts } = parsed
  return { facts: facts as Facts, doubts: doubts as FieldDoubts }
}

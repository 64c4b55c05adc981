import {
  isEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  objectOf,
  pointerStep,
  stepsOf,
  valueAt,
} from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'
import { reseal } from './reseal.ts'
import { sealCredentials } from './seal-text.ts'
import { isSeal, type Sealer } from './sealer.ts'

/**
 * Finds values that should be sealed and are not, by sealing them again. Needs no key. It finds something only if an
 * earlier version or another program wrote it.
 */
export const openSecrets = {
  /** JSON Pointers of unsealed values in a body, each once. */
  inBody(kind: Kind, attributes: JsonObject): Iterable<string> {
    const paths = new Set(differences(attributes, reseal(kind, attributes, detector), ''))
    return [...paths].map((path) => withoutValue(path, valueAt(attributes, path)))
  },
  inPart(kind: Kind, part: Part): boolean {
    const resealed = resealPart(kind, part, detector)
    return resealed.path !== part.path || !isEqual(resealed.value, part.value)
  },
  inName: (kind: Kind, name: string): boolean => resealName(kind, name, detector) !== name,
  inText: (text: string): boolean => resealText(text, detector) !== text,
}

/** A value within a resource, and its JSON Pointer. */
export interface Part {
  readonly path: string
  readonly value: Json
}

const detector: Sealer = {
  keyId: '',
  seal: (secret) => (isSeal(secret) ? secret : `sealed:${'0'.repeat(32)}`),
}

/** An object may be keyed by its own secret. */
function withoutValue(path: string, value: Json | undefined): string {
  return typeof value === 'string' && value !== '' ? path.replaceAll(pointerStep(value), '…') : path
}

/**
 * JSON Pointers where two forms of one value differ. A changed name of a member is reported as its parent: the name may
 * be the secret.
 */
function* differences(before: Json, after: Json, path: string): Generator<string> {
  if (isEqual(before, after)) return
  if (!isJsonObject(before) || !isJsonObject(after)) yield path
  else {
    for (const [key, value] of Object.entries(before)) {
      const now = Object.hasOwn(after, key) ? after[key] : undefined
      if (now === undefined) yield path
      else yield* differences(value, now, `${path}/${pointerStep(key)}`)
    }
  }
}

/** Brings one value to today's form, as `reseal` does. A sealed name of a member changes the pointer. */
function resealPart(kind: Kind, { path, value }: Part, sealer: Sealer): Part {
  const steps = stepsOf(path)
  const around = steps.reduceRight<Json>((inner, step) => objectOf([[step, inner]]), value)
  // The policy is not a resource of a service, and a change of a whole resource has no value.
  if (kind === 'policy' || steps.length === 0 || !isJsonObject(around)) return { path, value }
  let here: Json = reseal(kind, around, sealer)
  let at = ''
  for (const _ of steps) {
    const [member]: readonly [string, Json][] = isJsonObject(here) ? Object.entries(here) : []
    // The object is sealed whole, with all its contents.
    if (member === undefined) break
    at += `/${pointerStep(member[0])}`
    here = member[1]
  }
  return { path: at, value: here }
}

/** Brings the name of a resource to today's form, as it is among its attributes. */
function resealName(kind: Kind, name: string, sealer: Sealer): string {
  if (kind === 'policy') return resealText(name, sealer)
  const path = kind === 'device' ? '/host_name' : kind === 'probe' ? '/probe' : '/name'
  const { value } = resealPart(kind, { path, value: name }, sealer)
  return typeof value === 'string' ? value : name
}

/**
 * Seals credentials in a text of ours that quotes a service or a person: messages, notices, notes. Finds nothing in
 * texts of this version, so they are never sealed again.
 */
function resealText(text: string, sealer: Sealer): string {
  return sealCredentials(text, sealer)
}

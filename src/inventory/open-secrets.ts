import { isEqual, isJsonObject, type Json, type JsonObject, pointerStep, valueAt } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { reseal } from './reseal.ts'
import { type Part, resealName, resealPart } from './reseal-part.ts'
import { resealText } from './reseal-text.ts'
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

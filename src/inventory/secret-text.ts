import type { Json } from '../model/json.ts'
import { asText } from './scalars.ts'

/** One release writes a service account as a base64 text, another as its bytes; both must give the same seal. */
export function asSecretText(raw: Json): string {
  if (Array.isArray(raw) && raw.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(raw.map(Number)).toString('base64')
  }
  return asText(raw)
}

import type { Json } from '../model/json.ts'
import { asText } from './scalars.ts'

/** One service account is a base64 text in one release and its bytes in another; both give the same seal. */
export function asSecretText(raw: Json): string {
  if (Array.isArray(raw) && raw.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(raw.map(Number)).toString('base64')
  }
  return asText(raw)
}

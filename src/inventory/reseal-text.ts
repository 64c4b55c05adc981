import { sealCredentials } from './seal-text.ts'
import type { Sealer } from './sealer.ts'

/**
 * Seals what has the form of a credential in a text of ours that quotes a service or a person: messages, notices, notes.
 * Finds nothing in what this version writes, so that what it writes never has to be sealed again.
 */
export function resealText(text: string, sealer: Sealer): string {
  return sealCredentials(text, sealer)
}

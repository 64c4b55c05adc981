import { asSeen } from '../secrets/seen-text.ts'
import { longestText } from './bounds.ts'
import { findAddresses } from './find-addresses.ts'
import { sealWords } from './seal-text.ts'
import { sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { skipHarmless } from './skip-harmless.ts'

/**
 * Seals secrets within words of people: addresses by the rule of addresses, credentials, values after `password:` and the
 * like, random words. A text that shows a secret only as a reader sees it (`asSeen`) is kept like that, any other as it is.
 */
export const sealProse = skipHarmless((text: string, sealer: Sealer): string => {
  if (text.length > longestText) return sealer.seal(text)
  const sealed = sealWritten(text, sealer)
  const seen = asSeen(sealed)
  if (seen === sealed) return sealed
  const sealedAsSeen = sealWritten(seen, sealer)
  return sealedAsSeen === seen ? sealed : sealedAsSeen
})

function sealWritten(text: string, sealer: Sealer): string {
  return sealWords(sealAddresses(text, sealer), sealer)
}

function sealAddresses(text: string, sealer: Sealer): string {
  const out: string[] = []
  let at = 0
  for (const { from, to } of findAddresses(text)) {
    out.push(text.slice(at, from), sealUrl(text.slice(from, to), sealer))
    at = to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

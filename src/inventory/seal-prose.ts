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
  const seen = asSeen(text)
  const sealed = sealIn(seen, sealer)
  if (sealed === seen) return text
  if (seen === text) return sealed
  // Where the same is hidden in what was written, the rest of it stays to the character.
  const asWritten = sealIn(text, sealer)
  return asSeen(asWritten) === sealed ? asWritten : sealed
})

function sealIn(text: string, sealer: Sealer): string {
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

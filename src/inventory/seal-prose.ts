import { asSeen } from '../secrets/seen-text.ts'
import { longestText } from './bounds.ts'
import { findAddresses } from './find-addresses.ts'
import { sealWords } from './seal-text.ts'
import { sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { skipHarmless } from './skip-harmless.ts'

/**
 * Seals secrets within words of people: addresses by the rule of addresses, credentials, values after `password:` and the
 * like, random words. A text with a secret is kept as a reader sees it (`asSeen`), any other as it is.
 */
export const sealProse = skipHarmless((text: string, sealer: Sealer): string => {
  if (text.length > longestText) return sealer.seal(text)
  const seen = asSeen(text)
  const sealed = sealWords(sealAddresses(seen, sealer), sealer)
  return sealed === seen ? text : sealed
})

function sealAddresses(text: string, sealer: Sealer): string {
  const out: string[] = []
  let at = 0
  for (const { from, to } of findAddresses(text)) {
    out.push(text.slice(at, from), sealUrl(text.slice(from, to), sealer))
    at = to
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

import type { Sealer } from './sealer.ts'

/** Seals what is secret within a text. */
type SealText = (text: string, sealer: Sealer) => string

/** Characters: scanning a shorter text takes no longer than finding it in the cache. */
const shortestKept = 16
const longestKept = 128
const mostKept = 4096

/**
 * The same function, which remembers the short texts that it left as they are: resources repeat most of what they say.
 * It keeps no text that held a secret, and none with a seal in it, which some sealers treat in their own way.
 */
export function skipHarmless(sealText: SealText): SealText {
  const harmless = new Set<string>()
  return (text, sealer) => {
    if (text.length < shortestKept || text.length > longestKept) return sealText(text, sealer)
    if (harmless.has(text)) return text
    const sealed = sealText(text, sealer)
    if (sealed === text && !text.includes('sealed:')) {
      if (harmless.size === mostKept) harmless.clear()
      harmless.add(text)
    }
    return sealed
  }
}

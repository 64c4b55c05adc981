/** Cuts to at most `longest` characters, after a word where one ends near; cut text ends in `…`. */
export function shorten(text: string, longest: number): string {
  const characters = [...text]
  if (characters.length <= longest) return text
  const fitting = characters.slice(0, longest - 1).join('')
  const wordEnd = fitting.lastIndexOf(' ')
  return `${wordEnd > fitting.length * 0.9 ? fitting.slice(0, wordEnd) : fitting}…`
}

const sealPattern = /sealed:([0-9a-f]{32})(?![0-9a-f])/g

const sealDigits = 32

/** Cuts seals of 32 digits to 8 (`sealed:3fa1c2d4…`), or to as many as distinguish all seals of these texts. */
export function shortenSeals<Texts extends readonly string[]>(...texts: Texts): { [At in keyof Texts]: string } {
  const seals = new Set(texts.flatMap((text) => [...text.matchAll(sealPattern)].map(([, digits]) => digits ?? '')))
  let digits = 8
  while (digits < sealDigits && new Set([...seals].map((seal) => seal.slice(0, digits))).size < seals.size) digits += 4
  const cut = (text: string) =>
    digits >= sealDigits ? text : text.replace(sealPattern, (_, seal: string) => `sealed:${seal.slice(0, digits)}…`)
  // The type of map forgets the length of the tuple.
  return texts.map(cut) as { [At in keyof Texts]: string }
}

/** As many characters of a fingerprint as people get to see: commands take them for the whole. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, 8)
}

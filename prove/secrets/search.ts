import type { Canary } from './canaries.ts'

/** A place in the output, and the secret that it contains. */
export interface Leak {
  readonly where: string
  readonly canary: Canary
  /** How it is written there. */
  readonly form: string
}

/** So many consecutive characters of a secret give it away. */
const minimumLength = 10
/** Of hexadecimal digits in groups: UUIDs of a report have ten such characters in common with some of thousands. */
const minimumOfGroups = 14

/** The bytes of so many characters of a secret as it is: letters of full width have three each. */
function bytesThatGiveAway(secret: string): number {
  if (/^[\da-f]+(?:[-:.][\da-f]+)+$/i.test(secret)) return minimumOfGroups
  return minimumLength * Math.round(Buffer.byteLength(secret) / [...secret].length)
}

interface Index {
  /** By length: stretches of secrets, and which first three bytes any of them has. */
  readonly byLength: ReadonlyMap<number, Stretches>
}

interface Stretches {
  readonly known: Map<string, { readonly canary: Canary; readonly form: string }>
  readonly beginnings: Uint8Array
}

/** Every stretch of every secret that gives it away, in each way of writing it. */
export function indexCanaries(canaries: readonly Canary[]): Index {
  const byLength = new Map<number, Stretches>()
  for (const canary of canaries) {
    for (const { form, text, length } of formsOf(canary.text)) {
      const { known, beginnings } = byLength.get(length) ?? { known: new Map(), beginnings: new Uint8Array(2 ** 24) }
      byLength.set(length, { known, beginnings })
      for (let at = 0; at + length <= text.length; at++) {
        known.set(text.slice(at, at + length), { canary, form })
        beginnings[beginningOf(Buffer.from(text, 'latin1'), at)] = 1
      }
    }
  }
  return { byLength }
}

/** One leak for each secret and form that the bytes contain. */
export function findLeaks(where: string, bytes: Buffer, { byLength }: Index): Leak[] {
  const found = new Map<string, Leak>()
  for (const [length, { known, beginnings }] of byLength) {
    for (let at = 0; at + length <= bytes.length; at++) {
      // Few places begin like a secret; only those are read as text.
      if (beginnings[beginningOf(bytes, at)] === 0) continue
      const leak = known.get(bytes.toString('latin1', at, at + length))
      if (leak !== undefined) found.set(`${leak.canary.text} ${leak.form}`, { where, ...leak })
    }
  }
  return [...found.values()]
}

function beginningOf(bytes: Buffer, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
}

function formsOf(secret: string): readonly { readonly form: string; readonly text: string; readonly length: number }[] {
  const bytes = Buffer.from(secret)
  // Files are searched byte by byte.
  const written = (text: string) => Buffer.from(text).toString('latin1')
  const escaped = (text: string) => written(JSON.stringify(text).slice(1, -1))
  const forMarkup = (text: string) =>
    written(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
  const inBase64 = (shift: number) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4)
  return [
    { form: 'as it is', text: written(secret), length: bytesThatGiveAway(secret) },
    ...[escaped(secret), forMarkup(secret), written(secret.normalize('NFKC'))]
      .filter((text) => text !== written(secret))
      .map((text) => ({ form: 'in another spelling', text, length: minimumLength })),
    ...(encodeURIComponent(secret) === secret
      ? []
      : [{ form: 'percent-encoded', text: encodeURIComponent(secret), length: minimumLength }]),
    { form: 'hex', text: bytes.toString('hex'), length: 2 * minimumLength },
    // Bytes before it shift the characters: each of the three ways, without what depends on the neighbours.
    ...[0, 1, 2].map((shift) => ({ form: 'base64', text: inBase64(shift), length: minimumLength + 4 })),
  ]
}

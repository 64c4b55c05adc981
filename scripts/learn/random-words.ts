import type { Seeded } from './seeded.ts'

const small = 'abcdefghijklmnopqrstuvwxyz'
const capitals = small.toUpperCase()
const digits = '0123456789'

/** What secrets are made of. */
export const alphabets = {
  base62: capitals + small + digits,
  base64: `${capitals}${small}${digits}+/`,
  base64url: `${capitals}${small}${digits}-_`,
  'hex, lower case': `${digits}abcdef`,
  'hex, upper case': `${digits}ABCDEF`,
  base32: `${capitals}234567`,
  'base32, lower case': `${small}234567`,
  base36: small + digits,
  letters: capitals + small,
  'letters, lower case': small,
  'letters, upper case': capitals,
} as const

export const printable = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('')

export const lengths = [16, 18, 20, 22, 24, 32, 40, 64] as const

export function randomWords(alphabet: string, length: number, count: number, { text }: Seeded): readonly string[] {
  return Array.from({ length: count }, () => text(alphabet, length))
}

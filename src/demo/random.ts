/** A stream of numbers from a seed: the same seed gives the same stream on every machine. */
export interface Random {
  /** 32 random bits. */
  bits(): number
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  pick<T>(choices: readonly [T, ...T[]]): T
  chance(probability: number): boolean
  /** Lower-case hex digits. */
  hex(digits: number): string
  /** All of `items`, in another order. */
  shuffled<T>(items: readonly T[]): T[]
}

/** sfc32, seeded by a text: small, fast and good enough for test data; never for keys. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [hashText(seed, 1), hashText(seed, 2), hashText(seed, 3), 1]
  const bits = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round++) bits()
  const below = (limit: number) => Math.floor((bits() / 0x1_0000_0000) * limit)
  return {
    bits,
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    chance: (probability) => bits() / 0x1_0000_0000 < probability,
    hex(digits) {
      let text = ''
      while (text.length < digits) text += bits().toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
    shuffled(items) {
      const keyed = items.map((item) => ({ item, key: bits() }))
      return keyed.sort((left, right) => left.key - right.key).map(({ item }) => item)
    },
  }
}

/** FNV-1a with a salt. */
function hashText(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 0
}

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID: 10 digits of time, 16 random ones, so that uids sort by creation. */
export function ulid(timeMs: number, random: Random): string {
  let chance = ''
  while (chance.length < 16) {
    let bits = random.bits()
    for (let digit = 0; digit < 6 && chance.length < 16; digit++, bits >>>= 5) chance += alphabet.charAt(bits & 31)
  }
  return timeDigits(timeMs) + chance
}

/** The first 10 digits of a ULID. */
export function timeDigits(timeMs: number): string {
  let time = ''
  for (let rest = timeMs, digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32))
    time = alphabet.charAt(rest % 32) + time
  return time
}

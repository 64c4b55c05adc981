/** A made-up secret, and where it is planted. */
export interface Canary {
  readonly text: string
  readonly place: string
}

/** Made-up secrets of many forms, remembered with the place that each was asked for. */
export interface Canaries {
  readonly all: Canary[]
  /** A secret that nothing but its randomness gives away. */
  random(place: string): string
  /** A secret with the form of a known credential. */
  known(place: string): string
  /** Anything that a person may use as a secret, words too: for places that say that it is one. */
  any(place: string): string
  /** What is neither random for sure nor made of words: for places where only the plain stays. */
  odd(place: string): string
  /** The same, but no row of digits: that is a number, and stays in a place for numbers. */
  mixed(place: string): string
  /** A text that looks as if it had been sealed already. */
  forged(place: string): string
}

export function createCanaries(random: () => number): Canaries {
  const all: Canary[] = []
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
  let turn = 0
  const take = (place: string, forms: readonly (() => string)[]): string => {
    turn += 1
    const text = forms[turn % forms.length]?.() ?? ''
    all.push({ text, place })
    return text
  }
  const randoms = [
    () => pick(base62, 24),
    () => pick(base62, 32),
    () => pick(base62, 43),
    () => pick(`${base62}-_`, 32),
    () => pick(hex, 32),
    () => pick(hex, 40),
    () => pick(letters, 32),
    () => `${pick(`${base62}+/`, 43)}=`,
  ]
  const knowns = [
    () => `whsec_${pick(base62, 24)}`,
    () => `ghp_${pick(base62, 36)}`,
    () => `sk_test_${pick(base62, 24)}`,
    () => `xoxb-${pick(digits, 11)}-${pick(base62, 20)}`,
    () => `glpat-${pick(base62, 20)}`,
    () => `AKIA${pick(capitals, 16)}`,
    () => `CO.${pick(base62, 16)}.${pick(base62, 40)}`,
    () => `eyJ${pick(base62, 20)}.eyJ${pick(base62, 30)}.${pick(base62, 30)}`,
  ]
  const odds = [
    () => `${pick(letters, 3)}${pick(digits, 2)}-${pick(letters, 2)}${pick(digits, 1)}${pick(letters, 4)}`,
    () => pick(digits, 12),
  ]
  const words = [() => `${pick(small, 6)}-${pick(small, 7)}-${pick(small, 6)}`, () => `Hunter${pick(digits, 6)}!`]
  return {
    all,
    random: (place) => take(place, randoms),
    known: (place) => take(place, knowns),
    any: (place) => take(place, [...randoms, ...knowns, ...odds, ...words]),
    odd: (place) => take(place, [...randoms, ...knowns, ...odds]),
    mixed: (place) => take(place, [...randoms, ...knowns, ...odds.slice(0, 1)]),
    forged(place) {
      const digits = pick(hex, 32)
      all.push({ text: digits, place })
      return `sealed:${digits}`
    },
  }
}

const digits = '0123456789'
const small = 'abcdefghijklmnopqrstuvwxyz'
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const letters = small + capitals
const hex = `${digits}abcdef`
const base62 = digits + letters

/** The same numbers for the same seed: at least 0, below 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

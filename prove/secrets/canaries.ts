/** A made-up secret, and where it is planted. */
export interface Canary {
  readonly text: string
  readonly place: string
  /** The share of its form that docs/explanation/secrets.md promises to seal where nothing names it. */
  readonly promised: number
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
  /** What a person takes for a password, a word too: for places with a secret's name next to it. */
  password(place: string): string
  /** Letters that nothing gives away. */
  word(place: string): string
  /** Digits alone. */
  pin(place: string): string
  /** Bytes in Base64. */
  key(place: string): string
  /** A credential whose form few know. */
  token(place: string): string
  /** All characters that a keyboard has, but quotes. */
  printable(place: string): string
  /** A random text with a character in it that is not seen. */
  broken(place: string, unseen: string): string
  /** A random text in the letters of full width that East Asian keyboards write. */
  wide(place: string): string
  /** Groups of one length. */
  grouped(place: string, alphabet: keyof typeof alphabets, size: number, separator: string, groups?: number): string
}

export function createCanaries(random: () => number): Canaries {
  const all: Canary[] = []
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('')
  let turn = 0
  const take = (place: string, forms: readonly (() => string)[], promised = 1): string => {
    turn += 1
    const text = forms[turn % forms.length]?.() ?? ''
    all.push({ text, place, promised })
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
  const printables = [() => pick(signs, 20), () => pick(signs, 26), () => pick(signs, 32)]
  const keys = [16, 24, 32, 48].map((bytes) => () => Buffer.from(pick(octets, bytes), 'latin1').toString('base64'))
  const tokens = [
    () => `sk-ant-api03-${pick(base62, 40)}`,
    () => `sk-proj-${pick(base62, 40)}`,
    () => `hvs.${pick(base62, 24)}`,
    () => `SG.${pick(base62, 22)}.${pick(base62, 43)}`,
    () => `$2b$12$${pick(`./${base62}`, 53)}`,
    () => `key-${pick(hex, 32)}`,
    () => `dapi${pick(hex, 32)}`,
    () => `hf_${pick(letters, 34)}`,
    () => `eyJ${pick(base62, 30)}.${pick(base62, 40)}.${pick(base62, 16)}.${pick(base62, 60)}.${pick(base62, 22)}`,
    () => `eyJ${pick(base62, 30)}..${pick(base62, 16)}.${pick(base62, 60)}.${pick(base62, 22)}`,
    () => `shpat_${pick(hex, 32)}`,
    () => `sq0csp-${pick(base62, 43)}`,
    () => `pypi-AgEIcHlwaS5vcmc${pick(base62, 60)}`,
    () => `AGE-SECRET-KEY-1${pick(capitals, 58)}`,
    () => `lin_api_${pick(base62, 40)}`,
    () => `ATATT3xFfGF0${pick(base62, 60)}`,
    () => `PMAK-${pick(hex, 24)}-${pick(hex, 34)}`,
  ]
  const passwords = [
    () => `Hunter${pick(digits, 6)}!`,
    () => pick(small, 12),
    () => `Tr0ub4dor&${pick(digits, 4)}`,
    () => pick(base62, 14),
    () => `${pick(small, 6)}-${pick(small, 7)}-${pick(small, 6)}`,
    () => pick(base62, 32),
    () => `${pick(letters, 5)}.${pick(digits, 4)}#${pick(letters, 4)}`,
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
      all.push({ text: digits, place, promised: 1 })
      return `sealed:${digits}`
    },
    password: (place) => take(place, passwords),
    word: (place) => take(place, [() => pick(small, 12)]),
    pin: (place) => take(place, [() => pick(digits, 10)]),
    key: (place) => take(place, keys, 0.99),
    token: (place) => take(place, tokens),
    printable: (place) => take(place, printables, 0.95),
    broken: (place, unseen) => take(place, [() => `${pick(base62, 12)}${unseen}${pick(base62, 20)}`]),
    wide: (place) => take(place, [() => [...pick(base62, 24)].map(widened).join('')]),
    grouped(place, alphabet, size, separator, groups = 8) {
      const group = () => pick(alphabets[alphabet], size)
      return take(place, [() => Array.from({ length: groups }, group).join(separator)], 0.99)
    },
  }
}

/** Full width. */
function widened(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0)
}

const digits = '0123456789'
const small = 'abcdefghijklmnopqrstuvwxyz'
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const letters = small + capitals
const hex = `${digits}abcdef`
const base62 = digits + letters
const signs = `${base62}!@#$%^&*()-_=+[]{}|;:,.<>?/~`
const octets = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
const alphabets = { hex, base62, base32: `${capitals}234567`, 'small base32': `${small}234567` } as const

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

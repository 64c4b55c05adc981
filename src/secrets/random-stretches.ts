import { writeCosts } from './name-costs.ts'
import { kindOf, kinds } from './symbols.ts'

/** A stretch of a text: from its first character up to, not including, `to`. */
export interface RandomStretch {
  readonly from: number
  readonly to: number
}

/** A stretch without blanks, its kinds of characters (one bit for each), and whether it is decided as a whole. */
export interface SymbolRun extends RandomStretch {
  readonly has: number
  readonly isWhole: boolean
}

/** Whether a stretch counts, by how much more likely random than written it is (in units), and by its length. */
export type Test = (score: number, length: number) => boolean

/**
 * The stretches of a run that are more likely random than written. For each alphabet, one pass finds the stretches
 * whose characters cost most in a name, relative to their cost where all are equally likely.
 */
export function randomStretches(text: string, run: SymbolRun, isRandom: Test): RandomStretch[] {
  const { alphabets, leastCosts } = choiceFor(run)
  if (alphabets.length === 0) return []
  const costs = run.to - run.from > shared.length ? new Uint8Array(run.to - run.from) : shared
  if (writeCosts(text, run.from, run.to, costs, leastCosts) < leastScore) return []
  const found: RandomStretch[] = []
  for (const alphabet of alphabets) seek(text, run, costs, alphabet, isRandom, found)
  return found
}

/** Stretches that score less are skipped. */
export const leastScore = 60
/** A stretch ends where it lost so many units: the text after it is written. */
const drop = 150
/** A separator costs at least this: the text after it must be random enough by itself. */
const bridge = 16
const slash = 0x2f
/** The text before the first separator is replaced too if it scores this much by itself. */
const entry = 40
/** The costs of a word of ordinary length; longer ones have an array of their own. */
const shared = new Uint8Array(4096)

interface Alphabet {
  readonly has: Uint8Array
  /** Of one character, where all are equally likely. */
  readonly cost: number
  /** Whether a random word may begin and end at a separator. */
  readonly isParted: boolean
  /** The least cost of a hyphen; in base64 it is an ordinary character. */
  readonly hyphen: number
}

const small = {
  hex: alphabetOf(/[0-9a-f_-]/, 24),
  letters: alphabetOf(/[a-z_-]/, 28),
  all: alphabetOf(/[0-9a-z_-]/, 31),
}
const great = {
  hex: alphabetOf(/[0-9A-F_-]/, 24),
  letters: alphabetOf(/[A-Z_-]/, 28),
  all: alphabetOf(/[0-9A-Z_-]/, 30),
}
const letters = alphabetOf(/[A-Za-z_-]/, 34)
const base64 = { ...alphabetOf(/[0-9A-Za-z+/_-]/, 36), hyphen: 0 }
const printable = { ...alphabetOf(/[!-~]/, 39), isParted: false }

function alphabetOf(has: RegExp, cost: number): Alphabet {
  const codes = Uint8Array.from({ length: 128 }, (_, code) => (has.test(String.fromCharCode(code)) ? 1 : 0))
  return { has: codes, cost, isParted: true, hyphen: bridge }
}

interface Choice {
  readonly alphabets: readonly Alphabet[]
  /** The least cost of each character in one of the alphabets. */
  readonly leastCosts: Uint8Array
}

/** By the kinds that a run has, built on first use. */
const choices: Choice[] = []

function choiceFor({ has, isWhole }: SymbolRun): Choice {
  const place = has * 2 + (isWhole ? 1 : 0)
  const known = choices[place]
  if (known !== undefined) return known
  const choice = choose(has, isWhole)
  choices[place] = choice
  return choice
}

/** Digits alone are numbers and have no alphabet. */
function choose(has: number, isWhole: boolean): Choice {
  const [hasLower, hasUpper, hasDigit, hasSign] = [kinds.lower, kinds.upper, kinds.digit, kinds.sign].map(
    (kind) => (has & (1 << kind)) !== 0,
  )
  const alphabets = [small, great].flatMap(({ hex, letters, all }, at) => {
    if (!(at === 0 ? hasLower : hasUpper)) return []
    return hasDigit ? [hex, letters, all] : [letters]
  })
  if (hasLower && hasUpper) alphabets.push(letters)
  if ((hasLower || hasUpper) && (hasSign || (hasLower && hasUpper))) alphabets.push({ ...base64, isParted: !isWhole })
  if (hasSign && isWhole) alphabets.push(printable)
  const leastCosts = Uint8Array.from({ length: 128 }, (_, code) =>
    Math.min(...alphabets.filter(({ has }) => has[code] === 1).map(({ cost }) => cost), printable.cost),
  )
  return { alphabets, leastCosts }
}

function seek(
  text: string,
  { from, to }: SymbolRun,
  costs: Uint8Array,
  { has, cost, isParted, hyphen }: Alphabet,
  isRandom: Test,
  found: RandomStretch[],
): void {
  let sum = 0
  let best = 0
  let start = from
  let kept = from
  let end = from
  let part = from
  let grown = from
  const close = () => {
    if (best >= leastScore) {
      if (grown < end) grown = endOfPart(text, end, to)
      if (isRandom(best, grown - start)) found.push({ from: Math.min(kept, end), to: grown })
    }
    sum = best = 0
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf[code]
    const isBetween = isParted && (kind === kinds.separator || kind === kinds.sign)
    if (has[code] === 1) {
      if (sum === 0) start = kept = part
      const gain = (costs[at - from] ?? 0) - cost
      sum += isParted && kind === kinds.separator ? Math.min(gain, code === slash ? -bridge : -hyphen) : gain
      if (sum > best) {
        best = sum
        end = at + 1
      } else if (sum <= 0 || sum < best - drop) close()
    } else if (best > 0) close()
    if (isBetween) {
      part = at + 1
      if (best < entry) kept = part
    }
  }
  close()
}

/** The rest of a secret within its part of the word is secret too. */
function endOfPart(text: string, end: number, to: number): number {
  let at = end
  while (at < to && isWithinPart(text.charCodeAt(at))) at++
  return at
}

function isWithinPart(code: number): boolean {
  const kind = kindOf[code]
  return kind === kinds.lower || kind === kinds.upper || kind === kinds.digit
}

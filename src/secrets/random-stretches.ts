import { writeCosts } from './name-costs.ts'
import { kindOf, kinds } from './symbols.ts'

/** A stretch of a text: from its first character to behind its last. */
export interface RandomStretch {
  readonly from: number
  readonly to: number
}

/** A stretch without blanks, what kinds of characters it has (one bit for each), and whether it is judged whole. */
export interface SymbolRun extends RandomStretch {
  readonly has: number
  readonly isWhole: boolean
}

/** Whether a stretch counts that is so much more likely random than written (in units), and so long. */
export type Test = (score: number, length: number) => boolean

/**
 * The stretches of a run that are more likely random than written. In each alphabet those are sought whose characters
 * cost most in a name beside what they cost where all are as likely; each alphabet goes through the run once.
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

/** Stretches that score less are not looked at. */
export const leastScore = 60
/** A stretch has ended where so many units were lost: behind it, names are written. */
const drop = 150
/** A separator takes so much at least: what stands behind it must be random enough by itself. */
const bridge = 16
const slash = 0x2f
/** What stands before the first separator is replaced too if it scores so much by itself. */
const entry = 40
/** What a word of ordinary length costs; longer ones have a list of their own. */
const shared = new Uint8Array(4096)

interface Alphabet {
  readonly has: Uint8Array
  /** Of one character, where all are as likely. */
  readonly cost: number
  /** Whether a random word may begin and end at a separator. */
  readonly isParted: boolean
  /** What a hyphen takes at least; in base64 it is a character like any other. */
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
  /** The least that each character costs in one of them. */
  readonly leastCosts: Uint8Array
}

/** By the kinds that a run has, made when first asked for. */
const choices: Choice[] = []

function choiceFor({ has, isWhole }: SymbolRun): Choice {
  const place = has * 2 + (isWhole ? 1 : 0)
  const known = choices[place]
  if (known !== undefined) return known
  const choice = choose(has, isWhole)
  choices[place] = choice
  return choice
}

/** Digits alone are numbers: there is no alphabet for them. */
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

/** What is left of a secret within its part of the word is one too. */
function endOfPart(text: string, end: number, to: number): number {
  let at = end
  while (at < to && isWithinPart(text.charCodeAt(at))) at++
  return at
}

function isWithinPart(code: number): boolean {
  const kind = kindOf[code]
  return kind === kinds.lower || kind === kinds.upper || kind === kinds.digit
}

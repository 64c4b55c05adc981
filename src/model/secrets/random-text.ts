import { kindCosts, letterCosts, levels } from './bigrams.ts'
import { identifierLength } from './identifier-forms.ts'
import { mergeSpans, type TextSpan } from './text-span.ts'

/**
 * Whether a word without blanks, or a part of it, is more likely random than written by people. Decided by how likely
 * its letters and kinds of characters follow each other in names; digits alone, UUIDs, ULIDs and seals never are.
 */
export function isRandomText(word: string): boolean {
  return runsOf(word, true).some((run) => randomStretches(word, run, isRandom).length > 0)
}

/**
 * The words and parts of words that are more likely random than written, in order and without overlap. One pass over
 * the text, character by character: a service may send megabytes made to be slow.
 */
export function findRandom(text: string): readonly TextSpan[] {
  return mergeSpans(runsOf(text, false).flatMap((run) => randomStretches(text, run, isRandom)))
}

/** How much more likely random than written a word is, in units. The thresholds are derived with it. */
export function scoreOf(word: string): number {
  let most = leastScore - 1
  const keepMost: Test = (score, length) => {
    if (length >= shortest) most = Math.max(most, score)
    return false
  }
  for (const run of runsOf(word, true)) randomStretches(word, run, keepMost)
  return most
}

/** Shorter words are too short to decide. */
export const shortest = 16

function isRandom(score: number, length: number): boolean {
  return length >= shortest && score >= thresholdOf(length)
}

/** The kind of a character within a word; `none` is between words. */
export const kinds = { separator: 0, lower: 1, upper: 2, digit: 3, sign: 4, none: 5 } as const

/** The kind of each ASCII character. */
export const kindOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if ('-_./~'.includes(character)) return kinds.separator
  if (character >= 'a' && character <= 'z') return kinds.lower
  if (character >= 'A' && character <= 'Z') return kinds.upper
  if (character >= '0' && character <= '9') return kinds.digit
  return code > 32 && code < 127 ? kinds.sign : kinds.none
})

/** The number of kinds in a word. */
export const kindCount = 5
/** The kinds of the three preceding characters, as a number of three octal digits. */
export const histories = 8 ** 3

/** Each part of a word is independent of the parts before its separator; only digits continue (`2026-11-05`). */
export function nextHistory(history: number, kind: number): number {
  if (kind === kinds.separator) return (history & 7) === kinds.digit ? kinds.digit << 3 : 0
  return ((history << 3) | kind) & (histories - 1)
}

/** 1 to 26, in either case; for letters only. */
export function letterOf(code: number): number {
  return code & 31
}

/** A stretch without blanks, its kinds of characters (one bit for each), and whether it is decided as a whole. */
interface SymbolRun extends TextSpan {
  readonly has: number
  readonly isWhole: boolean
}

const noRuns: readonly SymbolRun[] = []
const plus = 0x2b

/** The parts of a text that can be words and are long enough to decide. With `isWhole`, signs belong to a word. */
function runsOf(text: string, isWhole: boolean): readonly SymbolRun[] {
  if (text.length < shortest) return noRuns
  const runs: SymbolRun[] = []
  let from = 0
  let has = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf[code] ?? kinds.none
    if (kind < kinds.sign || (kind === kinds.sign && (isWhole || code === plus))) has |= 1 << kind
    else {
      if (at - from >= shortest) runs.push({ from, to: at, has, isWhole })
      from = at + 1
      has = 0
    }
  }
  if (text.length - from >= shortest) runs.push({ from, to: text.length, has, isWhole })
  return runs
}

/** Whether a stretch counts, by how much more likely random than written it is (in units), and by its length. */
type Test = (score: number, length: number) => boolean

/** The costs of a word of ordinary length; longer ones have an array of their own. */
const shared = new Uint8Array(4096)

/** Stretches that score less are skipped. */
const leastScore = 60

/**
 * The stretches of a run that are more likely random than written. For each alphabet, one pass finds the stretches
 * whose characters cost most in a name, relative to their cost where all are equally likely.
 */
function randomStretches(text: string, run: SymbolRun, isRandom: Test): TextSpan[] {
  const { alphabets, leastCosts } = choiceFor(run)
  if (alphabets.length === 0) return []
  const costs = run.to - run.from > shared.length ? new Uint8Array(run.to - run.from) : shared
  if (writeCosts(text, run.from, run.to, costs, leastCosts) < leastScore) return []
  const stretches: TextSpan[] = []
  for (const alphabet of alphabets) seek(text, run, costs, alphabet, isRandom, stretches)
  return stretches
}

interface Alphabet {
  readonly has: Uint8Array
  /** Of one character, where all are equally likely. */
  readonly cost: number
  /** Whether a random word may begin and end at a separator. */
  readonly isParted: boolean
  /** The least cost of a hyphen; in base64 it is an ordinary character. */
  readonly hyphen: number
}

interface Choice {
  readonly alphabets: readonly Alphabet[]
  /** The least cost of each character in one of the alphabets. */
  readonly leastCosts: Uint8Array
}

/** By the kinds that a run has, built on first use. */
const choices: Choice[] = []

function choiceFor({ has, isWhole }: SymbolRun): Choice {
  const index = has * 2 + (isWhole ? 1 : 0)
  const known = choices[index]
  if (known !== undefined) return known
  const choice = choose(has, isWhole)
  choices[index] = choice
  return choice
}

/** A separator costs at least this: the text after it must be random enough by itself. */
const bridge = 16

const bothCases = alphabetOf(/[A-Za-z_-]/, 34)

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

const base64 = { ...alphabetOf(/[0-9A-Za-z+/_-]/, 36), hyphen: 0 }
const printable = { ...alphabetOf(/[!-~]/, 39), isParted: false }

/** Digits alone are numbers and have no alphabet. */
function choose(has: number, isWhole: boolean): Choice {
  const [hasLower, hasUpper, hasDigit, hasSign] = [kinds.lower, kinds.upper, kinds.digit, kinds.sign].map(
    (kind) => (has & (1 << kind)) !== 0,
  )
  const alphabets = [small, great].flatMap(({ hex, letters, all }, at) => {
    if (!(at === 0 ? hasLower : hasUpper)) return []
    return hasDigit ? [hex, letters, all] : [letters]
  })
  if (hasLower && hasUpper) alphabets.push(bothCases)
  if ((hasLower || hasUpper) && (hasSign || (hasLower && hasUpper))) alphabets.push({ ...base64, isParted: !isWhole })
  if (hasSign && isWhole) alphabets.push(printable)
  const leastCosts = Uint8Array.from({ length: 128 }, (_, code) =>
    Math.min(...alphabets.filter(({ has }) => has[code] === 1).map(({ cost }) => cost), printable.cost),
  )
  return { alphabets, leastCosts }
}

function alphabetOf(has: RegExp, cost: number): Alphabet {
  const codes = Uint8Array.from({ length: 128 }, (_, code) => (has.test(String.fromCharCode(code)) ? 1 : 0))
  return { has: codes, cost, isParted: true, hyphen: bridge }
}

/** Decoded on first use. */
let tables: { readonly letters: Uint8Array; readonly kinds: Uint8Array } | undefined

const twoSmall = (kinds.lower << 3) | kinds.lower
const longestAcronym = 6

/** `aaaa`, `1234`, `zyxw`: one bit. */
const costInRow = 6
/** One odd character proves nothing, many do. */
const mostCost = 60

/**
 * Writes the cost of each character of a run in a name, in units: the higher, the less it looks like written text.
 * Returns how much the costliest stretch costs beyond `leastCosts`, the least cost of each character where all are
 * equally likely.
 */
function writeCosts(text: string, from: number, to: number, costs: Uint8Array, leastCosts: Uint8Array): number {
  tables ??= readTables()
  const { letters, kinds: ofKinds } = tables
  let history = 0
  let letter = 0
  let kind: number = kinds.separator
  let code = 0
  let step = 9
  let sum = 0
  let most = 0
  let capitals = 0
  let isHump = false
  for (let at = from; at < to; at++) {
    if (kind === kinds.separator || kind === kinds.sign) {
      const length = identifierLength(text, at)
      if (length > 0) {
        costs.fill(0, at - from, at - from + length)
        at += length - 1
        history = letter = sum = capitals = 0
        kind = kinds.digit
        continue
      }
    }
    const codeBefore = code
    const kindBefore = kind
    code = text.charCodeAt(at)
    kind = kindOf[code] ?? kinds.sign
    let cost = ofKinds[(history << 3) | kind] ?? 0
    if (kind === kinds.lower || kind === kinds.upper) {
      const before = letterBefore(letter, kindBefore, kind)
      letter = letterOf(code)
      cost += letters[(before << 5) | letter] ?? 0
    } else letter = 0
    if (kind === kinds.upper) {
      if (kindBefore !== kinds.upper) capitals = 0
      if (capitals === 0) isHump = (history & 0o77) === twoSmall
      capitals++
    } else if (capitals > 0 && (kind !== kinds.lower || kindBefore === kinds.lower)) {
      const end = kindBefore === kinds.lower ? at - 1 : at
      if (capitals > 1 && capitals <= longestAcronym && (isHump || kind === kinds.lower)) {
        easeAcronym(costs, end - from - capitals, end - from)
      }
      capitals = 0
    }
    history = nextHistory(history, kind)
    const stepBefore = step
    step = code - codeBefore
    if (step === stepBefore && step >= -1 && step <= 1) cost = costInRow
    else if (cost > mostCost) cost = mostCost
    costs[at - from] = cost
    if (kind === kinds.separator) continue
    sum += cost - (leastCosts[code] ?? 0)
    if (sum < 0) sum = 0
    else if (sum > most) most = sum
  }
  return most
}

/**
 * Added to the cost of its kind: nothing for letters, which have their table; one of ten digits, of four separators, of
 * thirty signs.
 */
const ownCosts = [12, 0, 0, 20, 29]

function readTables() {
  const letters = new Uint8Array(27 * 32)
  for (let index = 0; index < letterCosts.length; index++) {
    letters[(Math.floor(index / 26) << 5) | ((index % 26) + 1)] = levels.indexOf(letterCosts.charAt(index))
  }
  const ofKinds = new Uint8Array(histories * 8)
  for (let index = 0; index < kindCosts.length; index++) {
    const kind = index % kindCount
    const before = Math.floor(index / kindCount)
    // From digits of base five to octal ones.
    const history = (Math.floor(before / 25) << 6) | ((Math.floor(before / 5) % 5) << 3) | (before % 5)
    ofKinds[(history << 3) | kind] = levels.indexOf(kindCosts.charAt(index)) + (ownCosts[kind] ?? 0)
  }
  return { letters, kinds: ofKinds }
}

/** The letter that a letter follows; 0 where a word begins, also with a capital after a small letter. */
function letterBefore(letter: number, kindBefore: number, kind: number): number {
  return kind === kinds.upper && kindBefore === kinds.lower ? 0 : letter
}

const costInAcronym = 36

/** `orderHTTP`, `PDFDocument`: in an acronym any letter follows any other. */
function easeAcronym(costs: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) costs[at] = Math.min(costs[at] ?? 0, costInAcronym)
}

const slash = 0x2f

/** A stretch ends where it lost so many units: the text after it is written. */
const drop = 150

/** The text before the first separator is replaced too if it scores this much by itself. */
const entry = 40

function seek(
  text: string,
  { from, to }: SymbolRun,
  costs: Uint8Array,
  { has, cost, isParted, hyphen }: Alphabet,
  isRandom: Test,
  stretches: TextSpan[],
): void {
  let sum = 0
  let best = 0
  let start = from
  let replacedFrom = from
  let end = from
  let part = from
  let grown = from
  const close = () => {
    if (best >= leastScore) {
      if (grown < end) grown = endOfPart(text, end, to)
      if (isRandom(best, grown - start)) stretches.push({ from: Math.min(replacedFrom, end), to: grown })
    }
    sum = best = 0
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf[code]
    const isBetween = isParted && (kind === kinds.separator || kind === kinds.sign)
    if (has[code] === 1) {
      if (sum === 0) start = replacedFrom = part
      const gain = (costs[at - from] ?? 0) - cost
      sum += isParted && kind === kinds.separator ? Math.min(gain, code === slash ? -bridge : -hyphen) : gain
      if (sum > best) {
        best = sum
        end = at + 1
      } else if (sum <= 0 || sum < best - drop) close()
    } else if (best > 0) close()
    if (isBetween) {
      part = at + 1
      if (best < entry) replacedFrom = part
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

/**
 * In units (sixths of a bit). At 20 characters, 99 of 100 random words of each alphabet are found, and as few names as
 * possible (`npm run learn:bigrams -- --measure` prints both). Long random words score far more, long names sometimes a
 * little more; short names would be mistaken more often.
 */
function thresholdOf(length: number): number {
  return length < 20 ? 80 : 72 + 2 * Math.min(length - 20, 12)
}

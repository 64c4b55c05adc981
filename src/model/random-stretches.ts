import { writeCosts } from './name-costs.ts'
import { kindOf, kinds } from './symbols.ts'

/** A stretch of a text: from its first character to behind its last. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Whether a stretch counts that is so much more likely random than written (in units) and so long. */
export type Test = (score: number, length: number) => boolean

/**
 * The stretches of a run without blanks that are more likely random than written. In each alphabet those are sought
 * whose characters cost most in a name beside what they cost where all are as likely; each is gone through once.
 * `isPrintable`: also in the alphabet of all that can be printed.
 */
export function randomStretches(text: string, run: Stretch, isPrintable: boolean, isRandom: Test): Stretch[] {
  const costs = run.to - run.from > shared.length ? new Uint8Array(run.to - run.from) : shared
  if (writeCosts(text, run, costs, leastCosts) < leastScore) return []
  const found: Stretch[] = []
  for (const alphabet of isPrintable ? [...alphabets, printable] : alphabets) {
    seek(text, run, costs, alphabet, isRandom, found)
  }
  return found
}

/** Stretches that score less are not looked at. */
export const leastScore = 60
/** A stretch has ended where so many units were lost: behind it, names are written. */
const drop = 150
/** What a word of ordinary length costs; longer ones have a list of their own. */
const shared = new Uint8Array(4096)

interface Alphabet {
  readonly has: Uint8Array
  /** Of one character, where all are as likely. */
  readonly cost: number
  /** Whether a word may begin and end at a separator. */
  readonly isParted: boolean
}

const printable: Alphabet = { ...alphabetOf(/[!-~]/, 39), isParted: false }
const alphabets: readonly Alphabet[] = [
  alphabetOf(/[0-9a-f_-]/, 24),
  alphabetOf(/[0-9A-F_-]/, 24),
  alphabetOf(/[a-z_-]/, 28),
  alphabetOf(/[A-Z_-]/, 28),
  alphabetOf(/[0-9a-z_-]/, 31),
  alphabetOf(/[0-9A-Z_-]/, 30),
  alphabetOf(/[A-Za-z_-]/, 34),
  alphabetOf(/[0-9A-Za-z+/_-]/, 36),
]

function alphabetOf(has: RegExp, cost: number): Alphabet {
  return { has: Uint8Array.from({ length: 128 }, (_, code) => (has.test(String.fromCharCode(code)) ? 1 : 0)), cost, isParted: true }
}

/** What stands behind a separator must be random enough by itself. */
const bridge = 10

const leastCosts = Uint8Array.from({ length: 128 }, (_, code) =>
  kindOf[code] === kinds.separator
    ? 0
    : Math.min(...alphabets.filter(({ has }) => has[code] === 1).map(({ cost }) => cost), printable.cost),
)

function seek(
  text: string,
  { from, to }: Stretch,
  costs: Uint8Array,
  { has, cost, isParted }: Alphabet,
  isRandom: Test,
  found: Stretch[],
): void {
  let sum = 0
  let best = 0
  let start = from
  let end = from
  let part = from
  const close = () => {
    if (best >= leastScore) {
      const grown = endOfPart(text, end, to)
      if (isRandom(best, grown - start)) found.push({ from: start, to: grown })
    }
    sum = best = 0
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const kind = kindOf[code] ?? kinds.none
    if (has[code] !== 1) close()
    else {
      if (sum === 0) start = part
      sum += isParted && kind === kinds.separator ? -bridge : (costs[at - from] ?? 0) - cost
      if (sum > best) {
        best = sum
        end = at + 1
      } else if (sum <= 0 || sum < best - drop) close()
    }
    if (isParted && (kind === kinds.separator || kind === kinds.sign)) part = at + 1
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

import { leastScore, type RandomStretch, randomStretches, type SymbolRun, type Test } from './random-stretches.ts'
import { kindOf, kinds } from './symbols.ts'

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
export function findRandom(text: string): readonly RandomStretch[] {
  return merged(runsOf(text, false).flatMap((run) => randomStretches(text, run, isRandom)))
}

/** Replaces each word and part of a word that is more likely random than written. */
export function replaceRandom(text: string, replace: (word: string) => string): string {
  const found = findRandom(text)
  if (found.length === 0) return text
  const out: string[] = []
  let at = 0
  for (const { from, to } of found) {
    out.push(text.slice(at, from), replace(text.slice(from, to)))
    at = to
  }
  return out.join('') + text.slice(at)
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

/**
 * In units (sixths of a bit). At 20 characters, 99 of 100 random words of each alphabet are found, and as few names as
 * possible (`npm run learn:bigrams -- --measure` prints both). Long random words score far more, long names sometimes a
 * little more; short names would be mistaken more often.
 */
function thresholdOf(length: number): number {
  return length < 20 ? 80 : 72 + 2 * Math.min(length - 20, 12)
}

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

const noRuns: readonly SymbolRun[] = []
const plus = 0x2b

function merged(found: RandomStretch[]): readonly RandomStretch[] {
  if (found.length < 2) return found
  found.sort((a, b) => a.from - b.from)
  const out: RandomStretch[] = []
  for (const stretch of found) {
    const last = out.at(-1)
    if (last === undefined || stretch.from >= last.to) out.push(stretch)
    else if (stretch.to > last.to) out[out.length - 1] = { from: last.from, to: stretch.to }
  }
  return out
}

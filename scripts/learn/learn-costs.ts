import { histories, kindCount, kindOf, kinds, letterOf, nextHistory } from '../../src/model/symbols.ts'
import type { WordLists } from './word-lists.ts'

export interface Costs {
  /** Bits for a letter after another (0: the beginning of a word). */
  readonly letters: readonly number[]
  /** Bits for a kind of character after three others. */
  readonly kinds: readonly number[]
}

export function learnCosts(lists: WordLists, names: readonly string[]): Costs {
  return { letters: learnLetters(lists.words), kinds: learnKinds(names) }
}

function learnLetters(lists: WordLists['words']): readonly number[] {
  const counts = new Float64Array(27 * 27)
  for (const { words, weight: most } of lists) {
    const ofList = countLetters(words)
    const total = ofList.reduce((sum, count) => sum + count, 0)
    // A short list says little about its language.
    const weight = (most * Math.min(1, words.length / 1500)) / total
    ofList.forEach((count, place) => {
      counts[place] = (counts[place] ?? 0) + count * weight
    })
  }
  return bitsOf(counts, 27, 1)
}

function countLetters(words: readonly string[]): Float64Array {
  const counts = new Float64Array(27 * 27)
  for (const word of words) {
    let before = 0
    for (let at = 0; at < word.length; at++) {
      const letter = letterOf(word.charCodeAt(at), kinds.lower)
      const place = before * 27 + letter
      counts[place] = (counts[place] ?? 0) + 1
      before = letter
    }
  }
  return counts
}

function learnKinds(names: readonly string[]): readonly number[] {
  const counts = new Float64Array(histories * kindCount)
  for (const name of names) {
    let history = 0
    for (let at = 0; at < name.length; at++) {
      const kind = kindOf[name.charCodeAt(at)] ?? kinds.none
      if (kind === kinds.none) throw new Error(`A name with a character that is in none: ${name}`)
      const place = history * kindCount + kind
      counts[place] = (counts[place] ?? 0) + 1
      history = nextHistory(history, kind)
    }
  }
  return bitsOf(counts, kindCount, 0)
}

/** Row by row. What was never seen counts as seen a little: no name is impossible. */
function bitsOf(counts: Float64Array, width: number, firstColumn: number): readonly number[] {
  const all = counts.reduce((sum, count) => sum + count, 0)
  const floor = all * 2e-6
  return Array.from(counts, (count, place) => {
    if (place % width < firstColumn) return 0
    const from = place - (place % width)
    const row = counts.subarray(from + firstColumn, from + width)
    const total = row.reduce((sum, each) => sum + each + floor, 0)
    return -Math.log2((count + floor) / total)
  })
}

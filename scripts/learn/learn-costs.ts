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
  const all = counts.reduce((sum, count) => sum + count, 0)
  // No pair is impossible.
  const floor = all * 2e-6
  return Array.from(counts, (count, place) => {
    if (place % 27 === 0) return 0
    const from = place - (place % 27)
    const row = counts.subarray(from + 1, from + 27)
    return -Math.log2((count + floor) / row.reduce((sum, each) => sum + each + floor, 0))
  })
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

/** What seldom stands before a character says little of it: there, fewer of the kinds before it count. */
function learnKinds(names: readonly string[]): readonly number[] {
  const counts = countKinds(names)
  let likelihoods: readonly number[] = Array.from({ length: kindCount }, () => 1 / kindCount)
  for (let before = 0; before <= 3; before++) {
    const width = kindCount ** (before + 1)
    const nearer = likelihoods
    const seen = new Float64Array(width)
    counts.forEach((count, place) => {
      seen[place % width] = (seen[place % width] ?? 0) + count
    })
    likelihoods = Array.from(seen, (count, place) => {
      const row = place - (place % kindCount)
      const total = seen.subarray(row, row + kindCount).reduce((sum, each) => sum + each, 0)
      return (count + doubt * (nearer[place % nearer.length] ?? 0)) / (total + doubt)
    })
  }
  return likelihoods.map((likelihood) => -Math.log2(likelihood))
}

/** So many characters weigh as much as what is known with fewer kinds before them. */
const doubt = 500

function countKinds(names: readonly string[]): Float64Array {
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
  return counts
}

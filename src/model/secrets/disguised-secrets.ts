import { isRandomText, scoreOf, shortest } from './random-text.ts'
import type { TextSpan } from './text-span.ts'

/**
 * Finds random texts that are written in groups of one length: `JBSW Y3DP EHPK 3PXP`, `aa:bb:cc:…`, with blanks, dashes
 * or colons in between. A group alone is too short to decide; joined they are one word. A word next to them that has
 * their length by chance counts as one.
 */
export function findGrouped(text: string): readonly TextSpan[] {
  if (text.length < shortest) return []
  return [...text.matchAll(groupsOfOneLength)].flatMap(({ 0: run, index }) => {
    const [separator = ''] = /[ :-]/.exec(run) ?? []
    return isRandomRun(run.split(separator), separator) ? [{ from: index, to: index + run.length }] : []
  })
}

/**
 * Finds words that mix letters, digits and signs as generators of passwords do: `Ua1[=N-)]<ppA1uka8>`. In a text of
 * people signs are between words and numbers, so the kinds of characters change far more seldom.
 */
export function findMixed(text: string): readonly TextSpan[] {
  if (text.length < shortest || !/[!#$%^&*()=+[\]{}|;<>?@]/.test(text)) return []
  return [...text.matchAll(/[!-~]{16,}/g)].flatMap(({ 0: word, index }) =>
    isMixed(word.slice(0, longestMixed)) ? [{ from: index, to: index + word.length }] : [],
  )
}

/** At least three groups of two to eight characters; the last one may be shorter. */
const groupsOfOneLength = new RegExp(
  `(?<![a-z\\d])(?:${[2, 3, 4, 5, 6, 7, 8].map(groupsOf).join('|')})(?![a-z\\d])`,
  'gi',
)

function groupsOf(length: number, index: number): string {
  const sign = `\\${index + 1}`
  const group = `[a-z\\d]{${length}}`
  return `${group}([ :-])${group}(?:${sign}${group})*${sign}[a-z\\d]{1,${length}}`
}

/** Groups of one length are rarely words, and words rarely change so often: less than usual makes them random. */
const leastScore = 62

function isRandomRun(groups: readonly string[], separator: string): boolean {
  const joined = groups.join('')
  if (joined.length < shortest || isAddress(groups, separator) || areNames(groups, joined)) return false
  return isHexKey(joined) || scoreOf(joined) >= leastScore || isRandomText(joined)
}

/** An IPv6 or hardware address. */
function isAddress(groups: readonly string[], separator: string): boolean {
  return separator === ':' && groups.length <= 8 && groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
}

/** Words, codes and numbered names side by side: `EUR USD GBP CHF`, `web1 web2 web3`. */
function areNames(groups: readonly string[], joined: string): boolean {
  const isLong = groups.length >= 6 && (groups[0]?.length ?? 0) >= 4
  if (!/\d/.test(joined)) {
    if (isLong && !/[^A-Z]/.test(joined)) return false
    const odd = groups.filter((group) => !/^(?:[A-Z]?[a-z]{1,7}|[A-Z]{2,8})$/.test(group))
    return groups.length < 4 || odd.length * 2 < groups.length
  }
  if (isHexKey(joined)) return false
  const words = new Set(groups.map((group) => group.replace(/\d/g, '')))
  if (groups.some((group) => group.length > 2) && words.size * 2 <= groups.length) return true
  // Words alone are less random than this.
  if (isLong && scoreOf(joined) > 150) return false
  return groups.every((group) => /^(?:[A-Z]?[a-z]{1,8}\d{0,2}|\d{1,8})$/.test(group))
}

/** Digits and letters of a key, some of each. */
function isHexKey(joined: string): boolean {
  return joined.length >= 32 && /^[0-9a-f]{32,4096}$/i.test(joined) && /[a-f]/i.test(joined) && /\d/.test(joined)
}

/** So much of a word decides. */
const longestMixed = 256

function isMixed(written: string): boolean {
  // Classes of regular expressions are made of single characters, too.
  const word = written.replace(/A-Z|a-z|0-9|\\[A-Za-z]|%[0-9A-Fa-f]{2}/g, '')
  if (word.length < shortest || isJson(written)) return false
  const count = (sign: RegExp) => word.match(sign)?.length ?? 0
  const signs = new Set(word.match(/[^A-Za-z\d]/g))
  if (signs.size < 3 || count(/[A-Z]/g) < 2 || count(/[a-z]/g) < 2) return false
  const runs = count(/[A-Z]+|[a-z]+|\d+|[^A-Za-z\d]+/g)
  return runs >= word.length * 0.42 && scoreOf(word) >= leastScore
}

function isJson(word: string): boolean {
  if (!/^[[{"]/.test(word)) return false
  try {
    JSON.parse(word)
    return true
  } catch {
    return false
  }
}

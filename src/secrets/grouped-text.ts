import { isRandomText, scoreOf, shortest } from './random-text.ts'

/**
 * Replaces random texts that are written in groups of one length: `JBSW Y3DP EHPK 3PXP`, `aa:bb:cc:…`, with blanks, dashes
 * or colons in between. A group alone is too short to decide; joined they are one word. One pass over the text.
 */
export function replaceGrouped(text: string, replace: (groups: string) => string): string {
  if (text.length < shortest || !mayHoldGroups(text)) return text
  const out: string[] = []
  let at = 0
  for (let from = 0; from < text.length; ) {
    const run = groupsAt(text, from)
    const found = run.count < fewestGroups ? undefined : randomGroups(text, run)
    if (found !== undefined) {
      out.push(text.slice(at, found.from), replace(text.slice(found.from, found.to)))
      at = found.to
    }
    from = found === undefined ? run.next : Math.max(found.to, run.next)
  }
  return at === 0 ? text : out.join('') + text.slice(at)
}

/** Whether a text has a word that is random once its groups of one length are joined. */
export function holdsGroups(text: string): boolean {
  return replaceGrouped(text, () => '') !== text
}

/** Whether words of one length side by side have enough characters; in most texts none do. */
function mayHoldGroups(text: string): boolean {
  let length = 0
  let lengthBefore = 0
  let together = 0
  for (let at = 0; at <= text.length; at++) {
    if (isGroupCharacter(text.charCodeAt(at))) {
      length++
      continue
    }
    if (length === 0) continue
    together = length === lengthBefore ? together + length : length
    // The last group may be shorter.
    if (length > 1 && length <= longestGroup && together > length && together + length > shortest) return true
    lengthBefore = length
    length = 0
  }
  return false
}

const fewestGroups = 3
const longestGroup = 8
/** Groups of one length are rarely words, so less than usual makes them random. */
const leastScoreOfGroups = 62

interface GroupRun {
  readonly from: number
  readonly to: number
  readonly size: number
  readonly separator: string
  readonly count: number
  /** Behind the last whole group: where to search for the next run. */
  readonly next: number
}

/** The groups of one length from the word at an index on; the last one may be shorter. */
function groupsAt(text: string, start: number): GroupRun {
  let from = start
  while (from < text.length && !isGroupCharacter(text.charCodeAt(from))) from++
  let end = wordEnd(text, from)
  const size = end - from
  const separator = text.charAt(end)
  let next = end
  let count = size < 2 || size > longestGroup ? 0 : 1
  while (count > 0 && isSeparator(separator) && text[end] === separator) {
    const to = wordEnd(text, end + 1)
    if (text.startsWith('sealed:', end + 1)) break
    const length = to - end - 1
    if (length === 0 || length > size) break
    // A shorter one is the last.
    if (length < size && isSeparator(text.charAt(to)) && text[to] === separator) break
    end = to
    count++
    if (length < size) break
    next = end
  }
  return { from, to: end, size, separator, count, next: Math.max(next, from + 1) }
}

function isSeparator(character: string): boolean {
  return character === ' ' || character === '-' || character === ':'
}

function wordEnd(text: string, from: number): number {
  let to = from
  while (to < text.length && isGroupCharacter(text.charCodeAt(to))) to++
  return to
}

function isGroupCharacter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a)
}

function randomGroups(text: string, run: GroupRun): { readonly from: number; readonly to: number } | undefined {
  const groups = text.slice(run.from, run.to).split(run.separator)
  const joined = groups.join('')
  if (joined.length < shortest || isAddress(groups, run.separator) || areNames(groups, joined)) return undefined
  if (!isHex(joined) && scoreOf(joined) < leastScoreOfGroups && !isRandomText(joined)) return undefined
  // A word of the text before or behind that has the length of a group by chance.
  const rest = groups.filter((group) => !/^[a-z]{1,8}$/.test(group))
  if (rest.length === groups.length || rest.some((group) => /[a-z]/.test(group))) return run
  const before = groups.findIndex((group) => !/^[a-z]{1,8}$/.test(group))
  const behind = groups.length - 1 - groups.findLastIndex((group) => !/^[a-z]{1,8}$/.test(group))
  return { from: run.from + before * (run.size + 1), to: run.to - behind * (run.size + 1) }
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
  if (isHex(joined)) return false
  const words = new Set(groups.map((group) => group.replace(/\d/g, '')))
  if (groups.some((group) => group.length > 2) && words.size * 2 <= groups.length) return true
  // Words alone are less random than this.
  if (isLong && scoreOf(joined) > 150) return false
  return groups.every((group) => /^(?:[A-Z]?[a-z]{1,8}\d{0,2}|\d{1,8})$/.test(group))
}

/** Digits and letters of a key, some of each. */
function isHex(joined: string): boolean {
  return joined.length >= 32 && /^[0-9a-f]{32,4096}$/i.test(joined) && /[a-f]/i.test(joined) && /\d/.test(joined)
}

import { kindCosts, letterCosts, levels } from './bigrams.ts'
import { knownLength } from './known-forms.ts'
import { histories, kindCount, kindOf, kinds, letterBefore, letterOf, nextHistory } from './symbols.ts'

/**
 * Writes the cost of each character of a run in a name, in units: the higher, the less it looks like written text.
 * Returns how much the costliest stretch costs beyond `leastCosts`, the least cost of each character where all are
 * equally likely.
 */
export function writeCosts(text: string, from: number, to: number, costs: Uint8Array, leastCosts: Uint8Array): number {
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
      const length = knownLength(text, at)
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
/** `aaaa`, `1234`, `zyxw`: one bit. */
const costInRow = 6
/** One odd character proves nothing, many do. */
const mostCost = 60

/** `orderHTTP`, `PDFDocument`: in an acronym any letter follows any other. */
function easeAcronym(costs: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to; at++) costs[at] = Math.min(costs[at] ?? 0, costInAcronym)
}

const twoSmall = (kinds.lower << 3) | kinds.lower
const longestAcronym = 6
const costInAcronym = 36

/** Decoded on first use. */
let tables: { readonly letters: Uint8Array; readonly kinds: Uint8Array } | undefined
function readTables() {
  const letters = new Uint8Array(27 * 32)
  for (let place = 0; place < letterCosts.length; place++) {
    letters[(Math.floor(place / 26) << 5) | ((place % 26) + 1)] = levels.indexOf(letterCosts.charAt(place))
  }
  const ofKinds = new Uint8Array(histories * 8)
  for (let place = 0; place < kindCosts.length; place++) {
    const kind = place % kindCount
    const before = Math.floor(place / kindCount)
    // From digits of base five to octal ones.
    const history = (Math.floor(before / 25) << 6) | ((Math.floor(before / 5) % 5) << 3) | (before % 5)
    ofKinds[(history << 3) | kind] = levels.indexOf(kindCosts.charAt(place)) + (ownCosts[kind] ?? 0)
  }
  return { letters, kinds: ofKinds }
}

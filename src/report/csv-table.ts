import { stringify } from 'csv-stringify/sync'
import { displayText, isExactNumber, numberText } from '../model/exact-number.ts'
import { cut, neutralise } from '../model/text/neutralise.ts'

export type Cell = string | number | boolean | null

/** CSV as in RFC 4180: a header, lines that end in CR LF, quotes where needed. null is an empty cell. */
export function csvTable(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((row) => row.map((cell) => writeCell(cell)))
  return stringify([[...header], ...lines], { record_delimiter: '\r\n' })
}

function writeCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  return isExactNumber(cell) ? numberText(cell) : escapeFormula(displayText(cell))
}

const longestCell = 30_000

/** More than this, a spreadsheet cuts, or takes for another row. */
const mostCharacters = 32_767

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula: at the beginning of the cell, and after a
 * semicolon, which separates cells in some locales.
 */
function escapeFormula(text: string, longest = longestCell): string {
  const cell = neutralise(cut(text, longest)).replace(/(^|;)(["'\s]*)(?=[=+\-@＝＋－＠])/g, "$1'$2")
  // Escapes make it longer: a program has many line breaks and tabs.
  return cell.length <= mostCharacters ? cell : escapeFormula(text, Math.floor(longest / 2))
}

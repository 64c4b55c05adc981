import { stringify } from 'csv-stringify/sync'
import { displayText, isExactNumber, numberText } from '../model/exact-number.ts'
import { cut, neutralise } from '../text/neutralise.ts'

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

/** A cell of a spreadsheet takes 32,767 characters. */
const longestCell = 30_000

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula: at the beginning of the cell, and after a
 * semicolon, which separates cells in some locales.
 */
function escapeFormula(text: string): string {
  return neutralise(cut(text, longestCell)).replace(/(^|;)(["'\s]*)(?=[=+\-@＝＋－＠])/g, "$1'$2")
}

import { createRequire } from 'node:module'

/** Loaded for the first text that needs it: its tables of characters take longer than a report. */
let stringWidth: typeof import('string-width').default | undefined

/** The columns that text takes on a terminal. Expects neutralised text, so ANSI sequences count. */
export function widthOf(text: string): number {
  if (/^[ -~·–—…→×]*$/.test(text)) return text.length
  stringWidth ??= (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default
  return stringWidth(text, { countAnsiEscapeCodes: true })
}

/** `padEnd` by columns. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Joins the pieces with blanks to lines of at most `width` columns. A wider piece stays whole, so it can be copied. */
export function wrapPieces(pieces: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const piece of pieces) {
    const columns = widthOf(piece)
    if (line !== '' && used + 1 + columns <= width) {
      line = `${line} ${piece}`
      used += 1 + columns
      continue
    }
    if (line !== '') lines.push(line)
    line = piece
    used = columns
  }
  return line === '' ? lines : [...lines, line]
}

/** Wraps at blanks, except after a number. */
export function wrapProse(text: string, width: number): string[] {
  const words = text.trim().replace(/ +/g, ' ')
  return words === '' ? [] : wrapPieces(words.split(/(?<!\d) /), width)
}

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

/** Wraps at blanks, except between a number and its noun. */
export function wrapProse(text: string, width: number): string[] {
  return wrapPieces(wordsOf(text), width)
}

const narrowestColumn = 20

/**
 * Wraps a line that is wider, below its last column (text after two blanks) or its beginning: `  name  what it is` goes
 * on below `what`.
 */
export function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line]
  const from = line.length - line.trimStart().length
  const gap = line.lastIndexOf('  ')
  const column = gap < from ? from : gap + 2
  const at = width - widthOf(line.slice(0, column)) < narrowestColumn ? from : column
  const indent = ' '.repeat(widthOf(line.slice(0, at)))
  const [first = '', ...rest] = wrapProse(line.slice(at), width - indent.length)
  return [`${line.slice(0, at)}${first}`, ...rest.map((text) => `${indent}${text}`)]
}

const longestCommand = 60

/** What prose is wrapped between. A number has its noun (`2 critical`), and a command in backticks is one word. */
export function wordsOf(text: string): string[] {
  const words = text.trim().replace(/ +/g, ' ')
  if (words === '') return []
  const whole: string[] = []
  let command: string | undefined
  for (const word of words.split(/(?<!\d) | (?=\()/)) {
    const opens = word.split('`').length % 2 === 0
    if (command === undefined) {
      if (opens) command = word
      else whole.push(word)
      continue
    }
    command = `${command} ${word}`
    if (!opens && command.length <= longestCommand) continue
    whole.push(...(opens && command.length <= longestCommand ? [command] : command.split(' ')))
    command = undefined
  }
  return command === undefined ? whole : [...whole, ...command.split(' ')]
}

/** Where a name may go on in the next line: `service/`, `project-`, `name`; a date or a number stays whole. */
export function partsOf(word: string): string[] {
  return word.split(/(?<=[a-z\])][/._:-])(?=[a-z])/i)
}

/** Cuts a word into lines of at most `width` columns, between its parts or, where one is wider, within it. */
export function breakWord(word: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of partsOf(word)) {
    const pieces = widthOf(part) <= width ? [part] : part
    for (const piece of pieces) {
      if (line !== '' && widthOf(line) + widthOf(piece) > width) {
        lines.push(line)
        line = ''
      }
      line += piece
    }
  }
  return [...lines, line]
}

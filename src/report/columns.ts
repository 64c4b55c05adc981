/** Columns that text takes on a terminal. Expects neutralised text: no controls, nothing of no width but accents. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (character <= '~') width += 1
    else if (isWide.test(character)) width += 2
    else if (!isAccent.test(character)) width += 1
  }
  return width
}

const isAccent = /^\p{M}/u
const isWide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u

/** `padEnd` by columns. */
export function padColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** Joins the pieces with blanks to lines of at most `width` columns. A wider piece stays whole: it may be copied. */
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

/** Wraps at blanks, but keeps a number with what it counts. */
export function wrapProse(text: string, width: number): string[] {
  const words = text.trim().replace(/ +/g, ' ')
  return words === '' ? [] : wrapPieces(words.split(/(?<!\d) /), width)
}

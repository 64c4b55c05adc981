import { isScalar, type Node } from 'yaml'

/**
 * Where in the file a place of a decoded text stands, whichever way the text is written: plain, in quotes with
 * escapes, as a block, folded over lines. Blanks may have been added or lost, nothing else, so the two are walked side
 * by side. undefined for what is no text.
 */
export function offsetWithin(file: string, node: Node | null, offset: number): number | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined
  const [start, end] = node.range
  const { value, type } = node
  let at = type === 'PLAIN' || type === undefined ? start : firstCharacter(file, start, type)
  for (let index = 0; index < Math.min(offset, value.length); ) {
    if (isBlank(value[index])) {
      if (isBlank(file[at])) at++
      else if (file[at] === '\\' && type === 'QUOTE_DOUBLE') at += written(file, at, type).written
      index++
      continue
    }
    at = skipBlanks(file, at, end)
    const taken = written(file, at, type)
    at += taken.written
    index += taken.decoded
  }
  return Math.min(isBlank(value[offset]) ? at : skipBlanks(file, at, end), end)
}

/** Behind the quote, or in the line below the sign of a block. */
function firstCharacter(file: string, start: number, type: string): number {
  if (type.startsWith('QUOTE')) return start + 1
  const line = file.indexOf('\n', start)
  return line < 0 ? start : line + 1
}

/** How much of the file stands for how much of the text, at one character that is no blank. */
function written(file: string, at: number, type: string | undefined): { written: number; decoded: number } {
  if (type === 'QUOTE_SINGLE' && file.startsWith("''", at)) return { written: 2, decoded: 1 }
  if (type !== 'QUOTE_DOUBLE' || file[at] !== '\\') return { written: 1, decoded: 1 }
  const sequence =
    /^\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|\r?\n|[\s\S])/i.exec(file.slice(at, at + 10))?.[0] ?? '\\'
  const isLineEnd = /^\\\r?\n$/.test(sequence)
  const isPair = sequence.startsWith('\\U') && Number.parseInt(sequence.slice(2), 16) > 0xffff
  return { written: sequence.length, decoded: isLineEnd ? 0 : isPair ? 2 : 1 }
}

function skipBlanks(file: string, at: number, end: number): number {
  let here = at
  while (here < end && isBlank(file[here])) here++
  return here
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}

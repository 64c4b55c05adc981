import { isScalar, type Node } from 'yaml'

/**
 * The offset in the file of a position in a decoded text, for every form of text: plain, in quotes with escapes, as a
 * block, folded over lines. Only blanks may differ, so both are walked in parallel. undefined if the node is not a
 * text.
 */
export function offsetWithin(file: string, node: Node | null, offset: number): number | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return undefined
  const [start, end] = node.range
  const { value, type } = node
  let at = type === 'PLAIN' || type === undefined ? start : firstCharacter(file, start, type)
  const skip = type === 'QUOTE_DOUBLE' ? skipContinuation : (_: string, here: number) => here
  for (let index = 0; index < Math.min(offset, value.length); ) {
    const isText = !isBlank(value[index])
    at = skip(file, isText ? skipBlanks(file, skip(file, at, end), end) : at, end)
    const isInFile = isText || isBlank(file[at]) || (type === 'QUOTE_DOUBLE' && file[at] === '\\')
    if (!isInFile) {
      index++ // A blank from folding.
      continue
    }
    const taken = written(file, at, type)
    at += taken.written
    index += taken.decoded
  }
  at = skip(file, at, end)
  return Math.min(isBlank(value[offset]) ? at : skip(file, skipBlanks(file, at, end), end), end)
}

/** After the quote, or in the line below the sign of a block. */
function firstCharacter(file: string, start: number, type: string): number {
  if (type.startsWith('QUOTE')) return start + 1
  const line = file.indexOf('\n', start)
  return line < 0 ? start : line + 1
}

/** How many characters of the file make how many of the text, at one position. */
function written(file: string, at: number, type: string | undefined): { written: number; decoded: number } {
  if (type === 'QUOTE_SINGLE' && file.startsWith("''", at)) return { written: 2, decoded: 1 }
  if (type !== 'QUOTE_DOUBLE' || file[at] !== '\\') return { written: 1, decoded: 1 }
  const sequence =
    /^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/.exec(file.slice(at, at + 10))?.[0] ?? '\\'
  const isPair = sequence.startsWith('\\U') && Number.parseInt(sequence.slice(2), 16) > 0xffff
  return { written: sequence.length, decoded: isPair ? 2 : 1 }
}

/** A backslash at the end of a line joins it with the next, whose indentation does not count. */
function skipContinuation(file: string, at: number, end: number): number {
  const [joint = ''] = /^\\\r?\n/.exec(file.slice(at, at + 3)) ?? []
  return joint === '' ? at : skipBlanks(file, at + joint.length, end)
}

function skipBlanks(file: string, at: number, end: number): number {
  let here = at
  while (here < end && isBlank(file[here])) here++
  return here
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}

const width = 120

/** A word, a span of code or a link: nothing is broken within one. */
const unbroken = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g

/** Paragraphs and items of lists end their lines at 120 columns; headings, tables, comments and code stay as they are. */
export function wrapMarkdown(text: string): string {
  const wrapped: string[] = []
  let fence = false
  for (const line of joined(text.split('\n'))) {
    if (/^\s*```/.test(line)) fence = !fence
    if (fence || line.length <= width || /^\s*(\||#|<|```)/.test(line)) wrapped.push(line)
    else wrapped.push(...wrapLine(line))
  }
  return wrapped.join('\n')
}

/** One line for each paragraph and item. */
function joined(lines: readonly string[]): readonly string[] {
  const whole: string[] = []
  let fence = false
  for (const line of lines) {
    const before = whole.at(-1)
    const isFence = /^\s*```/.test(line)
    const continues =
      before !== undefined &&
      isProse(before) &&
      /^\s*[^\s\-*|#<`\d!]|^\s*(`(?!``)|\d+(?!\d*\. )|\*\*?\S|<http|\[|-\w)/.test(line)
    if (!fence && !isFence && continues && isProse(line) && !startsItem(line))
      whole[whole.length - 1] = `${before} ${line.trim()}`
    else whole.push(line)
    if (isFence) fence = !fence
  }
  return whole
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^\s*(\||#|<!--|```|!\[)/.test(line) && !/^\s*<\/?\w+>/.test(line)
}

function startsItem(line: string): boolean {
  return /^\s*([-*]|\d+\.) /.test(line)
}

function wrapLine(line: string): readonly string[] {
  const [, indent = '', marker = '', rest = ''] = /^(\s*)((?:[-*]|\d+\.) )?(.*)$/.exec(line) ?? []
  const lines: string[] = []
  let current = indent + marker
  const hanging = ' '.repeat(current.length)
  let isEmpty = true
  for (const word of rest.match(unbroken) ?? []) {
    if (!isEmpty && current.length + 1 + word.length > width) {
      lines.push(current)
      current = hanging + word
    } else {
      current += isEmpty ? word : ` ${word}`
    }
    isEmpty = false
  }
  return [...lines, current]
}

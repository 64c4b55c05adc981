/**
 * The words of a simple command, as a POSIX shell splits them (Shell Command Language, 2.2): plain characters, text in
 * single quotes and a quote after a backslash.
 * @throws where a shell would read more than plain words: an operator, a pattern, a variable, a comment
 */
export function shellWords(line: string): readonly string[] {
  const words: string[] = []
  const part = /\s*((?:'[^']*'|\\'|[\w./:@,=-])+)(?=\s|$)/y
  while (part.lastIndex < line.length) {
    const at = part.lastIndex
    const [, word] = part.exec(line) ?? []
    if (word === undefined) throw new Error(`no plain words, from ${at} on: ${line}`)
    words.push(word.replace(/'([^']*)'|\\(')/g, '$1$2'))
  }
  return words
}

/** A page without the elements that keep an option and its value on one line. */
export function withWholeCommands(page: string): string {
  return page.replaceAll(/<code class="command">.*?<\/code>/gs, (code) => code.replaceAll(/<\/?span>/g, ''))
}

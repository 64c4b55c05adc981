import { quoteForShell } from '../../repair/curl.ts'

/** A text as one word of a command line, for any POSIX shell and for zsh: quoted unless it is plain. */
export function shellWord(text: string): string {
  // A shell reads a tilde, and zsh an equals sign, at the beginning of a word.
  return /^[\w./:@,-][\w./:@,=-]{0,199}$/.test(text) ? text : quoteForShell([text])
}

import { quoteForShell } from '../../repair/curl.ts'

/** A text as one word of a command line, for any POSIX shell and for zsh: quoted unless it is plain. */
export function shellWord(text: string): string {
  // A shell reads a tilde, and zsh an equals sign, at the beginning of a word.
  return /^[\w./:@,-][\w./:@,=-]{0,199}$/.test(text) ? text : quoteForShell([text])
}

/** Whether a shell reads a text as one plain argument. Texts of a service that it does not are not offered for copying. */
export function isShellSafe(text: string): boolean {
  return /^[A-Za-z0-9][\w./-]{0,63}$/.test(text)
}

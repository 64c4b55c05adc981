import { quoteForShell } from '../repair/curl.ts'
import { isShellSafe } from '../report/text/shell-safe.ts'

/** A text as a word of a command line. */
export function wordOf(text: string): string {
  return isShellSafe(text) ? text : quoteForShell(text, [])
}

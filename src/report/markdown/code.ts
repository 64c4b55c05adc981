import { cut } from '../../text/cut.ts'
import { neutralise } from '../../text/neutralise.ts'

/**
 * Text of others within Markdown: as code, where nothing is a link, a mention, a formula or HTML, for any reader.
 * Backticks and bars show as escapes: readers differ in what they take for the end of a code or of a cell.
 */
export function code(text: string, longest?: number): string {
  if (text === '') return ''
  return `\`${neutralise(cut(text, longest)).replace(/[`|]/g, (mark) => escapes[mark] ?? '')}\``
}

const escapes: Readonly<Record<string, string>> = { '`': '\\x60', '|': '\\x7c' }

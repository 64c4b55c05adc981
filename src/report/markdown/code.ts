import { cut, neutralise } from '../../text/neutralise.ts'

/**
 * Foreign text in Markdown, as code: no reader takes anything in it for a link, a mention, a formula or HTML. Backticks
 * and bars become escapes, because readers differ in what ends a code span or a cell.
 */
export function code(text: string, longest?: number): string {
  if (text === '') return ''
  return `\`${neutralise(cut(text, longest)).replace(/[`|]/g, (mark) => escapes[mark] ?? '')}\``
}

const escapes: Readonly<Record<string, string>> = { '`': '\\x60', '|': '\\x7c' }

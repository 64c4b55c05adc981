import { content } from './style/content.ts'
import { frame } from './style/frame.ts'
import { marks } from './style/marks.ts'
import { phone } from './style/phone.ts'
import { print } from './style/print.ts'
import { tables } from './style/tables.ts'
import { tokens } from './style/tokens.ts'
import { verdict } from './style/verdict.ts'

/**
 * The style of every page, for light, dark, phone and print. `runningHeader` is on every printed page: letters, digits
 * and plain punctuation.
 */
export function styleSheet(runningHeader: string): string {
  return [tokens, frame, marks, verdict, content, tables, phone, print(runningHeader)].join('')
}

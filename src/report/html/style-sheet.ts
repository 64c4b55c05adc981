import { content } from './style/content.ts'
import { frame } from './style/frame.ts'
import { marks } from './style/marks.ts'
import { phone } from './style/phone.ts'
import { print } from './style/print.ts'
import { tables } from './style/tables.ts'
import { tokens } from './style/tokens.ts'
import { verdict } from './style/verdict.ts'

/** The style of every page, for light, dark, phone and print. */
export const styleSheet = [tokens, frame, marks, verdict, content, tables, phone, print].join('')

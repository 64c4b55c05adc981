import { styleSheet } from '../report/html/style-sheet.ts'
import { content } from './style/content.ts'
import { findings } from './style/findings.ts'
import { forms } from './style/forms.ts'
import { frame } from './style/frame.ts'
import { paper } from './style/paper.ts'

/** The style of the reports, with what only served pages have. */
export const style = [styleSheet, frame, forms, findings, content, paper].join('')

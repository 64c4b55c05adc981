import { count } from '../../model/text/count.ts'
import type { CauseField } from '../describe-cause.ts'
import { shorten } from '../text/shorten.ts'
import { showValues } from '../text/show-values.ts'
import type { Inline } from './blocks.ts'

const longestFix = 320

/** Each `/status "active" → "inactive"`. */
export function fieldLines(fields: readonly CauseField[] = [], most = fields.length): readonly Inline[] {
  const lines = fields.slice(0, most).map((field): Inline => {
    const { before, after } = showValues(field, 60)
    return [{ code: shorten(field.path, 120) }, ' ', { code: field.lost ?? before }, ' → ', { code: after }]
  })
  const omitted = fields.length - lines.length
  return omitted === 0 ? lines : [...lines, `… and ${count(omitted, 'more field')}`]
}

/** A remediation in a line: whole steps (`1. …`), as many as fit, and at least the first. */
export function firstSteps(remediation: string, full: boolean): string {
  const [first = '', ...steps] = remediation
    .replace(/\s+/g, ' ')
    .trim()
    .split(/ (?=\d\. )/)
  let shown = first
  for (const step of steps) {
    if (!full && shown.length + step.length > longestFix) return `${shown} …`
    shown += ` ${step}`
  }
  return shown
}

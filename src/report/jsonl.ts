import { neutraliseJson } from '../text/neutralise.ts'
import type { ReportFormat } from './report-format.ts'

/** A violation a line, as in the JSON report, with the number of the run. */
export const jsonl: ReportFormat = ({ run, violations }) =>
  violations.map((violation) => `${neutraliseJson(JSON.stringify({ run: run.number, ...violation }))}\n`).join('')

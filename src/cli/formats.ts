import type { Format } from '../report/reports.ts'

/** Named here, so that `--help` loads no report; a test holds it against the table of reports. */
export const formats = ['text', 'json', 'html'] as const satisfies readonly Format[]

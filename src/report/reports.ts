import { html } from './html.ts'
import { json } from './json.ts'
import type { ReportFormat } from './report-format.ts'
import { text } from './text.ts'

/** Every format by its name; `--format`, `--report`, `--help` and dispatch read this table. */
export const reports = { text, json, html } as const satisfies Record<string, ReportFormat>

export type Format = keyof typeof reports

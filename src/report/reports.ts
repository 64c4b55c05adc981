import { csv } from './csv.ts'
import { html } from './html.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import { ocsf } from './ocsf.ts'
import { oscal } from './oscal.ts'
import type { ReportFormat } from './report-format.ts'
import { sarif } from './sarif.ts'
import { text } from './text.ts'

/** Every format by its name; `--format`, `--report`, `--help` and dispatch read this table. */
export const reports = {
  text,
  json,
  sarif,
  junit,
  markdown,
  csv,
  html,
  ocsf,
  oscal,
} as const satisfies Record<string, ReportFormat>

export type Format = keyof typeof reports

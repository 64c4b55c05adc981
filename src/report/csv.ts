import { csvSections } from './csv/sections.ts'
import type { ReportFormat } from './report-format.ts'

/** CSV, for spreadsheets: one section of the report, the violations unless specified. */
export const csv: ReportFormat = (report, { section = 'violations' }) => csvSections[section](report)

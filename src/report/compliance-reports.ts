import { AuditError } from '../model/errors.ts'
import { neutraliseJson } from '../model/text/neutralise.ts'
import { complianceCsv } from './compliance/compliance-csv.ts'
import type { ComplianceFormat } from './compliance/compliance-format.ts'
import { complianceHtml, complianceMarkdown, complianceText } from './compliance/compliance-formats.ts'
import { complianceOscal } from './compliance/compliance-oscal.ts'

/** The document itself (config/compliance.schema.json). */
const complianceJson: ComplianceFormat = (compliance) => `${neutraliseJson(JSON.stringify(compliance, null, 2))}\n`

/** Every format of a compliance report by its name. */
export const complianceReports = {
  text: complianceText,
  json: complianceJson,
  html: complianceHtml,
  markdown: complianceMarkdown,
  csv: complianceCsv,
  oscal: complianceOscal,
} as const satisfies Record<string, ComplianceFormat>

/** @throws AuditError.usage when compliance reports do not have that format */
export function complianceFormatOf(name: string): ComplianceFormat {
  const format = (complianceReports as Readonly<Record<string, ComplianceFormat>>)[name]
  if (format !== undefined) return format
  const names = Object.keys(complianceReports).join(', ')
  throw AuditError.usage(`--framework has no format ${name}, expected one of ${names}`)
}

import { neutraliseJson } from '../../text/neutralise.ts'
import type { ComplianceFormat } from './compliance-format.ts'

/** The document itself (config/compliance.schema.json). */
export const complianceJson: ComplianceFormat = (compliance) =>
  `${neutraliseJson(JSON.stringify(compliance, null, 2))}\n`

import { type Format, formatNames, formats } from '../../src/report/formats.ts'
import type { ReportFormat } from '../../src/report/report-format.ts'

const loaded = formatNames.map(async (name) => [name, await formats[name].load()] as const)

/** Every report format, loaded. */
export const reports = Object.fromEntries(await Promise.all(loaded)) as Readonly<Record<Format, ReportFormat>>

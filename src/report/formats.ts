import type { ReportFormat } from './report-format.ts'

interface FormatEntry {
  /** Extension of report files that hookdrift names. */
  readonly extension: `.${string}`
  readonly load: () => Promise<ReportFormat>
}

/** Every report format by its name. Each is loaded on use, so that the table does not slow the start. */
export const formats = {
  text: { extension: '.txt', load: async () => (await import('./text.ts')).text },
  json: { extension: '.json', load: async () => (await import('./json.ts')).json },
  sarif: { extension: '.sarif', load: async () => (await import('./sarif.ts')).sarif },
  junit: { extension: '.junit.xml', load: async () => (await import('./junit.ts')).junit },
  markdown: { extension: '.md', load: async () => (await import('./markdown.ts')).markdown },
  csv: { extension: '.csv', load: async () => (await import('./csv.ts')).csv },
  html: { extension: '.html', load: async () => (await import('./html.ts')).html },
  ocsf: { extension: '.ocsf.json', load: async () => (await import('./ocsf.ts')).ocsf },
  oscal: { extension: '.oscal.json', load: async () => (await import('./oscal.ts')).oscal },
} as const satisfies Record<string, FormatEntry>

export type Format = keyof typeof formats

// Object.keys forgets that the names are known.
export const formatNames = Object.keys(formats) as readonly Format[]

/** Loads the formats with these names; other names are left to the caller, which reports them. */
export async function loadFormats(names: ReadonlySet<string>): Promise<ReadonlyMap<Format, ReportFormat>> {
  const wanted = formatNames.filter((name) => names.has(name))
  return new Map(
    await Promise.all(wanted.map(async (name): Promise<[Format, ReportFormat]> => [name, await formats[name].load()])),
  )
}

import type { ReportFormat } from './report-format.ts'

interface FormatEntry {
  /** What it is and for whom, as a phrase for lists. */
  readonly about: string
  /** Extension of report files that hookdrift names. */
  readonly extension: `.${string}`
  readonly load: () => Promise<ReportFormat>
}

/** Every report format by its name. Each is loaded on use, so that the table does not slow the start. */
export const formats = {
  text: {
    about: 'for people at a terminal',
    extension: '.txt',
    load: async () => (await import('./text.ts')).text,
  },
  json: {
    about: 'the whole document, for programs',
    extension: '.json',
    load: async () => (await import('./json.ts')).json,
  },
  sarif: {
    about: 'SARIF 2.1.0, for code scanning',
    extension: '.sarif',
    load: async () => (await import('./sarif.ts')).sarif,
  },
  junit: {
    about: 'JUnit XML, for CI',
    extension: '.junit.xml',
    load: async () => (await import('./junit.ts')).junit,
  },
  markdown: {
    about: 'for pull requests and chats',
    extension: '.md',
    load: async () => (await import('./markdown.ts')).markdown,
  },
  csv: {
    about: 'one section of the report, for spreadsheets',
    extension: '.csv',
    load: async () => (await import('./csv.ts')).csv,
  },
  html: {
    about: 'one page, for a screen or paper',
    extension: '.html',
    load: async () => (await import('./html.ts')).html,
  },
  ocsf: {
    about: 'OCSF compliance findings, for a SIEM',
    extension: '.ocsf.json',
    load: async () => (await import('./ocsf.ts')).ocsf,
  },
  jsonl: {
    about: 'a JSON object a line, for jq and other streams',
    extension: '.jsonl',
    load: async () => (await import('./jsonl.ts')).jsonl,
  },
} as const satisfies Record<string, FormatEntry>

export type Format = keyof typeof formats

/** The format that a report by control alone has. */
export const controlFormat = 'oscal'

export type NamedFormat = Format | typeof controlFormat

// Object.keys forgets that the names are known.
export const formatNames = Object.keys(formats) as readonly Format[]

/** Loads the formats with these names; other names are left to the caller, which reports them. */
export async function loadFormats(names: ReadonlySet<string>): Promise<ReadonlyMap<Format, ReportFormat>> {
  const wanted = formatNames.filter((name) => names.has(name))
  return new Map(
    await Promise.all(wanted.map(async (name): Promise<[Format, ReportFormat]> => [name, await formats[name].load()])),
  )
}

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse as parseCsv } from 'csv-parse/sync'
import type { Report } from '../../src/model/report.ts'
import { csvSections } from '../../src/report/csv/sections.ts'
import { type Format, reports } from '../../src/report/reports.ts'
import { activeMarkdown, readers, type Seen, suitesIn, tablesIn } from './readers.ts'

export const allFormats = Object.keys(reports) as readonly Format[]

/** What a hostile text did to a format, as its own readers see it; empty when nothing. */
export function damageIn(report: Report, names: readonly Format[] = allFormats): string[] {
  return names.flatMap((format) => {
    const text = reports[format](report, { colour: false, width: 100, full: true })
    return [...unseenIn(text), ...damage[format](text, report)].map((what) => `${format}: ${what}`)
  })
}

/** Characters that act or hide. */
function unseenIn(text: string): string[] {
  const bare = text.replaceAll('\r\n', '\n')
  return /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.exec(bare)?.slice(0, 1) ?? []
}

const schema = readFileSync(
  createRequire(import.meta.url).resolve('@microsoft/sarif-multitool-linux/sarif-2.1.0.json'),
  'utf8',
)
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
const isSarif = ajv.compile(JSON.parse(schema))

/** What is wrong with a SARIF log; null when nothing. */
export function sarifFaults(log: unknown) {
  return isSarif(log) ? null : isSarif.errors
}

const damage = {
  text: (text) => text.split('\n').filter((line) => /^high x/.test(line)),
  json: (text, report) => (JSON.stringify(JSON.parse(text)).length > 0 ? countDamage('json', text, report) : []),

  sarif(text, report) {
    const log = JSON.parse(text)
    const messages = log.runs[0].results.map(({ message }: { message: { text: string } }) => message.text)
    return [
      ...(isSarif(log) ? [] : [JSON.stringify(isSarif.errors)]),
      ...messages.filter((message: string) => /(?<!\\)(?:\\\\)*[[\]]|(?<!\{)\{\d+\}/.test(message)),
      ...countDamage('sarif', text, report),
    ]
  },

  junit(text, report) {
    const suites = suitesIn(text)
    const miscounted = suites.filter(({ counts, cases }) => counts.tests !== cases.length)
    return [...miscounted.map(({ name }) => `${name} counts wrong`), ...countDamage('junit', text, report)]
  },

  markdown(text, report) {
    return [
      ...activeMarkdown(text),
      ...(text.length >= 65_000 ? [`${text.length} characters`] : []),
      ...tablesIn(text).flatMap(({ header, rows }) => rows.filter((row) => row.length !== header.length).flat()),
      ...countDamage('markdown', text, report),
    ]
  },

  csv(text, report) {
    const all = Object.values(csvSections).flatMap((section): string[][] => parseCsv(section(report)))
    const formulas = all.flat().filter((cell) => /(?:^|;)["\s]*[=+\-@＝＋－＠]/.test(cell))
    const bareLines = text.replaceAll('\r\n', '').includes('\n') ? ['a bare line break'] : []
    return [...formulas, ...bareLines, ...countDamage('csv', text, report)]
  },

  html: (text, report) => [
    ...(text.match(/<(?:script|img|iframe|!--|!\[CDATA)|<a (?!class="skip"|href="#)| on\w+=/g) ?? []).filter((match) =>
      match.startsWith('<'),
    ),
    ...countDamage('html', text, report),
  ],
  ocsf: (text, report) => countDamage('ocsf', text, report),

  oscal(text, report) {
    const values = [...JSON.stringify(JSON.parse(text)).matchAll(/"value":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, value]) => value,
    )
    return [
      ...values.filter((value) => value === undefined || !/^\S(.*\S)?$/u.test(value)).map(String),
      ...countDamage('oscal', text, report),
    ]
  },
} as const satisfies Record<Format, (text: string, report: Report) => string[]>

function countDamage(format: keyof typeof readers, text: string, { violations }: Report): string[] {
  const read: readonly Seen[] = readers[format](text).violations
  const found = read.map(({ severity, state }) => `${severity} ${state}`)
  const wanted = violations.map(({ severity, state }) => `${severity} ${state}`)
  return String(found.toSorted()) === String(wanted.toSorted()) ? [] : [`holds ${found}, and not ${wanted}`]
}

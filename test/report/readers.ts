import { parse as parseCsv } from 'csv-parse/sync'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import MarkdownIt from 'markdown-it'
import type { Format } from '../../src/report/formats.ts'

/** What a reader who knows nothing of our code finds in a report. */
export interface Seen {
  readonly severity: string
  readonly rule: string
  readonly project: string
  readonly state: string
}

export interface Reading {
  readonly violations: readonly Seen[]
  /** undefined where the format has no place for it. */
  readonly exitCode: number | undefined
}

// Parsed documents are what tests are about: they are taken as they come.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Parsed = any

/** Readers of all formats that a machine can read back. */
export const readers = {
  json(text) {
    const { violations, verdict }: Parsed = JSON.parse(text)
    return { violations, exitCode: verdict.exit_code }
  },

  sarif(text) {
    const { results, invocations }: Parsed = JSON.parse(text).runs[0]
    const violations = results.map(({ ruleId, properties }: Parsed) => ({ ...properties, rule: ruleId }))
    return { violations, exitCode: invocations[0].exitCode }
  },

  junit(text) {
    const suites = suitesIn(text)
    const exitCodes = suites.flatMap(({ properties }) => properties.filter(({ name }) => name === 'exit_code'))
    return {
      violations: suites.flatMap(({ name: project, cases }) =>
        cases.flatMap(({ name: rule, lines }) =>
          lines.flatMap((line) => {
            const [, severity, state] = /^(critical|high|medium|low|info) .* \((\w+)[^()]*\)$/.exec(line) ?? []
            return severity === undefined || state === undefined ? [] : [{ severity, rule, project, state }]
          }),
        ),
      ),
      exitCode: exitCodes[0] === undefined ? undefined : Number(exitCodes[0].value),
    }
  },

  markdown(text) {
    const tables = tablesIn(text).filter(({ header }) => header.includes('message'))
    const violations = tables.flatMap(({ header, rows }) =>
      rows.map((row) => {
        const cell = (name: string) => row[header.indexOf(name)] ?? ''
        const [state = ''] = cell('state').split(/[ ,]/)
        return { severity: cell('severity'), rule: cell('rule'), project: cell('project'), state }
      }),
    )
    return { violations, exitCode: Number(/\*\* Exit code (\d+)\.$/m.exec(text)?.[1]) }
  },

  csv(text) {
    return { violations: parseCsv(text, { columns: true }), exitCode: undefined }
  },

  html(text) {
    const element = /data-rule="([^"]*)" data-severity="([^"]*)" data-project="([^"]*)" data-state="([^"]*)"/g
    const violations = [...text.matchAll(element)].map(([, rule = '', severity = '', project = '', state = '']) => {
      return { severity, rule, project, state }
    })
    return { violations, exitCode: Number(/ Exit code (\d+)\.</.exec(text)?.[1]) }
  },

  ocsf(text) {
    const events: Parsed[] = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    const violations = events
      .filter(({ finding_info }) => finding_info.types.includes('violation'))
      .map(({ severity, finding_info, resources, status_detail }) => ({
        severity: severity === 'Informational' ? 'info' : severity.toLowerCase(),
        rule: finding_info.analytic.uid,
        project: resources[0].namespace,
        state: status_detail,
      }))
    return { violations, exitCode: events[0]?.unmapped.exit_code }
  },

  oscal(text) {
    const [result]: Parsed = JSON.parse(text)['assessment-results'].results
    const propsOf = ({ props }: Parsed): Parsed =>
      Object.fromEntries(props.map(({ name, value }: Parsed) => [name, value]))
    const observations: Parsed[] = result.observations ?? []
    const violations = observations.filter(({ types }) => types.includes('finding')).map(propsOf)
    return { violations, exitCode: Number(propsOf(result)['exit-code']) }
  },
} as const satisfies Record<Exclude<Format, 'text'>, (text: string) => Reading>

interface Suite {
  readonly name: string
  readonly properties: readonly { readonly name: string; readonly value: string }[]
  readonly counts: {
    readonly tests: number
    readonly failures: number
    readonly errors: number
    readonly skipped: number
  }
  readonly cases: readonly Case[]
}

interface Case {
  readonly name: string
  readonly outcome: 'failure' | 'error' | 'skipped' | 'passed'
  readonly message: string
  /** Of the failure and of system-out. */
  readonly lines: readonly string[]
}

/** Throws when the text is not XML. */
export function suitesIn(text: string): readonly Suite[] {
  const valid = XMLValidator.validate(text)
  if (valid !== true) throw new Error(valid.err.msg)
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text))
    throw new Error('a character that XML forbids')
  const lists = ['testsuite', 'testcase', 'property']
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => lists.includes(name),
  })
  const { testsuites }: Parsed = parser.parse(text)
  return (testsuites.testsuite ?? []).map((suite: Parsed) => ({
    name: suite['@name'],
    properties: suite.properties.property.map((one: Parsed) => ({ name: one['@name'], value: one['@value'] })),
    counts: {
      tests: Number(suite['@tests']),
      failures: Number(suite['@failures']),
      errors: Number(suite['@errors']),
      skipped: Number(suite['@skipped']),
    },
    cases: (suite.testcase ?? []).map(caseOf),
  }))
}

function caseOf(one: Parsed): Case {
  const outcome = (['failure', 'error', 'skipped'] as const).find((name) => one[name] !== undefined) ?? 'passed'
  const body = outcome === 'passed' ? undefined : one[outcome]
  const texts = [body?.['#text'] ?? '', one['system-out'] ?? '']
  return {
    name: one['@name'],
    outcome,
    message: body?.['@message'] ?? '',
    lines: texts.flatMap((text) => text.split('\n')).filter((line) => line !== ''),
  }
}

const markdownIt = MarkdownIt({ html: true, linkify: true, typographer: true })

/** Tables as rendered: their cells' text. */
export function tablesIn(text: string) {
  const tables: { header: string[]; rows: string[][] }[] = []
  let inHeader = false
  for (const token of markdownIt.parse(text, {})) {
    const table = tables.at(-1)
    if (token.type === 'table_open') tables.push({ header: [], rows: [] })
    if (token.type === 'thead_open') inHeader = true
    if (token.type === 'thead_close') inHeader = false
    if (token.type === 'tr_open' && !inHeader) table?.rows.push([])
    if (token.type !== 'inline' || token.level < 3) continue
    const shown = (token.children ?? []).map(({ content }) => content).join('')
    if (inHeader) table?.header.push(shown)
    else table?.rows.at(-1)?.push(shown)
  }
  return tables
}

/** What of Markdown acts: links, pictures, HTML; and the text outside of tables. */
export function activeMarkdown(text: string): string[] {
  const tokens = markdownIt.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])])
  return tokens.map(({ type }) => type).filter((type) => /link|image|html|fence|code_block|list|blockquote/.test(type))
}

import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { FormatTest, Parsed } from '../format-test.ts'
import { stateNamed } from '../state-named.ts'

export const junit: FormatTest = {
  read(text) {
    const suites = suitesIn(text)
    const exitCodes = suites.flatMap(({ properties }) => properties.filter(({ name }) => name === 'exit_code'))
    return {
      violations: suites.flatMap(({ name: project, cases }) =>
        cases.flatMap(({ name: rule, lines }) =>
          lines.flatMap((line) => {
            const [, severity, state] = /^(critical|high|medium|low|info) .* \((\w+)[^()]*\)$/.exec(line) ?? []
            return severity === undefined || state === undefined
              ? []
              : [{ severity, rule, project, state: stateNamed(state) }]
          }),
        ),
      ),
      exitCode: exitCodes[0] === undefined ? undefined : Number(exitCodes[0].value),
    }
  },
  damage: (text) =>
    suitesIn(text)
      .filter(({ counts, cases }) => counts.tests !== cases.length)
      .map(({ name }) => `${name} counts wrong`),
}

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

/** The suites of a report; throws where it is not XML. */
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

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FormatTest, Parsed } from '../format-test.ts'

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

export const sarif: FormatTest = {
  read(text) {
    const { results, invocations }: Parsed = JSON.parse(text).runs[0]
    const violations = results.map(({ ruleId, properties }: Parsed) => ({ ...properties, rule: ruleId }))
    return { violations, exitCode: invocations[0].exitCode }
  },
  damage(text) {
    const log = JSON.parse(text)
    const messages = log.runs[0].results.map(({ message }: { message: { text: string } }) => message.text)
    return [
      ...(isSarif(log) ? [] : [JSON.stringify(isSarif.errors)]),
      ...messages.filter((message: string) => /(?<!\\)(?:\\\\)*[[\]]|(?<!\{)\{\d+\}/.test(message)),
    ]
  },
}

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type AnswerName, answerVersions } from '../../src/report/answer.ts'

export const folder = new URL('../../config/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
ajv.addSchema(read('report.schema.json'))

/** A reader ignores members that it does not know; a test must not. Schemas of the report are held elsewhere. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const own = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return 'properties' in schema && 'type' in schema ? { ...own, unevaluatedProperties: false } : own
}

export const answerNames = Object.keys(answerVersions) as readonly AnswerName[]
const validators = new Map(
  answerNames.map((name) => [name, ajv.compile(Object(closed(read(`answers/${name}.schema.json`))))] as const),
)

/** What an answer has that its schema does not allow; null when it has nothing of the kind. */
export function faultsOf(name: AnswerName, stdout: string): unknown {
  const validate = validators.get(name)
  validate?.(JSON.parse(stdout))
  return validate?.errors
}

import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

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

const published = readdirSync(new URL('answers/', folder)).map((file) => read(`answers/${file}`))
/** What answers call their schemas: `hookdrift.runs/2`. */
export const answerSchemas: readonly string[] = published.map(({ properties }) => properties.schema.const)
const compiled = new Map<string, ValidateFunction>()

/** What an answer has that its schema does not allow; null when it has nothing of the kind. */
export function faultsOf(name: string, stdout: string): unknown {
  const schema = published.find(({ properties }) => properties.schema.const.startsWith(`hookdrift.${name}/`))
  const validate = compiled.get(name) ?? ajv.compile(Object(closed(schema)))
  compiled.set(name, validate)
  validate(JSON.parse(stdout))
  return validate.errors
}

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/**
 * Every JSON document that a test makes is held against the schema that is published of it: what commands print and
 * write, what servers answer, and reports of audits go through here, so no test has to ask for it.
 */
const folder = new URL('../config/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))

/** A reader ignores members that it does not know; a test must not. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const own = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return 'properties' in schema && 'type' in schema ? { ...own, unevaluatedProperties: false } : own
}

const answers = readdirSync(new URL('answers/', folder))
/** The file of a document's schema, by what the document calls it: `hookdrift.runs/2`. */
const files: ReadonlyMap<string, string> = new Map(
  ['report.schema.json', 'compliance.schema.json', ...answers.map((file) => `answers/${file}`)].map((file) => [
    read(file).properties.schema.const,
    file,
  ]),
)
/** What answers call their schemas. */
export const answerSchemas: readonly string[] = [...files].flatMap(([id, file]) =>
  file.startsWith('answers/') ? [id] : [],
)
/** Documents that no schema is published of: readers of these are hookdrift's own, or follow a page. */
const unpublished = /^hookdrift\.(?:notification|baseline-file)\/\d+$/

const options = { strict: true, strictRequired: false, strictTypes: false, allErrors: true } as const
const compiled = new Map<string, ValidateFunction>()
let ajv: Ajv2020 | undefined

function validatorOf(file: string): ValidateFunction {
  ajv ??= new Ajv2020(options).addSchema(Object(closed(read('report.schema.json'))), 'report.schema.json')
  const validate = compiled.get(file) ?? ajv.getSchema(file) ?? ajv.compile(Object(closed(read(file))))
  compiled.set(file, validate)
  return validate
}

function faultsIn(document: unknown, file: string): unknown {
  const validate = validatorOf(file)
  return validate(document) ? null : validate.errors
}

/** What a document has that its schema does not allow; null when it has nothing of the kind. */
export function faultsOf(document: unknown): unknown {
  const { schema } = Object(document)
  if (typeof schema !== 'string' || !schema.startsWith('hookdrift.') || unpublished.test(schema)) return null
  const file = files.get(schema)
  return file === undefined ? `no schema is published of ${schema}` : faultsIn(document, file)
}

/** @throws an error when a document is not what its schema says */
export function checkDocument<Document>(document: Document): Document {
  refuse(faultsOf(document), document)
  return document
}

/** Checks a text that may be a document, or one an object a line. Any other passes. */
export function checkText(text: string): void {
  if (!text.startsWith('{') || !text.includes('"hookdrift.')) return
  const whole = parse(text)
  // One line may be all of them.
  if (whole !== undefined && Object(whole).type === undefined) return void checkDocument(whole)
  const lines = text.split('\n').flatMap((line) => parse(line) ?? [])
  const [{ type, ...head } = { type: undefined }, ...rest] = lines.map(Object)
  if (type === 'run') for (const line of lines) refuse(faultsIn(line, 'report-line.schema.json'), line)
  if (type !== 'answer') return
  const of = (wanted: string) => rest.flatMap((line) => (line.type === wanted ? [line[wanted]] : []))
  const coverage = of('coverage')
  const rows = { [String(head.schema).startsWith('hookdrift.verify/') ? 'checks' : 'rows']: of('row') }
  checkDocument(coverage.length === 0 ? { ...head, ...rows } : { ...head, coverage, ...rows })
}

/** Checks what a command printed, and the files that its arguments name. */
export function checkOutputs(stdout: string, args: readonly string[], cwd: string): void {
  checkText(stdout)
  for (const argument of args) {
    const file = /(?:^|=)jsonl?=(.+)$/.exec(argument)?.[1]
    if (file !== undefined) checkText(textOf(resolve(cwd, file)))
  }
}

function refuse(faults: unknown, document: unknown): void {
  if (faults === null) return
  const shown = JSON.stringify(document).slice(0, 300)
  throw new Error(`a document breaks its published schema: ${JSON.stringify(faults, null, 1)}\n${shown}`)
}

/** Empty where no file was written: a test may name a directory, or a link to itself. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

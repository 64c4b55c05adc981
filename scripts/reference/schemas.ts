import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { configurationJsonSchema } from '../../src/config/configuration-schema.ts'
import { reportLineSchema, reportSchema } from '../../src/model/report.ts'
import { publishedSchemas } from '../../src/model/schema.ts'
import { policyJsonSchema } from '../../src/policy/policy-schema.ts'
import { policyTestJsonSchema } from '../../src/policy/policy-test-schema.ts'
import { type AnswerForm, answerSchema } from '../../src/report/answer.ts'
import { complianceSchema } from '../../src/report/compliance/compliance.ts'
import { frameworkJsonSchema } from '../../src/report/compliance/framework.ts'
import { readOwner, schemaAddress } from '../release/owner.ts'

const checkout = join(import.meta.dirname, '../..')
const owner = readOwner(checkout)

/** Every answer, from the files that declare them. */
export async function answerForms(): Promise<readonly AnswerForm[]> {
  const files = globSync('src/**/*.ts', { cwd: checkout }).filter((file) =>
    readFileSync(join(checkout, file), 'utf8').includes(': AnswerForm = {'),
  )
  const modules: Record<string, unknown>[] = await Promise.all(files.sort().map((file) => import(join(checkout, file))))
  return modules.flatMap((module) => Object.values(module).filter(isAnswerForm))
}

function isAnswerForm(value: unknown): value is AnswerForm {
  return typeof value === 'object' && value !== null && 'about' in value && 'row' in value && 'version' in value
}

/** The published JSON Schemas, by their paths. */
export async function schemaFiles(): Promise<Readonly<Record<string, string>>> {
  const schemas: Record<string, z.ZodType> = {
    'config/report.schema.json': reportSchema,
    'config/report-line.schema.json': reportLineSchema,
    'config/compliance.schema.json': complianceSchema,
  }
  for (const form of await answerForms()) schemas[`config/answers/${form.name}.schema.json`] = answerSchema(form)
  const { schemas: written } = z.toJSONSchema(publishedSchemas, {
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => schemaAddress(owner, id),
    override: ({ jsonSchema }) => delete jsonSchema.readOnly,
  })
  const ofAnswers = Object.entries(schemas).map(([path, schema]) => {
    const id = publishedSchemas.get(schema)?.id ?? ''
    const definitions = Object.entries(written)
      .filter(([other]) => other.startsWith(`${id}#/$defs/`))
      .map(([other, { $schema: _, $id: __, ...definition }]) => [other.slice(`${id}#/$defs/`.length), definition])
    const document = definitions.length === 0 ? written[id] : { ...written[id], $defs: Object.fromEntries(definitions) }
    const text = `${JSON.stringify(document, null, 2)}\n`
    return [path, text.replaceAll(`"${schemaAddress(owner, id)}#`, '"#')]
  })
  return {
    ...Object.fromEntries(ofAnswers),
    'config/hookdrift.schema.json': schemaText('hookdrift', configurationJsonSchema()),
    'config/policy.schema.json': schemaText('policy', policyJsonSchema()),
    'config/policy-tests.schema.json': schemaText('policy-tests', policyTestJsonSchema()),
    'config/framework.schema.json': schemaText('framework', frameworkJsonSchema()),
  }
}

/** The text of the schema of a file that people write: it keeps its address, as later ones accept what it accepts. */
export function schemaText(name: string, schema: object): string {
  return `${JSON.stringify({ $id: schemaAddress(owner, name), ...schema }, null, 2)}\n`
}

/** An entry for a catalogue of schemas, where editors find them by the names of files: https://www.schemastore.org. */
export function schemaCatalogue(): string {
  const entry = (name: string, description: string, fileMatch: readonly string[]) => ({
    name: name === 'hookdrift' ? name : `hookdrift ${name}`,
    description,
    fileMatch,
    url: schemaAddress(owner, name),
  })
  const catalogue = {
    $schema: 'https://json.schemastore.org/schema-catalog.json',
    version: 1,
    schemas: [
      entry('hookdrift', 'Configuration of hookdrift, which audits webhook gateways', ['hookdrift.yaml']),
      // Many programs have a file of this name: only in a directory of ours it is ours.
      entry('policy', 'Policy of hookdrift, which audits webhook gateways', ['**/hookdrift/policy.yaml']),
    ],
  }
  return `${JSON.stringify(catalogue, null, 2)}\n`
}

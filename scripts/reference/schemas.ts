import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type AnswerForm, answerSchema } from '../../src/report/answer-form.ts'
import { complianceSchema } from '../../src/report/compliance/compliance-schema.ts'
import { publishedSchemas, reportLineSchema, reportSchema } from '../../src/report/report-schema.ts'

const checkout = join(import.meta.dirname, '../..')

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

/** The published JSON Schemas that are made of declarations, by their paths. */
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
    uri: (id) => id,
    override: ({ jsonSchema }) => delete jsonSchema.readOnly,
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([path, schema]) => {
      const id = publishedSchemas.get(schema)?.id ?? ''
      const definitions = Object.entries(written)
        .filter(([other]) => other.startsWith(`${id}#/$defs/`))
        .map(([other, { $schema: _, $id: __, ...definition }]) => [other.slice(`${id}#/$defs/`.length), definition])
      const document =
        definitions.length === 0 ? written[id] : { ...written[id], $defs: Object.fromEntries(definitions) }
      return [path, `${JSON.stringify(document, null, 2).replaceAll(`"${id}#`, '"#')}\n`]
    }),
  )
}

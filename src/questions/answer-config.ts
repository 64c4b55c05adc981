import { z } from 'zod'
import type { CheckedFile } from '../app/check-files.ts'
import type { ConfigurationValue } from '../config/show-configuration.ts'
import type { Json } from '../model/json.ts'
import { anyJson, listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { NodePath } from '../model/yaml/node-values.ts'
import { writeAnnotated } from '../model/yaml/write-yaml.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutNoRun, limited } from '../report/answer.ts'
import { type Block, list, text } from '../report/document/blocks.ts'

const configRow = z.object({
  path: z.string().describe('Such as services[0].url.'),
  value: anyJson.describe('In the units of the file; null for a secret.'),
  source: z.enum(['file', 'environment', 'option', 'default']),
  at: z
    .string()
    .nullable()
    .describe('file:line:column, a variable or an option; of the key for the seals, by default its file.'),
  reference: z.string().nullable().describe(`The first reference in the text, such as \${ACME_KEY}.`),
  secret: z.boolean(),
  set: z.boolean().describe('Whether a secret has a value; true for all else.'),
})
type ConfigRow = z.infer<typeof configRow>

export const configShowForm: AnswerForm = {
  name: 'config-show',
  version: 2,
  command: 'config show',
  about: aboutNoRun,
  row: configRow,
}

export const configCheckForm: AnswerForm = {
  name: 'config-check',
  version: 2,
  command: 'doctor --offline',
  about: aboutNoRun,
  row: z.object({
    file: z.string().describe('As it is named; "the environment" where there is no configuration file.'),
    kind: z.enum(['configuration', 'policy', 'policy-tests']),
    faults: listOf(z.string()).describe('Each with its place: file:line:column, or a variable.'),
    warnings: listOf(z.string()).describe('What is accepted and should be changed.'),
    about: z.string().describe('What the file has; empty when it has faults.'),
  }),
  more: { ok: z.boolean().describe('Whether no file has a fault.') },
}

export function answerConfig(values: readonly ConfigurationValue[], limit: number): Answer<ConfigRow> {
  const rows = values.map(({ path, value, source, at, reference, isSecret, isSet }) => ({
    path: nameOf(path),
    value,
    source,
    at,
    reference,
    secret: isSecret,
    set: isSet,
  }))
  return { form: configShowForm, run: null, ...limited(rows, limit) }
}

function nameOf(path: NodePath): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('')
}

export const configView: AnswerView<ConfigRow> = {
  columns: [
    { name: 'path', breaks: true },
    { name: 'value', value: valueText, breaks: true },
    { name: 'from', value: originText, breaks: true },
  ],
  nothing: 'The configuration is empty.',
  isOfRun: false,
}

function valueText({ value, secret, set }: ConfigRow): string {
  if (secret) return set ? '(set)' : '(not set)'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function originText({ source, at, reference }: ConfigRow): string {
  const origin = source === 'default' ? ['default', ...(at === null ? [] : [at])].join(': ') : (at ?? '')
  return reference === null || reference === `\${${at}}` ? origin : `${origin} ${reference}`
}

/** The configuration as a file would have it, each value with where it comes from. A secret is its reference. */
export function writeConfig(values: readonly ConfigurationValue[]): string {
  // Neither the recommended rules nor the key next to the history have a value in a file.
  const inFile = values.filter(
    ({ path, source, isSecret }) => source !== 'default' || !(isSecret || path[0] === 'policy'),
  )
  return writeAnnotated(
    inFile.map(({ path, value, source, at, reference, isSecret, isSet }) => ({
      path,
      value: isSecret ? (reference ?? '(not shown)') : inFileForm(value, reference),
      comment: neutralise(`${source === 'default' ? source : at}${isSet ? '' : ', not set'}`),
    })),
  )
}

/** A `${` of a value is not a reference, unless the value is shown as it is written. */
function inFileForm(value: Json, reference: string | null): Json {
  if (Array.isArray(value)) return value.map((one) => inFileForm(one, null))
  if (typeof value !== 'string') return value
  const isAsWritten = reference !== null && value.includes(reference.slice(0, -1))
  return isAsWritten ? value : value.replaceAll('${', () => '$${')
}

export function answerConfigCheck(files: readonly CheckedFile[], limit: number): Answer<CheckedFile> {
  const more = { ok: files.every(({ faults }) => faults.length === 0) }
  return { form: configCheckForm, run: null, more, ...limited(files, limit) }
}

export const configCheckView: AnswerView<CheckedFile> = {
  columns: ['file', 'kind', 'faults', 'warnings', 'about'],
  blocks: ({ rows }) => rows.flatMap(describeCheckedFile),
  nothing: '',
  isOfRun: false,
}

/** Whether a file is valid, with what it has; else its faults; and what should be changed in it. */
export function describeCheckedFile({
  file,
  faults,
  warnings,
  about,
}: Pick<CheckedFile, 'file' | 'faults' | 'warnings' | 'about'>): readonly Block[] {
  const isValid = faults.length === 0
  const items = [...faults, ...warnings.map((warning) => `warning: ${warning}`)].map((said) => ({ text: said }))
  return [
    isValid
      ? text(`${file} is valid: ${about}.`, 'good')
      : text(`${file} has ${count(faults.length, 'fault')}:`, 'alarm'),
    ...list('line', items),
  ]
}

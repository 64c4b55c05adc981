import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import type { ApiTool } from '../../pages/api.ts'
import { shapeOf } from '../../questions/question.ts'
import { type ApiAddress, apiEntries, type DescribeCommand, descriptionOf } from './api-entries.ts'
import { type ApiParameter, limitParameter, parametersOf } from './api-parameters.ts'
import { answerSchemas, describeParameter, schemaOf } from './describe-api.ts'

/** The API as tools, of the same parameters and schemas as its OpenAPI. */
export async function describeTools(describe: DescribeCommand): Promise<readonly ApiTool[]> {
  const schemas = answerSchemas()
  return Promise.all(
    Object.entries(apiEntries).map(async ([name, entry]) => ({
      name,
      description: descriptionOf(entry, describe),
      isOfAllProjects: entry.isOfAllProjects === true,
      input: describeArguments(parametersOf(await entry.load())),
      output: describeAnswer(schemaOf(name), entry, schemas),
    })),
  )
}

function describeArguments(parameters: readonly ApiParameter[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, describeArgument(each)])),
    required: parameters.filter(({ parameter }) => shapeOf(parameter).isRequired).map((each) => each.name),
    additionalProperties: false,
  }
}

/** Rows at most, unless a call says more: who reads them has little room. */
const usualRows = 100

function describeArgument(parameter: ApiParameter): JsonObject {
  const { schema, description = '' } = describeParameter(parameter)
  // A model says false for what it does not want.
  if (shapeOf(parameter.parameter).isFlag) return { type: 'boolean', description }
  const usual = parameter.parameter === limitParameter ? { default: usualRows } : {}
  return { ...asObject(schema), ...usual, description }
}

const components = '#/components/schemas/'

/** What is in every answer of a tool, besides what the command prints. */
const added: JsonObject = {
  about_texts: { type: 'string', description: 'What the texts of the answer are, and what they are not.' },
  scans: {
    type: 'object',
    description: 'What was scanned by the run that the answer is as of, else by the last one.',
    properties: {
      last_run: { description: 'The last run of the history; null where there is none.', type: ['integer', 'null'] },
      last_run_finished_at: { type: ['string', 'null'] },
      as_of_run: { type: ['integer', 'null'] },
      projects: { description: 'How many were scanned by then.', type: 'integer' },
      incomplete_projects: { description: 'How many of them could not be read completely.', type: 'integer' },
      omitted_coverage: { description: 'How many more rows `coverage` would have.', type: 'integer' },
    },
    required: ['last_run', 'last_run_finished_at', 'as_of_run', 'projects', 'incomplete_projects', 'omitted_coverage'],
  },
}

const coverage: JsonObject = {
  description: 'The walks that should be complete and are not: what is absent there is unknown. `coverage` has all.',
  type: 'array',
  items: { $ref: `${components}report/$defs/scannedCoverage` },
}
const commands: JsonObject = {
  description: 'What the command prints for people, line by line: requests as commands of a shell, exact to the byte.',
  type: 'array',
  items: { type: 'string' },
}

/** The schema of a whole answer, with all that it refers to. */
function describeAnswer(name: string, { hasCommands }: ApiAddress, schemas: JsonObject): JsonObject {
  const { $defs, ...answer } = asObject(schemas[name])
  const properties = asObject(answer.properties)
  const required = Array.isArray(answer.required) ? answer.required : []
  // A document that is one of several says itself what it has.
  const isRows = answer.properties !== undefined
  const schema: JsonObject = {
    ...answer,
    type: 'object',
    properties: {
      ...added,
      ...properties,
      ...(isRows ? { coverage } : {}),
      ...(hasCommands ? { commands } : {}),
    },
    required: [
      ...new Set([
        ...Object.keys(added),
        ...required,
        ...(isRows ? ['coverage'] : []),
        ...(hasCommands ? ['commands'] : []),
      ]),
    ],
  }
  const definitions = new Map<string, Json>()
  const whole = inOneDocument(schema, schemas, definitions)
  return { ...asObject(whole), $defs: Object.fromEntries(definitions) }
}

/** Rewrites references to components as ones to definitions of the document itself, which it gathers. */
function inOneDocument(json: Json, schemas: JsonObject, definitions: Map<string, Json>): Json {
  if (Array.isArray(json)) return json.map((item) => inOneDocument(item, schemas, definitions))
  if (!isJsonObject(json)) return json
  const members = Object.entries(json).map(([key, value]): [string, Json] => {
    if (key !== '$ref' || typeof value !== 'string') return [key, inOneDocument(value, schemas, definitions)]
    const steps = value.slice(components.length).split('/')
    const name = steps.filter((step) => step !== '$defs').join('.')
    if (!definitions.has(name)) {
      // At once: a schema may refer to itself.
      definitions.set(name, {})
      const { $defs, ...schema } = asObject(steps.reduce<Json>((at, step) => asObject(at)[step] ?? {}, schemas))
      definitions.set(name, inOneDocument(schema, schemas, definitions))
    }
    return [key, `#/$defs/${name}`]
  })
  return Object.fromEntries(members)
}

function asObject(json: Json | undefined): JsonObject {
  return isJsonObject(json) ? json : {}
}

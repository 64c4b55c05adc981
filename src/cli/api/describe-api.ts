import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import { ownManifest, packageFile } from '../../model/package-files.ts'
import { cookieName } from '../../pages/access/credentials.ts'
import type { ApiTool } from '../../pages/api.ts'
import { noteBody } from '../../pages/take-note.ts'
import { type ApiParameter, formatParameter, limitParameter, parametersOf } from '../../questions/query-parameters.ts'
import { runParameter, shapeOf } from '../../questions/question.ts'
import { type ApiAddress, apiEntries, type DescribeCommand, descriptionOf } from './api-entries.ts'

type ApiAddresses = Readonly<Record<string, ApiAddress>>

/** The API as OpenAPI 3.1, of the commands' own options and the published schemas of their answers. */
export async function describeApi(
  entries: ApiAddresses,
  version: string,
  describe: DescribeCommand,
): Promise<JsonObject> {
  const described = Object.entries(entries).map(async ([name, entry]) => {
    const get = await describeEntry(name, entry, describe)
    const post = name === 'notes' ? { post: describeNoting(get.tags ?? []) } : {}
    return [`/api/v1/${name}`, { get, ...post }] as const
  })
  const { homepage } = ownManifest()
  const groups = new Set(Object.values(entries).map(({ words }) => describe(words).group))
  return {
    openapi: '3.1.0',
    info: {
      title: 'hookdrift',
      version,
      description:
        'What commands of hookdrift print as JSON. Nothing here changes anything, but that notes are recorded.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      ...(homepage === undefined ? {} : { contact: { url: homepage } }),
    },
    servers: [{ url: '/' }],
    tags: [...groups].map((name) => ({ name, description: 'The group of commands in `hookdrift help all`' })),
    // Where nothing says who may read, no request needs one.
    security: [{}, { token: [] }, { login: [] }],
    paths: {
      ...Object.fromEntries(await Promise.all(described)),
      '/feed.atom': {
        get: {
          operationId: 'feed',
          tags: [describe('timeline').group],
          summary: 'The last changes as an Atom feed',
          description: 'For feed readers: what the last runs found changed.',
          parameters: [describeParameter({ name: 'run', description: 'as of this run', parameter: runParameter })],
          responses: {
            200: { description: 'The feed', content: { 'application/atom+xml': { schema: { type: 'string' } } } },
            ...faults,
          },
        },
      },
    },
    components: { securitySchemes, schemas: { error: errorSchema, ...answerSchemas() } },
  }
}

async function describeEntry(name: string, entry: ApiAddress, describe: DescribeCommand): Promise<JsonObject> {
  const parameters = parametersOf(await entry.load())
  return {
    operationId: name,
    tags: [describe(entry.words).group],
    summary: descriptionOf(entry, describe),
    description: `As \`hookdrift ${entry.words} --format json\`.`,
    parameters: parameters.map(describeParameter),
    responses: {
      200: {
        description: 'What the command prints, with any exit code',
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${schemaOf(name)}` } },
          ...(parameters.some(({ parameter }) => parameter === formatParameter)
            ? { 'text/csv': { schema: { type: 'string' } } }
            : {}),
        },
      },
      ...faults,
    },
  }
}

/** The one address that takes something. */
function describeNoting(tags: Json): JsonObject {
  return {
    operationId: 'recordNote',
    tags,
    summary: 'Record what people did',
    description: 'As `hookdrift note TEXT`, signed with the name of the token. A login is not enough.',
    security: [{ token: [] }],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          // as: the JSON of a schema.
          schema: z.toJSONSchema(noteBody, { io: 'input' }) as JsonObject,
        },
      },
    },
    responses: {
      201: {
        description: 'The note as it was recorded',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/notes/properties/rows/items' } } },
      },
      400: fault('It is not a note, or names a project that the history does not have'),
      401: fault('No token, or one that is not known'),
      403: fault('The token has not `may: [note]`, or is not for these projects; or a page of another site sent it'),
      413: fault('The body is too long', { content: { ...asJson, ...asText } }),
      415: fault('The body is not JSON'),
      429: fault('Too many wrong tokens came from this address', { headers: retryAfter }),
      503: fault('The history cannot be used', { headers: retryAfter, content: { ...asJson, ...asText } }),
    },
  }
}

function schemaOf(name: string): string {
  return name === 'report' ? 'anyReport' : name
}

function describeParameter({ name, description, parameter }: ApiParameter): JsonObject {
  const { isRequired, isFlag, isList, choices, fallback } = shapeOf(parameter)
  const value: JsonObject = isFlag
    ? { type: 'boolean', enum: [true] }
    : parameter === limitParameter
      ? { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'all' }] }
      : { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) }
  const schema: JsonObject = isList ? { type: 'array', items: value } : value
  return {
    name,
    in: 'query',
    required: isRequired,
    description,
    ...(isFlag ? { allowEmptyValue: true } : {}),
    schema: typeof fallback === 'string' ? { ...schema, default: fallback } : schema,
  }
}

const errorSchema: JsonObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'advice'],
      properties: {
        message: { type: 'string' },
        advice: { description: 'What to do next; null where there is none.', type: ['string', 'null'] },
      },
    },
  },
}

const securitySchemes: JsonObject = {
  token: { type: 'http', scheme: 'bearer', description: 'A token of `serve` in the configuration' },
  login: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'The cookie of a login with the form' },
}

const asJson: JsonObject = { 'application/json': { schema: { $ref: '#/components/schemas/error' } } }
const asText: JsonObject = { 'text/plain': { schema: { type: 'string' } } }
const retryAfter: JsonObject = {
  'Retry-After': { description: 'In how many seconds to try again', schema: { type: 'integer', minimum: 1 } },
}

const fault = (description: string, more: JsonObject = {}): JsonObject => ({ description, content: asJson, ...more })

const faults: JsonObject = {
  304: { description: 'No run, note or pruning since the answer with that ETag' },
  400: fault('A parameter is wrong, or names nothing that the history has'),
  401: fault('No token, or one that is not known'),
  403: fault('Only for readers of all projects'),
  429: fault('Too many wrong tokens came from this address', { headers: retryAfter }),
  500: fault('A bug in hookdrift: its log has the details', { content: { ...asJson, ...asText } }),
  503: fault(
    'The history, the configuration or the policy cannot be used; or too much is asked for, and the answer says when to try again',
    {
      headers: retryAfter,
      content: { ...asJson, ...asText },
    },
  ),
}

/** Their files in `config/`, by the name in the description. */
function schemaFiles(): Readonly<Record<string, string>> {
  const answers = Object.entries(apiEntries).flatMap(([name, { answer = name }]) =>
    name === 'report' ? [] : [[name, `answers/${answer}`]],
  )
  return { ...Object.fromEntries(answers), report: 'report', compliance: 'compliance' }
}

/** The published schemas of all answers, which refer to each other as components of one document. */
function answerSchemas(): JsonObject {
  const read = Object.entries(schemaFiles()).map(([name, file]) => {
    // as: the package holds these files.
    const schema = JSON.parse(readFileSync(packageFile(`config/${file}.schema.json`), 'utf8')) as JsonObject
    return { name, id: String(schema.$id), schema }
  })
  const names = new Map(read.map(({ id, name }) => [id, name]))
  return {
    ...Object.fromEntries(read.map(({ name, schema }) => [name, rooted(schema, name, names)])),
    anyReport: { anyOf: [{ $ref: '#/components/schemas/report' }, { $ref: '#/components/schemas/compliance' }] },
  }
}

/** Within one document, schemas refer to each other by their path in it. */
function rooted(json: Json, name: string, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(json)) return json.map((item) => rooted(item, name, names))
  if (typeof json !== 'object' || json === null) return json
  const members = Object.entries(json).filter(([key, value]) => {
    return typeof value !== 'string' || (key !== '$id' && key !== '$schema')
  })
  return Object.fromEntries(
    members.map(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string') return [key, rooted(value, name, names)]
      const [id = '', pointer = ''] = value.split('#')
      return [key, `#/components/schemas/${id === '' ? name : (names.get(id) ?? id)}${pointer}`]
    }),
  )
}

/** The API as tools, of the same parameters and schemas as its OpenAPI. */
export async function describeTools(entries: ApiAddresses, describe: DescribeCommand): Promise<readonly ApiTool[]> {
  const schemas = answerSchemas()
  return Promise.all(
    Object.entries(entries).map(async ([name, entry]) => ({
      name,
      description: descriptionOf(entry, describe),
      isOfAllProjects: entry.isOfAllProjects === true,
      asksService: entry.asksService === true,
      // What it reads is JSON.
      input: describeArguments(
        parametersOf(await entry.load()).filter(({ parameter }) => parameter !== formatParameter),
      ),
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

import { z } from 'zod'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import { readDuration } from '../model/time.ts'
import {
  type Inquiry,
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  parameter,
  readValues,
  shapeOf,
} from './question.ts'

/** A query parameter of the API. */
export interface ApiParameter {
  /** In the address: `older-than`. */
  readonly name: string
  readonly description: string
  readonly parameter: Parameter
}

export const limitParameter = parameter(
  '-n, --limit <rows>',
  'a number or "all"',
  z
    .string()
    .regex(/^(all|[1-9]\d{0,8})$/, 'Expected a number from 1, or all.')
    .default('all'),
)
export const formatParameter = parameter(
  '--format <format>',
  'json, or csv: a record for each row',
  z.enum(['json', 'csv']).default('json'),
)
const anyRun = parameter('--run <run>', 'a run: the answer is the same for all of them', z.string().optional())

/** The parameters of an address, arguments first; `run` is always among them. */
export function parametersOf({ parameters, runIs, isLimited }: Omit<ApiSource, 'write'>): readonly ApiParameter[] {
  const declared = Object.values(parameters).filter(({ isLocal = false }) => !isLocal)
  const named = [...declared, ...(isLimited === false ? [] : [limitParameter, formatParameter])].flatMap(
    (each): ApiParameter[] => {
      const [name = '', alias] = namesOf(each)
      const first = { name, description: each.description, parameter: each }
      return alias === undefined
        ? [first]
        : [first, { name: alias, description: `the same as ${name}`, parameter: each }]
    },
  )
  if (named.some(({ name }) => name === 'run')) return named
  const same = named.find(({ name }) => name === runIs)
  const run = { name: 'run', description: `the same as ${same?.name}`, parameter: same?.parameter ?? anyRun }
  return [...named, same === undefined ? { ...run, description: anyRun.description } : run]
}

/** Of `-p, --project <name...>`, project; of `--run, --at <run>`, at and run; of `[to]`, to. */
export function namesOf({ flags }: Parameter): readonly string[] {
  const options = [...flags.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name).reverse()
  return options.length > 0 ? options : [flags.replaceAll(/[^a-z-]/g, '')]
}

const longest = 1000
/** Of a parameter that is as long as a file; over HTTP, addresses end earlier. */
const longestFile = 1024 * 1024

interface ReadParameters<Parameters extends ParameterTable> {
  readonly values: ParameterValues<Parameters>
  readonly limit: number
  readonly format: 'json' | 'csv'
  /** A run that must exist, although the answer is the same for all. */
  readonly run: string | undefined
  /** Whether the answer is the same until the next run: nothing counts from the time of asking. */
  readonly isOfRun: boolean
}

/**
 * Reads a query as the parameters of an address. `name`: what the address asks.
 * @throws AuditError.usage for unknown, doubled, missing, empty and wrong parameters
 */
export function readParameters<Parameters extends ParameterTable>(
  name: string,
  source: Omit<ApiSource<Parameters>, 'write'>,
  search: URLSearchParams,
): ReadParameters<Parameters> {
  const parameters = parametersOf(source)
  const given = new Map<Parameter, string[]>()
  for (const [givenName, text] of search) {
    const apiParameter = parameters.find((each) => each.name === givenName)
    if (apiParameter === undefined) {
      const names = parameters.map((each) => each.name)
      throw AuditError.usage(`unknown parameter "${givenName}"${suggestName(givenName, names)}`, {
        advice: `${name} accepts: ${names.join(', ')}`,
      })
    }
    refuseText(apiParameter, text)
    const before = given.get(apiParameter.parameter) ?? []
    if (before.length > 0 && !shapeOf(apiParameter.parameter).isList) {
      const names = parameters.filter((each) => each.parameter === apiParameter.parameter).map((each) => each.name)
      const both = names.filter((each) => search.has(each)).map((each) => `"${each}"`)
      if (both.length > 1)
        throw AuditError.usage(`the parameters ${both.join(' and ')} mean the same: give one of them`)
      throw AuditError.usage(`the parameter "${givenName}" is there twice`)
    }
    given.set(apiParameter.parameter, [...before, text])
  }
  const missing = parameters.find((each) => shapeOf(each.parameter).isRequired && !given.has(each.parameter))
  if (missing !== undefined) {
    throw AuditError.usage(`the parameter "${missing.name}" is missing`, { advice: `it is ${missing.description}` })
  }
  refuseConflicts(parameters, given)
  const read = <Table extends ParameterTable>(parameters: Table) => {
    const texts = Object.entries(parameters).map(([member, each]) => [member, textOf(each, given.get(each))] as const)
    return readValues(parameters, Object.fromEntries(texts), (wrong, text, message) => {
      throw AuditError.usage(`the parameter "${namesOf(wrong)[0]}" is "${text}". ${message}`)
    })
  }
  const { limit, format, run } = read({ limit: limitParameter, format: formatParameter, run: anyRun })
  return {
    values: read(source.parameters),
    limit: limit === 'all' ? Number.POSITIVE_INFINITY : Number(limit),
    format,
    run,
    isOfRun: source.isOfRun && !countsFromNow(search),
  }
}

/** As a command line would give it. */
function textOf(each: Parameter, texts: readonly string[] | undefined): unknown {
  const { isFlag, isList } = shapeOf(each)
  if (texts === undefined || isList) return texts
  return isFlag ? true : texts[0]
}

function refuseText({ name, parameter: each }: ApiParameter, text: string): void {
  const { isFlag, choices } = shapeOf(each)
  if (isFlag) {
    if (text === '' || text === 'true') return
    throw AuditError.usage(`the parameter "${name}" is "${text}", expected true`, {
      advice: 'leave it out for its opposite',
    })
  }
  if (text === '') throw AuditError.usage(`the parameter "${name}" is empty`)
  const most = each.isFileText ? longestFile : longest
  if (text.length > most) throw AuditError.usage(`the parameter "${name}" has more than ${most} characters`)
  if (choices !== undefined && !choices.includes(text)) {
    throw AuditError.usage(`the parameter "${name}" is "${text}", expected one of ${choices.join(', ')}`)
  }
}

function refuseConflicts(parameters: readonly ApiParameter[], given: ReadonlyMap<Parameter, unknown>): void {
  const named = parameters.filter((each) => given.has(each.parameter))
  for (const { name, parameter: each } of named) {
    const other = named.find((one) => each.conflicts?.includes(one.name))
    if (other !== undefined) throw AuditError.usage(`the parameter "${name}" cannot be used with "${other.name}"`)
  }
}

/** What answers an address of the API: a question to the history, or a command that prints JSON. */
export interface ApiSource<Parameters extends ParameterTable = ParameterTable> {
  readonly parameters: Parameters
  readonly isOfRun: boolean
  /** The parameter that `run` is, where none has that name; without any, the answer is the same for all runs. */
  readonly runIs?: string
  /** false: it is one document, of which no rows are left out. */
  readonly isLimited?: false
  /** The answer in the format of `inquiry`: JSON, CSV, or text where the address has commands. */
  write(history: HistoryReader, values: ParameterValues<Parameters>, inquiry: Inquiry): Promise<string>
}

/**
 * Whether an address counts from the time of asking: its answer changes while no run comes, so that no copy of it is
 * fresh.
 */
export function countsFromNow(search: URLSearchParams): boolean {
  return [...search].some(([name, value]) => ages.includes(name) || (times.includes(name) && isRelative(value)))
}

/** Parameters that name a run or a time; a duration is a time before that of asking. */
const times = ['run', 'at', 'from', 'to', 'since']

/** Ages, and what is late. */
const ages = ['older-than', 'overdue']

function isRelative(time: string): boolean {
  return ['today', 'yesterday'].includes(time) || readDuration(time) !== undefined
}

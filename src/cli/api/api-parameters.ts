import { type Argument, Command, type Option } from 'commander'
import type { Execute, ProcessContext } from '../../app/process-context.ts'
import { AuditError } from '../../model/errors.ts'
import { countsFromNow } from '../../pages/counts-from-now.ts'
import { suggestName } from '../../text/nearest-name.ts'
import { addListed } from '../command-line.ts'
import { commands } from '../commands.ts'
import type { ApiCommand } from './api-commands.ts'

/** A query parameter of the API: an argument or an option of a command. */
export interface ApiParameter {
  readonly name: string
  readonly description: string
  /** undefined: `run`, where the answer is the same for every run. */
  readonly part: Argument | Option | undefined
  readonly isFlag: boolean
  readonly isRequired: boolean
  readonly isRepeatable: boolean
  readonly choices: readonly string[] | undefined
  readonly fallback: string | undefined
}

/** Makes a fresh copy of a command: parsing one changes it. Its outputs get nothing, and `execute` its work. */
export async function buildCommand(
  { words }: ApiCommand,
  execute: Execute,
): Promise<{ program: Command; command: Command }> {
  const silent = { writeOut: () => {}, writeErr: () => {} }
  const program = new Command('hookdrift').exitOverride().configureOutput(silent)
  const listed = Object.values(commands).flat()
  for (const each of listed.filter(({ name }) => name === words[0]))
    await addListed(program, each, { asked: words, execute })
  let command = program
  for (const word of words) command = command.commands.find((child) => child.name() === word) ?? command
  return { program, command }
}

/** The parameters of a command, arguments first; `run` is always among them. */
export async function parametersOf(api: ApiCommand): Promise<readonly ApiParameter[]> {
  const { command } = await buildCommand(api, async () => {})
  const own = [...command.registeredArguments.map(ofArgument), ...command.options.map(ofOption)]
    .filter(({ name }) => api.takes.includes(name))
    .map((parameter) => ({ ...parameter, choices: api.choices?.[parameter.name] ?? parameter.choices }))
    .toSorted((a, b) => api.takes.indexOf(a.name) - api.takes.indexOf(b.name))
    .flatMap(withAlias)
  if (own.some(({ name }) => name === 'run')) return own
  const same = own.find(({ name }) => name === api.runIs)
  const description = same === undefined ? 'a run: the answer is the same for all of them' : `the same as ${same.name}`
  const run = { isFlag: false, isRequired: false, isRepeatable: false, choices: undefined, fallback: undefined }
  return [...own, { ...run, name: 'run', description, part: same?.part }]
}

function ofArgument(argument: Argument): ApiParameter {
  const { description, required, variadic, argChoices, defaultValue } = argument
  return {
    name: argument.name(),
    description,
    part: argument,
    isFlag: false,
    isRequired: required,
    isRepeatable: variadic,
    choices: argChoices,
    fallback: textOf(defaultValue),
  }
}

function ofOption(option: Option): ApiParameter {
  const { description, variadic, argChoices, defaultValue, required, optional } = option
  return {
    name: option.name(),
    description,
    part: option,
    isFlag: !required && !optional,
    isRequired: false,
    isRepeatable: variadic || Array.isArray(defaultValue),
    choices: argChoices,
    fallback: textOf(defaultValue),
  }
}

/** An option may have two long names: `--run, --at`. */
function withAlias(parameter: ApiParameter): ApiParameter[] {
  const { part, name } = parameter
  const short = part !== undefined && 'short' in part ? (part.short ?? '') : ''
  const alias = short.startsWith('--') ? short.slice(2) : undefined
  return alias === undefined
    ? [parameter]
    : [parameter, { ...parameter, name: alias, description: `the same as ${name}` }]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const longest = 1000

export interface ReadParameters {
  /** The arguments and options, for a command line. */
  readonly words: readonly string[]
  /** A run that must exist, although the answer is the same for all. */
  readonly run: string | undefined
  /** Whether the answer is the same until the next run: nothing counts from the time of asking. */
  readonly isOfRun: boolean
}

/**
 * Reads a query as the arguments and options of a command.
 * @throws AuditError.usage for unknown, doubled, missing and empty parameters
 */
export async function readParameters(api: ApiCommand, search: URLSearchParams): Promise<ReadParameters> {
  const known = await parametersOf(api)
  const given = new Map<ApiParameter['part'], string[]>()
  for (const [name, value] of search) {
    const parameter = known.find((each) => each.name === name)
    if (parameter === undefined) {
      const names = known.map((each) => each.name)
      throw AuditError.usage(`there is no parameter "${name}"${suggestName(name, names)}`, {
        advice: `${api.name} reads ${names.join(', ')}`,
      })
    }
    refuseValue(parameter, value)
    const values = given.get(parameter.part) ?? []
    if (values.length > 0 && !parameter.isRepeatable) throw AuditError.usage(`the parameter "${name}" is there twice`)
    given.set(parameter.part, [...values, value])
  }
  const missing = known.find(({ isRequired, part }) => isRequired && !given.has(part))
  if (missing !== undefined) {
    throw AuditError.usage(`the parameter "${missing.name}" is missing`, { advice: `it is ${missing.description}` })
  }
  const operands: string[] = []
  const options: string[] = []
  for (const { part, isFlag } of new Set(known)) {
    const values = given.get(part) ?? []
    given.delete(part)
    if (part === undefined) continue
    if (!('long' in part)) operands.push(...values)
    else options.push(...values.map((value) => (isFlag ? `${part.long}` : `${part.long}=${value}`)))
  }
  return {
    words: [...options, '--', ...operands],
    run: known.some(({ name, part }) => name === 'run' && part === undefined)
      ? (search.get('run') ?? undefined)
      : undefined,
    isOfRun: api.isOfRun && !countsFromNow(search),
  }
}

function refuseValue({ name, isFlag, choices }: ApiParameter, value: string): void {
  if (isFlag) {
    if (value === '' || value === 'true') return
    throw AuditError.usage(`the parameter "${name}" is "${value}", expected true`, {
      advice: 'leave it out for its opposite',
    })
  }
  if (value === '') throw AuditError.usage(`the parameter "${name}" is empty`)
  if (value.length > longest) throw AuditError.usage(`the parameter "${name}" has more than ${longest} characters`)
  if (choices !== undefined && !choices.includes(value)) {
    throw AuditError.usage(`the parameter "${name}" is "${value}", expected one of ${choices.join(', ')}`)
  }
}

/** An environment for a command whose output is its answer. */
export function capturing(terminal: ProcessContext): { context: ProcessContext; text: () => string } {
  const written: string[] = []
  const ignore = { write: () => true, on: () => {} }
  const stdout = { ...ignore, write: (text: string) => written.push(text) > 0 }
  return { context: { ...terminal, stdout, stderr: ignore }, text: () => written.join('') }
}

import { type Command, Option } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import {
  type Inquiry,
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  type Question,
  readValues,
  shapeOf,
} from '../questions/question.ts'
import { answerFormats } from '../report/answer-formats.ts'
import { rare } from './help.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

/** What a command asks, and how it prints the answer. */
interface Asker {
  readonly parameters: ParameterTable
  readonly formats: readonly string[]
  /** Reads the parameters from the command, and returns its exit code. */
  ask(command: Command, options: ReadingOptions, terminal: ProcessContext): Promise<number>
}

export function askerOf<Parameters extends ParameterTable, Row>(question: Question<Parameters, Row, Inquiry>): Asker {
  const { parameters, formats = [] } = question
  return {
    parameters,
    formats,
    async ask(command, options, terminal) {
      const values = valuesOf(command, parameters)
      const inquiry = { terminal, options, format: options.format, limit: limitOf(options) }
      question.check?.(values, inquiry)
      const reply = await withHistory(options, terminal, (history) => question.read(history, values, inquiry))
      const clean = await printAnswer(reply.answer, reply.view, reply.format ?? options.format, terminal)
      return reply.exitCode ?? clean
    },
  }
}

/** A flag with which a command asks another question. */
interface OtherAsker extends Asker {
  readonly flag: string
  readonly description: string
}

/** The command of a question. With the flag of `other`, it asks that one. */
export function commandOf(usual: Asker, other?: OtherAsker) {
  return (command: Command) => {
    addParameters(command, usual.parameters)
    if (other !== undefined) {
      const more = Object.entries(other.parameters).filter(([name]) => !Object.hasOwn(usual.parameters, name))
      command.option(other.flag, other.description)
      addParameters(command, Object.fromEntries(more))
    }
    addReadingOptions(command, [...answerFormats, ...usual.formats])
    return (options: ReadingOptions, terminal: ProcessContext) => {
      if (other === undefined) return usual.ask(command, options, terminal)
      const isOther = isGiven(command, new Option(other.flag).attributeName())
      refuseOfTheOther(command, isOther ? [other, usual] : [usual, other], other.flag)
      return (isOther ? other : usual).ask(command, options, terminal)
    }
  }
}

/** @throws AuditError.usage for an option of the question that is not asked */
function refuseOfTheOther(command: Command, [asked, other]: readonly [Asker, Asker], flag: string): void {
  const names = Object.keys(asked.parameters)
  const foreign = Object.keys(other.parameters).find((name) => !names.includes(name) && isGiven(command, name))
  const option = command.options.find((option) => option.attributeName() === foreign)
  if (option === undefined) return
  if (!isGiven(command, new Option(flag).attributeName())) {
    throw AuditError.usage(`${option.long} goes with ${flag}`, { advice: `add ${flag}, or remove ${option.long}` })
  }
  const taken = command.options.flatMap(({ long }, at) =>
    names.includes(command.options[at]?.attributeName() ?? '') ? [long] : [],
  )
  throw AuditError.usage(`${option.long} does not go with ${flag}`, {
    advice: `with ${flag}, the command takes ${taken.join(', ')}`,
  })
}

function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli'
}

/** Adds parameters to a command, as arguments and options. */
export function addParameters(command: Command, parameters: ParameterTable): void {
  for (const parameter of Object.values(parameters)) {
    const { isArgument, fallback } = shapeOf(parameter)
    if (isArgument) command.argument(parameter.flags, parameter.description, fallback)
    else command.addOption(optionOf(parameter))
  }
}

export function optionOf(parameter: Parameter): Option {
  const { flags, description, writtenDefault, conflicts = [], isRare = false } = parameter
  const { isList, choices, fallback } = shapeOf(parameter)
  const option = (isRare ? rare(flags, description) : new Option(flags, description)).conflicts([...conflicts])
  if (isList) option.argParser((text: string, before: readonly string[] = []) => [...before, text])
  if (choices !== undefined) option.choices(choices)
  if (fallback !== undefined) option.default(fallback, writtenDefault)
  return option
}

/** What a command line gives the parameters of its command. */
export function valuesOf<Parameters extends ParameterTable>(
  command: Command,
  parameters: Parameters,
): ParameterValues<Parameters> {
  const words = [...command.processedArgs]
  // A default is that of the question: two questions of one command may have other ones.
  const options: Record<string, unknown> = Object.fromEntries(
    Object.entries(command.opts()).filter(([name]) => isGiven(command, name)),
  )
  const texts = Object.entries(parameters).map(([name, parameter]) => {
    return [name, shapeOf(parameter).isArgument ? words.shift() : options[name]] as const
  })
  return readValues(parameters, Object.fromEntries(texts), ({ flags }, text, message) =>
    command.error(`error: option '${flags}' argument '${text}' is invalid. ${message}`),
  )
}

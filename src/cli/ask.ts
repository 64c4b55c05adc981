import { type Command, Option } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
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
import { printAnswer, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

/** The command of a question. */
export function commandOf<Parameters extends ParameterTable, Row>(question: Question<Parameters, Row, Inquiry>) {
  const { parameters, formats = [] } = question
  return (command: Command) => {
    addParameters(command, parameters)
    addReadingOptions(command, [...answerFormats, ...formats])
    return async (options: ReadingOptions, terminal: ProcessContext) => {
      const values = valuesOf(command, parameters)
      const inquiry = { terminal, options, format: options.format, limit: limitOf(options) }
      question.check?.(values, inquiry)
      const reply = await withHistory(options, terminal, (history) => question.read(history, values, inquiry))
      const clean = await printAnswer(reply.answer, reply.view, reply.format ?? options.format, terminal)
      return reply.exitCode ?? clean
    }
  }
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
  const { flags, description, writtenDefault, conflicts = [] } = parameter
  const { isList, choices, fallback } = shapeOf(parameter)
  const option = new Option(flags, description).conflicts([...conflicts])
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
  const options: Record<string, unknown> = command.opts()
  const texts = Object.entries(parameters).map(([name, parameter]) => {
    return [name, shapeOf(parameter).isArgument ? words.shift() : options[name]] as const
  })
  return readValues(parameters, Object.fromEntries(texts), ({ flags }, text, message) =>
    command.error(`error: option '${flags}' argument '${text}' is invalid. ${message}`),
  )
}

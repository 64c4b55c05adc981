import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { diffView, readDiff } from '../queries/read-diff.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runOrTime,
} from './query-options.ts'

interface DiffOptions extends Omit<ReadingOptions, 'format'>, ChoiceOptions {
  readonly format: AnswerFormat | 'rfc6902'
  readonly patch?: true
}

export function defineDiff(command: Command, execute: Execute): void {
  command
    .argument('<from>', runOrTime)
    .argument('[to]', 'another run or time', 'latest')
    .option('--patch', 'the same as --format rfc6902: JSON in which each row has its patch (RFC 6902)')
  addReadingOptions(addKindOption(addProjectOption(command)), [...answerFormats, 'rfc6902']).action(
    (from: string, to: string, options: DiffOptions) => execute((terminal) => diff({ from, to }, options, terminal)),
  )
}

async function diff(
  names: { readonly from: string; readonly to: string },
  options: DiffOptions,
  terminal: ProcessContext,
): Promise<number> {
  if (options.patch === true && options.format === 'csv') {
    throw AuditError.usage('--patch is JSON, but --format is csv', { advice: 'remove one of them' })
  }
  const withPatch = options.patch === true || options.format === 'rfc6902'
  const format = withPatch && options.format !== 'jsonl' ? 'json' : options.format
  return answerFromHistory({ ...options, format }, terminal, diffView, async (reader) =>
    readDiff(reader, {
      from: await runNamed(reader, names.from),
      to: await runNamed(reader, names.to),
      projects: options.project,
      kind: options.kind,
      withPatch,
      limit: limitOf({ ...options, format }),
    }),
  )
}

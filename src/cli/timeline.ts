import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  addRunOption,
  answerFromHistory,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runNamed,
} from './query-options.ts'

interface TimelineOptions extends ReadingOptions, ChoiceOptions {
  readonly run: string
}

export function defineTimeline(program: Command, execute: Execute): void {
  const command = program
    .command('timeline')
    .argument('<uid>', 'uid of a resource, the beginning of one, or a name')
    .description('Show the history of a resource: changes field by field, violations, referrers')
  addReadingOptions(addKindOption(addProjectOption(addRunOption(command)))).action(
    (uid: string, options: TimelineOptions) => execute((terminal) => timeline(uid, options, terminal)),
  )
}

async function timeline(uid: string, options: TimelineOptions, terminal: ProcessContext): Promise<number> {
  const { readTimeline, timelineView } = await import('../queries/read-timeline.ts')
  const { project: projects, kind, run } = options
  return answerFromHistory(options, terminal, timelineView, async (reader) =>
    readTimeline(reader, { uid, run: await runNamed(reader, run), projects, kind, limit: limitOf(options) }),
  )
}

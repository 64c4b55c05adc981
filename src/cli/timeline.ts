import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readTimeline, timelineView } from '../queries/read-timeline.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  addRunOption,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  uidOrName,
} from './query-options.ts'

interface TimelineOptions extends ReadingOptions, ChoiceOptions {
  readonly run: string
}

export function defineTimeline(command: Command, execute: Execute): void {
  command.argument('<uid>', `a resource: ${uidOrName}`)
  addReadingOptions(addKindOption(addProjectOption(addRunOption(command)))).action(
    (uid: string, options: TimelineOptions) => execute((terminal) => timeline(uid, options, terminal)),
  )
}

async function timeline(uid: string, options: TimelineOptions, terminal: ProcessContext): Promise<number> {
  const { project: projects, kind, run } = options
  return answerFromHistory(options, terminal, timelineView, async (reader) =>
    readTimeline(reader, { uid, run: await runNamed(reader, run), projects, kind, limit: limitOf(options) }),
  )
}

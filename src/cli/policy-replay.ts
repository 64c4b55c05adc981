import { resolve } from 'node:path'
import type { Command } from 'commander'
import { loadPolicy } from '../app/load-policy.ts'
import { knownSecrets } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { runOrTime } from '../questions/question.ts'
import { readReplay, replayView } from '../questions/read-replay.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

interface ReplayOptions extends ReadingOptions {
  readonly policy: string
  readonly since?: string
  readonly project: readonly string[]
}

export function definePolicyReplay(command: Command, execute: Execute): void {
  command
    .requiredOption('--policy <file>', 'policy to evaluate')
    .option('--since <run|time>', `only runs from then on: ${runOrTime} (default: all runs)`)
  addReadingOptions(addProjectOption(command)).action((options: ReplayOptions) =>
    execute((terminal) => replay(options, terminal)),
  )
}

async function replay(options: ReplayOptions, terminal: ProcessContext): Promise<number> {
  const { since, project: projects } = options
  const policy = await loadPolicy(resolve(terminal.cwd(), options.policy), {
    secrets: await knownSecrets(options, terminal),
  })
  return answerFromHistory(options, terminal, replayView, (history) =>
    readReplay(history, { policy, since, projects, limit: limitOf(options), clock: systemClock.now }),
  )
}

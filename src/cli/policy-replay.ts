import type { Command } from 'commander'
import type { Execute } from './execute.ts'
import { pathFrom } from './path-from.ts'
import {
  addProjectOption,
  addReadingOptions,
  limitOf,
  printAnswer,
  type ReadingOptions,
  withHistoryReader,
} from './reading.ts'
import type { ProcessContext } from './terminal.ts'

interface ReplayOptions extends ReadingOptions {
  readonly policy: string
  readonly since?: string
  readonly project: readonly string[]
}

export function definePolicyReplay(policy: Command, execute: Execute): void {
  const command = policy
    .command('replay')
    .description('say what a policy would have found in past runs, and since when')
    .requiredOption('--policy <file>', 'the policy to judge by')
    .option('--since <days|run|date>', 'only runs since then: 90d before the last one, a run, or a date; default: all')
  addReadingOptions(addProjectOption(command)).action((options: ReplayOptions) =>
    execute((terminal) => replay(options, terminal)),
  )
}

async function replay(options: ReplayOptions, terminal: ProcessContext): Promise<number> {
  const { readReplay, replayView } = await import('../queries/read-replay.ts')
  const { loadPolicy } = await import('./load-policy.ts')
  const { systemClock } = await import('./system.ts')
  const { since, project: projects } = options
  const policy = await loadPolicy(pathFrom(terminal.cwd(), options.policy))
  const answer = await withHistoryReader(options, terminal, (history) =>
    readReplay(history, { policy, since, projects, limit: limitOf(options), clock: systemClock.now }),
  )
  return printAnswer(answer, replayView, options.format, terminal)
}

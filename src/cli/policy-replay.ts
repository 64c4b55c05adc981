import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import {
  addProjectOption,
  addReadingOptions,
  answerFromHistory,
  limitOf,
  type ReadingOptions,
  runOrTime,
} from './query-options.ts'

interface ReplayOptions extends ReadingOptions {
  readonly policy: string
  readonly since?: string
  readonly project: readonly string[]
}

export function definePolicyReplay(policy: Command, execute: Execute): void {
  const command = policy
    .command('replay')
    .description('Evaluate a policy over past runs: what it would have found, and since when')
    .requiredOption('--policy <file>', 'policy to evaluate')
    .option('--since <run|time>', `only runs since then: ${runOrTime}; default: all`)
  addReadingOptions(addProjectOption(command)).action((options: ReplayOptions) =>
    execute((terminal) => replay(options, terminal)),
  )
}

async function replay(options: ReplayOptions, terminal: ProcessContext): Promise<number> {
  const { readReplay, replayView } = await import('../queries/read-replay.ts')
  const { loadPolicy } = await import('../app/load-policy.ts')
  const { systemClock } = await import('../app/system.ts')
  const { since, project: projects } = options
  const policy = await loadPolicy(resolve(terminal.cwd(), options.policy))
  return answerFromHistory(options, terminal, replayView, (history) =>
    readReplay(history, { policy, since, projects, limit: limitOf(options), clock: systemClock.now }),
  )
}

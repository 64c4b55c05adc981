import type { ConfiguredPaths } from '../config/read-places.ts'
import type { History } from '../history/history.ts'
import { pathFrom } from './path-from.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

/** Options of commands that need only the history of a configuration. */
export interface HistoryOptions {
  readonly config: string
  readonly history?: string
}

/**
 * Opens the existing history that the options name.
 * @throws AuditError.usage when they and the configuration name none
 * @throws AuditError.failure when it does not exist or cannot be used
 */
export async function openHistory(options: HistoryOptions, terminal: ProcessContext): Promise<History> {
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { thisProcess } = await import('./system.ts')
  const { resealingFor } = await import('./resealing-for.ts')
  const file = await findHistoryFile(options, terminal)
  return openExistingHistory(file, thisProcess, await resealingFor(file, terminal.env))
}

/** `--history`, then the environment, then the configuration, of which only the paths are read: that needs no key. */
export async function findHistoryFile({ history, config }: HistoryOptions, terminal: ProcessContext): Promise<string> {
  const named = history ?? terminal.env.HOOKDRIFT_HISTORY
  if (named !== undefined && named !== '') return pathFrom(terminal.cwd(), named)
  return (await configuredPaths(config, terminal)).history
}

export async function configuredPaths(config: string, { cwd, env }: ProcessContext): Promise<ConfiguredPaths> {
  const { readConfiguredPaths } = await import('../config/read-places.ts')
  return readConfiguredPaths(pathFrom(cwd(), config), { env, readFile: readTextFile })
}

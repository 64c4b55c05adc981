import type { ConfiguredPaths } from '../config/read-places.ts'
import type { History } from '../history/history.ts'
import { pathFrom } from './path-from.ts'
import { readTextFile } from './read-text-file.ts'
import type { ProcessContext } from './terminal.ts'

/** Options of commands that need the history and nothing else of a configuration. */
export interface HistoryOptions {
  readonly config: string
  readonly history?: string
}

/**
 * Opens the history that a reading command means.
 * @throws AuditError.usage when it cannot be told which, 4 when it is not there or cannot be used
 */
export async function openHistory(options: HistoryOptions, terminal: ProcessContext): Promise<History> {
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { thisProcess } = await import('./system.ts')
  const { resealingFor } = await import('./resealing-for.ts')
  const file = await historyOf(options, terminal)
  return openExistingHistory(file, thisProcess, await resealingFor(file, terminal.env))
}

/** `--history`, then the environment, then the configuration, of which only the places are read: that needs no key. */
export async function historyOf({ history, config }: HistoryOptions, terminal: ProcessContext): Promise<string> {
  const named = history ?? terminal.env.HOOKDRIFT_HISTORY
  if (named !== undefined && named !== '') return pathFrom(terminal.cwd(), named)
  return (await placesOf(config, terminal)).history
}

export async function placesOf(config: string, { cwd, env }: ProcessContext): Promise<ConfiguredPaths> {
  const { readConfiguredPaths } = await import('../config/read-places.ts')
  return readConfiguredPaths(pathFrom(cwd(), config), { env, readFile: readTextFile })
}

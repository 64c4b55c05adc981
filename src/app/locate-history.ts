import type { ConfiguredPaths } from '../config/read-places.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { pathFrom } from './path-from.ts'
import type { ProcessContext } from './process-context.ts'
import { readTextFile } from './read-text-file.ts'

/** Options of commands that need only the history of a configuration. */
export interface HistoryOptions {
  readonly config: string
  readonly history?: string
}

/**
 * Finds the history: `--history`, then the environment, then the configuration, of which only the paths are read: that
 * needs no key.
 * @throws AuditError.usage when they name none
 */
export async function locateHistory(options: HistoryOptions, terminal: ProcessContext): Promise<HistoryLocation> {
  const named = namedHistory(options, terminal)
  if (named !== undefined) return readLocation(named, terminal.cwd())
  return (await configuredPaths(options.config, terminal)).history
}

/** The history that the command line or the environment names. An empty variable counts as unset. */
export function namedHistory({ history }: HistoryOptions, { env }: ProcessContext): string | undefined {
  return history ?? (env.HOOKDRIFT_HISTORY || undefined)
}

export async function configuredPaths(config: string, { cwd, env }: ProcessContext): Promise<ConfiguredPaths> {
  const { readConfiguredPaths } = await import('../config/read-places.ts')
  return readConfiguredPaths(pathFrom(cwd(), config), { env, readFile: readTextFile })
}

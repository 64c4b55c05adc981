import { readFileSync } from 'node:fs'
import { pathFrom } from './path-from.ts'
import type { Terminal } from './terminal.ts'

/** Options of commands that need the history and nothing else of a configuration. */
export interface HistoryOptions {
  readonly config: string
  readonly history?: string
}

/** `--history`, then the environment, then the configuration, which is read only if it must be: it needs its keys. */
export async function historyOf({ history, config }: HistoryOptions, { env, cwd }: Terminal): Promise<string> {
  const named = history ?? env.HOOKDRIFT_HISTORY
  if (named !== undefined && named !== '') return pathFrom(cwd(), named)
  const { readConfiguration } = await import('../config/read-configuration.ts')
  return readConfiguration(config, { env, readFile: (file) => readFileSync(file, 'utf8') }).history
}

import type { ConfiguredPaths } from '../config/read-places.ts'
import type { HistoryLocation } from '../history/location.ts'
import type { PoolState } from '../pool/read-pool-state.ts'
import { configuredPaths, type HistoryOptions, hasConfiguration } from './locate-history.ts'
import type { ProcessContext } from './process-context.ts'

/**
 * Reads the configuration of a history, where there is one: a project that it no longer names is not expected. undefined
 * where the history is named without it.
 */
export async function findConfiguredPaths(
  { history, config }: HistoryOptions,
  terminal: ProcessContext,
): Promise<ConfiguredPaths | undefined> {
  const isNamed = (terminal.env.HOOKDRIFT_HISTORY ?? '') !== ''
  if (history !== undefined || (isNamed && !hasConfiguration(config, terminal))) return undefined
  return configuredPaths(config, terminal)
}

/** What the workers of a history on a server do; undefined for a file. */
export async function readPoolOf(location: HistoryLocation): Promise<PoolState | undefined> {
  if (location.kind === 'file') return undefined
  const { readPool } = await import('../pool/open-pool.ts')
  return readPool(location.server)
}

import type { HistoryLocation } from '../history/location.ts'
import { withUpkeep } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'

/** Bytes of a history with its companion files. */
export function historySize(location: HistoryLocation, env: ProcessContext['env']): Promise<number> {
  return withUpkeep(location, env, async (upkeep) => (await upkeep.size()).bytes)
}

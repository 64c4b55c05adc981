import type { Retention } from '../config/configuration-schema.ts'
import type { HistoryUpkeep } from '../history/upkeep.ts'
import { AuditError } from '../model/errors.ts'
import type { Log } from './log.ts'

export interface MaintenanceOptions {
  /** The history's name in messages. */
  readonly shown: string
  readonly retention: Retention | undefined
  readonly toolVersion: string
  readonly log: Log
  readonly warn: (text: string) => void
}

/**
 * Prunes old runs after a run, where the configuration asks for it, and warns early of a full disk. The run is already
 * committed, so no error here fails it.
 */
export async function runMaintenance(
  upkeep: HistoryUpkeep,
  { shown, retention, toolVersion, log, warn }: MaintenanceOptions,
): Promise<void> {
  if (retention !== undefined) {
    try {
      const pruning = await upkeep.pruneWhenDue({ ...retention, toolVersion })
      const gone = pruning?.plan.filter(({ reasons }) => reasons.length === 0).length ?? 0
      if (gone > 0) log.info({ runs: gone, freed_bytes: pruning?.freed.bytes }, 'old runs pruned')
    } catch (error) {
      if (!(error instanceof AuditError)) throw error
      warn(`old runs were not pruned: ${error.message}${error.advice === undefined ? '' : `; ${error.advice}`}`)
    }
  }
  const { bytes: size, freeBytes: free } = await upkeep.size()
  const warning = free === undefined ? undefined : spaceWarning({ shown, size, free })
  if (warning !== undefined) warn(warning)
}

const leastFree = 64 * 1024 * 1024

/** An upgrade and a backup need as much space as the history takes, a large run a part of it. Sizes in bytes. */
export function spaceWarning({ shown, size, free }: { shown: string; size: number; free: number }): string | undefined {
  if (free >= Math.max(size, leastFree)) return undefined
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  return `only ${megabytes(free)} are free on the disk of the history ${shown}, which takes ${megabytes(size)}: make room, or prune the history (\`hookdrift docs keep-the-history\`)`
}

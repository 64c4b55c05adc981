import type { HistoryLocation } from '../history/location.ts'
import type { MovableHistory } from '../history/movable-history.ts'
import { openMovableDatabase } from './copy-database.ts'
import { localProcess } from './open-history.ts'
import type { ProcessContext } from './process-context.ts'

/** Opens a history, or the place for one. */
export async function openMovable(location: HistoryLocation, env: ProcessContext['env']): Promise<MovableHistory> {
  if (location.kind === 'postgres') return openMovableDatabase(location.server)
  const { movableFile } = await import('../history/sqlite/movable-file.ts')
  return movableFile(location.path, await localProcess(env))
}

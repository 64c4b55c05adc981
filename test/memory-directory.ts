import { existsSync, statfsSync } from 'node:fs'

const memory = '/dev/shm'

/** For processes whose histories need not last: they are in memory where the system offers a file system there. */
export const memoryEnv = existsSync(memory) && freeBytes(memory) > 1e9 ? { TMPDIR: memory } : {}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

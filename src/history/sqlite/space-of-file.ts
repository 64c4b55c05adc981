import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HistorySize } from '../upkeep.ts'

/** What a history takes, its write-ahead log too, and what is free on its disk. */
export function spaceOfFile(file: string): HistorySize {
  const [main, log] = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0)
  return { bytes: (main ?? 0) + (log ?? 0), freeBytes: freeBytesIn(dirname(file)) }
}

function freeBytesIn(directory: string): number | undefined {
  // A worker may be asked for the size before its first run made the directory.
  if (!existsSync(directory)) return undefined
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

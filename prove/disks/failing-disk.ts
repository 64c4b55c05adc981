import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** What a disk refuses. */
export const failingCalls = ['read', 'write', 'sync'] as const
export type FailingCall = (typeof failingCalls)[number]

/** Which calls fail, the first one is 1: one of them, or all from one on. */
export interface FailingRange {
  readonly from: number
  readonly to: number
}

/**
 * Compiles `failing-disk.c`. The variables that it answers with make a program fail at some calls for the files whose names
 * begin with `disk`; `countFile` has how many there were. Undefined where there is no C compiler.
 */
export function compileFailingDisk(directory: string) {
  const library = join(directory, 'failing-disk.so')
  const source = join(import.meta.dirname, 'failing-disk.c')
  const { status } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  if (status !== 0) return undefined
  return (
    disk: string,
    call: FailingCall,
    { from, to, countFile }: Partial<FailingRange> & { readonly countFile?: string },
  ): Readonly<Record<string, string>> => ({
    LD_PRELOAD: library,
    FAILING_DISK: disk,
    FAILING_CALL: call,
    ...(from !== undefined && { FAILING_FROM: String(from) }),
    ...(to !== undefined && { FAILING_TO: String(to) }),
    ...(countFile !== undefined && { FAILING_COUNT: countFile }),
  })
}

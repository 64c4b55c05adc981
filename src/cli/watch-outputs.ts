import type { Output, ProcessContext } from '../app/process-context.ts'
import { reasonOf } from '../model/errors.ts'

export interface Outputs {
  /** Waits until all that was written is on its way: whether nothing of it was lost. */
  delivered(): Promise<boolean>
}

/**
 * Takes note of what stdout and stderr do not take. Nobody may believe that a report was delivered that was not, and
 * the work itself goes on. A reader who goes away (`| head`) has seen enough: that is no failure.
 */
export function watchOutputs({ stdout, stderr }: Pick<ProcessContext, 'stdout' | 'stderr'>): Outputs {
  const failed = new Set<Output>()
  const watch = (output: Output, onFailure: (error: Error) => void) => {
    output.on('error', (error) => {
      if (error.code === 'EPIPE' || failed.has(output)) return
      failed.add(output)
      onFailure(error)
    })
  }
  watch(stdout, (error) => {
    stderr.write(`hookdrift: cannot write to stdout: ${reasonOf(error)}\n  ${advice}\n`)
  })
  watch(stderr, () => {}) // there is no place left to say it
  return {
    async delivered() {
      await flushed(stdout)
      await flushed(stderr)
      return failed.size === 0
    },
  }
}

const advice =
  'the output is missing or cut: make room, or write to a file; a committed run can be reported again with `hookdrift report`'

/** A write behind all others ends when they have; the stream tells of an error a turn later. */
async function flushed(output: Output): Promise<void> {
  // Where nothing waits, nothing is written: some devices refuse even that.
  if ((output.writableLength ?? 0) > 0) {
    await new Promise<void>((resolve) => {
      output.write('', () => resolve())
    })
  }
  await new Promise((resolve) => setImmediate(resolve))
}

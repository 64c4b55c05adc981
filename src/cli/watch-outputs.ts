import type { Output, ProcessContext } from '../app/process-context.ts'
import { reasonOf } from '../model/errors.ts'

export interface Outputs {
  /** Waits until the streams have taken everything; false when output was lost. */
  delivered(): Promise<boolean>
}

/**
 * Notes output that stdout and stderr could not write, so that a lost report fails the command; the work itself goes
 * on. A reader that closes the pipe (`| head`) is not a failure.
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
  watch(stderr, () => {}) // nothing is left to print it to
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

/** An empty write ends after all others; the stream reports an error one turn later. */
async function flushed(output: Output): Promise<void> {
  // Some devices refuse even an empty write, so it is only made where output waits.
  if ((output.writableLength ?? 0) > 0) {
    await new Promise<void>((resolve) => {
      output.write('', () => resolve())
    })
  }
  await new Promise((resolve) => setImmediate(resolve))
}

import { once } from 'node:events'
import type { Running } from './start-process.ts'

/** The lines of a worker's log, as they come. */
export function logOf({ child }: Running) {
  const lines: Record<string, unknown>[] = []
  let rest = ''
  child.stderr?.on('data', (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line)))
  })
  return {
    lines,
    count: (message: string) => lines.filter(({ msg }) => msg === message).length,
    /** The line with a message, once it came so many times. */
    async until(message: string, times = 1) {
      for (;;) {
        const found = lines.filter(({ msg }) => msg === message)
        const [first] = found
        if (first !== undefined && found.length >= times) return first
        if (child.exitCode !== null) throw new Error(`it ended without "${message}": ${JSON.stringify(lines)}`)
        await once(child.stderr ?? child, 'data')
      }
    },
  }
}

import { readdirSync, readFileSync } from 'node:fs'

/** Of the system; Linux has had this value for decades. */
const ticksPerSecond = 100

/** CPU time in milliseconds of a process, and of those that it started. Linux only. */
export function cpuTimeOf(pid: number): number {
  const own = readTimes(pid)
  if (own === undefined) return 0
  const children = readdirSync('/proc')
    .map((name) => readTimes(Number(name)))
    .filter((times) => times?.parent === pid)
  return [own, ...children].reduce((sum, times) => sum + (times?.ms ?? 0), 0)
}

function readTimes(pid: number): { readonly parent: number; readonly ms: number } | undefined {
  if (!Number.isInteger(pid)) return undefined
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The name of the program may contain spaces and brackets.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0] = fields.slice(1)
  // User and system time, then those of children that have ended.
  const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0)
  return { parent, ms: (ticks * 1000) / ticksPerSecond }
}

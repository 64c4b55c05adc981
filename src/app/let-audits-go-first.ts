import { setPriority } from 'node:os'

/** A third of the share of a processor that others have. */
const niceness = 5

/**
 * Lets audits on this machine go first: the thread that reads pages takes less of a processor that others want. Only on
 * Linux, where the priority is the thread's and not the process's.
 */
export function letAuditsGoFirst(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // Where the system forbids it, pages take what an audit wants: slower, and nothing worse.
  }
}

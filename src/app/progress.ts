import { neutralise } from '../text/neutralise.ts'
import { type ProcessContext, usualColumns } from './process-context.ts'

export interface Progress {
  page(project: string, items: number): void
  /** Shows how far other processes are. */
  show(text: string): void
  /** Removes the line. */
  done(): void
}

/** Shows how far a run is in one line on stderr; shows nothing where stderr is not a terminal. */
export function openProgress({ stderr, env }: ProcessContext, projects: number, isQuiet: boolean): Progress {
  const isWatched = stderr.isTTY === true && !isQuiet && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  if (!isWatched) return { page: () => {}, show: () => {}, done: () => {} }
  const show = (line: string) => {
    stderr.write(`\r\x1b[K${line.slice(0, Math.max(20, (stderr.columns || usualColumns) - 1))}`)
  }
  const begun = new Set<string>()
  let read = 0
  let shownAt = 0
  return {
    page(project, items) {
      begun.add(project)
      read += items
      const now = performance.now()
      if (now - shownAt < 100) return
      shownAt = now
      show(`${begun.size}/${projects} projects, ${read} items read, now ${neutralise(project)}`)
    },
    show,
    done: () => stderr.write('\r\x1b[K'),
  }
}

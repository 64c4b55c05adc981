import type { Database } from 'better-sqlite3'

/** First and last of a stretch of runs. */
export type RunRange = readonly [number, number]

/** Tells whether a run was pruned, by what the checkpoints say. */
export function prunedRuns(db: Database): (run: number) => boolean {
  const texts = db.prepare<[], string>('SELECT runs FROM checkpoint ORDER BY id').pluck().all()
  const stretches = texts.flatMap(readStretches).sort(([a], [b]) => a - b)
  return (run) => {
    let [low, high] = [0, stretches.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((stretches[middle]?.[0] ?? 0) <= run) low = middle + 1
      else high = middle
    }
    return (stretches[low - 1]?.[1] ?? 0) >= run
  }
}

/** `[[1, 3], [7, 7]]` for 1, 2, 3 and 7; the runs are sorted. */
export function rangesOf(runs: readonly number[]): RunRange[] {
  const stretches: [number, number][] = []
  for (const run of runs) {
    const last = stretches.at(-1)
    if (last !== undefined && last[1] === run - 1) last[1] = run
    else stretches.push([run, run])
  }
  return stretches
}

/** An unreadable list names no run: then the runs that it named are missed. */
function readStretches(text: string): RunRange[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isStretch) : []
  } catch {
    return []
  }
}

function isStretch(value: unknown): value is RunRange {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger)
}

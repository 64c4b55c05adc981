/** First and last of a range of runs. */
export type RunRange = readonly [number, number]

/** Whether a run was pruned, according to the lists of checkpoints. */
export function inRanges(texts: readonly string[]): (run: number) => boolean {
  const ranges = texts.flatMap(readRanges).sort(([a], [b]) => a - b)
  return (run) => {
    let [low, high] = [0, ranges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle]?.[0] ?? 0) <= run) low = middle + 1
      else high = middle
    }
    return (ranges[low - 1]?.[1] ?? 0) >= run
  }
}

/** `[[1, 3], [7, 7]]` for 1, 2, 3 and 7; the runs are sorted. */
export function rangesOf(runs: readonly number[]): RunRange[] {
  const ranges: [number, number][] = []
  for (const run of runs) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === run - 1) last[1] = run
    else ranges.push([run, run])
  }
  return ranges
}

/** An unreadable list names no run, so that its runs count as missing. */
function readRanges(text: string): RunRange[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isRange) : []
  } catch {
    return []
  }
}

function isRange(value: unknown): value is RunRange {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger)
}

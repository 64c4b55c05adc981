const maxLength = 64

/**
 * The known name that was probably meant: the one whose last segment it is, such as `secret-weak` of
 * `endpoint/secret-weak`, or the nearest with at most one slip in three characters, and none in names of one or two. A
 * name of one segment is compared with last segments.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined
  const whole = [...candidates]
  const last = whole.filter((candidate) => candidate.endsWith(`/${name}`))
  if (last.length === 1) return last[0]
  let nearest: string | undefined
  let least = Math.floor(name.length / 3) + 1
  const comparable = (candidate: string) =>
    name.includes('/') ? candidate : candidate.slice(candidate.lastIndexOf('/') + 1)
  for (const candidate of whole) {
    const distance = editDistance(name.toLowerCase(), comparable(candidate).toLowerCase())
    if (distance < least) {
      nearest = candidate
      least = distance
    }
  }
  return nearest
}

/** The end of a message about an unknown name: `, did you mean NAME?`, or nothing. */
export function suggestName(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates)
  return nearest === undefined ? '' : `, did you mean ${nearest}?`
}

/** Damerau–Levenshtein (optimal string alignment): insertions, deletions, replacements, swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(beforeLast, j - 2) + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

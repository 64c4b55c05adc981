import type { HistoryReader } from '../history/reader.ts'
import { compareText } from '../history/report-order.ts'
import { AuditError } from '../model/errors.ts'
import { violationStates } from '../model/violation.ts'
import type { ViolationIndex } from './violation-index.ts'

/** Names the place of a row in the order: it holds in later runs, too, where the violation may be elsewhere or gone. */
export async function cursorOf(reader: HistoryReader, index: ViolationIndex, row: number): Promise<string | undefined> {
  const [violation] = await reader.foundViolations([index.found(row)])
  if (violation === undefined) return undefined
  const { key, turn, severity, known } = rankOf(index, row)
  return [key, turn, severity, known, violation.fingerprint].join('.')
}

interface Rank {
  /** What the order asked for compares first. */
  readonly key: number
  /** 0 for an active one, else the run that resolved it. */
  readonly turn: number
  readonly severity: number
  readonly known: number
}

function rankOf(index: ViolationIndex, row: number): Rank {
  const { isResolved, run } = index.found(row)
  const known = violationStates[index.state[row] ?? 0] === 'opened' ? 0 : 1
  return { key: index.sortKey(row), turn: isResolved ? run : 0, severity: index.severity[row] ?? 0, known }
}

/**
 * The first row that comes after a cursor's place, and the first one at it: they are equal when the violation is gone.
 * @throws AuditError.usage when it is not a cursor of this history
 */
export async function placeOf(
  reader: HistoryReader,
  index: ViolationIndex,
  { run, cursor }: { readonly run: number; readonly cursor: string },
): Promise<{ readonly at: number; readonly after: number }> {
  const [, key, turn, severity, known, fingerprint = ''] =
    /^(\d{1,15}|Infinity)\.(\d{1,15})\.([0-4])\.([01])\.([0-9a-f]{32})$/.exec(cursor) ?? []
  const [identified] = fingerprint === '' ? [] : await reader.identifyViolations(fingerprint, run, 1)
  const [violation] =
    identified === undefined ? [] : await reader.foundViolations([{ ...identified, project: identified.project.name }])
  if (violation === undefined) {
    throw AuditError.usage('the cursor of the page is not one of this list', { advice: 'begin with its first page' })
  }
  const wanted = { key: Number(key), turn: Number(turn), severity: Number(severity), known: Number(known) }
  const compare = async (row: number): Promise<number> => {
    const rank = rankOf(index, row)
    const project = index.projects[index.project[row] ?? 0] ?? ''
    const byRank =
      (rank.key === wanted.key ? 0 : rank.key - wanted.key) ||
      Number(rank.turn > 0) - Number(wanted.turn > 0) ||
      wanted.turn - rank.turn ||
      rank.severity - wanted.severity ||
      rank.known - wanted.known ||
      compareText(project, violation.project)
    if (byRank !== 0) return byRank
    const [other] = await reader.foundViolations([index.found(row)])
    if (other === undefined) return 0
    return (
      byCodePoint(other.kind, violation.kind) ||
      byCodePoint(other.uid, violation.uid) ||
      byCodePoint(other.rule, violation.rule) ||
      byCodePoint(other.path, violation.path)
    )
  }
  const firstWhere = async (isThere: (order: number) => boolean) => {
    let [low, high] = [0, index.size]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isThere(await compare(middle))) high = middle
      else low = middle + 1
    }
    return low
  }
  return { at: await firstWhere((order) => order >= 0), after: await firstWhere((order) => order > 0) }
}

/** As databases compare: by the bytes of UTF-8. */
export function byCodePoint(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}

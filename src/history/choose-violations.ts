import { firstInOrder } from './first-in-order.ts'
import type { ViolationChoice, ViolationOutline } from './reader.ts'
import { compareText, inReportOrder } from './report-order.ts'

/** A violation as far as choosing and ordering asks, as read. */
export interface OutlineRow extends Omit<ViolationOutline, 'project' | 'firstSeen' | 'waiver'> {
  readonly id: number
  readonly waiver: string | null
}

interface Candidate {
  readonly id: number
  readonly outline: ViolationOutline
  /** The scan that an active one is as of, or the run that resolved it. */
  readonly run: number
  readonly sortKey: string
}

/** Holds the candidates that come first, and no others. */
export function chooseViolations({ most, isChosen, sortKey }: Pick<ViolationChoice, 'most' | 'isChosen' | 'sortKey'>) {
  const first = firstInOrder(most, compareCandidates)
  return {
    add(row: OutlineRow, { project, run, firstSeen }: { project: string; run: number; firstSeen: string }): void {
      const outline = toOutline(row, project, firstSeen)
      if (isChosen(outline)) first.add({ id: row.id, outline, run, sortKey: sortKey?.(outline) ?? '' })
    },
    /** Sorted. */
    chosen: (): readonly Candidate[] => first.values(),
  }
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    compareText(a.sortKey, b.sortKey) ||
    Number(a.outline.state === 'resolved') - Number(b.outline.state === 'resolved') ||
    (a.outline.state === 'resolved' ? b.run - a.run : 0) ||
    inReportOrder(a.outline, b.outline)
  )
}

export function toOutline(row: OutlineRow, project: string, firstSeen: string): ViolationOutline {
  const { rule, severity, state, kind, uid, path, owner, waiver } = row
  return {
    ...{ rule, severity, state, project, kind, uid, path, firstSeen },
    ...(waiver === null ? {} : { waiver }),
    owner: typeof owner === 'string' ? owner : null,
  }
}

import type { MarkedPageRow, Marks, StagedMarks } from '../../../src/history/marks.ts'

/** What a scan of a project left to recognise it by. */
export interface MemoryMarks extends Marks {
  readonly pages: ReadonlyMap<string, readonly MarkedPageRow[]>
}

/** What a scan leaves, with what it keeps of the one before. */
export function replaceMarks(before: MemoryMarks | undefined, { seal, outcome, pages }: StagedMarks): MemoryMarks {
  const kept = (listing: string, at: number): MarkedPageRow => {
    const row = before?.pages.get(listing)?.[at]
    if (row === undefined) throw new Error(`page ${at + 1} of ${listing} was to be kept, and there is none`)
    return row
  }
  return {
    seal,
    outcome: outcome === 'kept' ? before?.outcome : outcome,
    pages: new Map(
      [...pages].map(([listing, rows]) => [listing, rows.map((row, at) => (row === 'kept' ? kept(listing, at) : row))]),
    ),
  }
}

import { z } from 'zod'
import type { FreedDisk, PlannedRun } from '../history/upkeep.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import { count } from '../model/text/count.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutHistory } from '../report/answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { toAnswerRun } from './as-of.ts'

const pruningRow = z.object({
  number: schemas.count,
  started_at: schemas.time,
  kept: z.boolean(),
  reasons: listOf(z.string()),
})
export type PruningRow = z.infer<typeof pruningRow>

export const pruneForm: AnswerForm = {
  name: 'prune',
  version: 3,
  about: aboutHistory,
  row: pruningRow,
  more: { dry_run: z.boolean(), freed_bytes: schemas.count },
}

/** The runs that a pruning keeps and those that it removes; with `isDry`, that it would. */
export function answerPruning(plan: readonly PlannedRun[], freed: FreedDisk, isDry: boolean): Answer<PruningRow> {
  const rows = plan.map(({ number, started_at, reasons }) => {
    return { number, started_at, kept: reasons.length > 0, reasons }
  })
  const newest = plan.at(-1)
  return {
    form: pruneForm,
    run: newest === undefined ? null : toAnswerRun(newest),
    more: { dry_run: isDry, freed_bytes: freed.bytes },
    rows,
    omitted: 0,
    conclusion: [verdictOf(rows, freed, isDry)],
  }
}

export const pruningView: AnswerView<PruningRow> = {
  columns: ['kept', 'number', 'started_at', 'reasons'],
  blocks({ rows }) {
    const kept = rows.filter((row) => row.kept)
    const cells = kept.map((row) => [String(row.number), showTime(row.started_at), row.reasons.join(', ')])
    const columns = [{ title: 'Kept run', kind: 'number' as const }, { title: 'Began' }, { title: 'Reasons' }]
    const table = { kind: 'table' as const, name: 'kept runs', columns, rows: cells.map((row) => ({ cells: row })) }
    return kept.length === 0 ? [] : [table]
  },
  nothing: 'The history has no committed run.',
  isOfRun: false,
}

function verdictOf(rows: readonly PruningRow[], { bytes, freeBytes }: FreedDisk, isDry: boolean): string {
  const keptCount = rows.filter((row) => row.kept).length
  const [gone, remaining] = [count(rows.length - keptCount, 'run'), count(keptCount, 'run')]
  if (isDry) return `${gone} would be removed, ${remaining} kept. Nothing was changed.`
  const inside = freeBytes > 0 ? `, ${megabytes(freeBytes)} free inside it for the next runs` : ''
  return `${gone} pruned, ${remaining} kept; ${megabytes(bytes)} freed${inside}.`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

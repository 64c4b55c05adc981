import type { Draft } from '../../history.ts'
import type { MarkedPageRow, StagedMarks } from '../../marks.ts'
import type { DraftContext } from './draft-context.ts'
import type { DraftedMarkPage } from './drafted-rows.ts'

/** Page 0 of this listing: what the evaluation left. */
const outcomeListing = ''

/**
 * What the last scan of a project left to recognise it by, and what this one leaves. Pages are drafted like other rows;
 * only the seal, which the commit writes, makes them hold.
 */
export function draftMarks({
  db,
  run,
  open,
  writer,
}: DraftContext): Pick<Draft, 'marks' | 'markedPage' | 'stageMarks'> {
  const pageAt = (column: string) =>
    `SELECT ${column} FROM hookdrift.mark_page WHERE project_id = $1 AND listing = $2 AND page = $3 AND run < $4
     ORDER BY run DESC LIMIT 1`
  return {
    async marks(project) {
      const { id } = await open(project)
      const found = await db.get<{ seal: Buffer; outcome: Buffer | null }>(
        `SELECT s.seal, (${pageAt('body')}) AS outcome FROM hookdrift.mark_scan s WHERE s.project_id = $1`,
        [id, outcomeListing, 0, run],
      )
      return found === undefined ? undefined : { seal: found.seal, outcome: found.outcome ?? undefined }
    },
    async markedPage(project, listing, page) {
      const { id } = await open(project)
      return db.get<MarkedPageRow>(pageAt('digest, body'), [id, listing, page, run])
    },
    async stageMarks(project, { seal, outcome, pages }) {
      const { id, state } = await open(project)
      const rows = rowsOf({ outcome, pages }, { project_id: id, run })
      const characters = rows.reduce((sum, { body }) => sum + body.length, 0)
      if (rows.length > 0) await writer.stage({ project: id, mark_page: rows }, { rows: rows.length, characters })
      const counts = [...pages].map(([listing, all]): [string, number] => [listing, all.length])
      if (outcome !== undefined) counts.push([outcomeListing, 0])
      state.marks = { seal: seal.toString('base64'), pages: Object.fromEntries(counts) }
    },
  }
}

function rowsOf(
  { outcome, pages }: Pick<StagedMarks, 'outcome' | 'pages'>,
  key: Pick<DraftedMarkPage, 'project_id' | 'run'>,
): DraftedMarkPage[] {
  const rows: DraftedMarkPage[] = []
  if (outcome !== undefined && outcome !== 'kept') {
    rows.push({ ...key, listing: outcomeListing, page: 0, digest: Buffer.alloc(0), body: outcome })
  }
  for (const [listing, all] of pages) {
    for (const [at, page] of all.entries()) if (page !== 'kept') rows.push({ ...key, listing, page: at + 1, ...page })
  }
  return rows
}

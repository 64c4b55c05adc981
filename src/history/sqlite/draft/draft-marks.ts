import type { Database } from 'better-sqlite3'
import type { MarkedPageRow, StagedMarks } from '../../marks.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'

type MarkMethod = 'marks' | 'markedPage' | 'stageMarks'

/** What the commit makes of the marks of a project. */
interface MarksToHold {
  readonly seal: Buffer
  /** How many pages each listing has now. */
  readonly pages: Readonly<Record<string, number>>
}

/** Page 0 of this listing: what the evaluation left. */
const outcomeListing = ''

/**
 * What the last scan of a project left to recognise it by, and what this one leaves. Pages are drafted like other rows;
 * only the seal, which the commit writes, makes them hold.
 */
export function draftMarks(db: Database, { run, idOf, stageRows }: DraftAccess): DraftPart<MarkMethod> {
  const held = new Map<number, MarksToHold>()
  const sql = prepareStatements(db)
  const pageAt = (project: number, listing: string, page: number) => sql.page.get(project, listing, page, run)

  return {
    methods: {
      async marks(project) {
        const id = idOf(project)
        const seal = sql.seal.get(id)
        return seal === undefined ? undefined : { seal, outcome: pageAt(id, outcomeListing, 0)?.body }
      },
      markedPage: async (project, listing, page) => pageAt(idOf(project), listing, page),
      async stageMarks(project, { seal, outcome, pages }) {
        const id = idOf(project)
        const rows = rowsOf({ seal, outcome, pages })
        const characters = rows.reduce((sum, { body }) => sum + body.length, 0)
        if (rows.length > 0) {
          stageRows(id, { rows: rows.length, characters }, () => {
            for (const row of rows) sql.writePage.run({ project: id, run, ...row })
          })
        }
        const counts = [...pages].map(([listing, all]): [string, number] => [listing, all.length])
        if (outcome !== undefined) counts.push([outcomeListing, 0])
        held.set(id, { seal, pages: Object.fromEntries(counts) })
      },
    },
    finish() {
      // A scan that left nothing leaves nothing old either.
      const others = { run, kept: JSON.stringify([...held.keys()]) }
      sql.dropOtherScans.run(others)
      sql.dropOtherPages.run(others)
      sql.dropReplaced.run(run, run)
      for (const [project, { seal, pages }] of held) {
        sql.holdScan.run({ project, seal })
        sql.cut.run({ project, pages: JSON.stringify(pages) })
      }
    },
    digests: () => new Map(),
    spoilDigests() {},
    deleteRows: (project) => void sql.deletePages.run(project, run),
    forget: (project) => void held.delete(project),
  }
}

function rowsOf({ outcome, pages }: StagedMarks) {
  const rows: (MarkedPageRow & { readonly listing: string; readonly page: number })[] = []
  if (outcome !== undefined && outcome !== 'kept') {
    rows.push({ listing: outcomeListing, page: 0, digest: Buffer.alloc(0), body: outcome })
  }
  for (const [listing, all] of pages) {
    for (const [at, page] of all.entries()) if (page !== 'kept') rows.push({ listing, page: at + 1, ...page })
  }
  return rows
}

function prepareStatements(db: Database) {
  const others = `project_id IN
    (SELECT project_id FROM scan WHERE run = @run EXCEPT SELECT value FROM json_each(@kept))`
  return {
    seal: db.prepare<[number], Buffer>('SELECT seal FROM mark_scan WHERE project_id = ?').pluck(),
    page: db.prepare<[number, string, number, number], MarkedPageRow>(
      `SELECT digest, body FROM mark_page WHERE project_id = ? AND listing = ? AND page = ? AND run < ?
       ORDER BY run DESC LIMIT 1`,
    ),
    writePage: db.prepare<MarkedPageRow & { project: number; listing: string; page: number; run: number }>(
      `INSERT INTO mark_page (project_id, listing, page, run, digest, body)
       VALUES (@project, @listing, @page, @run, @digest, @body)`,
    ),
    deletePages: db.prepare<[number, number]>('DELETE FROM mark_page WHERE project_id = ? AND run = ?'),
    dropOtherScans: db.prepare<{ run: number; kept: string }>(`DELETE FROM mark_scan WHERE ${others}`),
    dropOtherPages: db.prepare<{ run: number; kept: string }>(`DELETE FROM mark_page WHERE ${others}`),
    dropReplaced: db.prepare<[number, number]>(
      `DELETE FROM mark_page WHERE rowid IN (SELECT o.rowid FROM mark_page n CROSS JOIN mark_page o
         ON o.project_id = n.project_id AND o.listing = n.listing AND o.page = n.page AND o.run < ? WHERE n.run = ?)`,
    ),
    holdScan: db.prepare<{ project: number; seal: Buffer }>(
      `INSERT INTO mark_scan (project_id, seal) VALUES (@project, @seal)
       ON CONFLICT (project_id) DO UPDATE SET seal = excluded.seal`,
    ),
    // Pages beyond the last one of their listing, and listings that leave none.
    cut: db.prepare<{ project: number; pages: string }>(
      `DELETE FROM mark_page WHERE project_id = @project
         AND page > ifnull((SELECT value FROM json_each(@pages) p WHERE p.key = listing), -1)`,
    ),
  }
}

import type { Database } from 'better-sqlite3'
import type { MarkedPageRow, StagedMarks } from '../../marks.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'

type MarkMethod = 'marks' | 'markedPage' | 'stageMarks'

/** What the last scan of a project left to recognise it by, and what this one leaves: remembered until the commit. */
export function draftMarks(db: Database, { run, idOf }: DraftAccess): DraftPart<MarkMethod> {
  const staged = new Map<number, StagedMarks>()
  const sql = prepareStatements(db)

  function writeScan(project: number, { seal, outcome }: StagedMarks): void {
    if (outcome === 'kept') sql.sealScan.run({ project, seal })
    else sql.writeScan.run({ project, seal, outcome: outcome ?? null })
  }

  function writePages(project: number, { pages }: StagedMarks): void {
    sql.keepListings.run({ project, listings: JSON.stringify([...pages.keys()]) })
    for (const [listing, all] of pages) {
      for (const [at, page] of all.entries()) {
        if (page !== 'kept') sql.writePage.run({ project, listing, page: at + 1, ...page })
      }
      sql.cutListing.run({ project, listing, pages: all.length })
    }
  }

  return {
    methods: {
      async marks(project) {
        const row = sql.scan.get(idOf(project))
        return row === undefined ? undefined : { seal: row.seal, outcome: row.outcome ?? undefined }
      },
      markedPage: async (project, listing, page) => sql.page.get(idOf(project), listing, page),
      async stageMarks(project, marks) {
        staged.set(idOf(project), marks)
      },
    },
    finish() {
      // A scan that left nothing leaves nothing old either.
      sql.dropOthers.run({ run, kept: JSON.stringify([...staged.keys()]) })
      for (const [project, marks] of staged) {
        writeScan(project, marks)
        writePages(project, marks)
      }
    },
    digests: () => new Map(),
    spoilDigests() {},
    deleteRows() {},
    forget: (project) => void staged.delete(project),
  }
}

function prepareStatements(db: Database) {
  return {
    scan: db.prepare<[number], { seal: Buffer; outcome: Buffer | null }>(
      'SELECT seal, outcome FROM mark_scan WHERE project_id = ?',
    ),
    page: db.prepare<[number, string, number], MarkedPageRow>(
      'SELECT digest, body FROM mark_page WHERE project_id = ? AND listing = ? AND page = ?',
    ),
    dropOthers: db.prepare<{ run: number; kept: string }>(
      `DELETE FROM mark_scan WHERE project_id IN (SELECT project_id FROM scan WHERE run = @run)
         AND project_id NOT IN (SELECT value FROM json_each(@kept))`,
    ),
    sealScan: db.prepare<{ project: number; seal: Buffer }>(
      'UPDATE mark_scan SET seal = @seal WHERE project_id = @project',
    ),
    writeScan: db.prepare<{ project: number; seal: Buffer; outcome: Buffer | null }>(
      `INSERT INTO mark_scan (project_id, seal, outcome) VALUES (@project, @seal, @outcome)
       ON CONFLICT (project_id) DO UPDATE SET seal = excluded.seal, outcome = excluded.outcome`,
    ),
    keepListings: db.prepare<{ project: number; listings: string }>(
      'DELETE FROM mark_page WHERE project_id = @project AND listing NOT IN (SELECT value FROM json_each(@listings))',
    ),
    writePage: db.prepare<MarkedPageRow & { project: number; listing: string; page: number }>(
      `INSERT INTO mark_page (project_id, listing, page, digest, body) VALUES (@project, @listing, @page, @digest, @body)
       ON CONFLICT (project_id, listing, page) DO UPDATE SET digest = excluded.digest, body = excluded.body`,
    ),
    cutListing: db.prepare<{ project: number; listing: string; pages: number }>(
      'DELETE FROM mark_page WHERE project_id = @project AND listing = @listing AND page > @pages',
    ),
  }
}

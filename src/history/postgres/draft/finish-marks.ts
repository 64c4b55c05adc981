import type { Session } from '../connect.ts'
import type { OpenProject } from './open-projects.ts'

/** Within the transaction of the commit: what the scans of this run left to recognise them by holds from now on. */
export async function finishMarks(session: Session, run: number, projects: readonly OpenProject[]): Promise<void> {
  const held = projects.flatMap(({ id, state }) => (state.marks === null ? [] : [{ id, ...state.marks }]))
  // A scan that left nothing leaves nothing old either.
  const others = projects.flatMap(({ id, state }) => (state.scan !== null && state.marks === null ? [id] : []))
  if (others.length > 0) {
    for (const table of ['mark_scan', 'mark_page']) {
      await session.run(`DELETE FROM hookdrift.${table} WHERE project_id = ANY($1::bigint[])`, [others])
    }
  }
  if (held.length === 0) return
  await session.run(
    `DELETE FROM hookdrift.mark_page o USING hookdrift.mark_page n
     WHERE n.run = $1 AND o.project_id = n.project_id AND o.listing = n.listing AND o.page = n.page AND o.run < $1`,
    [run],
  )
  const ids = held.map(({ id }) => id)
  await session.run(
    `INSERT INTO hookdrift.mark_scan (project_id, seal) SELECT * FROM unnest($1::bigint[], $2::bytea[])
     ON CONFLICT (project_id) DO UPDATE SET seal = excluded.seal`,
    [ids, held.map(({ seal }) => Buffer.from(seal, 'base64'))],
  )
  const last = held.flatMap(({ id, pages }) => Object.entries(pages).map(([listing, page]) => ({ id, listing, page })))
  // Pages beyond the last one of their listing, and listings that leave none.
  await session.run(
    `DELETE FROM hookdrift.mark_page m WHERE m.project_id = ANY($1::bigint[]) AND NOT EXISTS (
       SELECT 1 FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS l (project_id, listing, page)
       WHERE l.project_id = m.project_id AND l.listing = m.listing AND l.page >= m.page)`,
    [ids, last.map(({ id }) => id), last.map(({ listing }) => listing), last.map(({ page }) => page)],
  )
}

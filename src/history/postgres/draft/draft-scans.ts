import { type Draft, unscanned } from '../../history.ts'
import type { DraftContext } from './draft-context.ts'

type ScanMethod =
  | 'lastScannedRun'
  | 'previouslyWithheld'
  | 'stageScan'
  | 'stageWalk'
  | 'stageNotice'
  | 'withholdRemovals'
  | 'reading'
  | 'stageReading'

/** Scans, walks, notices and withheld removals: remembered until the commit. */
export function draftScans(
  { db, run, open, writer }: DraftContext,
  noteOfRun: (notice: Parameters<Draft['stageNotice']>[1], at: number) => void,
): { readonly methods: Pick<Draft, ScanMethod>; nextNotice(): number } {
  let notices = 0
  const nextNotice = () => {
    notices += 1
    return notices
  }
  const methods: Pick<Draft, ScanMethod> = {
    lastScannedRun: async (project) => (await open(project)).lastScan ?? undefined,
    async previouslyWithheld(project, listing) {
      const { id, lastScan } = await open(project)
      if (lastScan === null) return undefined
      const uids = await db.value<string | null>(
        `SELECT h.uids FROM hookdrift.scan s JOIN hookdrift.walk w ON w.run = s.run AND w.project_id = s.project_id
         LEFT JOIN hookdrift.withheld_removal h
           ON h.project_id = w.project_id AND h.listing = w.listing AND h.run = w.run
         WHERE s.project_id = $1 AND w.listing = $2 AND s.run < $3 AND w.status IN ('complete', 'suspect')
         ORDER BY s.run DESC LIMIT 1`,
        [id, listing, run],
      )
      return uids === undefined || uids === null ? undefined : JSON.parse(uids)
    },
    async stageScan(project) {
      await writer.requireFence()
      const { state } = await open(project)
      state.scan = project.name
    },
    async stageWalk(project, coverage, shape) {
      await writer.requireFence()
      const { state } = await open(project)
      if (state.scan === null) throw unscanned(project)
      state.walks[coverage.listing] = { ...coverage, shape: shape === undefined ? null : JSON.stringify(shape) }
    },
    async stageNotice(project, notice) {
      const at = nextNotice()
      await writer.requireFence()
      if (project === undefined) noteOfRun(notice, at)
      else (await open(project)).state.notices.push({ ...notice, at })
    },
    async withholdRemovals(project, listing, uids) {
      await writer.requireFence()
      const { state } = await open(project)
      state.withheld[listing] = JSON.stringify(uids)
    },
    async reading(project, name) {
      const { id, lastScan } = await open(project)
      if (lastScan === null) return undefined
      return db.value<string>('SELECT body FROM hookdrift.reading WHERE project_id = $1 AND name = $2', [id, name])
    },
    async stageReading(project, name, body) {
      await writer.requireFence()
      const { state } = await open(project)
      state.readings[name] = body
    },
  }
  return { methods, nextNotice }
}

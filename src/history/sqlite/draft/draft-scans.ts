import { hash } from 'node:crypto'
import { canonicalJson } from '../../../model/canonical-json.ts'
import { chunks } from '../../../model/chunks.ts'
import type { Coverage } from '../../../model/coverage.ts'
import type { Json } from '../../../model/json.ts'
import type { ProjectNotice } from '../../../model/notice.ts'
import { type ReadingName, unscanned } from '../../history.ts'
import type { RunContext } from '../../records.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'

interface StagedWalk extends Omit<Coverage, 'of'> {
  readonly projectId: number
  readonly run: number
  readonly shape: string | null
  readonly total: number | null
}

interface StagedReading {
  readonly projectId: number
  readonly name: ReadingName
  readonly body: string
}

/** Projects whose items are written in one transaction. */
const writtenTogether = 20

type ScanMethod =
  | 'lastScannedRun'
  | 'previouslyWithheld'
  | 'stageScan'
  | 'stageWalk'
  | 'stageNotice'
  | 'stageContext'
  | 'withholdRemovals'
  | 'reading'
  | 'stageReading'

/** Scans, walks, notices and the context of a run: remembered until the commit, but for withheld removals. */
export function draftScans({ run, sql, idOf, requireLease, write }: DraftAccess): DraftPart<ScanMethod> {
  /** Names of projects by id. */
  const scans = new Map<number, string>()
  /** By project and listing. */
  const walks = new Map<string, StagedWalk>()
  let notices: (ProjectNotice & { readonly projectId: number | null })[] = []
  let context: RunContext | undefined
  /** By project and name. */
  const readings = new Map<string, StagedReading>()

  const insertDocument = (value: Json): string => {
    const body = canonicalJson(value)
    const sha256 = hash('sha256', body)
    sql.insertDocument.run(sha256, body)
    return sha256
  }

  return {
    methods: {
      lastScannedRun: async (project) => sql.lastScan.get(idOf(project), run) ?? undefined,
      async previouslyWithheld(project, listing) {
        const uids = sql.previouslyWithheld.get(idOf(project), listing, run)
        return uids === undefined || uids === null ? undefined : JSON.parse(uids)
      },
      async stageScan(project) {
        requireLease()
        scans.set(idOf(project), project.name)
      },
      async stageWalk(project, coverage, shape) {
        requireLease()
        const projectId = idOf(project)
        if (!scans.has(projectId)) throw unscanned(project)
        const shapeJson = shape === undefined ? null : JSON.stringify(shape)
        const { of: total = null, oldestAt = null, ...walk } = coverage
        walks.set(`${projectId} ${coverage.listing}`, { ...walk, total, oldestAt, projectId, run, shape: shapeJson })
      },
      async stageNotice(project, notice) {
        requireLease()
        notices.push({ ...notice, projectId: project === undefined ? null : idOf(project) })
      },
      async stageContext(given) {
        context = given
      },
      async withholdRemovals(project, listing, uids) {
        const id = idOf(project)
        write(() => sql.withhold.run(id, listing, run, JSON.stringify(uids)))
      },
      reading: async (project, name) => sql.reading.get(idOf(project), name) ?? undefined,
      async stageReading(project, name, body) {
        requireLease()
        const projectId = idOf(project)
        readings.set(`${projectId} ${name}`, { projectId, name, body })
      },
    },
    finish() {
      for (const { projectId, name, body } of readings.values()) {
        if (name === 'filters') sql.holdReading.run(projectId, name, body)
      }
      for (const [project, name] of scans) sql.insertScan.run(project, run, name)
      for (const walk of walks.values()) {
        sql.insertWalk.run(walk)
        if (walk.status === 'complete') sql.noteFirstComplete.run(walk.projectId, walk.listing, run)
      }
      for (const [at, { code, projectId, listing, text }] of notices.entries()) {
        sql.insertNotice.run(run, at + 1, code, projectId, listing, text)
      }
      if (context === undefined) return
      // Both are JSON by their types, but the compiler cannot derive that from interfaces.
      const { projects, ...stable } = context
      const documents = [stable, projects] as unknown as [Json, Json]
      sql.nameDocuments.run(insertDocument(documents[0]), insertDocument(documents[1]), run)
    },
    *afterCommit() {
      const items = [...readings.values()].filter(({ name }) => name === 'items')
      for (const some of chunks(items, writtenTogether)) {
        yield () => {
          for (const { projectId, name, body } of some) sql.holdReading.run(projectId, name, body)
        }
      }
    },
    digests: () => new Map(),
    spoilDigests: () => undefined,
    deleteRows: (project) => sql.deleteWithheld.run(project, run),
    forget(project) {
      for (const [key, { projectId }] of readings) if (projectId === project) readings.delete(key)
      notices = notices.filter(({ projectId }) => projectId !== project)
    },
  }
}

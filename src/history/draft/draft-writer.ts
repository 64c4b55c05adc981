import { endDigests, RunningDigest } from '../chain/digest-rows.ts'
import { changeMembers, type PartDigests, versionMembers, violationMembers } from '../chain/parts.ts'
import { leaseLost } from '../lease-owner.ts'
import type { Fence, HistoryBackend } from '../sql/backend.ts'
import type { DraftIds } from './draft-ids.ts'
import type { DraftedRows } from './drafted-rows.ts'
import type { OpenProjects } from './open-projects.ts'

export interface DraftOptions {
  readonly run: number
  readonly fence: Fence
  readonly ids: DraftIds
}

interface WriterOptions extends DraftOptions {
  readonly projects: OpenProjects
}

/** How long a draft relies on having seen that it still may write. It only spares questions: every write is fenced. */
const trustedForMs = 1_000

/** Writes the rows of a draft, in the order of the calls: all rows of a call or none. */
export class DraftWriter {
  readonly #backend: HistoryBackend
  readonly #options: WriterOptions
  readonly #digests = {
    versions: new RunningDigest(versionMembers),
    changes: new RunningDigest(changeMembers),
    violations: new RunningDigest(violationMembers),
  }
  #checkedAt = Number.NEGATIVE_INFINITY
  #lastVersion = 0
  #hasEnded = false
  #fault: unknown
  /** The last write: one begins when the one before it has ended. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(backend: HistoryBackend, options: WriterOptions) {
    this.#backend = backend
    this.#options = options
  }

  /** @throws AuditError.busy when the draft may no longer write */
  async requireFence(): Promise<void> {
    this.#requireOpen()
    if (this.#backend.now() - this.#checkedAt >= trustedForMs) await this.checkFence()
  }

  /** Asks even when it was asked a moment ago. @throws AuditError.busy as `requireFence` */
  async checkFence(): Promise<void> {
    const { fence } = this.#options
    const at = this.#backend.now()
    if ((await this.#backend.db.value(fence.sql(1), fence.values)) === undefined) throw this.lost()
    this.#checkedAt = at
  }

  /** Nothing more is written. */
  end(): void {
    this.#hasEnded = true
  }

  lost(): Error {
    this.#hasEnded = true
    return leaseLost(this.#options.run, this.#backend.db.displayName)
  }

  /** @throws AuditError.busy when the draft may no longer write */
  insert(rows: Partial<Omit<DraftedRows, 'project'>> = {}): Promise<void> {
    return this.#alone(() => this.#insert(rows))
  }

  /** Deletes the rows of a project. @throws AuditError.busy as `insert` */
  discard(project: number): Promise<void> {
    return this.#alone(async () => {
      const { fence, ids, run } = this.#options
      await this.#insert({})
      this.spoilDigests()
      if (!(await this.#backend.deleteRows(fence, run, project))) throw this.lost()
      await ids.afterDeletion?.(this.#backend.db)
    })
  }

  spoilDigests(): void {
    for (const digest of Object.values(this.#digests)) digest.spoil()
  }

  /** Ends the digests that were kept while rows were inserted. */
  endDigests(): PartDigests {
    return endDigests(this.#digests)
  }

  #requireOpen(): void {
    if (this.#hasEnded) throw this.lost()
    if (this.#fault !== undefined) throw this.#fault
  }

  /** With the rows of projects that it is the first to see. */
  async #insert({ version = [], change = [], violation = [] }: Partial<Omit<DraftedRows, 'project'>>): Promise<void> {
    this.#requireOpen()
    const { fence, ids, projects } = this.#options
    const rows = { project: projects.takeWaiting(), version, change, violation } satisfies DraftedRows
    if (Object.values(rows).every(({ length }) => length === 0)) return
    const at = this.#backend.now()
    try {
      await giveIds(ids, 'change', rows.change)
      await giveIds(ids, 'violation', rows.violation)
      if (!(await this.#backend.insertRows(fence, rows))) throw this.lost()
    } catch (error) {
      this.spoilDigests()
      // Where it is unknown whether they were written, the draft can only be abandoned.
      if (!this.#backend.isAnswerCertain) this.#fault = error
      throw error
    }
    this.#checkedAt = at
    const { versions, changes, violations } = this.#digests
    for (const row of rows.version) {
      // The digest is of the rows in the order of their ids.
      if (row.id < this.#lastVersion) versions.spoil()
      this.#lastVersion = row.id
      versions.add(row)
    }
    for (const row of rows.change) changes.add({ ...row })
    for (const row of rows.violation) violations.add({ ...row })
  }

  #alone(work: () => Promise<void>): Promise<void> {
    const next = this.#last.then(work, work)
    this.#last = next
    return next
  }
}

async function giveIds(ids: DraftIds, table: 'change' | 'violation', rows: readonly { id: number }[]): Promise<void> {
  if (rows.length === 0) return
  const first = await ids.take(table, rows.length)
  for (const [at, row] of rows.entries()) row.id = first + at
}

import { chunks } from '../../../model/chunks.ts'
import { type ProjectRef, policyProject } from '../../../model/resource.ts'
import type { Draft } from '../../history.ts'
import type { RunContext, RunRecord } from '../../records.ts'
import { readRun } from '../../sql/read-run.ts'
import { appendLink, attributeToRun } from '../chain/chain.ts'
import { commitSurely } from '../commit-surely.ts'
import type { PostgresDatabase, Transaction } from '../connect.ts'
import { keepLease } from '../keep-lease.ts'
import { lockLease, releaseSql, type SharedProcess } from '../lease.ts'
import { recordNotifications } from '../record-notifications.ts'
import { closeAsInterrupted } from './close-runs.ts'
import type { DraftContext } from './draft-context.ts'
import { type Fence, leaseFence } from './draft-fence.ts'
import { type DraftIds, followingIds } from './draft-ids.ts'
import { draftReads } from './draft-reads.ts'
import { draftResources } from './draft-resources.ts'
import { draftScans } from './draft-scans.ts'
import { draftViolations } from './draft-violations.ts'
import { DraftWriter } from './draft-writer.ts'
import { finishDraft, writeReadings } from './finish-draft.ts'
import { OpenProjects } from './open-projects.ts'
import { readOutcome, unknownRun } from './read-outcome.ts'
import { type NumberedNotice, type UncommittedProject, untouchedProject } from './uncommitted-project.ts'

/** A draft that can hand over what it keeps of a project until the commit: its rows are in the database. */
export interface PostgresDraft extends Draft {
  exportProject(project: ProjectRef): Promise<UncommittedProject>
  /** Takes over what another draft of the same run exported, in place of what this one kept of the project. */
  importProject(project: ProjectRef, state: UncommittedProject): Promise<void>
  /** Ends the lease and leaves the run as it is, so that another process can go on with it. */
  release(): Promise<void>
}

/** The part of a run's draft that one project needs. Another process commits the run. */
export type ProjectDraft = Omit<
  PostgresDraft,
  'commit' | 'abandon' | 'release' | 'stageContext' | 'importProject' | 'interrupted'
>

export interface AcquiredRun {
  readonly run: number
  readonly token: number
  /** Killed runs that were closed. */
  readonly interrupted: readonly number[]
  /** undefined: ids follow those that are there, since no other process inserts rows. */
  readonly ids?: DraftIds
}

/** Projects whose items are written in one statement, once the run is committed. */
const writtenTogether = 20

interface Committed {
  readonly run: number
  readonly record: RunRecord
}

interface DraftOptions {
  readonly run: number
  readonly fence: Fence
  readonly ids: DraftIds
  now(): number
}

/**
 * Drafts one project of a run that another process commits, as long as the fence holds. Its rows, and what `exportProject`
 * returns, are all that it leaves.
 */
export function openProjectDraft(
  db: PostgresDatabase,
  options: DraftOptions & { readonly project: ProjectRef },
): ProjectDraft {
  const { methods } = composeDraft(db, options, () => {
    throw new Error(`a notice about the run was staged while ${options.project.name} is drafted`)
  })
  return methods
}

/** The parts of a draft, over one writer. */
function composeDraft(db: PostgresDatabase, options: DraftOptions, noteOfRun: Parameters<typeof draftScans>[1]) {
  const { run, ids } = options
  const projects = new OpenProjects(db, run, ids)
  const writer = new DraftWriter(db, { ...options, projects })
  const access: DraftContext = { db, run, ids, projects, writer, open: (project) => projects.open(project) }
  const scans = draftScans(access, noteOfRun)
  const methods: ProjectDraft = {
    run,
    ...draftReads(access),
    ...draftResources(access),
    ...draftViolations(access),
    ...scans.methods,
    async discard(project) {
      const opened = await projects.open(project)
      await writer.discard(opened.id)
      opened.state = untouchedProject(opened.state)
    },
    async exportProject(project) {
      const { state } = await projects.open(project)
      // Its row, where it has no other.
      await writer.insert()
      await writer.checkFence()
      return state
    },
  }
  return { methods, projects, writer, nextNotice: scans.nextNotice }
}

/**
 * A run being written, by the owner of the lease. New versions, changes and violations are inserted at once, a statement
 * a call, invisible to readers. Ends of rows, and what every run records of every project, are remembered until the commit.
 */
export async function openRunDraft(
  db: PostgresDatabase,
  owner: SharedProcess,
  { run, token, interrupted, ids }: AcquiredRun,
): Promise<PostgresDraft> {
  const notices: NumberedNotice[] = []
  let context: RunContext | undefined
  const options = { run, fence: leaseFence(token), ids: ids ?? (await followingIds(db)), now: owner.now }
  const { methods, projects, writer, nextNotice } = composeDraft(db, options, (notice, at) => {
    notices.push({ ...notice, at })
  })
  // Other processes insert rows of the run, too.
  if (ids !== undefined) writer.spoilDigests()
  const stopHeartbeat = keepLease(db, owner, token)

  async function commitWithin(
    transaction: Transaction,
    [finishedAt, exitCodeOf, compose]: Parameters<Draft['commit']>,
  ) {
    const owned = await transaction.get('SELECT FROM hookdrift.lease WHERE token = $1 FOR UPDATE', [token])
    if (owned === undefined) throw writer.lost()
    await finishDraft(transaction, { run, projects: await projects.all(), notices, context })
    await transaction.run("UPDATE hookdrift.run SET state = 'committed', finished_at = $2 WHERE number = $1", [
      ...[run, finishedAt],
    ])
    await attributeToRun(transaction, run)
    const record = await readRun(transaction, run)
    if (record === undefined) throw new Error(`run ${run} vanished during its commit`)
    await transaction.run('UPDATE hookdrift.run SET exit_code = $2 WHERE number = $1', [run, exitCodeOf(record)])
    // The link covers the exit code, which follows from the record, and the record contains the link.
    const chain = await appendLink(transaction, run, writer.endDigests())
    await recordNotifications(transaction, { ...record, chain }, compose)
    await transaction.run(releaseSql, [token])
    return { run, record: { ...record, chain } }
  }

  return {
    ...methods,
    interrupted,
    async stageContext(given) {
      context = given
    },
    async importProject(project, state) {
      const opened = await projects.open(project)
      // Another process inserted its rows.
      writer.spoilDigests()
      opened.state = { ...state, notices: state.notices.map((notice) => ({ ...notice, at: nextNotice() })) }
    },
    async commit(...order) {
      stopHeartbeat()
      // Every run scans the policy, so it needs a row even if the run stages nothing of it.
      await projects.open(policyProject)
      await writer.insert()
      let isLost = false
      try {
        const { record } = await commitSurely<Committed>(db, {
          work: (transaction) => commitWithin(transaction, order),
          ...unknownRun,
          async isRecorded(transaction, { record }) {
            await lockLease(transaction)
            const found = await readOutcome(transaction, run)
            const isCommitted = found?.state === 'committed' && found.chain === record.chain
            isLost = !isCommitted && found?.token !== token
            return isCommitted
          },
        })
        writer.end()
        // What cannot be written now is left out, and the next run does without it.
        for (const some of chunks(await projects.all(), writtenTogether)) {
          await writeReadings(db, some, 'items').catch(() => {})
        }
        return record
      } catch (error) {
        // One that still owns the lease can be abandoned.
        throw isLost ? writer.lost() : error
      }
    },
    async release() {
      stopHeartbeat()
      writer.end()
      await db.run(releaseSql, [token])
    },
    async abandon(finishedAt) {
      stopHeartbeat()
      writer.end()
      await db.transaction(async (transaction) => {
        const isOurs = await transaction.value('SELECT 1 FROM hookdrift.lease WHERE token = $1 FOR UPDATE', [token])
        // Another owner of the lease has closed this run already.
        if (isOurs === undefined) return
        await closeAsInterrupted(transaction, [run], finishedAt)
        await transaction.run(releaseSql, [token])
      })
    },
  }
}

import { PgBoss } from 'pg-boss'
import type { ForeignResult, PostgresDatabase, PostgresSession } from '../../history/postgres/connect.ts'
import { AuditError } from '../../model/errors.ts'
import { briefTransaction, type TaskKey } from './tasks.ts'
import { heartbeatS } from './workers.ts'

// The one file that knows pg-boss. It says which process should walk a project; who may write is decided by tokens in
// tables of our own, so a job that is given out twice costs time and nothing else.

/** A job that a process works at: this attempt of it, so that a process that was given up ends nothing. */
export interface Job {
  readonly id: string
  /** How many processes had it and were lost. */
  readonly retryCount: number
  readonly data: TaskKey
}

interface FetchLimits {
  readonly run: number
  readonly most: number
  /** For each service whose jobs are wanted, how many of them all processes together may work at. */
  readonly caps: ReadonlyMap<string, number>
  /** Services whose jobs are left to others. */
  readonly others: readonly string[]
}

/** The jobs of a pool. Within a transaction, a verb takes effect with it. */
export type Jobs = Awaited<ReturnType<typeof openJobs>>

const queue = 'walk'

const monitorEveryS = 1

/**
 * Installs the tables of the jobs next to the history, or upgrades them. @throws AuditError.failure when the server
 * cannot be used
 */
export async function installJobs(db: PostgresDatabase): Promise<void> {
  const boss = bossOn(db, { migrate: true, supervise: false })
  // Several workers may start at once.
  await db.transaction(async (transaction) => {
    await transaction.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schemaOf(db)} install`])
    await boss.start()
    await boss.createQueue(queue, {
      heartbeatSeconds: heartbeatS,
      // The longest that pg-boss takes; a run is bounded by its own time limit.
      expireInSeconds: 86_000,
      deleteAfterSeconds: 3_600,
      retryDelay: 1,
      // A worker that gets a job too often gives its task up.
      retryLimit: 1_000_000,
    })
    await boss.stop({ graceful: false })
  })
}

/**
 * Opens the jobs of a history; `onError` is called for what fails in the background. `supervises`: finds jobs whose
 * process was lost, as one process at least has to.
 */
export async function openJobs(db: PostgresDatabase, onError: (error: unknown) => void, { supervises = true } = {}) {
  if ((await db.value<boolean>('SELECT to_regclass($1) IS NOT NULL', [`${schemaOf(db)}.version`])) !== true) {
    await installJobs(db)
  }
  const boss = bossOn(db, { migrate: false, supervise: supervises })
  boss.on('error', onError)
  await boss.start()
  return {
    /** The services take turns, so that none of them takes all slots. */
    async send(keys: readonly TaskKey[], within: PostgresSession = db): Promise<void> {
      const ofServices = [...Map.groupBy(keys, ({ service }) => service).values()]
      const turns = ofServices.flatMap((ofService) => ofService.map((data, turn) => ({ data, turn })))
      const jobs = turns
        .toSorted((a, b) => a.turn - b.turn)
        .map(({ data }) => ({ data, group: { id: data.service, tier: data.service }, priority: data.run }))
      await boss.insert(queue, jobs, { db: executor(within) })
    },
    /** Takes some of a run, where the caps allow it. */
    fetch: ({ run, most, caps, others }: FetchLimits): Promise<readonly Job[]> =>
      briefTransaction(db, async (transaction) => {
        // Several fetches at once would each count the jobs that were worked at before.
        await transaction.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schemaOf(db)} ${queue}`])
        return boss.fetch<TaskKey>(queue, {
          batchSize: most,
          minPriority: run,
          maxPriority: run,
          groupConcurrency: { default: 1, tiers: Object.fromEntries(caps) },
          ignoreGroups: [...others],
          db: executor(transaction),
        })
      }),
    /** Says that they are worked at. Returns the ids of those that still are this process's. */
    async touch(jobs: readonly Job[]): Promise<ReadonlySet<string>> {
      if (jobs.length === 0) return new Set()
      const { settled = [] }: Answer = await boss.touch(queue, [...jobs])
      return new Set(settled)
    },
    /** False when the job is another process's by now: nothing was changed. */
    async complete(job: Job, within: PostgresSession = db): Promise<boolean> {
      const { affected }: Answer = await boss.complete(queue, job, null, { db: executor(within) })
      return affected === 1
    },
    /** Another process tries again. */
    fail: async (job: Job): Promise<void> => void (await boss.fail(queue, job)),
    /** Removes all that wait. */
    clear: async (): Promise<void> => void (await boss.deleteQueuedJobs(queue)),
    close: () => boss.stop({ graceful: false }),
  }
}

/** What pg-boss answers; it does not declare it. */
interface Answer {
  /** Ids of the jobs that it found in the attempt that it was given. */
  readonly settled?: readonly string[]
  readonly affected?: number
}

function bossOn(
  db: PostgresDatabase,
  { migrate, supervise }: { readonly migrate: boolean; readonly supervise: boolean },
) {
  return new PgBoss({
    schema: schemaOf(db),
    db: executor(db),
    migrate,
    createSchema: migrate,
    supervise,
    schedule: false,
    superviseIntervalSeconds: monitorEveryS,
    monitorIntervalSeconds: monitorEveryS,
    registerInstance: false,
    reindex: false,
    monitorVacuum: false,
    openTelemetry: { enabled: false },
  })
}

/** pg-boss takes no longer names. */
const mostOfSchema = 50

/** Whether the name of the history's schema leaves room for that of the jobs. */
export function canHaveJobs({ schema }: Pick<PostgresDatabase, 'schema'>): boolean {
  return `${schema}_jobs`.length <= mostOfSchema
}

/** @throws AuditError.usage when it does not */
function schemaOf({ schema }: PostgresDatabase): string {
  if (canHaveJobs({ schema })) return `${schema}_jobs`
  throw AuditError.usage(`the schema ${schema} of the history has too long a name for workers to share it`, {
    advice: `copy the history to a schema of at most ${mostOfSchema - '_jobs'.length} characters: \`hookdrift history copy\``,
  })
}

function executor(session: PostgresSession): { executeSql(text: string, values?: unknown[]): Promise<ForeignResult> } {
  return { executeSql: (text, values) => session.foreign(text, values) }
}

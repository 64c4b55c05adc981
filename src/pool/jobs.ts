import { PgBoss, type Queue } from 'pg-boss'
import type { ForeignResult, PostgresDatabase, PostgresSession } from '../history/postgres/connect.ts'
import { AuditError } from '../model/errors.ts'
import { withoutUndefined } from '../model/without-undefined.ts'
import { briefTransaction } from './tasks.ts'

// The one file that knows pg-boss. It says which process should work; who may write is decided by tokens in tables of
// our own, so a job that is given out twice costs time and nothing else.

/** A job that a process works at: this attempt of it, so that a process that was given up ends nothing. */
export interface Attempt {
  readonly id: string
  readonly retryCount: number
}

export interface Job<Data extends object> extends Attempt {
  readonly data: Data
}

export interface SendOptions {
  /** Before this many seconds have passed, no process gets it. */
  readonly delayS?: number
  /** At most one job of a key waits or is worked at, in a queue of which one job at a time is worked at. */
  readonly key?: string
}

/** Six verbs. Within a transaction, a verb takes effect with it. */
export interface Jobs {
  /** Returns how many were new: a key may be there already. */
  send(queue: string, data: readonly object[], options?: SendOptions, within?: PostgresSession): Promise<number>
  /** At most `most` jobs, and no more than so many of the queue that all processes together work at. */
  fetch<Data extends object>(
    queue: string,
    limit: { readonly most: number; readonly cap: number },
  ): Promise<Job<Data>[]>
  /** Says that they are worked at. Returns the ids of those that still are this process's. */
  touch(queue: string, attempts: readonly Attempt[]): Promise<ReadonlySet<string>>
  /** False when the job is another process's by now: nothing was changed. */
  complete(queue: string, attempt: Attempt, within?: PostgresSession): Promise<boolean>
  /** Another process tries again, three times in all; then the job is in `lostQueue`. */
  fail(queue: string, attempt: Attempt): Promise<void>
  /** Removes all jobs of a queue that wait. */
  cancel(queue: string): Promise<void>
}

export interface OpenJobs extends Jobs {
  /** Makes queues for these services, where they are missing. */
  makeQueues(services: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const runQueue = 'run'
/** Jobs of walks that were tried three times. */
export const lostQueue = 'lost'

export function walkQueue(service: string): string {
  return `walk/${service}`
}

/** Seconds after which a silent process counts as dead; and how often, in milliseconds, a living one speaks. */
export const heartbeatS = 10
export const touchEveryMs = 3_000
const monitorEveryS = 1

const common = {
  heartbeatSeconds: heartbeatS,
  // The longest that pg-boss takes; a run is bounded by its own time limit.
  expireInSeconds: 86_000,
  deleteAfterSeconds: 3_600,
  retryDelay: 1,
} as const satisfies Partial<Queue>

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
    await boss.createQueue(lostQueue, { ...common, retryLimit: 1_000_000, retentionSeconds: 86_400 })
    await boss.createQueue(runQueue, { ...common, policy: 'exclusive', retryLimit: 1_000_000, retryDelay: 0 })
    await boss.stop({ graceful: false })
  })
}

/**
 * Opens the jobs of a history; `onError` is called for what fails in the background. `supervises`: finds jobs whose
 * process was lost, as one process at least has to.
 */
export async function openJobs(
  db: PostgresDatabase,
  onError: (error: unknown) => void,
  { supervises = true } = {},
): Promise<OpenJobs> {
  if ((await db.value<boolean>('SELECT to_regclass($1) IS NOT NULL', [`${schemaOf(db)}.version`])) !== true) {
    await installJobs(db)
  }
  const boss = bossOn(db, { migrate: false, supervise: supervises })
  boss.on('error', onError)
  await boss.start()
  return {
    async send(queue, data, { delayS, key } = {}, within = db) {
      const options = withoutUndefined({ startAfter: delayS, singletonKey: key })
      const jobs = data.map((datum) => ({ data: datum, group: { id: queue }, ...options }))
      return (await boss.insert(queue, jobs, { db: executor(within), returnId: true }))?.length ?? 0
    },
    fetch: (queue, { most, cap }) =>
      briefTransaction(db, async (transaction) => {
        // Several fetches at once would each count the jobs that were worked at before.
        await transaction.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schemaOf(db)} ${queue}`])
        // Of more than the cap, pg-boss would choose some at random.
        const options = { batchSize: Math.min(most, cap), groupConcurrency: cap, db: executor(transaction) }
        const jobs = await boss.fetch<never>(queue, options)
        return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, data }))
      }),
    async touch(queue, attempts) {
      if (attempts.length === 0) return new Set()
      const { settled = [] }: Answer = await boss.touch(queue, attempts.map(attemptOf))
      return new Set(settled)
    },
    async complete(queue, attempt, within = db) {
      const { affected }: Answer = await boss.complete(queue, attemptOf(attempt), null, { db: executor(within) })
      return affected === 1
    },
    fail: async (queue, attempt) => void (await boss.fail(queue, attemptOf(attempt))),
    cancel: async (queue) => void (await boss.deleteQueuedJobs(queue)),
    async makeQueues(services) {
      const queueNames = new Set((await boss.getQueues()).map(({ name }) => name))
      for (const name of services.map(walkQueue).filter((name) => !queueNames.has(name))) {
        await boss.createQueue(name, { ...common, retryLimit: 2, deadLetter: lostQueue })
      }
    },
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

function attemptOf({ id, retryCount }: Attempt): Attempt {
  return { id, retryCount }
}

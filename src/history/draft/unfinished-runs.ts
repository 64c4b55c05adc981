import type { Session } from '../sql/session.ts'

/** Records runs as interrupted: they wrote nothing but their own row. Within a transaction that owns the lease. */
export async function closeAsInterrupted(session: Session, runs: readonly number[], now: string): Promise<void> {
  if (runs.length === 0) return
  if (session.dialect === 'postgres') {
    await session.run('DELETE FROM hookdrift.task WHERE run = ANY($1)', [runs])
  }
  await session.run("UPDATE hookdrift.run SET state = 'interrupted', finished_at = $2 WHERE number = ANY($1)", [
    runs,
    now,
  ])
}

/** A run that is still `running` when a process takes the lease was killed. Returns their numbers. */
export async function closeKilledRuns(session: Session, now: string): Promise<number[]> {
  const killed = await session.all<{ number: number }>(
    "SELECT number FROM hookdrift.run WHERE state = 'running' ORDER BY number",
  )
  const numbers = killed.map(({ number }) => number)
  await closeAsInterrupted(session, numbers, now)
  return numbers
}

/** How a person learns what became of a run. */
export const unknownRun = {
  subject: ({ run }: { readonly run: number }) => `run ${run}`,
  advice:
    'check whether `hookdrift runs` lists it once the server is up; the next run closes it if it is not committed',
}

interface Outcome {
  /** Of the lease. */
  readonly token: number
  readonly state: string
  readonly chain: string | null
}

/** What became of a run; undefined: there is no such run. */
export function readOutcome(session: Session, run: number): Promise<Outcome | undefined> {
  return session.get<Outcome>(
    'SELECT l.token, r.state, r.chain FROM hookdrift.lease l CROSS JOIN hookdrift.run r WHERE r.number = $1',
    [run],
  )
}
